// SPDX-License-Identifier: MIT
//! Measures what a signal system call costs on this machine, in a few milliseconds.
//!
//! The calls are made bare, so that neither libc nor a preload stands between. Nothing of
//! this process changes: one signal is blocked and released, and a disposition is set
//! to what it is.

use std::hint::black_box;
use std::mem::size_of;
use std::ptr;
use std::time::Instant;

use sigzero_model::Cost;

const BATCHES: usize = 11;
const CALLS: usize = 200;
/// The kernel's own size of a signal set.
const SET: usize = size_of::<u64>();
/// A signal that nobody is going to send to us.
const SIGNAL: i32 = libc::SIGURG;

/// Prices of single calls: of the quickest of several short batches. Whatever disturbs a
/// batch makes it dearer, and a saving had better be estimated too low.
pub fn measure() -> Cost {
    let block = 1u64 << (SIGNAL - 1);
    let now = mask(libc::SIG_BLOCK, None);
    let action = disposition(None);
    Cost {
        mask_query_ns: price(1, || mask(libc::SIG_SETMASK, None)),
        mask_same_ns: price(1, || mask(libc::SIG_SETMASK, Some(now))),
        mask_change_ns: price(2, || {
            mask(libc::SIG_BLOCK, Some(block));
            mask(libc::SIG_SETMASK, Some(now));
        }),
        action_query_ns: price(1, || disposition(None)),
        action_set_ns: price(1, || disposition(Some(action))),
    }
}

/// Nanoseconds a call, where each `run` makes `calls`.
fn price<T>(calls: usize, run: impl Fn() -> T) -> f64 {
    let rounds = CALLS / calls;
    let quickest = (0..BATCHES).map(|_| batch(rounds, &run)).fold(f64::INFINITY, f64::min);
    quickest / (rounds * calls) as f64
}

fn batch<T>(rounds: usize, run: &impl Fn() -> T) -> f64 {
    let start = Instant::now();
    for _ in 0..rounds {
        black_box(run());
    }
    start.elapsed().as_nanos() as f64
}

/// rt_sigprocmask: sets if there is something to set, and returns what was.
fn mask(how: i32, set: Option<u64>) -> u64 {
    let mut old = 0u64;
    let set = set.as_ref().map_or(ptr::null(), ptr::from_ref);
    // SAFETY: both sets are as large as the size given says.
    unsafe { libc::syscall(libc::SYS_rt_sigprocmask, how, set, &mut old, SET) };
    old
}

/// The kernel's struct sigaction: handler, flags, restorer, mask.
type Action = [u64; 4];

/// rt_sigaction of `SIGNAL`: sets if there is something to set, and returns what was.
fn disposition(set: Option<Action>) -> Action {
    let mut old = [0; 4];
    let set = set.as_ref().map_or(ptr::null(), ptr::from_ref);
    // SAFETY: 32 bytes are the kernel's struct sigaction on x86-64 and on AArch64.
    unsafe { libc::syscall(libc::SYS_rt_sigaction, SIGNAL, set, &mut old, SET) };
    old
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn prices_are_plausible_and_nothing_is_left_changed() {
        let before = (mask(libc::SIG_BLOCK, None), disposition(None));
        let start = Instant::now();
        let cost = measure();
        let took = start.elapsed();
        assert_eq!(before, (mask(libc::SIG_BLOCK, None), disposition(None)));
        let prices = [
            cost.mask_query_ns,
            cost.mask_same_ns,
            cost.mask_change_ns,
            cost.action_query_ns,
            cost.action_set_ns,
        ];
        // A call into the kernel takes no less than a few cycles on any machine; above
        // all they must not be 0, which would be a measurement that never took place.
        assert!(prices.iter().all(|price| (5.0..100_000.0).contains(price)), "{cost:?}");
        assert!(took.as_millis() < 1000, "{took:?}");
        println!("{cost:?} in {took:?}");
    }

    #[test]
    fn the_calls_do_what_they_are_said_to() {
        let before = mask(libc::SIG_BLOCK, Some(1 << (libc::SIGUSR2 - 1)));
        let within = mask(libc::SIG_SETMASK, Some(before));
        assert_eq!(within, before | 1 << (libc::SIGUSR2 - 1));
        assert_eq!(mask(libc::SIG_BLOCK, None), before);
    }
}
