// SPDX-License-Identifier: MIT
//! Sums of calls of libc functions and of the system calls they made.

use std::iter::Sum;
use std::ops::AddAssign;

use serde::{Deserialize, Serialize};

/// All are numbers of calls, and all may be added up.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct Counts {
    /// Calls of the libc function.
    pub calls: u64,
    pub rt_sigprocmask: MaskCounts,
    pub rt_sigaction: ActionCounts,
    /// Other signal system calls: rt_sigsuspend, sigaltstack, …
    pub other: u64,
}

/// rt_sigprocmask calls, each in exactly one class besides `removable`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct MaskCounts {
    pub total: u64,
    /// Only read the mask.
    pub query: u64,
    /// Set the mask that was set.
    pub same: u64,
    /// Blocked more.
    pub block: u64,
    /// SIG_UNBLOCK that blocked less.
    pub unblock: u64,
    /// Set by value (SIG_SETMASK, jump, context) and blocked less.
    pub restore: u64,
    /// Blocked some signals and unblocked others.
    pub replace: u64,
    pub failed: u64,
    /// What mode `shadow` does not make.
    pub needless: u64,
    /// What mode `lazy`, which is that of `sigzero run`, is expected not to make.
    pub removable: u64,
}

/// rt_sigaction calls, each in exactly one class besides `removable`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct ActionCounts {
    pub total: u64,
    /// Only read the disposition.
    pub query: u64,
    /// Set the disposition that was set.
    pub same: u64,
    /// Set another disposition.
    pub set: u64,
    pub failed: u64,
    /// What mode `shadow` does not make.
    pub needless: u64,
    /// What mode `lazy`, which is that of `sigzero run`, is expected not to make.
    pub removable: u64,
}

/// What the runtime is expected to call in mode `lazy` besides the program's own calls.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct Added {
    /// Masks brought up to date before calls that wait.
    pub rt_sigprocmask: u64,
    /// Guards.
    pub rt_sigaction: u64,
}

impl Added {
    pub fn total(&self) -> u64 {
        self.rt_sigprocmask + self.rt_sigaction
    }
}

impl Counts {
    pub fn system_calls(&self) -> u64 {
        self.rt_sigprocmask.total + self.rt_sigaction.total + self.other
    }

    pub fn removable(&self) -> u64 {
        self.rt_sigprocmask.removable + self.rt_sigaction.removable
    }

    pub fn needless(&self) -> u64 {
        self.rt_sigprocmask.needless + self.rt_sigaction.needless
    }

    pub fn queries(&self) -> u64 {
        self.rt_sigprocmask.query + self.rt_sigaction.query
    }

    /// Calls that set what was set.
    pub fn same(&self) -> u64 {
        self.rt_sigprocmask.same + self.rt_sigaction.same
    }

    /// Calls that changed a mask or a disposition.
    pub fn changes(&self) -> u64 {
        let mask = &self.rt_sigprocmask;
        mask.block + mask.unblock + mask.restore + mask.replace + self.rt_sigaction.set
    }
}

impl AddAssign for Counts {
    fn add_assign(&mut self, other: Self) {
        self.calls += other.calls;
        self.other += other.other;
        self.rt_sigprocmask += other.rt_sigprocmask;
        self.rt_sigaction += other.rt_sigaction;
    }
}

impl AddAssign for MaskCounts {
    fn add_assign(&mut self, other: Self) {
        self.total += other.total;
        self.query += other.query;
        self.same += other.same;
        self.block += other.block;
        self.unblock += other.unblock;
        self.restore += other.restore;
        self.replace += other.replace;
        self.failed += other.failed;
        self.needless += other.needless;
        self.removable += other.removable;
    }
}

impl AddAssign for ActionCounts {
    fn add_assign(&mut self, other: Self) {
        self.total += other.total;
        self.query += other.query;
        self.same += other.same;
        self.set += other.set;
        self.failed += other.failed;
        self.needless += other.needless;
        self.removable += other.removable;
    }
}

impl AddAssign for Added {
    fn add_assign(&mut self, other: Self) {
        self.rt_sigprocmask += other.rt_sigprocmask;
        self.rt_sigaction += other.rt_sigaction;
    }
}

impl Sum for Added {
    fn sum<I: Iterator<Item = Self>>(added: I) -> Self {
        added.fold(Self::default(), |mut sum, added| {
            sum += added;
            sum
        })
    }
}

impl Sum for Counts {
    fn sum<I: Iterator<Item = Self>>(counts: I) -> Self {
        counts.fold(Self::default(), |mut sum, counts| {
            sum += counts;
            sum
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sums_add_every_field() {
        let mask = MaskCounts {
            total: 28,
            query: 1,
            same: 2,
            block: 3,
            unblock: 4,
            restore: 5,
            replace: 6,
            failed: 7,
            needless: 3,
            removable: 4,
        };
        let action = ActionCounts {
            total: 10,
            query: 1,
            same: 2,
            set: 3,
            failed: 4,
            needless: 3,
            removable: 5,
        };
        let one = Counts { calls: 30, rt_sigprocmask: mask, rt_sigaction: action, other: 2 };
        let sum: Counts = [one, one].into_iter().sum();
        assert_eq!(sum.calls, 60);
        assert_eq!(sum.system_calls(), 80);
        assert_eq!((sum.needless(), sum.removable()), (12, 18));
        assert_eq!(sum.queries(), 4);
        assert_eq!(sum.same(), 8);
        assert_eq!(sum.changes(), 2 * (3 + 4 + 5 + 6 + 3));
        assert_eq!(sum.rt_sigprocmask.failed + sum.rt_sigaction.failed, 22);
    }
}
