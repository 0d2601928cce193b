// SPDX-License-Identifier: MIT
//! Counting by ptrace: a seccomp filter makes the kernel stop a process at each counted call.
//!
//! The tracer is a thread of its own, and parent of the program, so that it waits for nothing but
//! what it traces (`__WNOTHREAD`), whatever else this process has for children.

use std::io;
use std::os::unix::process::ExitStatusExt;
use std::process::ExitStatus;

use libc::{c_int, c_ulong, pid_t};

use crate::calls::CALLS;
use crate::counts::{Counted, Counts, Method};
use crate::error::Error;
use crate::seccomp;
use crate::sites::Images;
use crate::spawn::Gated;
use crate::spec::Spec;

const OPTIONS: c_int = libc::PTRACE_O_TRACESECCOMP
    | libc::PTRACE_O_TRACEFORK
    | libc::PTRACE_O_TRACEVFORK
    | libc::PTRACE_O_TRACECLONE
    | libc::PTRACE_O_TRACEEXEC
    // A process whose tracer is gone would get ENOSYS from every counted call.
    | libc::PTRACE_O_EXITKILL;

pub fn count(spec: &Spec, sites: bool) -> Result<Counted, Error> {
    std::thread::scope(|scope| {
        let tracer = scope.spawn(|| trace(spec, sites));
        tracer.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic))
    })
}

fn trace(spec: &Spec, sites: bool) -> Result<Counted, Error> {
    let filter = seccomp::filter();
    let mut child = Gated::spawn(spec, &|| seccomp::install(&filter))?;
    if let Err(error) = seize(child.pid) {
        child.abandon();
        return Err(Error::unavailable("ptrace refused", &error));
    }
    let mut tracer = Tracer {
        root: child.pid,
        status: None,
        values: [0; CALLS.len()],
        images: sites.then(Images::default),
    };
    spec.started(child.pid);
    child.release()?;
    tracer.follow()?;
    child.outcome(spec)?;
    tracer.result()
}

struct Tracer {
    root: pid_t,
    status: Option<c_int>,
    values: [u64; CALLS.len()],
    images: Option<Images>,
}

impl Tracer {
    /// Serves every stop until no process of the tree is left.
    fn follow(&mut self) -> io::Result<()> {
        while let Some((pid, status)) = wait_any()? {
            if libc::WIFSTOPPED(status) {
                self.stopped(pid, status);
            } else {
                self.ended(pid, status);
            }
        }
        Ok(())
    }

    fn stopped(&mut self, pid: pid_t, status: c_int) {
        match Stop::of(status) {
            Stop::Call => {
                self.called(pid);
                resume(libc::PTRACE_CONT, pid, 0);
            }
            Stop::Exec => {
                if let Some(images) = &mut self.images {
                    images.replaced(pid);
                }
                resume(libc::PTRACE_CONT, pid, 0);
            }
            Stop::Group => resume(libc::PTRACE_LISTEN, pid, 0),
            Stop::Signal(signal) => resume(libc::PTRACE_CONT, pid, signal),
            Stop::Other => resume(libc::PTRACE_CONT, pid, 0),
        }
    }

    fn called(&mut self, pid: pid_t) {
        let Some(index) = event_message(pid).filter(|&i| i < CALLS.len()) else {
            return;
        };
        self.values[index] += 1;
        if let Some(images) = &mut self.images
            && let Some(ip) = instruction_pointer(pid)
        {
            images.called(pid, index, ip);
        }
    }

    fn ended(&mut self, pid: pid_t, status: c_int) {
        if pid == self.root {
            self.status = Some(status);
        }
        if let Some(images) = &mut self.images {
            images.ended(pid);
        }
    }

    fn result(self) -> Result<Counted, Error> {
        let lost = || io::Error::other("the command's end was not reported");
        Ok(Counted {
            counts: Counts::exact(Method::Ptrace, self.values),
            status: ExitStatus::from_raw(self.status.ok_or_else(lost)?),
            images: self.images.map(Images::finish).unwrap_or_default(),
        })
    }
}

