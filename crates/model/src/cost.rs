// SPDX-License-Identifier: MIT
//! What the removable calls cost, estimated from the price of one.

use serde::{Deserialize, Serialize};

use crate::Counts;
use crate::counts::Added;

/// Nanoseconds a system call, as measured on the machine of the report.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct Cost {
    /// rt_sigprocmask that only reads.
    pub mask_query_ns: f64,
    /// rt_sigprocmask that sets what is set.
    pub mask_same_ns: f64,
    /// rt_sigprocmask that changes the mask: half of a block and its restore.
    pub mask_change_ns: f64,
    /// rt_sigaction that only reads.
    pub action_query_ns: f64,
    /// rt_sigaction that sets.
    pub action_set_ns: f64,
}

impl Cost {
    /// Seconds that the removable calls of `counts` took: an estimate, since a call in a
    /// busy program costs more or less than one in a loop.
    pub fn of_removable(&self, counts: &Counts) -> f64 {
        let mask = &counts.rt_sigprocmask;
        let action = &counts.rt_sigaction;
        let (mask_query, rest) = take(mask.removable, mask.query);
        let (mask_same, mask_change) = take(rest, mask.same);
        let (action_query, action_set) = take(action.removable, action.query);
        let nanoseconds = mask_query * self.mask_query_ns
            + mask_same * self.mask_same_ns
            + mask_change as f64 * self.mask_change_ns
            + action_query * self.action_query_ns
            + action_set as f64 * self.action_set_ns;
        nanoseconds * 1e-9
    }

    /// Seconds that calls of the runtime's own take.
    pub fn of_added(&self, added: &Added) -> f64 {
        let mask = added.rt_sigprocmask as f64 * self.mask_change_ns;
        let action = added.rt_sigaction as f64 * self.action_set_ns;
        (mask + action) * 1e-9
    }
}

/// Of `wanted`, as many as there are in `class`, and what is left.
fn take(wanted: u64, class: u64) -> (f64, u64) {
    let taken = wanted.min(class);
    (taken as f64, wanted - taken)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::counts::{ActionCounts, MaskCounts};

    #[test]
    fn each_class_has_its_price() {
        let cost = Cost {
            mask_query_ns: 1.0,
            mask_same_ns: 10.0,
            mask_change_ns: 100.0,
            action_query_ns: 1000.0,
            action_set_ns: 10_000.0,
        };
        let mask = MaskCounts {
            total: 9,
            query: 2,
            same: 3,
            block: 4,
            removable: 6,
            ..Default::default()
        };
        let action =
            ActionCounts { total: 5, query: 1, same: 4, removable: 3, ..Default::default() };
        let counts = Counts { rt_sigprocmask: mask, rt_sigaction: action, ..Default::default() };
        let expected = (2.0 + 30.0 + 100.0 + 1000.0 + 20_000.0) * 1e-9;
        assert!((cost.of_removable(&counts) - expected).abs() < 1e-15);
        let added = Added { rt_sigprocmask: 2, rt_sigaction: 1 };
        assert!((cost.of_added(&added) - 10_200e-9).abs() < 1e-15);
    }
}
