// SPDX-License-Identifier: MIT
//! What was seen, in words that JSON.md explains.

use std::collections::HashMap;

use serde::{Deserialize, Serialize};
use sigzero_model::Ending;
use sigzero_model::report::{Price, Target};

use crate::counters::Counters;

/// The form of the JSON document; raised when a field changes its meaning.
pub const FORMAT: &str = "sigzero-queue-1";

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Report {
    pub format: String,
    pub command: Vec<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub target: Option<Target>,
    pub source: Source,
    pub notes: Vec<String>,
    pub ending: Ending,
    pub wall_seconds: f64,
    /// Nothing was lost, and no queue was too long to be counted.
    pub exact: bool,
    pub total: Sums,
    /// Most sigqueues first.
    pub tasks: Vec<Task>,
    /// Most signals first.
    pub links: Vec<Link>,
    pub depths: Vec<Depth>,
    pub users: Vec<User>,
    /// Of the whole machine; only in a kernel that has the cache.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub counters: Option<Counters>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub price: Option<Price>,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Source {
    /// The kernel has no cache: what one would do was played beside it.
    #[default]
    Forecast,
    /// The kernel has the cache, and was asked at each signal.
    Kernel,
    /// The kernel has the cache, and its counters are all that may be read.
    Counters,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Sums {
    pub signals: u64,
    /// Signals that took a sigqueue from their task's slot, or would have.
    pub cache: u64,
    /// Signals that took one from the slab, or would have.
    pub slab: u64,
    /// Of `slab`: the first signal seen by a task that is older than the watch. Its slot was
    /// taken to be empty and may have been filled.
    pub unsure: u64,
    /// What the forecast says, also where the kernel has the cache.
    pub forecast_cache: u64,
    pub forecast_slab: u64,
    /// Consumed and kept in the slot, and consumed while it was full: forecast.
    pub kept: u64,
    pub dropped: u64,
    /// Of POSIX timers, which have sigqueues of their own.
    pub timer: u64,
    /// SIGKILL, and what threads of the kernel are sent.
    pub without: u64,
    pub ignored: u64,
    /// The same signal waited already.
    pub pending: u64,
    /// For lack of room (RLIMIT_SIGPENDING) delivered without siginfo, or not at all.
    pub no_room: u64,
    pub refused: u64,
}

impl Sums {
    pub fn sigqueues(&self) -> u64 {
        self.cache + self.slab
    }
}

#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Task {
    pub pid: u32,
    pub tid: u32,
    pub name: String,
    /// More than one if tasks of that name that ended were added up; then without numbers.
    pub tasks: u64,
    pub ended: bool,
    /// Sigqueues in line at once.
    pub deepest: u32,
    #[serde(flatten)]
    pub sums: Sums,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Link {
    /// Name of the sender; absent if no program sent it.
    pub sender: Option<String>,
    pub target: String,
    pub signal: i32,
    pub signal_name: String,
    pub origin: Origin,
    pub signals: u64,
    /// Forecast.
    pub cache: u64,
    pub slab: u64,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Origin {
    /// By kill, sigqueue and the like, or a signal such as SIGPIPE that a call of its own caused.
    Program,
    /// A child that ended, stopped or went on.
    Child,
    /// A POSIX timer.
    Timer,
    /// An interval timer, a fault, a terminal.
    Kernel,
}

/// Signals that found so many sigqueues in line, themselves included.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Depth {
    pub from: u64,
    pub to: u64,
    pub signals: u64,
}

/// What the targets of one user had pending.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct User {
    pub uid: u32,
    /// Sigqueues charged to the user at once.
    pub most: u64,
    /// RLIMIT_SIGPENDING of the process that came nearest to it.
    pub limit: u64,
    pub refused: u64,
}

/// Ended tasks beyond so many are added up by name.
const ENDED: usize = 10_000;

/// Ended tasks, of which there may be many.
#[derive(Debug, Default)]
pub struct Ended {
    single: Vec<Task>,
    by_name: HashMap<String, Task>,
}

impl Ended {
    pub fn add(&mut self, task: Task) {
        if self.single.len() < ENDED {
            self.single.push(task);
            return;
        }
        let sum = self.by_name.entry(task.name.clone()).or_insert_with(|| Task {
            name: task.name.clone(),
            ended: true,
            ..Task::default()
        });
        sum.tasks += 1;
        sum.deepest = sum.deepest.max(task.deepest);
        sum.sums.add(&task.sums);
    }

    pub fn into_tasks(self) -> Vec<Task> {
        self.single.into_iter().chain(self.by_name.into_values()).collect()
    }
}

impl Sums {
    pub fn add(&mut self, other: &Self) {
        self.signals += other.signals;
        self.cache += other.cache;
        self.slab += other.slab;
        self.unsure += other.unsure;
        self.forecast_cache += other.forecast_cache;
        self.forecast_slab += other.forecast_slab;
        self.kept += other.kept;
        self.dropped += other.dropped;
        self.timer += other.timer;
        self.without += other.without;
        self.ignored += other.ignored;
        self.pending += other.pending;
        self.no_room += other.no_room;
        self.refused += other.refused;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn many_ended_tasks_are_added_up() {
        let mut ended = Ended::default();
        let sums = Sums { signals: 2, cache: 1, slab: 1, ..Sums::default() };
        for pid in 0..ENDED as u32 + 5 {
            ended.add(Task {
                pid,
                name: "sh".into(),
                tasks: 1,
                deepest: pid,
                sums,
                ..Task::default()
            });
        }
        let tasks = ended.into_tasks();
        assert_eq!(tasks.len(), ENDED + 1);
        let rest = tasks.last().unwrap();
        assert_eq!((rest.tasks, rest.sums.signals, rest.deepest), (5, 10, ENDED as u32 + 4));
        assert_eq!(tasks.iter().map(|task| task.sums.sigqueues()).sum::<u64>(), 2 * 10_005);
    }
}
