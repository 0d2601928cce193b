// SPDX-License-Identifier: MIT
//! Counts the signal system calls of a process tree from outside, independently of the runtime.
//!
//! Two methods, tried in this order:
//! - [`Method::Perf`]: counting events on the kernel's tracepoints, inherited by all children. No
//!   stop, no change in the program. It needs to learn the tracepoints' numbers (root, or a
//!   readable tracefs).
//! - [`Method::Ptrace`]: a seccomp filter stops the program at each such call, and no other. It
//!   needs no privilege. Without `CAP_SYS_ADMIN` the filter asks for `no_new_privs`, so setuid
//!   children run without their privilege, and a program that traces others itself cannot.
//!
//! Counted are the calls between the first `exec` and the end of the last process of the tree, by
//! processes of the machine's own word size (32-bit programs on a 64-bit kernel are not counted).
//! A process that lives on in the background is waited for: without limit by ptrace, since its
//! filter must not outlive the tracer, and for [`perf::LINGER`] by perf, which then says in the
//! note that the count is not complete.

mod calls;
mod counts;
mod error;
pub mod perf;
pub mod ptrace;
mod seccomp;
mod sites;
mod spawn;
mod spec;
mod tracefs;

pub use calls::{CALLS, Call};
pub use counts::{Counted, Counts, Method};
pub use error::{Error, SpawnError};
pub use sites::{Image, Site};
pub use spawn::{Gated, wait};
pub use spec::Spec;

/// Runs the command to its end and counts, by the best method that works here.
pub fn count(spec: &Spec) -> Result<Counted, Error> {
    let reason = match perf::count(spec) {
        Err(Error::Unavailable(reason)) => reason,
        done => return done,
    };
    match ptrace::count(spec, false) {
        Err(Error::Unavailable(second)) => Err(Error::Unavailable(format!("{reason}; {second}"))),
        done => done,
    }
}

/// Runs the command to its end and counts by this method, or says why it cannot.
pub fn count_by(method: Method, spec: &Spec) -> Result<Counted, Error> {
    match method {
        Method::Perf => perf::count(spec),
        Method::Ptrace => ptrace::count(spec, false),
    }
}

/// As [`count_by`] with [`Method::Ptrace`], and notes which instruction made each call.
pub fn count_with_sites(spec: &Spec) -> Result<Counted, Error> {
    ptrace::count(spec, true)
}
