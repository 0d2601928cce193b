// SPDX-License-Identifier: MIT
//! What is exported, and under which names.

use std::collections::HashMap;
use std::time::Duration;

use sigzero_bpf::{Kind, Price, Snapshot};
use sigzero_model::program_name;

use crate::series::{Key, Series};
use crate::text::{self, Family, Value};

/// Sigqueues of all signals, see `sigzero queue`.
#[derive(Clone, Copy, Debug, Default)]
pub struct Sigqueues {
    pub signals: u64,
    pub cache: u64,
    pub slab: u64,
    /// The kernel has the cache; else it is a forecast.
    pub real: bool,
}

/// What the counts do not tell.
#[derive(Clone, Debug, Default)]
pub struct State {
    pub price: Price,
    /// Calls that found no room for their process.
    pub unplaced: u64,
    pub sigqueues: Option<Sigqueues>,
    /// Since 1970.
    pub started: Duration,
}

#[derive(Debug)]
pub struct Metrics {
    series: Series,
    version: &'static str,
    scrapes: u64,
}

impl Metrics {
    pub fn new(programs: usize, version: &'static str) -> Self {
        Self { series: Series::new(programs), version, scrapes: 0 }
    }

    pub fn update(&mut self, snapshot: &Snapshot) {
        self.series.update(&sums(snapshot));
    }

    /// For one reader.
    pub fn families(&mut self, state: &State) -> Vec<Family> {
        self.scrapes += 1;
        let mut calls = Family::new(
            "sigzero_system_calls",
            text::Kind::Counter,
            "Signal system calls by program, call and what was asked of the mask or disposition.",
        );
        for (key, count) in self.series.counts() {
            let labels =
                [("program", key.program.as_str()), ("call", key.call), ("kind", key.kind)];
            calls.add(&labels, Value::Whole(*count));
        }
        let mut families = vec![calls];
        families.extend(sigqueues(state));
        families.extend(self.own(state));
        families
    }

    fn own(&self, state: &State) -> Vec<Family> {
        let price = &state.price;
        let in_kernel = price.in_kernel.unwrap_or_default();
        let counter = |name, help| Family::new(name, text::Kind::Counter, help);
        let gauge = |name, help| Family::new(name, text::Kind::Gauge, help);
        vec![
            counter("sigzero_lost", "What sigzero missed, by what it was.")
                .with(&[("what", "foreign_calls")], Value::Whole(price.foreign))
                .with(&[("what", "missed_calls")], Value::Whole(price.missed))
                .with(&[("what", "unplaced_calls")], Value::Whole(state.unplaced))
                .with(&[("what", "stacks")], Value::Whole(price.copies_lost))
                .with(&[("what", "mappings")], Value::Whole(price.records_lost)),
            counter(
                "sigzero_cost_seconds",
                "Time that the counting took, of the programs (kernel, estimated) and of sigzero (own).",
            )
            .seconds()
            .with(&[("where", "kernel")], Value::Real(in_kernel.as_secs_f64()))
            .with(&[("where", "own")], Value::Real(price.own.as_secs_f64())),
            counter("sigzero_scrapes", "Answers to readers.").with(&[], Value::Whole(self.scrapes)),
            gauge("sigzero_series", "Series of system calls.")
                .with(&[], Value::Whole(self.series.len() as u64)),
            gauge("sigzero_programs", "Programs that have series of their own.")
                .with(&[], Value::Whole(self.series.programs() as u64)),
            gauge("sigzero_start_time_seconds", "When the counting began, since 1970.")
                .seconds()
                .with(&[], Value::Real(state.started.as_secs_f64())),
            Family::new("sigzero_build", text::Kind::Info, "The version of sigzero.")
                .with(&[("version", self.version)], Value::Whole(1)),
        ]
    }
}

fn sigqueues(state: &State) -> Vec<Family> {
    let Some(sigqueues) = &state.sigqueues else { return Vec::new() };
    let basis = if sigqueues.real { "kernel" } else { "forecast" };
    let from = |from| [("from", from), ("basis", basis)];
    vec![
        Family::new("sigzero_signals", text::Kind::Counter, "Signals that were sent.")
            .with(&[], Value::Whole(sigqueues.signals)),
        Family::new(
            "sigzero_sigqueues",
            text::Kind::Counter,
            "Sigqueues from the one-slot cache and from the slab, by forecast if the kernel has no cache.",
        )
        .with(&from("cache"), Value::Whole(sigqueues.cache))
        .with(&from("slab"), Value::Whole(sigqueues.slab)),
    ]
}

fn sums(snapshot: &Snapshot) -> HashMap<Key, u64> {
    let mut sums = HashMap::new();
    for (tally, calls) in &snapshot.tallies {
        let image = snapshot.images.get(&tally.image);
        let program =
            image.and_then(|image| program_name(&image.executable)).unwrap_or("unknown").into();
        let key = Key { program, call: tally.call, kind: kind(tally.kind) };
        *sums.entry(key).or_default() += calls;
    }
    for ((call, asked), calls) in &snapshot.unplaced {
        let program = crate::series::OTHER.to_string();
        *sums.entry(Key { program, call, kind: kind(*asked) }).or_default() += calls;
    }
    sums
}

fn kind(kind: Kind) -> &'static str {
    match kind {
        Kind::Plain => "any",
        Kind::Query => "query",
        Kind::Same => "same",
        Kind::Block => "block",
        Kind::Unblock => "unblock",
        Kind::Restore => "restore",
        Kind::Replace => "replace",
        Kind::Set => "set",
        Kind::Failed => "failed",
    }
}
