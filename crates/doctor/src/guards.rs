// SPDX-License-Identifier: MIT
//! Signals for which the kernel has a handler of libsigzero, while the program has the default
//! action.

use crate::memory::Memory;
use crate::signals::{Set, Signal};

const SIGNALS: usize = 64;

/// More than any version has.
const MOST: usize = 1 << 20;

/// Where the guards are; the fields are those of `runtime/doctor.h`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Guards {
    address: u64,
    of_a_signal: usize,
    size: usize,
    stands_for: usize,
    shape: usize,
    retired: u32,
    records: u64,
    record_size: u64,
    handler: u64,
}

impl Guards {
    /// From the end of the description.
    pub fn parse(bytes: &[u8]) -> Self {
        let word = |at: usize| u32_at(bytes, at);
        let address = |at: usize| u64::from(word(at)) | u64::from(word(at + 4)) << 32;
        Self {
            address: address(0),
            of_a_signal: word(8) as usize,
            size: word(12) as usize,
            stands_for: word(16) as usize,
            shape: word(20) as usize,
            retired: word(24),
            record_size: word(28).into(),
            records: address(32),
            handler: word(40).into(),
        }
    }

    /// Signals whose default action a guard stands for.
    pub fn defaults(&self, memory: &Memory) -> Set {
        let row = self.size.saturating_mul(self.of_a_signal);
        let fits = row > 0 && row.saturating_mul(SIGNALS + 1) <= MOST;
        let inside = |at: usize| at.saturating_add(4) <= self.size;
        if !fits || !inside(self.stands_for) || !inside(self.shape) {
            return Set::EMPTY;
        }
        let Ok(all) = memory.bytes(self.address, row * (SIGNALS + 1)) else { return Set::EMPTY };
        let rows = (0..).zip(all.chunks_exact(row)).skip(1);
        let guarded = rows.filter(|(_, row)| {
            let record = row.chunks_exact(self.size).find_map(|guard| self.in_force(guard));
            record.is_some_and(|record| self.is_default(record, memory))
        });
        guarded.fold(Set::EMPTY, |set, (signal, _)| set | Set::one(Signal(signal)))
    }

    /// What a guard stands for, if it is in force: a record + 1, or 0.
    fn in_force(&self, guard: &[u8]) -> Option<u32> {
        let (shape, stands_for) = (u32_at(guard, self.shape), u32_at(guard, self.stands_for));
        (shape != 0 && stands_for & self.retired == 0).then_some(stands_for)
    }

    fn is_default(&self, stands_for: u32, memory: &Memory) -> bool {
        let Some(record) = stands_for.checked_sub(1) else { return true };
        let place = u64::from(record).wrapping_mul(self.record_size).wrapping_add(self.handler);
        let handler = memory.bytes(self.records.wrapping_add(place), 8);
        handler.is_ok_and(|handler| handler.iter().all(|byte| *byte == 0))
    }
}

fn u32_at(data: &[u8], at: usize) -> u32 {
    u32::from_ne_bytes(data[at..at + 4].try_into().expect("four bytes"))
}

#[cfg(test)]
mod tests {
    use super::*;

    const RETIRED: u32 = 1 << 31;

    fn defaults(guards: &[(usize, [u32; 4])]) -> Set {
        let mut all = vec![[[0u32; 4]; 2]; SIGNALS + 1];
        guards.iter().for_each(|(signal, guard)| all[*signal][1] = *guard);
        let records = [[0u64, 0x1234], [0, 0]];
        let mut bytes = Vec::new();
        bytes.extend((all.as_ptr() as u64).to_ne_bytes());
        for word in [2u32, 16, 0, 8, RETIRED, 16] {
            bytes.extend(word.to_ne_bytes());
        }
        bytes.extend((records.as_ptr() as u64).to_ne_bytes());
        bytes.extend(8u64.to_ne_bytes());
        Guards::parse(&bytes).defaults(&Memory::of(std::process::id() as i32))
    }

    #[test]
    fn guards_in_force_that_stand_for_the_default_count() {
        let one = |number| Set::one(Signal(number));
        assert_eq!(defaults(&[]), Set::EMPTY);
        let guards = [(1, [0, 9, 3, 0]), (2, [2, 0, 3, 0]), (64, [2, 0, 1, 0])];
        assert_eq!(defaults(&guards), one(1) | one(2) | one(64));
        let others = [(1, [1, 0, 3, 0]), (2, [2 | RETIRED, 0, 3, 0]), (3, [2, 0, 0, 0])];
        assert_eq!(defaults(&others), Set::EMPTY);
    }
}
