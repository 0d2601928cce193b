// SPDX-License-Identifier: MIT
//! Counts signal system calls from inside the kernel: of a command, of running processes or of the
//! whole machine, with full stacks and without stopping anything.
//!
//! The programs in bpf/ run at the entry of each such call. They tell from the task's real mask what
//! the call asks for, follow the user stack by unwind rules, and add up; nothing is sent to user
//! space but the first stack that needs a rule which the kernel side does not have. User space
//! follows the copy itself and gives all its rules, by file and offset, so that the next process that
//! runs the same code finds them. Calls that come before the answer are counted with the part of
//! the stack that could be followed, and kept apart ([`Reach::Waiting`]).
//!
//! If the tracer is killed, the kernel takes the programs away with it: nothing is left behind.

mod attach;
pub mod calls;
mod error;
pub mod files;
pub mod follow;
pub mod layout;
pub mod names;
pub mod permit;
mod processes;
mod programs;
mod records;
mod spaces;
pub mod trace;
mod tracer;
mod undisturbed;
mod unwind;
mod walk;

pub use attach::Attach;
pub use calls::Kind;
pub use error::Error;
pub use follow::Follower;
pub use processes::{namespace, own_time};
pub use programs::{entries, per_processor, quiet};
pub use trace::{Price, Reach, Tally, Trace};
pub use tracer::{Live, Options, Snapshot, Target, run, watch};
