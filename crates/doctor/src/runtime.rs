// SPDX-License-Identifier: MIT
//! What libsigzero keeps about a process and its threads, as `runtime/doctor.h` describes it.

use std::io;

use crate::guards::Guards;
use crate::image::{self, Image};
use crate::memory::{Memory, thread_pointer};
use crate::signals::Set;

/// Bytes of the oldest description.
const BLOCK: usize = 192;
const GUARDS: usize = 144;
const MODES: usize = 8;
const MODE_NAME: usize = 8;

/// More than a thread's state has in any version.
const MOST_STATE: usize = 1 << 12;

/// The layout of the section word, which is FreeBSD's.
const PENDING: u32 = 1;
const FLAGS: u32 = 0xf;
const STEP: u32 = 0x10;

/// The libsigzero of a process.
#[derive(Clone, Debug)]
pub struct Runtime {
    pub library: String,
    /// Its base address in memory.
    pub start: u64,
    layout: Layout,
}

/// Where things are; `None` for what this version does not keep.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Layout {
    thread_size: usize,
    thread: i64,
    section: Option<i64>,
    registered: Option<i64>,
    mode: u64,
    refused: u64,
    stepped_aside: u64,
    modes: Vec<String>,
    mask: Option<usize>,
    kernel: Option<usize>,
    known: Option<usize>,
    changed_by: Option<usize>,
    changes: Option<usize>,
    held_since: Option<usize>,
    guards: Guards,
}

/// What the runtime does in the process at the moment.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Doing {
    pub mode: String,
    pub refused: Option<String>,
    pub stepped_aside: Option<String>,
    /// Where the kernel has a handler of ours, and the program the default action.
    pub guarded_defaults: Set,
}

/// What it keeps about one thread.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Kept {
    /// What the program believes is blocked, if the runtime knows it at the moment.
    pub mask: Option<Set>,
    /// What the runtime believes that the kernel blocks, if it keeps that apart.
    pub kernel: Option<Set>,
    pub changed_by: Option<u64>,
    pub changes: Option<u64>,
    /// CLOCK_MONOTONIC, in nanoseconds.
    pub held_since: Option<u64>,
    pub section: Option<Section>,
    /// The word that the program registered itself, if it did.
    pub registered: Option<Word>,
}

/// A word that counts critical sections.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Word(pub u32);

impl Word {
    /// How many sections deep; below zero if it was left more often than entered.
    pub fn depth(self) -> i32 {
        (self.0 & !FLAGS) as i32 / STEP as i32
    }

    /// A signal was held back.
    pub fn pending(self) -> bool {
        self.0 & PENDING != 0
    }
}

/// The runtime's own word, and its copy, which counts the other way.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Section {
    pub word: Word,
    pub copy: u32,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Agreement {
    Whole,
    /// As it is for one instruction while a section is entered or left.
    InTheMiddle,
    Broken,
}

impl Section {
    pub fn agreement(self) -> Agreement {
        match (self.word.0 & !FLAGS).wrapping_add(self.copy) {
            0 => Agreement::Whole,
            STEP => Agreement::InTheMiddle,
            _ => Agreement::Broken,
        }
    }
}

impl Runtime {
    /// The one that is at work, if there are several.
    pub fn find(maps: &str, memory: &Memory) -> Option<Self> {
        let found = image::blocks(maps, memory).into_iter();
        let mut all: Vec<_> =
            found.filter_map(|(image, block)| Self::read(image, block, memory)).collect();
        let started = all.iter().position(|runtime| runtime.layout.thread != 0).unwrap_or(0);
        (started < all.len()).then(|| all.swap_remove(started))
    }

    fn read(Image { path, start }: Image, block: u64, memory: &Memory) -> Option<Self> {
        let size = memory.u32(block).ok()? as usize;
        if size < BLOCK {
            return None;
        }
        let layout = Layout::parse(&memory.bytes(block, BLOCK).ok()?);
        Some(Self { library: path, start, layout })
    }

    pub fn doing(&self, memory: &Memory) -> Doing {
        let number = memory.u32(self.layout.mode).unwrap_or(u32::MAX) as usize;
        let name = self.layout.modes.get(number).filter(|name| !name.is_empty());
        let reason = |address| (address != 0).then(|| memory.text(address, 256));
        Doing {
            mode: name.cloned().unwrap_or_else(|| "unknown".into()),
            refused: reason(self.layout.refused),
            stepped_aside: reason(self.layout.stepped_aside),
            guarded_defaults: self.layout.guards.defaults(memory),
        }
    }

