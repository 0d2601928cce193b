// SPDX-License-Identifier: MIT
//! The one line that a person reads first.

use serde::Serialize;

use crate::behaviour::Behaviour;
use crate::stats::Ratio;
use crate::units::{calls, times};

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Kind {
    DifferentBehaviour,
    NothingToRemove,
    Faster,
    NoGain,
    Slower,
    TooFewPairs,
    Checked,
}

#[derive(Clone, Debug, Serialize)]
pub struct Verdict {
    pub kind: Kind,
    pub text: String,
    /// Whether sameness of behaviour was shown, refuted, or could not be judged.
    pub same_behaviour: Option<bool>,
    pub exit_code: u8,
}

/// Differences in time below this are not called a gain or a loss, however sure they are.
const WORTH_NAMING: f64 = 0.01;

const SAME: u8 = 0;
const DIFFERENT: u8 = 1;
const NOT_COMPARABLE: u8 = 3;

impl Verdict {
    /// Of mode `check`, which slows the command down on purpose.
    pub fn of_check(behaviour: &Behaviour) -> Self {
        let kind = match behaviour.differs() {
            true => Kind::DifferentBehaviour,
            false => Kind::Checked,
        };
        Self::with_kind(kind, text(kind, 0, 0, None), behaviour)
    }

    /// From the calls before and after, the ratio of wall time (without : with), and the behaviour.
    pub fn new(before: u64, after: u64, wall: Option<Ratio>, behaviour: &Behaviour) -> Self {
        let kind = match behaviour.differs() {
            true => Kind::DifferentBehaviour,
            false => kind(before, after, wall),
        };
        Self::with_kind(kind, text(kind, before, after, wall), behaviour)
    }

    fn with_kind(kind: Kind, text: String, behaviour: &Behaviour) -> Self {
        let (same_behaviour, exit_code) = match (behaviour.differs(), behaviour.varies()) {
            (true, _) => (Some(false), DIFFERENT),
            (false, true) => (None, NOT_COMPARABLE),
            (false, false) => (Some(true), SAME),
        };
        Verdict { kind, text, same_behaviour, exit_code }
    }
}

fn kind(before: u64, after: u64, wall: Option<Ratio>) -> Kind {
    let Some(wall) = wall.filter(Ratio::is_sure) else {
        return if after < before { Kind::TooFewPairs } else { Kind::NothingToRemove };
    };
    let worth_naming = (wall.median - 1.0).abs() >= WORTH_NAMING;
    if wall.high < 1.0 && worth_naming {
        Kind::Slower
    } else if after >= before {
        // What is faster without a call less is so by chance.
        Kind::NothingToRemove
    } else if wall.low > 1.0 && worth_naming {
        Kind::Faster
    } else {
        Kind::NoGain
    }
}

fn text(kind: Kind, before: u64, after: u64, wall: Option<Ratio>) -> String {
    let fewer = || calls(before.saturating_sub(after));
    match (kind, wall) {
        (Kind::DifferentBehaviour, _) => "DIFFERENT OUTPUT: do not use".into(),
        (Kind::Checked, _) => "checked: no difference from the kernel".into(),
        (Kind::NothingToRemove, _) => "nothing to remove".into(),
        (Kind::Faster, Some(w)) => format!("{} times faster ({})", times(w.median), interval(&w)),
        (Kind::Slower, Some(w)) => {
            let inverse =
                Ratio { median: 1.0 / w.median, low: 1.0 / w.high, high: 1.0 / w.low, ..w };
            format!(
                "slower: takes {} times as long ({})",
                times(inverse.median),
                interval(&inverse)
            )
        }
        (Kind::NoGain, Some(w)) if w.low > 1.0 || w.high < 1.0 => {
            format!("no gain: {} fewer, but less than 1 % of the time", fewer())
        }
        (Kind::NoGain, _) => {
            format!("no gain: {} fewer, but the difference in time is within the noise", fewer())
        }
        _ => format!("{} fewer; too few pairs for a verdict on time: run 6 or more", fewer()),
    }
}

fn interval(ratio: &Ratio) -> String {
    format!("{}–{}", times(ratio.low), times(ratio.high))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::behaviour::{Judge, Side, tests::ended};

    fn behaviour(with: &str, second_without: &str) -> Behaviour {
        let mut judge = Judge::new();
        judge.see(Side::Without, ended(0, "a", "")).unwrap();
        judge.see(Side::With, ended(0, with, "")).unwrap();
        judge.see(Side::Without, ended(0, second_without, "")).unwrap();
        judge.result().unwrap()
    }

    fn ratio(low: f64, median: f64, high: f64) -> Option<Ratio> {
        Some(Ratio { median, low, high, confidence: 0.97 })
    }

    #[test]
    fn the_table_of_verdicts() {
        let few = Some(Ratio { confidence: 0.5, ..ratio(2.0, 2.0, 2.0).unwrap() });
        let table = [
            (1000, 3, ratio(1.28, 1.32, 1.36), Kind::Faster, "1.32 times faster (1.28–1.36)"),
            (1000, 3, ratio(0.95, 1.02, 1.08), Kind::NoGain, "within the noise"),
            (1000, 3, ratio(1.001, 1.004, 1.006), Kind::NoGain, "less than 1 %"),
            (1000, 3, ratio(0.5, 0.8, 0.9), Kind::Slower, "takes 1.25 times as long (1.11–2.00)"),
            (3, 3, ratio(0.95, 1.0, 1.05), Kind::NothingToRemove, "nothing to remove"),
            (3, 18, ratio(1.1, 1.2, 1.3), Kind::NothingToRemove, "nothing to remove"),
            (3, 18, ratio(0.5, 0.8, 0.9), Kind::Slower, "slower"),
            (1000, 3, few, Kind::TooFewPairs, "997 calls fewer; too few pairs"),
            (1000, 3, None, Kind::TooFewPairs, "too few"),
        ];
        for (before, after, wall, kind, text) in table {
            let verdict = Verdict::new(before, after, wall, &behaviour("a", "a"));
            assert_eq!(verdict.kind, kind, "{before} {after} {wall:?}");
            assert!(verdict.text.contains(text), "{} lacks {text}", verdict.text);
            assert_eq!((verdict.exit_code, verdict.same_behaviour), (0, Some(true)));
        }
    }

    #[test]
    fn different_output_beats_any_gain() {
        let verdict = Verdict::new(1000, 3, ratio(1.9, 2.0, 2.1), &behaviour("b", "a"));
        assert_eq!(verdict.kind, Kind::DifferentBehaviour);
        assert_eq!(verdict.text, "DIFFERENT OUTPUT: do not use");
        assert_eq!((verdict.exit_code, verdict.same_behaviour), (1, Some(false)));
    }

    #[test]
    fn check_mode_says_nothing_about_time() {
        let verdict = Verdict::of_check(&behaviour("a", "a"));
        assert_eq!((verdict.kind, verdict.exit_code), (Kind::Checked, 0));
        assert_eq!(Verdict::of_check(&behaviour("b", "a")).kind, Kind::DifferentBehaviour);
    }

    #[test]
    fn a_varying_command_is_timed_but_not_called_the_same() {
        let verdict = Verdict::new(1000, 3, ratio(1.9, 2.0, 2.1), &behaviour("b", "c"));
        assert_eq!(verdict.kind, Kind::Faster);
        assert_eq!((verdict.exit_code, verdict.same_behaviour), (3, None));
    }
}
