// SPDX-License-Identifier: MIT
//! The result, as `--json` prints it. Times are seconds; names that end in `_s` say so.

use serde::Serialize;
use sigzero_count::Counts;

use crate::args::Mode;
use crate::behaviour::{Behaviour, Side};
use crate::stats::{Ratio, Summary};
use crate::timed::Times;
use crate::verdict::Verdict;
use sigzero_machine::Machine;

#[derive(Clone, Debug, Serialize)]
pub struct Report {
    pub sigzero: &'static str,
    /// In UTC.
    pub date: String,
    pub machine: Machine,
    pub command: Vec<String>,
    pub mode: Mode,
    pub follow: Vec<String>,
    pub verdict: Verdict,
    pub calls: Calls,
    pub wall: Option<Time>,
    /// User and system together.
    pub cpu: Option<Time>,
    pub user: Option<Time>,
    pub system: Option<Time>,
    pub behaviour: Behaviour,
    pub pairs_asked_for: u32,
    pub warmup_pairs: u32,
    pub interrupted: bool,
    pub pairs: Vec<Pair>,
    pub notes: Vec<String>,
    pub limits: Vec<&'static str>,
}

/// The signal system calls of one run without and one with the runtime, counted from outside.
#[derive(Clone, Debug, Serialize)]
pub struct Calls {
    pub method: String,
    pub exact: bool,
    pub without: u64,
    pub with: u64,
    /// Those made at all, most first.
    pub by_name: Vec<Call>,
}

#[derive(Clone, Debug, Serialize)]
pub struct Call {
    pub name: &'static str,
    pub without: u64,
    pub with: u64,
}

/// One kind of time over all pairs.
#[derive(Clone, Copy, Debug, Serialize)]
pub struct Time {
    pub without: Summary,
    pub with: Summary,
    /// Without : with, so that more than 1 is a gain. `null` when a time was too short to measure.
    pub ratio: Option<Ratio>,
}

#[derive(Clone, Copy, Debug, Serialize)]
pub struct Pair {
    pub first: Side,
    pub without: Times,
    pub with: Times,
}

impl Calls {
    pub fn new(without: &Counts, with: &Counts) -> Self {
        let both = without.iter().zip(with.iter());
        let mut by_name: Vec<Call> = both
            .map(|((name, before), (_, after))| Call { name, without: before, with: after })
            .filter(|call| call.without + call.with > 0)
            .collect();
        by_name.sort_by_key(|call| std::cmp::Reverse(call.without.max(call.with)));
        Calls {
            method: without.method.to_string(),
            exact: without.exact && with.exact,
            without: without.total(),
            with: with.total(),
            by_name,
        }
    }
}

impl Time {
    pub fn of(pairs: &[Pair], which: impl Fn(&Times) -> f64) -> Option<Self> {
        Some(Time {
            without: Summary::of(pairs.iter().map(|p| which(&p.without)))?,
            with: Summary::of(pairs.iter().map(|p| which(&p.with)))?,
            ratio: Ratio::of(pairs.iter().map(|p| (which(&p.without), which(&p.with)))),
        })
    }
}

/// What a reader must not take from the result.
pub const LIMITS: [&str; 5] = [
    "Times are of this machine, this input and this moment; on a busy machine they spread.",
    "Same output and exit status in these runs is not proof for other inputs; files that the \
     command writes, and what it sends elsewhere, are not compared.",
    "System calls are counted in one run of each kind, those about signals only.",
    "Processor times are of the command and the children that it waited for.",
    "Many kernels measure user and system time together and divide them by samples: for a short \
     run the sum is firm, the division is not.",
];
