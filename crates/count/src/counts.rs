// SPDX-License-Identifier: MIT
//! What a count yields.

use std::fmt;
use std::process::ExitStatus;

use crate::calls::CALLS;
use crate::sites::Image;

/// How the calls were counted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Method {
    Perf,
    Ptrace,
}

impl fmt::Display for Method {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Method::Perf => "perf events on tracepoints",
            Method::Ptrace => "ptrace with a seccomp filter",
        })
    }
}

/// Calls of a whole process tree, by system call.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Counts {
    values: [u64; CALLS.len()],
    pub method: Method,
    /// Whether every call was counted. If not, `note` says why.
    pub exact: bool,
    pub note: Option<String>,
}

impl Counts {
    pub(crate) fn exact(method: Method, values: [u64; CALLS.len()]) -> Self {
        Counts { values, method, exact: true, note: None }
    }

    pub(crate) fn incomplete(mut self, note: &str) -> Self {
        self.exact = false;
        self.note = Some(note.to_owned());
        self
    }

    /// Name and number of each system call, in the order of [`CALLS`], those never made included.
    pub fn iter(&self) -> impl Iterator<Item = (&'static str, u64)> + '_ {
        CALLS.iter().map(|c| c.name).zip(self.values)
    }

    /// Calls of this name; 0 when it is not among [`CALLS`].
    pub fn get(&self, name: &str) -> u64 {
        self.iter().find(|(n, _)| *n == name).map_or(0, |(_, v)| v)
    }

    pub fn total(&self) -> u64 {
        self.values.iter().sum()
    }
}

/// The outcome of a counted run.
#[derive(Debug)]
pub struct Counted {
    pub counts: Counts,
    /// How the command ended: its exit status or the signal that killed it.
    pub status: ExitStatus,
    /// The calling instructions, one entry a process image that made a call. Empty unless asked for.
    pub images: Vec<Image>,
}
