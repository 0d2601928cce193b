// SPDX-License-Identifier: MIT
//! Ctrl-C and requests to end: the command of the moment ends, and we end with what we have.

use std::mem;
use std::ptr;
use std::sync::atomic::{AtomicBool, AtomicI32, Ordering::SeqCst};

static INTERRUPTED: AtomicBool = AtomicBool::new(false);
static CHILD: AtomicI32 = AtomicI32::new(0);

const SIGNALS: [i32; 4] = [libc::SIGINT, libc::SIGQUIT, libc::SIGTERM, libc::SIGHUP];

pub fn interrupted() -> bool {
    INTERRUPTED.load(SeqCst)
}

/// The running command, to which a signal sent to us alone is passed on; 0 when there is none.
pub fn running(pid: libc::pid_t) {
    CHILD.store(pid, SeqCst);
}

extern "C" fn note(signal: i32, info: *mut libc::siginfo_t, _: *mut libc::c_void) {
    INTERRUPTED.store(true, SeqCst);
    let pid = CHILD.load(SeqCst);
    // SAFETY: the kernel passes a valid siginfo; kill is async-signal-safe.
    unsafe {
        // From the terminal it went to the command as well.
        if pid > 0 && (*info).si_code != libc::SI_KERNEL {
            libc::kill(pid, signal);
        }
    }
}

/// Catches the signals while it lives. Those that we inherited ignored stay ignored.
pub struct Watch {
    before: Vec<(i32, libc::sigaction)>,
    mask: libc::sigset_t,
}

impl Watch {
    pub fn new() -> Self {
        INTERRUPTED.store(false, SeqCst);
        let before = SIGNALS.map(|signal| (signal, catch(signal))).to_vec();
        Watch { before, mask: open_mask() }
    }
}

impl Drop for Watch {
    fn drop(&mut self) {
        for (signal, action) in &self.before {
            // SAFETY: restores a disposition that sigaction gave us.
            unsafe { libc::sigaction(*signal, action, ptr::null_mut()) };
        }
        // SAFETY: restores a mask that pthread_sigmask gave us.
        unsafe { libc::pthread_sigmask(libc::SIG_SETMASK, &self.mask, ptr::null_mut()) };
    }
}

/// The timed runs start with an empty mask, as `std::process` has it; the counted ones inherit ours.
fn open_mask() -> libc::sigset_t {
    // SAFETY: both sets are locals.
    unsafe {
        let (mut none, mut before): (libc::sigset_t, libc::sigset_t) = mem::zeroed();
        libc::sigemptyset(&mut none);
        libc::pthread_sigmask(libc::SIG_SETMASK, &none, &mut before);
        before
    }
}

fn catch(signal: i32) -> libc::sigaction {
    // SAFETY: zeroed structures are valid, and the handler has the type of SA_SIGINFO.
    unsafe {
        let mut before: libc::sigaction = mem::zeroed();
        libc::sigaction(signal, ptr::null(), &mut before);
        if before.sa_sigaction != libc::SIG_IGN {
            let mut action: libc::sigaction = mem::zeroed();
            let handler: extern "C" fn(i32, *mut libc::siginfo_t, *mut libc::c_void) = note;
            action.sa_sigaction = handler as usize;
            action.sa_flags = libc::SA_SIGINFO | libc::SA_RESTART;
            libc::sigaction(signal, &action, ptr::null_mut());
        }
        before
    }
}
