// SPDX-License-Identifier: MIT
//! What is told about a process. The fields are those of the JSON document (JSON.md).

use serde::Serialize;
use sigzero_model::Caller;

use crate::findings::Finding;
use crate::process::SignalFile;
use crate::signals::{Set, Signal};

#[derive(Debug, Serialize)]
pub struct Report {
    pub format: &'static str,
    pub pid: i32,
    pub command: Vec<String>,
    pub treatment: Treatment,
    /// How long it was watched, and how often it was looked at.
    pub watched_seconds: f64,
    pub looks: usize,
    /// The process is stopped; nothing is delivered until it goes on.
    pub stopped: bool,
    /// Who traces it, and sees each signal first.
    pub tracer: Option<i32>,
    pub ignored: Set,
    pub caught: Set,
    pub threads: Vec<Thread>,
    pub pending: Vec<Pending>,
    /// File descriptors from which signals can be read; null if unknown.
    pub signal_files: Option<Vec<SignalFile>>,
    pub findings: Vec<Finding>,
    pub notes: Vec<String>,
}

#[derive(Debug, Serialize)]
#[serde(tag = "kind", rename_all = "kebab-case")]
pub enum Treatment {
    /// libsigzero is in it.
    Treated {
        library: String,
        mode: String,
        refused: Option<String>,
        stepped_aside: Option<String>,
    },
    Untreated,
    /// A thread of the kernel's own.
    Kernel,
    /// Its memory could not be read.
    Unknown {
        reason: String,
    },
}

#[derive(Debug, Serialize)]
pub struct Thread {
    pub tid: i32,
    pub name: String,
    pub state: &'static str,
    /// The system call in which it waits; null if it runs or if that is unknown.
    pub call: Option<String>,
    pub kernel_function: Option<String>,
    /// What the program believes is blocked; null if unknown.
    pub blocked_by_program: Option<Set>,
    pub blocked_by_kernel: Set,
    /// The kernel's mask is one for the time of this wait.
    pub temporary: bool,
    /// Blocked by the program, and the kernel does not know; null if unknown.
    pub blocked_lazily: Option<Set>,
    /// Depth of critical sections; null if there is no such thing here, or if it is unknown.
    pub section: Option<i32>,
    pub section_registered: Option<i32>,
    pub unchanged: Unchanged,
    /// How often the program changed its mask; null if nobody counts.
    pub changes: Option<u64>,
    /// Who changed it last; null if nobody remembers.
    pub changed_by: Option<Caller>,
    /// How long a signal has been held back for the thread; null if none is, or if nobody knows.
    pub held_seconds: Option<f64>,
    pub pending: Set,
}

/// Whether the mask changed while it was watched.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Unchanged {
    /// Certainly, since its changes are counted or it did not run.
    All,
    /// It was the same whenever it was looked at.
    SameAtLooks,
    Changed,
    /// The thread was not there at every look, or there was only one.
    Unknown,
}

#[derive(Debug, Serialize)]
pub struct Pending {
    pub signal: Signal,
    /// The thread it was sent to; null for the process.
    pub thread: Option<i32>,
    pub action: Action,
    /// It was there at every look.
    pub all_the_time: bool,
    pub blocked_by: Vec<i32>,
    /// Threads that have it open.
    pub takers: Vec<i32>,
    /// File descriptors from which it can be read.
    pub readers: Vec<i32>,
}

/// What the signal will do.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Action {
    Caught,
    Ignored,
    Default,
}
