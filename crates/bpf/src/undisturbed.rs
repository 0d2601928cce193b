// SPDX-License-Identifier: MIT
//! Keeps the processor while a map is read or written. The kernel runs no program at a function on a
//! processor that is in the middle of that. A kernel that preempts itself may leave us there to run
//! somebody else for some milliseconds, and the calls of these would be lost.

/// Until it is dropped, nobody with ordinary priority takes the processor from this thread.
pub struct Undisturbed {
    before: Option<i32>,
}

impl Undisturbed {
    pub fn if_needed(needed: bool) -> Self {
        Self { before: needed.then(raise).flatten() }
    }

    /// Whether we may, or need not since the kernel never preempts itself.
    pub fn possible() -> bool {
        let version = std::fs::read_to_string("/proc/version").unwrap_or_default();
        let here = Self::if_needed(true);
        here.before.is_some() || !version.contains("PREEMPT")
    }
}

impl Drop for Undisturbed {
    fn drop(&mut self) {
        if let Some(policy) = self.before {
            set(policy, 0);
        }
    }
}

/// What was set before; `None` if that is as good, or if we may not.
fn raise() -> Option<i32> {
    // SAFETY: no memory is passed.
    let policy = unsafe { libc::sched_getscheduler(0) };
    let ordinary = [libc::SCHED_OTHER, libc::SCHED_BATCH, libc::SCHED_IDLE];
    (ordinary.contains(&policy) && set(libc::SCHED_FIFO, 1)).then_some(policy)
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
        // SAFETY: no memory is passed.
        let policy = || unsafe { libc::sched_getscheduler(0) };
        let before = policy();
        let here = Undisturbed::if_needed(true);
        let raised = here.before.is_some();
        assert_eq!(policy(), if raised { libc::SCHED_FIFO } else { before });
        drop(here);
        assert_eq!(policy(), before);
        drop(Undisturbed::if_needed(false));
        assert_eq!(policy(), before);
    }
}
