// SPDX-License-Identifier: MIT
//! What a trace yields.

use std::collections::HashMap;
use std::process::ExitStatus;
use std::time::Duration;

use crate::Attach;
use crate::calls::Kind;
use crate::files::Files;

/// How far a stack was followed.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Reach {
    /// To its end.
    End,
    /// To code whose unwind rule the kernel had not been given yet.
    Waiting,
    /// To memory that could not be read.
    Cut,
    /// To the greatest depth that is followed.
    Deep,
    /// To a moment in which the kernel was changing the process's mappings.
    Busy,
    /// Not at all: stacks were not asked for, or there was no room for one more.
    #[default]
    None,
}

impl Reach {
    pub(crate) fn of(number: u8) -> Self {
        use Reach::*;
        [End, Waiting, Cut, Deep, Busy].get(usize::from(number)).copied().unwrap_or(None)
    }
}

/// Calls of one kind, from one stack, in one process image.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Tally {
    /// Index in [`Trace::images`].
    pub image: u32,
    /// The name of the system call.
    pub call: &'static str,
    pub kind: Kind,
    /// Innermost first; see [`crate::layout::place`].
    pub stack: Vec<u64>,
    pub reach: Reach,
    /// Some frame had no unwind information, and a frame pointer was assumed.
    pub guess: bool,
}

/// A process between two execs.
#[derive(Clone, Debug, Default)]
pub struct Image {
    pub process: u32,
    pub parent: u32,
    /// CLOCK_MONOTONIC at its first counted call.
    pub start_ns: u64,
    pub executable: String,
}

/// What the tracing took, and what it missed.
#[derive(Clone, Copy, Debug, Default)]
pub struct Price {
    pub calls: u64,
    /// Added to the traced programs: one call in 256 is timed. `None` if none was.
    pub in_kernel: Option<Duration>,
    /// Processor time of the tracer itself.
    pub own: Duration,
    /// Stacks that were handed to user space, and those for which there was no room.
    pub copies: u64,
    pub copies_lost: u64,
    /// Calls of 32-bit programs, which are not counted.
    pub foreign: u64,
    /// Calls, of whichever process, at which the kernel did not run the programs.
    pub missed: u64,
    /// Records of mappings that the kernel dropped.
    pub records_lost: u64,
}

pub struct Trace {
    /// Of the command, if there was one.
    pub status: Option<ExitStatus>,
    pub wall: Duration,
    pub tallies: HashMap<Tally, u64>,
    /// By number; what is not there has no name.
    pub images: HashMap<u32, Image>,
    /// Counted, but for lack of room not by process and stack.
    pub unplaced: HashMap<(&'static str, Kind), u64>,
    pub files: Files,
    pub price: Price,
    pub stacks: bool,
    /// Where the programs stood.
    pub attach: Attach,
    /// Processes of the tree that still ran when the counting ended.
    pub left: u32,
    /// Processes of other users, whose mappings we may not read.
    pub unreadable: u32,
}
