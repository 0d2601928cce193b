// SPDX-License-Identifier: MIT
//! What `stat` found: all processes together, by function and by caller.

use std::collections::BTreeMap;
use std::sync::Arc;

use serde::{Deserialize, Serialize};

use crate::counts::Added;
use crate::{Caller, Cost, Counts, Hidden, Process, Site};

/// The form of the JSON document; raised when a field changes its meaning.
pub const FORMAT: &str = "sigzero-stat-1";

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Report {
    pub format: String,
    pub command: Vec<String>,
    /// What was looked at, if no command was run.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub target: Option<Target>,
    pub source: Source,
    /// Of the source `bpf`: where its programs stood, by the kernel's word for it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub attached: Option<String>,
    /// What a reader of the numbers has to know: why something was not seen.
    pub notes: Vec<String>,
    pub ending: Ending,
    pub wall_seconds: f64,
    /// Of the command and the children it waited for; absent if not measured.
    pub user_seconds: Option<f64>,
    pub system_seconds: Option<f64>,
    /// Children were counted too.
    pub followed: bool,
    /// The counts of calls are exact, up to `lost`. What is hidden is always estimated.
    pub exact: bool,
    pub lost: u64,
    pub cost: Cost,
    pub total: Summary,
    /// Most system calls first.
    pub functions: Vec<Function>,
    /// Most system calls first; the same place in several processes is one.
    pub callers: Vec<Site>,
    /// By whole stack, most system calls first; the same stack in several processes is one.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub stacks: Vec<Site>,
    /// Calls whose stack is not known to its end, or only by a guess: their caller is an estimate.
    #[serde(default)]
    pub estimated: u64,
    /// What the tracing took; absent if it was not measured.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub price: Option<Price>,
    pub hidden: Vec<Hidden>,
    pub processes: Vec<ProcessSummary>,
}

/// Who counted.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Source {
    /// The preloaded runtime, by function and caller.
    #[default]
    Runtime,
    /// A tracer from outside, by system call: what of it is removable is not known.
    Ptrace,
    /// The kernel itself, by system call, kind and stack: what of it is removable is not known.
    Bpf,
    Nobody,
}

/// What was already running.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Target {
    Processes(Vec<i32>),
    Everything,
}

/// What tracing took.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Price {
    /// Added to the traced programs, estimated from the calls that were timed; absent if there
    /// were too few.
    pub in_kernel_seconds: Option<f64>,
    /// Processor time of the tracer.
    pub own_seconds: f64,
}

