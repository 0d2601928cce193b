// SPDX-License-Identifier: MIT
//! The counters of a kernel that has the cache: see kernel/sigqueue-cache.md.

use std::fs;
use std::io;
use std::path::Path;

use serde::{Deserialize, Serialize};

const FILE: &str = "/sys/kernel/debug/sigqueue";

/// Of the whole machine, since it was started or between two readings.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Counters {
    /// Sigqueues taken from the slab for a signal.
    pub slab: u64,
    /// Taken from a slot instead.
    pub cache: u64,
    /// Taken from the slab for a POSIX timer.
    pub timer: u64,
    /// Consumed and put into a slot.
    pub kept: u64,
    /// Consumed while the slot was full.
    pub dropped: u64,
    /// Never consumed.
    pub flushed: u64,
    /// In the slot of a task that ended.
    pub released: u64,
    /// Slots that are filled, and tasks, at the second reading.
    pub filled: u64,
    pub tasks: u64,
}

impl Counters {
    /// `None` if the kernel has no cache, or does not let us read them.
    pub fn read() -> Option<Self> {
        Self::read_from(Path::new(FILE)).ok().flatten()
    }

    /// The kernel has the cache, whether or not we may read its counters.
    pub fn refused() -> bool {
        fs::File::open(FILE).is_err_and(|error| error.kind() == io::ErrorKind::PermissionDenied)
    }

    fn read_from(path: &Path) -> io::Result<Option<Self>> {
        Ok(Self::parse(&fs::read_to_string(path)?))
    }

    fn parse(text: &str) -> Option<Self> {
        let mut counters = Self::default();
        let mut seen = 0;
        for line in text.lines() {
            let (name, value) = line.split_once(' ')?;
            let field = match name {
                "slab" => &mut counters.slab,
                "cache" => &mut counters.cache,
                "timer" => &mut counters.timer,
                "kept" => &mut counters.kept,
                "dropped" => &mut counters.dropped,
                "flushed" => &mut counters.flushed,
                "released" => &mut counters.released,
                "filled" => &mut counters.filled,
                "tasks" => &mut counters.tasks,
                _ => continue,
            };
            *field = value.trim().parse().ok()?;
            seen += 1;
        }
        (seen == 9).then_some(counters)
    }

    /// What was added since an earlier reading.
    pub fn since(&self, earlier: &Self) -> Self {
        Self {
            slab: self.slab - earlier.slab,
            cache: self.cache - earlier.cache,
            timer: self.timer - earlier.timer,
            kept: self.kept - earlier.kept,
            dropped: self.dropped - earlier.dropped,
            flushed: self.flushed - earlier.flushed,
            released: self.released - earlier.released,
            ..*self
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const TEXT: &str = "slab 10\ncache 90\ntimer 1\nkept 95\ndropped 2\nflushed 1\nreleased 3\n\
                        filled 2\ntasks 30\n";

    #[test]
    fn the_counters_are_read_by_name() {
        let counters = Counters::parse(TEXT).unwrap();
        assert_eq!((counters.slab, counters.cache, counters.tasks), (10, 90, 30));
        assert_eq!(Counters::parse("slab 10\n"), None);
        assert_eq!(Counters::parse(""), None);
    }

    #[test]
    fn what_was_added_is_told() {
        let earlier = Counters::parse(TEXT).unwrap();
        let later = Counters { slab: 11, cache: 100, tasks: 31, ..earlier };
        let added = later.since(&earlier);
        assert_eq!((added.slab, added.cache, added.kept, added.tasks), (1, 10, 0, 31));
    }
}
