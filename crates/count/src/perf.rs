// SPDX-License-Identifier: MIT
//! Counting by perf events on the tracepoints at the entry of each system call.

use std::fs::File;
use std::io::{self, Read};
use std::os::fd::{AsRawFd, FromRawFd, OwnedFd};
use std::os::unix::process::ExitStatusExt;
use std::process::ExitStatus;
use std::time::{Duration, Instant};

use perf_event_open_sys::{self as sys, bindings::perf_event_attr};

use crate::calls::CALLS;
use crate::counts::{Counted, Counts, Method};
use crate::error::Error;
use crate::spawn::{Gated, wait};
use crate::spec::Spec;
use crate::tracefs::entry_tracepoints;

/// How long processes that outlive the command are waited for.
pub const LINGER: Duration = Duration::from_secs(2);

pub fn count(spec: &Spec) -> Result<Counted, Error> {
    let ids = entry_tracepoints().map_err(|e| Error::unavailable("tracefs", &e))?;
    let mut child = Gated::spawn(spec, &|| Ok(()))?;
    let opened = open_all(child.pid, &ids).and_then(|c| Ok((c, Tree::open(child.pid)?)));
    let (counters, tree) = match opened {
        Ok(opened) => opened,
        Err(error) => {
            child.abandon();
            return Err(Error::unavailable("perf_event_open", &error));
        }
    };
    spec.started(child.pid);
    child.release()?;
    let status = ExitStatus::from_raw(wait(child.pid)?);
    child.outcome(spec)?;
    let ended = tree.wait(LINGER);
    let counts = read_all(&counters)?;
    Ok(Counted {
        counts: if ended {
            counts
        } else {
            counts.incomplete("processes that the command started were still running")
        },
        status,
        images: Vec::new(),
    })
}

fn open_all(pid: libc::pid_t, ids: &[u64]) -> io::Result<Vec<File>> {
    ids.iter().map(|&id| open_counter(pid, id)).collect()
}

fn open_counter(pid: libc::pid_t, tracepoint: u64) -> io::Result<File> {
    let mut attr = attributes(sys::bindings::PERF_TYPE_TRACEPOINT, tracepoint);
    attr.set_disabled(1);
    attr.set_enable_on_exec(1);
    attr.read_format = u64::from(
        sys::bindings::PERF_FORMAT_TOTAL_TIME_ENABLED
            | sys::bindings::PERF_FORMAT_TOTAL_TIME_RUNNING,
    );
    Ok(open(&mut attr, pid, -1)?.into())
}

fn attributes(kind: u32, config: u64) -> perf_event_attr {
    let mut attr = perf_event_attr {
        type_: kind,
        config,
        size: size_of::<perf_event_attr>() as u32,
        ..Default::default()
    };
    attr.set_inherit(1);
    // These tracepoints carry the registers of the calling program, so nothing is missed, and the
    // event needs less privilege.
    attr.set_exclude_kernel(1);
    attr
}

fn open(attr: &mut perf_event_attr, pid: libc::pid_t, cpu: i32) -> io::Result<OwnedFd> {
    let flags = u64::from(sys::bindings::PERF_FLAG_FD_CLOEXEC);
    // SAFETY: the attributes are live and of the size they say.
    unsafe {
        match sys::perf_event_open(attr, pid, cpu, -1, flags as _) {
            -1 => Err(io::Error::last_os_error()),
            fd => Ok(OwnedFd::from_raw_fd(fd)),
        }
    }
}

fn read_all(counters: &[File]) -> Result<Counts, Error> {
    let mut values = [0; CALLS.len()];
    let mut complete = true;
    for (value, counter) in values.iter_mut().zip(counters) {
        let [count, enabled, running] = read_counter(counter)?;
        *value = count;
        complete &= enabled == running;
    }
    let counts = Counts::exact(Method::Perf, values);
    Ok(if complete {
        counts
    } else {
        counts.incomplete("the kernel did not run the counters all the time")
    })
}

fn read_counter(mut counter: &File) -> io::Result<[u64; 3]> {
    let mut bytes = [0; 24];
    counter.read_exact(&mut bytes)?;
    let word = |i: usize| u64::from_ne_bytes(std::array::from_fn(|b| bytes[8 * i + b]));
    Ok([word(0), word(1), word(2)])
}

/// An event that counts nothing: its descriptor hangs up when the last process of the tree ends.
struct Tree {
    event: OwnedFd,
    ring: *mut libc::c_void,
    length: usize,
}

impl Tree {
    fn open(pid: libc::pid_t) -> io::Result<Self> {
        let dummy = u64::from(sys::bindings::PERF_COUNT_SW_DUMMY);
        let mut attr = attributes(sys::bindings::PERF_TYPE_SOFTWARE, dummy);
        // Without a ring buffer the descriptor always reads as hung up, and an inherited event may
        // have one only when it is bound to a processor.
        let event = open(&mut attr, pid, current_cpu())?;
        // SAFETY: a fresh mapping, unmapped once, on drop.
        unsafe {
            let length = 2 * libc::sysconf(libc::_SC_PAGESIZE) as usize;
            let access = libc::PROT_READ | libc::PROT_WRITE;
            let fd = event.as_raw_fd();
            let ring = libc::mmap(std::ptr::null_mut(), length, access, libc::MAP_SHARED, fd, 0);
            if ring == libc::MAP_FAILED {
                return Err(io::Error::last_os_error());
            }
            Ok(Tree { event, ring, length })
        }
    }

    /// True when all have ended.
    fn wait(&self, limit: Duration) -> bool {
        let end = Instant::now() + limit;
        loop {
            let left = end.saturating_duration_since(Instant::now());
            let mut poll = libc::pollfd { fd: self.event.as_raw_fd(), events: 0, revents: 0 };
            // SAFETY: one live entry.
            unsafe { libc::poll(&mut poll, 1, left.as_millis() as i32) };
            if poll.revents & libc::POLLHUP != 0 {
                return true;
            }
            if left.is_zero() {
                return false;
            }
        }
    }
}

impl Drop for Tree {
    fn drop(&mut self) {
        // SAFETY: mapped by `open` with this length.
        unsafe { libc::munmap(self.ring, self.length) };
    }
}

fn current_cpu() -> i32 {
    // SAFETY: no arguments.
    unsafe { libc::sched_getcpu().max(0) }
}
