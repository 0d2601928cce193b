// SPDX-License-Identifier: MIT
//! A child that waits between `fork` and `exec` until the counter is attached to it.
//!
//! `std::process::Command` cannot be used: its `spawn` returns only after `exec`, and reaps the
//! child itself when `exec` fails, which a tracer in the same process would do too.

use std::ffi::{CStr, CString, c_char};
use std::io::{self, Read};
use std::os::fd::{AsRawFd, FromRawFd, OwnedFd, RawFd};

use libc::c_int;

use crate::error::{Error, SpawnError};
use crate::spec::Spec;

/// What the child runs after the gate opens. It must be async-signal-safe.
pub type BeforeExec<'a> = &'a dyn Fn() -> Result<(), c_int>;

pub struct Gated {
    pub pid: libc::pid_t,
    gate: Option<OwnedFd>,
    failure: OwnedFd,
}

/// Where the child failed, as it writes it into the pipe.
const AT_EXEC: u8 = 1;
const AT_SETUP: u8 = 2;

impl Gated {
    pub fn spawn(spec: &Spec, before_exec: BeforeExec) -> Result<Self, Error> {
        let file = spec.file()?;
        let argv = spec.argv()?;
        let envp = spec.envp()?;
        let argv_pointers = pointers(&argv);
        let envp_pointers = pointers(&envp);
        let streams = streams(spec)?;
        let (gate_read, gate_write) = pipe()?;
        let (failure_read, failure_write) = pipe()?;
        let child = Child {
            file: &file,
            argv: &argv_pointers,
            envp: &envp_pointers,
            streams: streams.each_ref().map(|s| s.as_ref().map(AsRawFd::as_raw_fd)),
            gate: gate_read.as_raw_fd(),
            other_end: gate_write.as_raw_fd(),
            failure: failure_write.as_raw_fd(),
            restore: spec.restore,
            before_exec,
        };
        // SAFETY: the child only makes async-signal-safe calls before it execs or exits.
        match unsafe { libc::fork() } {
            -1 => Err(io::Error::last_os_error().into()),
            0 => unsafe { child.run() },
            pid => Ok(Gated { pid, gate: Some(gate_write), failure: failure_read }),
        }
    }

    /// Lets the child go on to `exec`.
    pub fn release(&mut self) -> io::Result<()> {
        let Some(gate) = self.gate.take() else {
            return Ok(());
        };
        // SAFETY: one byte from a live buffer.
        match unsafe { libc::write(gate.as_raw_fd(), [1u8].as_ptr().cast(), 1) } {
            1 => Ok(()),
            _ => Err(io::Error::last_os_error()),
        }
    }

    /// Gives up before `exec`: the child ends, and nothing of the program has run.
    pub fn abandon(mut self) {
        drop(self.gate.take());
        let _ = wait(self.pid);
    }

    /// What went wrong on the way to `exec`. To be asked after the child has ended: before, it blocks.
    pub fn outcome(self, spec: &Spec) -> Result<(), Error> {
        let mut report = [0u8; 5];
        let mut pipe = std::fs::File::from(self.failure);
        if pipe.read_exact(&mut report).is_err() {
            return Ok(());
        }
        let errno = c_int::from_ne_bytes([report[1], report[2], report[3], report[4]]);
        let source = io::Error::from_raw_os_error(errno);
        if report[0] == AT_SETUP {
            return Err(Error::unavailable("seccomp filter refused", &source));
        }
        let program = spec.program.clone();
        Err(SpawnError { program, source }.into())
    }
}

/// Waits for this child alone. Returns the raw status.
pub fn wait(pid: libc::pid_t) -> io::Result<c_int> {
    let mut status = 0;
    loop {
        // SAFETY: the status is a live integer.
        if unsafe { libc::waitpid(pid, &mut status, 0) } == pid {
            return Ok(status);
        }
        let error = io::Error::last_os_error();
        if error.kind() != io::ErrorKind::Interrupted {
            return Err(error);
        }
    }
}

struct Child<'a> {
    file: &'a CStr,
    argv: &'a [*const c_char],
    envp: &'a [*const c_char],
    streams: [Option<RawFd>; 3],
    gate: RawFd,
    other_end: RawFd,
    failure: RawFd,
    restore: Option<fn()>,
    before_exec: BeforeExec<'a>,
}

impl Child<'_> {
    unsafe fn run(&self) -> ! {
        unsafe {
            libc::close(self.other_end);
            if !self.gate_opened() {
                libc::_exit(125);
            }
            match self.restore {
                Some(restore) => restore(),
                // The Rust runtime ignores SIGPIPE, which exec would pass on.
                None => drop(libc::signal(libc::SIGPIPE, libc::SIG_DFL)),
            }
            for (target, source) in self.streams.iter().enumerate() {
                if let Some(source) = source
                    && libc::dup2(*source, target as RawFd) < 0
                {
                    self.fail(AT_EXEC, errno());
                }
            }
            if let Err(errno) = (self.before_exec)() {
                self.fail(AT_SETUP, errno);
            }
            libc::execvpe(self.file.as_ptr(), self.argv.as_ptr(), self.envp.as_ptr());
            self.fail(AT_EXEC, errno())
        }
    }

    unsafe fn gate_opened(&self) -> bool {
        let mut byte = 0u8;
        loop {
            let got = unsafe { libc::read(self.gate, (&raw mut byte).cast(), 1) };
            if got >= 0 || errno() != libc::EINTR {
                return got == 1;
            }
        }
    }

    unsafe fn fail(&self, stage: u8, errno: c_int) -> ! {
        let e = errno.to_ne_bytes();
        let report = [stage, e[0], e[1], e[2], e[3]];
        unsafe {
            libc::write(self.failure, report.as_ptr().cast(), report.len());
            libc::_exit(127)
        }
    }
}

fn errno() -> c_int {
    // SAFETY: the location is the calling thread's own.
    unsafe { *libc::__errno_location() }
}

fn pointers(strings: &[CString]) -> Vec<*const c_char> {
    let all = strings.iter().map(|s| s.as_ptr());
    all.chain(std::iter::once(std::ptr::null())).collect()
}

/// Copies above the standard streams, so that no `dup2` overwrites the source of a later one.
fn streams(spec: &Spec) -> io::Result<[Option<OwnedFd>; 3]> {
    let copy = |fd: &Option<OwnedFd>| fd.as_ref().map(above_standard_streams).transpose();
    Ok([copy(&spec.stdin)?, copy(&spec.stdout)?, copy(&spec.stderr)?])
}

fn above_standard_streams(fd: &OwnedFd) -> io::Result<OwnedFd> {
    // SAFETY: a fresh descriptor, owned by nobody else.
    unsafe {
        match libc::fcntl(fd.as_raw_fd(), libc::F_DUPFD_CLOEXEC, 3) {
            -1 => Err(io::Error::last_os_error()),
            copy => Ok(OwnedFd::from_raw_fd(copy)),
        }
    }
}

fn pipe() -> io::Result<(OwnedFd, OwnedFd)> {
    let mut ends = [0; 2];
    // SAFETY: two fresh descriptors, owned by nobody else.
    unsafe {
        if libc::pipe2(ends.as_mut_ptr(), libc::O_CLOEXEC) != 0 {
            return Err(io::Error::last_os_error());
        }
        let [read, write] = ends.map(|fd| OwnedFd::from_raw_fd(fd));
        Ok((above_standard_streams(&read)?, above_standard_streams(&write)?))
    }
}
