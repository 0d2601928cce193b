// SPDX-License-Identifier: MIT
//! Keeps the processor while a map is read or written. The kernel runs no program at a function on a
//! processor that is in the middle of that. A kernel that preempts itself may leave us there to run
//! somebody else for some milliseconds, and the calls of these would be lost.
//!
//! The processor is given back after every 256 operations, which take well under a millisecond; and
//! what the thread was given by others, another policy than the ordinary one, is never changed.

/// Operations in a row.
const BREATH: u32 = 256;

/// Until it is dropped, nobody with ordinary priority takes the processor from this thread. Nothing
/// is started meanwhile; if it were, it would not inherit that.
pub struct Undisturbed {
    raised: bool,
    operations: u32,
}

impl Undisturbed {
    pub fn if_needed(needed: bool) -> Self {
        Self { raised: needed && raise(), operations: 0 }
    }

    /// After an operation: whoever waits for the processor has it now and then.
    pub fn breathe(&mut self) {
        self.operations += 1;
        if self.raised && self.operations.is_multiple_of(BREATH) {
            lower();
            self.raised = raise();
        }
    }

    /// Whether we may, or need not: the thread has priority already, or the kernel never preempts
    /// itself.
    pub fn possible() -> bool {
        let version = std::fs::read_to_string("/proc/version").unwrap_or_default();
        let prior = [libc::SCHED_FIFO, libc::SCHED_RR, libc::SCHED_DEADLINE].contains(&policy());
        prior || !version.contains("PREEMPT") || Self::if_needed(true).raised
    }
}

impl Drop for Undisturbed {
    fn drop(&mut self) {
        if self.raised {
            lower();
        }
    }
}

fn raise() -> bool {
    policy() == libc::SCHED_OTHER && set(libc::SCHED_FIFO | libc::SCHED_RESET_ON_FORK, 1)
}

fn lower() {
    // With the right to priorities alone, the flag cannot be taken off.
    let _ = set(libc::SCHED_OTHER, 0) || set(libc::SCHED_OTHER | libc::SCHED_RESET_ON_FORK, 0);
}

fn policy() -> i32 {
    // SAFETY: no memory is passed.
    unsafe { libc::sched_getscheduler(0) & !libc::SCHED_RESET_ON_FORK }
}

fn set(policy: i32, priority: i32) -> bool {
    // SAFETY: plain data, of which libc may have more fields than one.
    unsafe {
        let mut parameter: libc::sched_param = std::mem::zeroed();
        parameter.sched_priority = priority;
        libc::sched_setscheduler(0, policy, &parameter) == 0
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_was_set_before_is_set_again() {
        let before = policy();
        let mut here = Undisturbed::if_needed(true);
        let during = if here.raised { libc::SCHED_FIFO } else { before };
        assert_eq!(policy(), during);
        (0..2 * BREATH).for_each(|_| here.breathe());
        assert_eq!(policy(), during);
        drop(here);
        assert_eq!(policy(), before);
        drop(Undisturbed::if_needed(false));
        assert_eq!(policy(), before);
        let broken = std::panic::catch_unwind(|| {
            let _here = Undisturbed::if_needed(true);
            panic!("in the middle");
        });
        assert!(broken.is_err() && policy() == before);
    }

    #[test]
    fn another_policy_is_left_alone() {
        std::thread::spawn(|| {
            assert!(set(libc::SCHED_BATCH, 0));
            let here = Undisturbed::if_needed(true);
            assert!(!here.raised && policy() == libc::SCHED_BATCH);
            drop(here);
            assert_eq!(policy(), libc::SCHED_BATCH);
        })
        .join()
        .unwrap();
    }
}
