// SPDX-License-Identifier: MIT
//! Ends as the program ended.

use std::mem;
use std::os::unix::process::ExitStatusExt;
use std::process::{self, ExitStatus};

/// In the order of their numbers on Linux, from 1.
const NAMES: &str = "HUP INT QUIT ILL TRAP ABRT BUS FPE KILL USR1 SEGV USR2 PIPE ALRM TERM STKFLT \
                     CHLD CONT STOP TSTP TTIN TTOU URG XCPU XFSZ VTALRM PROF WINCH IO PWR SYS";

/// As people know it, or its number.
pub fn signal_name(signal: i32) -> String {
    let place = usize::try_from(signal - 1).ok();
    match place.and_then(|place| NAMES.split(' ').nth(place)) {
        Some(name) => format!("SIG{name}"),
        None => format!("signal {signal}"),
    }
}

/// Exits with the program's status, or dies by the signal it died of.
pub fn hand_on(status: ExitStatus) -> ! {
    if let Some(signal) = status.signal() {
        die_by(signal);
        process::exit(128 + signal);
    }
    process::exit(status.code().unwrap_or(1))
}

fn die_by(signal: i32) {
    // SAFETY: plain calls on locals. A core of ours would overwrite the program's, so
    // none is written: the limit alone does not hold for a core pattern with a pipe.
    unsafe {
        let none = libc::rlimit { rlim_cur: 0, rlim_max: 0 };
        libc::setrlimit(libc::RLIMIT_CORE, &none);
        libc::prctl(libc::PR_SET_DUMPABLE, 0, 0, 0, 0);
        libc::signal(signal, libc::SIG_DFL);
        let mut only: libc::sigset_t = mem::zeroed();
        libc::sigemptyset(&mut only);
        libc::sigaddset(&mut only, signal);
        libc::sigprocmask(libc::SIG_UNBLOCK, &only, std::ptr::null_mut());
        libc::raise(signal);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn signals_have_their_names() {
        for (signal, name) in [(libc::SIGHUP, "SIGHUP"), (libc::SIGTERM, "SIGTERM")] {
            assert_eq!(signal_name(signal), name);
        }
        assert_eq!(signal_name(libc::SIGSYS), "SIGSYS");
        assert_eq!(signal_name(libc::SIGCHLD), "SIGCHLD");
        assert_eq!(signal_name(34), "signal 34");
        assert_eq!(signal_name(0), "signal 0");
    }
}
