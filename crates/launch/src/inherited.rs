// SPDX-License-Identifier: MIT
//! What we inherited and Rust's start-up changed: the program must get it back.
//!
//! Before `main`, Rust ignores SIGPIPE and opens /dev/null on closed standard
//! descriptors. Both would pass through exec, so they are recorded earlier still.

use std::sync::atomic::{AtomicBool, Ordering::Relaxed};

static SIGPIPE_IGNORED: AtomicBool = AtomicBool::new(false);
static CLOSED: [AtomicBool; 3] = [const { AtomicBool::new(false) }; 3];

#[used]
#[unsafe(link_section = ".init_array")]
static RECORD: extern "C" fn() = record;

extern "C" fn record() {
    // SAFETY: both calls only read, into a local of the right type.
    unsafe {
        let mut action: libc::sigaction = std::mem::zeroed();
        libc::sigaction(libc::SIGPIPE, std::ptr::null(), &mut action);
        SIGPIPE_IGNORED.store(action.sa_sigaction == libc::SIG_IGN, Relaxed);
        for (fd, closed) in CLOSED.iter().enumerate() {
            closed.store(libc::fcntl(fd as i32, libc::F_GETFD) < 0, Relaxed);
        }
    }
}

/// Gives back what was inherited. Async-signal-safe: for use between fork and exec.
pub fn restore() {
    let sigpipe = if SIGPIPE_IGNORED.load(Relaxed) { libc::SIG_IGN } else { libc::SIG_DFL };
    // SAFETY: neither disposition is a function; closing a standard descriptor that
    // was closed when we started takes nothing from anybody.
    unsafe {
        libc::signal(libc::SIGPIPE, sigpipe);
        for (fd, closed) in CLOSED.iter().enumerate() {
            if closed.load(Relaxed) {
                libc::close(fd as i32);
            }
        }
    }
}
