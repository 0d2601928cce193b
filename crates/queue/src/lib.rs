// SPDX-License-Identifier: MIT
//! Follows the kernel's sigqueues, and tells what a one-slot cache of them saves.
//!
//! The kernel patch `kernel/patches/0002` lets each task keep one consumed `struct sigqueue` for its
//! next signal. On a kernel without it the program in bpf/queue.bpf.c plays that cache beside the
//! slab: a forecast. On a kernel with it the kernel's own word is taken.

pub mod counters;
pub mod layout;
pub mod report;
mod watch;

pub use report::Report;
pub use watch::{Seen, Watch, run, watch};
