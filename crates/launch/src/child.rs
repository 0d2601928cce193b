// SPDX-License-Identifier: MIT
//! Runs a program and waits for it without standing in its way: Ctrl-C is its own
//! business, and what is sent to us to end us, or for the program, is handed on to it.

use std::io;
use std::mem;
use std::os::unix::process::{CommandExt, ExitStatusExt};
use std::process::{Command, ExitStatus, Stdio};
use std::sync::Arc;
use std::sync::atomic::{AtomicI32, Ordering::SeqCst};
use std::time::{Duration, Instant};

use crate::{Error, Image, inherited, stopped};

/// How a program ended and what it took.
#[derive(Clone, Copy, Debug)]
pub struct Outcome {
    pub pid: u32,
    pub status: ExitStatus,
    pub wall: Duration,
    pub user: Duration,
    pub system: Duration,
}

/// Runs `image` with our standard descriptors and waits for its end.
pub fn supervise(image: Image) -> Result<Outcome, Error> {
    let image = Arc::new(image);
    let held = Held::new();
    let start = Instant::now();
    let pid = spawn(&image, held.before)?;
    let _aside = Aside::new(pid);
    drop(held);
    let (status, usage) = wait(pid).map_err(Error::Spawn)?;
    Ok(Outcome {
        pid: pid as u32,
        status,
        wall: start.elapsed(),
        user: duration(usage.ru_utime),
        system: duration(usage.ru_stime),
    })
}

fn spawn(image: &Arc<Image>, mask: libc::sigset_t) -> Result<i32, Error> {
    let ours = Arc::clone(image);
    let mut command = Command::new(image.path());
    command.stdin(Stdio::inherit());
    // SAFETY: the closure makes async-signal-safe calls only and allocates nothing.
    unsafe {
        command.pre_exec(move || {
            inherited::restore();
            libc::sigprocmask(libc::SIG_SETMASK, &mask, std::ptr::null_mut());
            Err(ours.execve())
        });
    }
    match command.spawn() {
        Ok(child) => Ok(child.id() as i32),
        Err(error) => Err(image.explain(error)),
    }
}

fn wait(pid: i32) -> io::Result<(ExitStatus, libc::rusage)> {
    loop {
        let mut status = 0;
        // SAFETY: plain integers and a structure that wait4 fills in.
        let mut usage: libc::rusage = unsafe { mem::zeroed() };
        let got = unsafe { libc::wait4(pid, &mut status, libc::WUNTRACED, &mut usage) };
        if got == pid && libc::WIFSTOPPED(status) {
            stopped::along_with(pid);
            continue;
        }
        if got == pid {
            return Ok((ExitStatus::from_raw(status), usage));
        }
        let error = io::Error::last_os_error();
        if error.kind() != io::ErrorKind::Interrupted {
            return Err(error);
        }
    }
}

fn duration(time: libc::timeval) -> Duration {
    Duration::new(time.tv_sec as u64, time.tv_usec as u32 * 1000)
}

/// All signals blocked while the child is made, so that none is lost between its
/// creation and our stepping aside.
struct Held {
    before: libc::sigset_t,
}

impl Held {
    fn new() -> Self {
        // SAFETY: both sets are locals; sigfillset and sigprocmask cannot fail on them.
        unsafe {
            let (mut all, mut before) = (mem::zeroed(), mem::zeroed());
            libc::sigfillset(&mut all);
            libc::sigprocmask(libc::SIG_SETMASK, &all, &mut before);
            Self { before }
        }
    }
}

impl Drop for Held {
    fn drop(&mut self) {
        // SAFETY: restores a mask that sigprocmask gave us.
        unsafe {
            libc::sigprocmask(libc::SIG_SETMASK, &self.before, std::ptr::null_mut());
        }
    }
}

static CHILD: AtomicI32 = AtomicI32::new(0);

extern "C" fn hand_over(signal: libc::c_int) {
    let pid = CHILD.load(SeqCst);
    if pid > 0 {
        // SAFETY: kill is async-signal-safe and leaves errno alone when it succeeds; the
        // child has not been waited for, so the number is still its own.
        unsafe {
            libc::kill(pid, signal);
        }
    }
}

/// For a child that another made: stands aside for it until the process ends.
pub fn stand_aside_for(pid: i32) {
    mem::forget(Aside::new(pid));
}

/// While it lives, the terminal's signals pass us by; those that ask us to end, and those
/// whose meaning the program alone knows, go to the child, so that its report is still written.
struct Aside {
    before: Vec<(i32, libc::sigaction)>,
}

impl Aside {
    fn new(pid: i32) -> Self {
        CHILD.store(pid, SeqCst);
        let ignored = [libc::SIGINT, libc::SIGQUIT].map(|signal| (signal, libc::SIG_IGN));
        let handler = hand_over as extern "C" fn(i32) as usize;
        let handed = [libc::SIGTERM, libc::SIGHUP, libc::SIGUSR1, libc::SIGUSR2];
        let change = ignored.into_iter().chain(handed.map(|signal| (signal, handler)));
        Self { before: change.map(|(signal, to)| (signal, set(signal, to))).collect() }
    }
}

impl Drop for Aside {
    fn drop(&mut self) {
        CHILD.store(0, SeqCst);
        for (signal, action) in &self.before {
            // SAFETY: restores a disposition that sigaction gave us.
            unsafe {
                libc::sigaction(*signal, action, std::ptr::null_mut());
            }
        }
    }
}

fn set(signal: i32, to: libc::sighandler_t) -> libc::sigaction {
    // SAFETY: zeroed sigactions are valid; `to` is SIG_IGN or a handler of the right type.
    unsafe {
        let (mut action, mut before): (libc::sigaction, libc::sigaction) =
            (mem::zeroed(), mem::zeroed());
        libc::sigaction(signal, std::ptr::null(), &mut before);
        if before.sa_sigaction != libc::SIG_IGN {
            action.sa_sigaction = to;
            action.sa_flags = libc::SA_RESTART;
            libc::sigaction(signal, &action, std::ptr::null_mut());
        }
        before
    }
}
