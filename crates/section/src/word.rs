// SPDX-License-Identifier: MIT
//! The inline functions of `sigzero.h` in Rust. Their word lies in the thread's own storage, which
//! stable Rust cannot name in another library; assembly can, and elsewhere the functions of
//! the library do.

use core::ffi::c_int;

#[cfg_attr(target_arch = "x86_64", path = "word/x86_64.rs")]
#[cfg_attr(not(target_arch = "x86_64"), path = "word/portable.rs")]
mod port;

pub use port::{blocked, enter, leave, pending};

unsafe extern "C" {
    fn sigzero_pending_slow() -> c_int;
}

/// Asks the kernel.
fn pending_slow() -> bool {
    // SAFETY: may be called at any time.
    unsafe { sigzero_pending_slow() != 0 }
}
