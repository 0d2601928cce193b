// SPDX-License-Identifier: MIT
//! Which system calls are counted, and what a call asked for.

use crate::layout::{CODE_CHANGES, FOREIGN};

/// Those that the other sources count too, and those that only a tracer sees at no price.
const MORE: &[(&str, i64)] =
    &[("pidfd_send_signal", libc::SYS_pidfd_send_signal), ("signalfd", SIGNALFD)];
#[cfg(target_arch = "x86_64")]
const SIGNALFD: i64 = libc::SYS_signalfd;
#[cfg(not(target_arch = "x86_64"))]
const SIGNALFD: i64 = -1;

/// Calls after which an address may hold other code.
const CHANGES: &[i64] = &[libc::SYS_mmap, libc::SYS_mprotect];

/// By which 32-bit programs make signal calls: those of arch/x86/entry/syscalls/syscall_32.tbl.
const OF_32_BITS: &[usize] = &[
    37, 48, 67, 68, 69, 72, 73, 119, 126, 173, 174, 175, 176, 177, 178, 179, 186, 238, 270, 321,
    327, 335, 421, 424,
];

pub const NUMBERS: usize = 512;

/// Names in the order of the indices that the kernel side counts by.
pub fn names() -> Vec<&'static str> {
    let known = sigzero_count::CALLS.iter().map(|call| call.name);
    known.chain(MORE.iter().map(|(name, _)| *name)).collect()
}

/// By system call number: 1 + the index of the name, or CODE_CHANGES, or 0; with FOREIGN for those of
/// 32-bit programs.
pub fn table() -> [u8; NUMBERS] {
    let mut table = [0; NUMBERS];
    let known = sigzero_count::CALLS.iter().map(|call| call.number);
    for (index, number) in known.chain(MORE.iter().map(|(_, number)| *number)).enumerate() {
        if let Some(slot) = usize::try_from(number).ok().and_then(|number| table.get_mut(number)) {
            *slot = index as u8 + 1;
        }
    }
    CHANGES.iter().for_each(|number| table[*number as usize] = CODE_CHANGES);
    OF_32_BITS.iter().for_each(|number| table[*number] |= FOREIGN);
    table
}

/// What the kernel must run for each, named as its function is.
pub fn functions() -> Vec<&'static str> {
    names().into_iter().chain(["mmap", "mprotect"]).collect()
}

pub fn index_of(name: &str) -> u8 {
    let place = names().iter().position(|known| *known == name);
    place.expect("the name is one of ours") as u8
}

/// What a call asked for, told from the mask and the dispositions at its entry.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Kind {
    /// Of a call that is not looked into.
    Plain,
    Query,
    Same,
    Block,
    Unblock,
    Restore,
    Replace,
    Set,
    Failed,
}

impl Kind {
    pub fn of(number: u8) -> Self {
        use Kind::*;
        let all = [Plain, Query, Same, Block, Unblock, Restore, Replace, Set, Failed];
        all.get(usize::from(number)).copied().unwrap_or(Plain)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_counted_call_has_its_place() {
        let (names, table) = (names(), table());
        assert!(names.len() < usize::from(CODE_CHANGES) && names.len() <= 32);
        for call in sigzero_count::CALLS {
            let index = (table[call.number as usize] & !FOREIGN) as usize;
            assert_eq!(names[index - 1], call.name);
        }
        assert_eq!(names[index_of("rt_sigaction") as usize], "rt_sigaction");
        assert_eq!(table[libc::SYS_mmap as usize], CODE_CHANGES);
        assert_eq!(table[libc::SYS_read as usize], 0);
    }
}
