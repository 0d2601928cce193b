// SPDX-License-Identifier: MIT
use core::ffi::c_int;

unsafe extern "C" {
    fn sigzero_block();
    fn sigzero_unblock();
    fn sigzero_blocked() -> c_int;
}

pub fn enter() {
    // SAFETY: may be called at any time.
    unsafe { sigzero_block() }
}

pub fn leave() {
    // SAFETY: may be called at any time.
    unsafe { sigzero_unblock() }
}

pub fn blocked() -> bool {
    // SAFETY: may be called at any time.
    unsafe { sigzero_blocked() != 0 }
}

/// The kernel is asked each time.
pub fn pending() -> bool {
    super::pending_slow()
}
