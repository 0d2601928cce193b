// SPDX-License-Identifier: MIT
use core::arch::asm;
use core::ptr::addr_of;

/// A signal was held back.
const PEND: u32 = 0x1;
const FLAGS: u32 = 0xf;
/// One section deeper; as a number in the assembly below.
const INC: u32 = 0x10;

/// What leaving must look at: PEND, other flags that nobody should have set, a count below 0.
const UNUSUAL: u32 = 0x8000_0000 | FLAGS;

unsafe extern "C" {
    static sigzero_slow: u8;
    fn sigzero_enter_slow();
    fn sigzero_leave_slow();
}

/// Adds to the word, then takes from its copy. Each is a single instruction, since a signal that
/// arrives between two may set PEND. The compiler moves no access to memory past them.
#[inline(always)]
pub fn enter() {
    // SAFETY: a byte of the library; another thread may change it at any time.
    if unsafe { addr_of!(sigzero_slow).read_volatile() } != 0 {
        // SAFETY: may be called at any time.
        return unsafe { sigzero_enter_slow() };
    }
    // SAFETY: the storage of this thread, which only this thread writes.
    unsafe {
        asm!(
            "mov {at}, qword ptr [rip + sigzero_self@GOTTPOFF]",
            "add dword ptr fs:[{at}], 0x10",
            "sub dword ptr fs:[{at} + 4], 0x10",
            at = out(reg) _, options(nostack),
        );
    }
}

#[inline(always)]
pub fn leave() {
    // SAFETY: as above.
    unsafe {
        asm!(
            "mov {at}, qword ptr [rip + sigzero_self@GOTTPOFF]",
            "add dword ptr fs:[{at} + 4], 0x10",
            "sub dword ptr fs:[{at}], 0x10",
            at = out(reg) _, options(nostack),
        );
    }
    if word() & UNUSUAL != 0 {
        // SAFETY: may be called at any time.
        unsafe { sigzero_leave_slow() };
    }
}

#[inline(always)]
pub fn blocked() -> bool {
    word() >= INC
}

#[inline(always)]
pub fn pending() -> bool {
    word() & PEND != 0 && super::pending_slow()
}

#[inline(always)]
fn word() -> u32 {
    let word: u32;
    // SAFETY: as above.
    unsafe {
        asm!(
            "mov {at}, qword ptr [rip + sigzero_self@GOTTPOFF]",
            "mov {word:e}, dword ptr fs:[{at}]",
            at = out(reg) _, word = lateout(reg) word, options(nostack, preserves_flags),
        );
    }
    word
}
