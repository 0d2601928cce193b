// SPDX-License-Identifier: MIT
//! What is looked at while it runs: processes or the whole machine, and until when.

use std::time::Duration;

use sigzero_bpf::{Target, namespace};
use sigzero_model::report;

use crate::interrupt;

/// No processes: the whole machine.
pub fn running(pids: &[i32]) -> Target {
    match pids {
        [] => Target::Everything,
        pids => Target::Processes(pids.to_vec()),
    }
}

/// As a report names it.
pub fn named(pids: &[i32]) -> report::Target {
    match pids {
        [] => report::Target::Everything,
        pids => report::Target::Processes(pids.to_vec()),
    }
}

/// What is missing of the whole machine, if anything is.
pub fn note(pids: &[i32]) -> Option<String> {
    (pids.is_empty() && namespace().is_some()).then(|| {
        "processes outside of this PID namespace are not seen: run sigzero in the first one for the whole \
         machine (for a container: its host's, as by --pid=host)"
            .into()
    })
}

/// Whether it is enough after some time: at Ctrl-C (which ends us no more), after the time that was given, or when none of
/// the processes is left.
pub fn enough(pids: &[i32], limit: Option<Duration>) -> impl Fn(Duration, u32) -> bool {
    interrupt::watch();
    let all = pids.is_empty();
    move |passed, left| {
        interrupt::came() || limit.is_some_and(|limit| passed >= limit) || (!all && left == 0)
    }
}
