// SPDX-License-Identifier: MIT
//! Follows a command or running processes by programs in the kernel, which keep a tree of them.

use std::os::fd::{AsRawFd, OwnedFd, RawFd};
use std::os::unix::process::ExitStatusExt;
use std::process::ExitStatus;
use std::sync::atomic::{AtomicI32, Ordering};
use std::time::{Duration, Instant};

use libbpf_rs::{MapCore, MapFlags};
use sigzero_count::{Gated, Spec, wait};

use crate::Error;
use crate::processes::{pidfd, process_of};

/// How long processes that outlive the command are waited for.
const LINGER: Duration = Duration::from_secs(2);
const TURN: Duration = Duration::from_millis(50);

/// What follows processes.
pub trait Follower {
    /// A process that is about to execute the command.
    fn add_command(&mut self, process: u32) -> Result<(), Error>;

    /// Serves what comes within some fifty milliseconds; true if the process has ended.
    fn turn(&mut self, process: Option<&OwnedFd>) -> bool;

    /// Of the processes that were added and their children.
    fn alive(&self) -> u32;
}

/// Runs the command to its end, and waits a little for those that outlive it. It is not started if
/// it cannot be followed.
pub fn command(spec: &Spec, follower: &mut impl Follower) -> Result<(ExitStatus, Duration), Error> {
    let mut child = Gated::spawn(spec, &|| Ok(()))?;
    let prepared = follower.add_command(child.pid as u32).and_then(|()| pidfd(child.pid));
    let ended = match prepared {
        Ok(ended) => ended,
        Err(error) => {
            child.abandon();
            return Err(error);
        }
    };
    if let Some(tell) = spec.on_start {
        tell(child.pid);
    }
    let start = Instant::now();
    child.release()?;
    while !follower.turn(Some(&ended)) {
        if let Some(tell) = spec.on_stop
            && has_stopped(child.pid)
        {
            tell(child.pid);
        }
    }
    let wall = start.elapsed();
    let status = ExitStatus::from_raw(wait(child.pid)?);
    child.outcome(spec)?;
    let limit = Instant::now() + LINGER;
    while follower.alive() > 0 && Instant::now() < limit {
        follower.turn(None);
    }
    Ok((status, wall))
}

/// Since it was asked last. What has ended is left to be waited for.
fn has_stopped(child: libc::pid_t) -> bool {
    // SAFETY: the call fills in a structure that is ours; all zeros are valid.
    unsafe {
        let mut info: libc::siginfo_t = std::mem::zeroed();
        let options = libc::WSTOPPED | libc::WNOHANG;
        libc::waitid(libc::P_PID, child as libc::id_t, &mut info, options) == 0
            && info.si_pid() == child
    }
}

/// Follows until `stop` says so; it is asked some twenty times a second, and told how many of the
/// processes are left.
pub fn until(
    follower: &mut impl Follower,
    mut stop: impl FnMut(Duration, u32) -> bool,
) -> Duration {
    let start = Instant::now();
    while !stop(start.elapsed(), follower.alive()) {
        follower.turn(None);
    }
    start.elapsed()
}

/// Adds a running process to the tree; the number may be that of a thread.
pub fn running(process: i32, add: impl FnOnce(u32) -> Result<(), Error>) -> Result<(), Error> {
    let gone = || Error::NoProcess(process);
    let leader = process_of(process).ok_or_else(gone)?;
    add(leader)?;
    // It may have ended before it was added, and then nobody will tell.
    process_of(process).map(drop).ok_or_else(gone)
}

/// Puts a process into the tree, of whose members `living` counts those that live.
pub fn add(tree: &impl MapCore, living: &AtomicI32, process: u32, state: u32) -> Result<(), Error> {
    // First the count, since the process may end as soon as it is in.
    living.fetch_add(1, Ordering::Relaxed);
    Ok(tree.update(&process.to_ne_bytes(), &state.to_ne_bytes(), MapFlags::ANY)?)
}

/// Waits a turn for the ring or the process; true if the process has ended.
pub fn wait_for(ring: RawFd, process: Option<&OwnedFd>) -> bool {
    let mut polls = [ring, process.map_or(-1, AsRawFd::as_raw_fd)].map(|fd| libc::pollfd {
        fd,
        events: libc::POLLIN,
        revents: 0,
    });
    // SAFETY: two live entries; a negative descriptor is passed over.
    unsafe { libc::poll(polls.as_mut_ptr(), 2, TURN.as_millis() as i32) };
    polls[1].revents != 0
}
