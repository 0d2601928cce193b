// SPDX-License-Identifier: MIT
//! System calls by what they asked for, each with its price.

use crate::{Cost, Counts};

/// System calls of one name that asked for the same.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Class {
    /// `rt_sigprocmask`, `rt_sigaction` or `other`.
    pub call: &'static str,
    /// What the call asked for; `unknown` where the source does not tell, empty for others.
    pub kind: &'static str,
    pub calls: u64,
}

/// An estimate of the time that system calls took.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Spent {
    pub seconds: f64,
    /// Calls of which no price is known, and which are not in `seconds`.
    pub unpriced: u64,
}

impl Counts {
    /// All system calls, each in one class; classes without calls are left out.
    pub fn classes(&self) -> impl Iterator<Item = Class> + use<> {
        let mask = self.rt_sigprocmask;
        let action = self.rt_sigaction;
        let masks = [
            ("query", mask.query),
            ("same", mask.same),
            ("block", mask.block),
            ("unblock", mask.unblock),
            ("restore", mask.restore),
            ("replace", mask.replace),
            ("failed", mask.failed),
        ];
        let actions = [
            ("query", action.query),
            ("same", action.same),
            ("set", action.set),
            ("failed", action.failed),
        ];
        let rest = |total: u64, known: &[(&str, u64)]| {
            total.saturating_sub(known.iter().map(|(_, calls)| calls).sum())
        };
        let masks_rest = [("unknown", rest(mask.total, &masks))];
        let actions_rest = [("unknown", rest(action.total, &actions))];
        let masks = masks.into_iter().chain(masks_rest).map(|c| ("rt_sigprocmask", c));
        let actions = actions.into_iter().chain(actions_rest).map(|c| ("rt_sigaction", c));
        masks
            .chain(actions)
            .chain([("other", ("", self.other))])
            .map(|(call, (kind, calls))| Class { call, kind, calls })
            .filter(|class| class.calls > 0)
    }
}

impl Cost {
    /// Nanoseconds that a call of this class takes at the least: one that failed, or of which the
    /// kind is not known, is taken for the cheapest of its name.
    pub fn of_class(&self, class: &Class) -> Option<f64> {
        let masks = [self.mask_query_ns, self.mask_same_ns, self.mask_change_ns];
        let price = match (class.call, class.kind) {
            ("rt_sigprocmask", "query") => self.mask_query_ns,
            ("rt_sigprocmask", "same") => self.mask_same_ns,
            ("rt_sigprocmask", "failed" | "unknown") => {
                masks.into_iter().fold(f64::INFINITY, f64::min)
            }
            ("rt_sigprocmask", _) => self.mask_change_ns,
            ("rt_sigaction", "set" | "same") => self.action_set_ns,
            ("rt_sigaction", "query") => self.action_query_ns,
            ("rt_sigaction", _) => self.action_query_ns.min(self.action_set_ns),
            _ => 0.0,
        };
        (price > 0.0).then_some(price)
    }

    /// Time of all system calls of `counts`, as far as their price is known.
    pub fn of_all(&self, counts: &Counts) -> Spent {
        counts.classes().fold(Spent::default(), |mut spent, class| {
            match self.of_class(&class) {
                Some(price) => spent.seconds += price * class.calls as f64 * 1e-9,
                None => spent.unpriced += class.calls,
            }
            spent
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::counts::{ActionCounts, MaskCounts};

    const COST: Cost = Cost {
        mask_query_ns: 1.0,
        mask_same_ns: 2.0,
        mask_change_ns: 10.0,
        action_query_ns: 100.0,
        action_set_ns: 1000.0,
    };

    #[test]
    fn every_call_is_in_one_class() {
        let mask = MaskCounts { total: 10, query: 2, block: 3, failed: 1, ..Default::default() };
        let action = ActionCounts { total: 5, set: 5, ..Default::default() };
        let counts =
            Counts { rt_sigprocmask: mask, rt_sigaction: action, other: 4, ..Default::default() };
        let classes: Vec<_> = counts.classes().map(|c| (c.call, c.kind, c.calls)).collect();
        let expected = [
            ("rt_sigprocmask", "query", 2),
            ("rt_sigprocmask", "block", 3),
            ("rt_sigprocmask", "failed", 1),
            ("rt_sigprocmask", "unknown", 4),
            ("rt_sigaction", "set", 5),
            ("other", "", 4),
        ];
        assert_eq!(classes, expected);
        assert_eq!(classes.iter().map(|c| c.2).sum::<u64>(), counts.system_calls());
        let spent = COST.of_all(&counts);
        assert_eq!(spent.unpriced, 4);
        assert!((spent.seconds - (2.0 + 30.0 + 1.0 + 4.0 + 5000.0) * 1e-9).abs() < 1e-15);
    }

    #[test]
    fn what_was_not_measured_has_no_price() {
        let mask = MaskCounts { total: 3, query: 3, ..Default::default() };
        let counts = Counts { rt_sigprocmask: mask, ..Default::default() };
        assert_eq!(Cost::default().of_all(&counts), Spent { seconds: 0.0, unpriced: 3 });
    }
}
