// SPDX-License-Identifier: MIT
//! What is mapped where in each process, as it changes in time.

use std::collections::HashMap;
use std::fs;

use crate::layout::{FILE_NONE, FILE_VDSO, place};

/// Executable memory of one process.
#[derive(Clone, Debug, Default)]
pub struct Space {
    mapped: Vec<Mapped>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Mapped {
    pub start: u64,
    pub end: u64,
    /// In the file.
    pub offset: u64,
    pub file: u32,
}

impl Space {
    /// A later mapping hides an earlier one at the same address.
    pub fn place(&self, address: u64) -> Option<u64> {
        let holds = |mapped: &&Mapped| (mapped.start..mapped.end).contains(&address);
        let mapped = self.mapped.iter().rev().find(holds)?;
        Some(match mapped.file {
            FILE_NONE => place(FILE_NONE, address),
            file => place(file, address - mapped.start + mapped.offset),
        })
    }

    pub fn add(&mut self, mapped: Mapped) {
        self.mapped.retain(|old| old.start < mapped.start || old.end > mapped.end);
        self.mapped.push(mapped);
    }
}

#[derive(Default)]
pub struct Spaces {
    by_process: HashMap<u32, Space>,
}

impl Spaces {
    pub fn of(&self, process: u32) -> Option<&Space> {
        self.by_process.get(&process)
    }

    pub fn forked(&mut self, parent: u32, child: u32) {
        let space = self.by_process.get(&parent).cloned().unwrap_or_default();
        self.by_process.insert(child, space);
    }

    pub fn executed(&mut self, process: u32) {
        self.by_process.insert(process, Space::default());
    }

    pub fn mapped(&mut self, process: u32, mapped: Mapped) {
        self.by_process.entry(process).or_default().add(mapped);
    }

    /// Forgets those that are gone, when there are many.
    pub fn prune(&mut self, limit: usize) {
        if self.by_process.len() > limit {
            let alive = |process: &u32| fs::exists(format!("/proc/{process}")).unwrap_or(false);
            self.by_process.retain(|process, _| alive(process));
        }
    }
}

/// Memory that no file stands for.
pub fn special(name: &str) -> u32 {
    if name == "[vdso]" { FILE_VDSO } else { FILE_NONE }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_later_mapping_hides_an_earlier_one() {
        let mut space = Space::default();
        space.add(Mapped { start: 0x1000, end: 0x5000, offset: 0, file: 7 });
        space.add(Mapped { start: 0x2000, end: 0x3000, offset: 0x9000, file: 8 });
        assert_eq!(space.place(0x1800), Some(place(7, 0x800)));
        assert_eq!(space.place(0x2010), Some(place(8, 0x9010)));
        assert_eq!(space.place(0x3010), Some(place(7, 0x2010)));
        assert_eq!(space.place(0x5000), None);
        space.add(Mapped { start: 0x2000, end: 0x3000, offset: 0, file: FILE_NONE });
        assert_eq!(space.place(0x2010), Some(0x2010));
        assert_eq!(space.mapped.len(), 2);
    }

    #[test]
    fn a_child_starts_with_what_its_parent_had() {
        let mut spaces = Spaces::default();
        spaces.mapped(1, Mapped { start: 0x1000, end: 0x2000, offset: 0, file: 9 });
        spaces.forked(1, 2);
        spaces.executed(1);
        assert_eq!(spaces.of(1).unwrap().place(0x1000), None);
        assert_eq!(spaces.of(2).unwrap().place(0x1000), Some(place(9, 0)));
    }
}