/// How the program ended: one of the two is set.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Ending {
    pub code: Option<i32>,
    pub signal: Option<i32>,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Summary {
    #[serde(flatten)]
    pub counts: Counts,
    pub system_calls: u64,
    /// System calls that mode `shadow` does not make: they change nothing.
    pub needless: u64,
    /// System calls that `sigzero run` is expected not to make, `added` taken off.
    pub removable: u64,
    /// System calls that `sigzero run` is expected to make of its own.
    pub added: u64,
    /// Estimated from `cost`.
    pub saved_seconds: f64,
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Function {
    pub name: String,
    #[serde(flatten)]
    pub sum: Summary,
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct ProcessSummary {
    pub pid: u32,
    pub parent: u32,
    pub executable: String,
    pub lost: u64,
    pub vfork_calls: u64,
    pub note: String,
    pub damage: String,
    #[serde(flatten)]
    pub sum: Summary,
    pub functions: Vec<Function>,
}

/// What is known of the run besides the counts.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct Run {
    pub command: Vec<String>,
    pub target: Option<Target>,
    pub price: Option<Price>,
    pub source: Source,
    pub attached: Option<String>,
    pub notes: Vec<String>,
    pub ending: Ending,
    pub wall_seconds: f64,
    pub user_seconds: Option<f64>,
    pub system_seconds: Option<f64>,
    pub followed: bool,
    /// The source itself says that it missed something.
    pub incomplete: bool,
}

impl Report {
    /// Adds everything up. Processes are put in the order in which they started.
    pub fn new(run: Run, processes: Vec<Process>, cost: Cost) -> Self {
        Self::of(run, &processes, cost)
    }

    /// The same, of processes that are still needed.
    pub fn of(run: Run, processes: &[Process], cost: Cost) -> Self {
        let mut processes: Vec<&Process> = processes.iter().collect();
        processes.sort_by_key(|process| (process.start_ns, process.pid));
        let sites = || processes.iter().flat_map(|process| &process.sites);
        let lost = processes.iter().map(|process| process.lost).sum();
        Self {
            format: FORMAT.into(),
            command: run.command,
            target: run.target,
            price: run.price,
            source: run.source,
            attached: run.attached,
            notes: run.notes,
            ending: run.ending,
            wall_seconds: run.wall_seconds,
            user_seconds: run.user_seconds,
            system_seconds: run.system_seconds,
            followed: run.followed,
            exact: run.source != Source::Nobody
                && !run.incomplete
                && lost == 0
                && processes.iter().all(|process| process.damage.is_empty()),
            lost,
            cost,
            total: Summary::new(
                processes.iter().map(|process| process.total()).sum(),
                processes.iter().map(|process| process.added).sum(),
                &cost,
            ),
            functions: functions(sites(), &cost),
            callers: callers(sites()),
            stacks: stacks(sites()),
            estimated: sites()
                .filter(|site| site.is_estimate())
                .map(|site| site.counts.calls)
                .sum(),
            hidden: hidden(sites()),
            processes: processes.iter().map(|p| ProcessSummary::new(p, &cost)).collect(),
        }
    }

    /// Estimated share of the wall time that the removable calls took, from 0 to 1.
    pub fn saved_share(&self) -> f64 {
        if self.wall_seconds > 0.0 { self.total.saved_seconds / self.wall_seconds } else { 0.0 }
    }
}

impl Summary {
    fn new(counts: Counts, added: Added, cost: &Cost) -> Self {
        let saved = cost.of_removable(&counts) - cost.of_added(&added);
        Self {
            counts,
            system_calls: counts.system_calls(),
            needless: counts.needless(),
            removable: counts.removable().saturating_sub(added.total()),
            added: added.total(),
            saved_seconds: saved.max(0.0),
        }
    }
}

impl ProcessSummary {
    fn new(process: &Process, cost: &Cost) -> Self {
        Self {
            pid: process.pid,
            parent: process.parent,
            executable: process.executable.clone(),
            lost: process.lost,
            vfork_calls: process.vfork_calls,
            note: process.note.clone(),
            damage: process.damage.clone(),
            sum: Summary::new(process.total(), process.added, cost),
            functions: functions(process.sites.iter(), cost),
        }
    }
}

fn functions<'a>(sites: impl Iterator<Item = &'a Site>, cost: &Cost) -> Vec<Function> {
    let mut sums: BTreeMap<&str, Counts> = BTreeMap::new();
    for site in sites.filter(|site| !site.opaque) {
        *sums.entry(&site.function).or_default() += site.counts;
    }
    let mut functions: Vec<_> = sums
        .into_iter()
        .map(|(name, counts)| Function {
            name: name.into(),
            sum: Summary::new(counts, Added::default(), cost),
        })
        .collect();
    functions.sort_by_key(|function| weight(&function.sum.counts));
    functions
}

fn callers<'a>(sites: impl Iterator<Item = &'a Site>) -> Vec<Site> {
    let mut sums: BTreeMap<(&str, u64, &str), Site> = BTreeMap::new();
    for site in sites.filter(|site| !site.opaque) {
        let key = (site.caller.module.as_str(), site.caller.offset, site.function.as_str());
        match sums.get_mut(&key) {
            Some(sum) => sum.counts += site.counts,
            None => {
                let site = Site { stack: Vec::new(), stack_whole: false, ..site.clone() };
                sums.insert(key, site);
            }
        }
    }
    let mut callers: Vec<_> = sums.into_values().collect();
    callers.sort_by_key(|site| weight(&site.counts));
    callers
}

fn stacks<'a>(sites: impl Iterator<Item = &'a Site>) -> Vec<Site> {
    let mut sums: BTreeMap<(&str, &[Arc<Caller>], bool), Site> = BTreeMap::new();
    for site in sites.filter(|site| !site.stack.is_empty()) {
        let key = (site.function.as_str(), site.stack.as_slice(), site.stack_whole);
        match sums.get_mut(&key) {
            Some(sum) => sum.counts += site.counts,
            None => drop(sums.insert(key, site.clone())),
        }
    }
    let mut stacks: Vec<_> = sums.into_values().collect();
    stacks.sort_by_key(|site| weight(&site.counts));
    stacks
}

fn hidden<'a>(sites: impl Iterator<Item = &'a Site>) -> Vec<Hidden> {
    let mut calls: BTreeMap<&str, u64> = BTreeMap::new();
    for site in sites.filter(|site| site.opaque) {
        *calls.entry(&site.function).or_default() += site.counts.calls;
    }
    calls.into_iter().map(|(function, calls)| Hidden::new(function, calls)).collect()
}

/// Sorts the most system calls first, then the most calls.
fn weight(counts: &Counts) -> std::cmp::Reverse<(u64, u64)> {
    std::cmp::Reverse((counts.system_calls(), counts.calls))
}

#[cfg(test)]
mod tests;
