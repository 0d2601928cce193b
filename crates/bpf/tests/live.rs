// SPDX-License-Identifier: MIT
//! A trace that is looked at while it goes on.

mod support;

use std::collections::HashMap;
use std::io::Write;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use sigzero_bpf::trace::Tally;
use sigzero_bpf::{Live, Options, Snapshot, Target};
use support::*;

const PROCESSES: u64 = 150;
const CALLS: u64 = 100;

fn queries(snapshot: &Snapshot) -> u64 {
    let query = |(tally, _): &(&Tally, &u64)| tally.kind == sigzero_bpf::Kind::Query;
    snapshot.tallies.iter().filter(query).map(|(_, calls)| calls).sum()
}

/// By executable and call, all kinds and stacks together.
fn sums(snapshot: &Snapshot) -> HashMap<(String, &'static str), u64> {
    let mut sums = HashMap::new();
    for (tally, calls) in &snapshot.tallies {
        let executable = snapshot.images[&tally.image].executable.clone();
        *sums.entry((executable, tally.call)).or_default() += calls;
    }
    sums
}

#[test]
fn what_ended_is_folded_and_nothing_is_lost() {
    if !permitted() {
        return;
    }
    let folder = tempfile::tempdir().unwrap();
    let program = compile(folder.path(), "loop", &[]);
    let script = format!(
        "read go; i=0; while [ $i -lt {PROCESSES} ]; do {} {CALLS}; i=$((i + 1)); done; read end",
        program.display()
    );
    for stacks in [true, false] {
        let mut shell =
            Command::new("sh").args(["-c", &script]).stdin(Stdio::piped()).spawn().unwrap();
        let target = Target::Processes(vec![shell.id() as i32]);
        let mut live = Live::start(&target, &Options { stacks, ..Options::default() }).unwrap();
        let mut input = shell.stdin.take().unwrap();
        input.write_all(b"\n").unwrap();
        let end = Instant::now() + Duration::from_secs(60);
        let mut before = HashMap::new();
        loop {
            live.turn();
            let snapshot = live.snapshot();
            let now = sums(&snapshot.by_program());
            for (key, calls) in &before {
                // What is on its way from one place to another is missed once at the most.
                let least = u64::saturating_sub(*calls, CALLS);
                assert!(now.get(key).copied().unwrap_or(0) >= least, "{key:?}");
            }
            before = now;
            live.fold();
            if queries(&snapshot) >= PROCESSES * CALLS {
                break;
            }
            assert!(Instant::now() < end, "{} of {}", queries(&snapshot), PROCESSES * CALLS);
        }
        for _ in 0..3 {
            live.turn();
            live.fold();
        }
        let snapshot = live.snapshot();
        assert_eq!(queries(&snapshot), PROCESSES * CALLS, "stacks {stacks}");
        // The shell, what stands for all that ended, and what a processor was last busy with.
        assert!(snapshot.images.len() < 20, "{:?}", snapshot.images);
        assert!(snapshot.running.len() < 5, "{:?}", snapshot.running);
        let processes = live.processes(&snapshot, |_, image| image.executable.ends_with("/loop"));
        let named = processes.iter().flat_map(|process| &process.sites);
        let asks = |symbol: &Option<String>| symbol.as_deref() == Some("asks");
        let of_asks: u64 = named
            .filter(|site| asks(&site.caller.symbol))
            .map(|site| site.counts.rt_sigprocmask.query)
            .sum();
        assert_eq!(of_asks > PROCESSES * CALLS / 2, stacks, "{of_asks}");
        drop(input);
        assert!(shell.wait().is_ok());
    }
}