/// Why a tracee stopped.
#[derive(Debug, PartialEq, Eq)]
enum Stop {
    Call,
    Exec,
    /// Stopped by job control: it must stay so until SIGCONT.
    Group,
    /// About to receive this signal.
    Signal(c_int),
    Other,
}

impl Stop {
    fn of(status: c_int) -> Self {
        let signal = libc::WSTOPSIG(status);
        match status >> 16 {
            0 => Stop::Signal(signal),
            libc::PTRACE_EVENT_SECCOMP => Stop::Call,
            libc::PTRACE_EVENT_EXEC => Stop::Exec,
            libc::PTRACE_EVENT_STOP if signal != libc::SIGTRAP => Stop::Group,
            _ => Stop::Other,
        }
    }
}

fn seize(pid: pid_t) -> io::Result<()> {
    // SAFETY: no memory is passed.
    match unsafe { libc::ptrace(libc::PTRACE_SEIZE, pid, 0, OPTIONS as c_ulong) } {
        0 => Ok(()),
        _ => Err(io::Error::last_os_error()),
    }
}

/// `None` when nothing is left to wait for.
fn wait_any() -> io::Result<Option<(pid_t, c_int)>> {
    let mut status = 0;
    loop {
        // SAFETY: the status is a live integer.
        let pid = unsafe { libc::waitpid(-1, &mut status, libc::__WALL | libc::__WNOTHREAD) };
        if pid > 0 {
            return Ok(Some((pid, status)));
        }
        let error = io::Error::last_os_error();
        match error.raw_os_error() {
            Some(libc::ECHILD) => return Ok(None),
            Some(libc::EINTR) => {}
            _ => return Err(error),
        }
    }
}

/// An error means that the process was killed meanwhile: its end is reported by the next wait.
fn resume(request: libc::c_uint, pid: pid_t, signal: c_int) {
    // SAFETY: no memory is passed.
    unsafe { libc::ptrace(request, pid, 0, c_ulong::from(signal as u32)) };
}

fn event_message(pid: pid_t) -> Option<usize> {
    let mut message: c_ulong = 0;
    // SAFETY: the message is a live integer.
    let got = unsafe { libc::ptrace(libc::PTRACE_GETEVENTMSG, pid, 0, &raw mut message) };
    (got == 0).then_some(message as usize)
}

fn instruction_pointer(pid: pid_t) -> Option<u64> {
    // SAFETY: the structure is plain data, and its size is passed along.
    unsafe {
        let mut info: libc::ptrace_syscall_info = std::mem::zeroed();
        let size = size_of_val(&info);
        let got = libc::ptrace(libc::PTRACE_GET_SYSCALL_INFO, pid, size, &raw mut info);
        (got > 0).then_some(info.instruction_pointer)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn status(event: c_int, signal: c_int) -> c_int {
        (event << 16) | (signal << 8) | 0x7f
    }

    #[test]
    fn stops_are_told_apart() {
        let of = |event, signal| Stop::of(status(event, signal));
        let event_stop = libc::PTRACE_EVENT_STOP;
        assert_eq!(of(libc::PTRACE_EVENT_SECCOMP, libc::SIGTRAP), Stop::Call);
        assert_eq!(of(libc::PTRACE_EVENT_EXEC, libc::SIGTRAP), Stop::Exec);
        assert_eq!(of(libc::PTRACE_EVENT_VFORK, libc::SIGTRAP), Stop::Other);
        assert_eq!(of(event_stop, libc::SIGTSTP), Stop::Group);
        assert_eq!(of(event_stop, libc::SIGTRAP), Stop::Other);
        assert_eq!(of(0, libc::SIGSTOP), Stop::Signal(libc::SIGSTOP));
        assert_eq!(of(0, 40), Stop::Signal(40));
    }
}
