// SPDX-License-Identifier: MIT
//! Critical sections that hold all signals back at the price of a few memory writes: no system
//! call unless a signal came.
//!
#![cfg_attr(sigzero_found, doc = "```")]
#![cfg_attr(not(sigzero_found), doc = "```no_run")]
//! use sigzero::Section;
//!
//! let section = Section::enter();
//! // No handler of this thread runs here, and no signal kills it.
//! drop(section); // What arrived meanwhile is delivered here.
//!
//! let sum = sigzero::block(|| 1 + 1);
//! assert_eq!(sum, 2);
//! ```
//!
//! So a lock that a signal handler takes too cannot deadlock, and a structure that it reads is
//! never seen half changed. Sections nest; everything here is async-signal-safe and for the calling
//! thread only. Held back is everything but `SIGKILL`, `SIGSTOP`, and faults, which take
//! their default action inside of a section. A call that waits may end with `EINTR` in a section:
//! what came is still delivered when the section is left. The manual page sigzero_block(3) has the rest.
//!
//! # Linking
//!
//! The crate needs libsigzero: it is looked for in the folder that the variable `SIGZERO_LIB_DIR`
//! names, by pkg-config, and where the linker looks. The feature `static` links it into the
//! program. It works on Linux with glibc.
#![no_std]

mod word;

use core::marker::PhantomData;

/// A section: from [`enter`](Section::enter) until this is dropped all signals for this thread are
/// held back.
///
/// It belongs to its thread and cannot be sent to another:
///
/// ```compile_fail,E0277
/// fn send(_: impl Send) {}
/// send(sigzero::Section::enter());
/// ```
///
/// Forgetting it leaves the thread in the section for good, which is safe, but makes it deaf to
/// signals; `sigzero doctor` finds such threads. The program may as well end in a section.
#[must_use = "the section ends where this is dropped"]
#[derive(Debug)]
pub struct Section {
    of_this_thread: PhantomData<*mut ()>,
}

impl Section {
    /// Enters a section, or one more within the one that the thread is in.
    #[inline]
    pub fn enter() -> Self {
        word::enter();
        Self { of_this_thread: PhantomData }
    }

    /// Does a signal wait for the section to be left? No system call unless one may.
    #[inline]
    pub fn pending(&self) -> bool {
        word::pending()
    }
}

impl Drop for Section {
    /// Leaves the section. If it was the outermost and a signal was held back, its handler has run
    /// when this returns.
    #[inline]
    fn drop(&mut self) {
        word::leave();
    }
}

/// Calls `within` in a section, and leaves the section even if it panics.
#[inline]
pub fn block<Result>(within: impl FnOnce() -> Result) -> Result {
    let _section = Section::enter();
    within()
}

/// Is this thread in a section?
#[inline]
pub fn blocked() -> bool {
    word::blocked()
}
