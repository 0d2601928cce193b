// SPDX-License-Identifier: MIT
//! One process image: from its exec to the next or to its end.

use serde::{Deserialize, Serialize};

use crate::counts::Added;
use crate::{Counts, Site};

#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct Process {
    pub pid: u32,
    pub parent: u32,
    /// Path of the executable.
    pub executable: String,
    /// CLOCK_MONOTONIC at its start.
    pub start_ns: u64,
    /// Calls that were counted here and nowhere else, because the table was full.
    pub lost: u64,
    /// Of all calls, those that a vfork child made in this process's memory.
    pub vfork_calls: u64,
    /// What mode `lazy` would have called besides.
    pub added: Added,
    /// Why the runtime left something alone; empty if it did not.
    pub note: String,
    /// What could not be read of the counter file; empty if all was.
    pub damage: String,
    pub sites: Vec<Site>,
}

impl Process {
    /// The sum of what was seen; opaque functions are not part of it.
    pub fn total(&self) -> Counts {
        self.sites.iter().filter(|site| !site.opaque).map(|site| site.counts).sum()
    }

    pub fn name(&self) -> &str {
        program_name(&self.executable).unwrap_or_default()
    }
}

/// The last part of the path of an executable; `None` if there is none.
pub fn program_name(path: &str) -> Option<&str> {
    path.rsplit('/').next().filter(|name| !name.is_empty())
}
