// SPDX-License-Identifier: MIT
//! Asks for its mask in a method of a generic type.

use std::ffi::c_int;

unsafe extern "C" {
    fn sigprocmask(how: c_int, set: *const u8, old: *mut u8) -> c_int;
}

struct Asker<T>(T);

impl<T> Asker<T> {
    #[inline(never)]
    fn ask(&self) -> c_int {
        let mut old = [0u8; 128];
        unsafe { sigprocmask(0, std::ptr::null(), old.as_mut_ptr()) }
    }
}

fn main() {
    let asker = Asker("");
    let sum: c_int = (0..1000).map(|_| asker.ask()).sum();
    std::process::exit(sum);
}
