// SPDX-License-Identifier: MIT
//! What sigzero counted, as a file that can be kept, sent to others and read again.
//!
//! The format is in FORMAT.md beside this crate: one JSON object a line, so that a file that was cut
//! off still gives what it has. No files are opened here.

mod line;
mod read;
mod write;

use serde::{Deserialize, Serialize};
use sigzero_machine::Machine;
use sigzero_model::report::Run;
use sigzero_model::{Cost, Process, Report};

pub use read::{Error, read};
pub use write::write;

pub const FORMAT: &str = "sigzero-recording";
/// Raised when a field changes its meaning, not when one is added.
pub const VERSION: u32 = 1;

#[derive(Clone, Debug, Default, PartialEq)]
pub struct Recording {
    pub about: About,
    pub run: Run,
    /// The price of a call where it was recorded.
    pub cost: Cost,
    pub processes: Vec<Process>,
    /// What of the file could not be read.
    pub damage: Option<String>,
}

/// When and where it was recorded, and by what.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct About {
    pub sigzero: String,
    /// The end of the counting, as ISO 8601 in UTC.
    pub date: String,
    /// Nanoseconds since 1970, of the start.
    pub start_unix_ns: i64,
    pub machine: Machine,
}

impl Recording {
    /// All processes together. What is missing makes the counts inexact.
    pub fn report(&self) -> Report {
        let mut run = self.run.clone();
        run.incomplete |= self.damage.is_some();
        run.notes.extend(self.damage.clone());
        Report::of(run, &self.processes, self.cost)
    }
}

#[cfg(test)]
mod tests;