    /// `None` if the thread has no storage of glibc: made by a raw clone, or ending.
    pub fn thread(&self, memory: &Memory, thread: i32) -> io::Result<Option<Kept>> {
        if self.layout.thread == 0 {
            return Ok(None);
        }
        let Some(pointer) = thread_pointer(memory, thread)? else { return Ok(None) };
        let state = pointer.wrapping_add_signed(self.layout.thread);
        let state = memory.bytes(state, self.layout.thread_size)?;
        let near = |offset: Option<i64>| {
            let address = offset.map(|offset| pointer.wrapping_add_signed(offset));
            address.map(|address| memory.bytes(address, 8)).transpose()
        };
        let mut kept = self.layout.kept(&state);
        let section = near(self.layout.section)?;
        kept.section =
            section.map(|bytes| Section { word: Word(u32_at(&bytes, 0)), copy: u32_at(&bytes, 4) });
        kept.registered = near(self.layout.registered)?
            .map(|bytes| u64_at(&bytes, 0))
            .filter(|address| *address != 0)
            .and_then(|address| memory.u32(address).ok())
            .map(Word);
        Ok(Some(kept))
    }
}

impl Layout {
    fn parse(block: &[u8]) -> Self {
        let offset = |at| usize::try_from(u32_at(block, at) as i32).ok();
        let place = |at| Some(u64_at(block, at) as i64).filter(|offset| *offset != 0);
        let names = block[56..56 + MODES * MODE_NAME].chunks_exact(MODE_NAME);
        Self {
            thread_size: (u32_at(block, 4) as usize).min(MOST_STATE),
            thread: u64_at(block, 8) as i64,
            section: place(16),
            registered: place(24),
            mode: u64_at(block, 32),
            refused: u64_at(block, 40),
            stepped_aside: u64_at(block, 48),
            modes: names.map(name).collect(),
            mask: offset(120),
            kernel: offset(124),
            known: offset(128),
            changed_by: offset(132),
            changes: offset(136),
            held_since: offset(140),
            guards: Guards::parse(&block[GUARDS..]),
        }
    }

    fn kept(&self, state: &[u8]) -> Kept {
        let known = self.word(state, self.known) == Some(1);
        let if_known = |at| self.word(state, at).filter(|_| known).map(Set);
        let if_any = |at| self.word(state, at).filter(|value| *value != 0);
        Kept {
            mask: if_known(self.mask),
            kernel: if_known(self.kernel),
            changed_by: if_any(self.changed_by),
            changes: self.word(state, self.changes),
            held_since: if_any(self.held_since),
            ..Kept::default()
        }
    }

    fn word(&self, state: &[u8], at: Option<usize>) -> Option<u64> {
        let at = at?;
        state.get(at..at.checked_add(8)?).map(|bytes| u64_at(bytes, 0))
    }
}

fn name(bytes: &[u8]) -> String {
    let end = bytes.iter().position(|byte| *byte == 0).unwrap_or(bytes.len());
    String::from_utf8_lossy(&bytes[..end]).into_owned()
}

fn u32_at(data: &[u8], at: usize) -> u32 {
    u32::from_ne_bytes(data[at..at + 4].try_into().expect("four bytes"))
}

fn u64_at(data: &[u8], at: usize) -> u64 {
    u64::from_ne_bytes(data[at..at + 8].try_into().expect("eight bytes"))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn layout() -> Layout {
        let mut block = vec![0u8; BLOCK];
        block[4..8].copy_from_slice(&24u32.to_ne_bytes());
        block[8..16].copy_from_slice(&(-112i64).to_ne_bytes());
        block[64..67].copy_from_slice(b"off");
        for (at, offset) in [(120, 0i32), (124, -1), (128, 8), (132, 16), (136, 20), (140, -1)] {
            block[at..at + 4].copy_from_slice(&offset.to_ne_bytes());
        }
        Layout::parse(&block)
    }

    #[test]
    fn a_layout_says_what_is_not_kept() {
        let layout = layout();
        assert_eq!((layout.thread, layout.section, layout.kernel), (-112, None, None));
        assert_eq!((layout.mask, layout.modes[1].as_str()), (Some(0), "off"));
    }

    #[test]
    fn a_mask_counts_only_while_it_is_known() {
        let mut state = [0u8; 24];
        state[0] = 2;
        assert_eq!(layout().kept(&state), Kept::default());
        state[8] = 1;
        state[16] = 9;
        let kept = layout().kept(&state);
        assert_eq!((kept.mask, kept.changed_by), (Some(Set(2)), Some(9)));
        // The number of changes would reach beyond the state.
        assert_eq!((kept.changes, kept.kernel), (None, None));
    }

    #[test]
    fn words_count_both_ways() {
        let section = |word: u32, copy: i32| Section { word: Word(word), copy: copy as u32 };
        assert_eq!(section(0, 0).agreement(), Agreement::Whole);
        assert_eq!(section(0x21, -0x20).agreement(), Agreement::Whole);
        assert_eq!(section(0x20, -0x10).agreement(), Agreement::InTheMiddle);
        assert_eq!(section(0x4100_0000, 0).agreement(), Agreement::Broken);
        assert_eq!((Word(0x21).depth(), Word(0x21).pending()), (2, true));
        assert_eq!(Word(0xffff_fff0).depth(), -1);
    }
}
