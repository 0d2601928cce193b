// SPDX-License-Identifier: MIT
//! Sections in a program that is linked to libsigzero.
#![cfg(sigzero_found)]

use std::panic::catch_unwind;
use std::sync::Barrier;
use std::sync::atomic::{AtomicU32, Ordering::SeqCst};
use std::thread;

use sigzero::{Section, block, blocked};

static ELSEWHERE: AtomicU32 = AtomicU32::new(0);

thread_local! {
    static RUNS: AtomicU32 = const { AtomicU32::new(0) };
}

extern "C" fn handler(_signal: i32) {
    RUNS.with(|runs| runs.fetch_add(1, SeqCst));
    if blocked() {
        ELSEWHERE.fetch_add(1, SeqCst);
    }
}

/// Each test has a thread of its own, and so a count of its own.
fn handle() {
    let handler: extern "C" fn(i32) = handler;
    // SAFETY: the handler touches nothing but atomics.
    let before = unsafe { libc::signal(libc::SIGUSR1, handler as libc::sighandler_t) };
    assert_ne!(before, libc::SIG_ERR);
}

fn raise() {
    // SAFETY: there is a handler.
    unsafe { libc::pthread_kill(libc::pthread_self(), libc::SIGUSR1) };
}

fn runs() -> u32 {
    RUNS.with(|runs| runs.load(SeqCst))
}

/// Often enough that the library has found another way to do it.
const OFTEN: u32 = 200;

#[test]
fn a_signal_is_delivered_where_the_section_ends() {
    handle();
    for turn in 0..OFTEN {
        assert!(!blocked());
        let section = Section::enter();
        assert!(blocked() && !section.pending());
        raise();
        assert!(section.pending());
        assert_eq!(runs(), turn);
        drop(section);
        assert_eq!(runs(), turn + 1);
    }
    assert_eq!(ELSEWHERE.load(SeqCst), 0);
}

#[test]
fn sections_nest_and_end_in_any_order() {
    handle();
    let (outer, inner) = (Section::enter(), Section::enter());
    raise();
    drop(outer);
    assert_eq!((blocked(), runs()), (true, 0));
    drop(inner);
    assert_eq!((blocked(), runs()), (false, 1));
}

#[test]
fn a_closure_gives_its_value_back() {
    handle();
    let value = block(|| {
        raise();
        assert!(blocked());
        runs()
    });
    assert_eq!((value, runs(), blocked()), (0, 1, false));
}

#[test]
fn a_panic_leaves_the_section() {
    handle();
    let result = catch_unwind(|| {
        block(|| {
            raise();
            std::panic::resume_unwind(Box::new(runs()))
        })
    });
    assert_eq!(result.unwrap_err().downcast_ref(), Some(&0u32));
    assert_eq!((runs(), blocked()), (1, false));
}

#[test]
fn a_thread_has_sections_of_its_own() {
    handle();
    let barrier = Barrier::new(2);
    let own = || {
        barrier.wait();
        raise();
        (blocked(), runs())
    };
    thread::scope(|scope| {
        let other = scope.spawn(own);
        let section = Section::enter();
        barrier.wait();
        assert_eq!(other.join().unwrap(), (false, 1));
        assert!(blocked());
        drop(section);
    });
}
