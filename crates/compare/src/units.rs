// SPDX-License-Identifier: MIT
//! Numbers as people read them.

use crate::report::Time;

pub use sigzero_number::grouped as count;

/// A number of calls.
pub fn calls(n: u64) -> String {
    if n == 1 { "1 call".into() } else { format!("{} calls", count(n)) }
}

/// A number of pairs of runs.
pub fn pairs(n: u64) -> String {
    if n == 1 { "1 pair".into() } else { format!("{} pairs", count(n)) }
}

/// A ratio.
pub fn times(ratio: f64) -> String {
    match ratio {
        r if r >= 100.0 => format!("{r:.0}"),
        r if r >= 10.0 => format!("{r:.1}"),
        r => format!("{r:.2}"),
    }
}

/// The unit in which a time is best read: what to multiply seconds by, and its name.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Unit {
    pub factor: f64,
    pub name: &'static str,
}

impl Unit {
    /// One for both sides, so that they can be compared by eye.
    pub fn of(time: &Time) -> Self {
        let medians = time.without.median_s.max(time.with.median_s);
        let greatest = time.without.max_s.max(time.with.max_s);
        Self::for_seconds(if medians > 0.0 { medians } else { greatest })
    }

    pub fn for_seconds(seconds: f64) -> Self {
        let (factor, name) = match seconds {
            s if s >= 1.0 => (1.0, "s"),
            s if s >= 1e-3 => (1e3, "ms"),
            _ => (1e6, "µs"),
        };
        Unit { factor, name }
    }

    /// Three significant digits, more only before the point.
    pub fn number(&self, seconds: f64) -> String {
        match seconds * self.factor {
            n if n >= 100.0 => format!("{n:.0}"),
            n if n >= 10.0 => format!("{n:.1}"),
            n => format!("{n:.2}"),
        }
    }

    pub fn full(&self, seconds: f64) -> String {
        format!("{} {}", self.number(seconds), self.name)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn counts_have_separators() {
        assert_eq!(count(0), "0");
        assert_eq!(count(999), "999");
        assert_eq!(count(1000), "1,000");
        assert_eq!(count(20_033_025), "20,033,025");
        assert_eq!((calls(1), calls(2000)), ("1 call".to_owned(), "2,000 calls".to_owned()));
    }

    #[test]
    fn times_have_a_fitting_unit() {
        let text = |s| Unit::for_seconds(s).full(s);
        assert_eq!(text(12.345), "12.3 s");
        assert_eq!(text(0.0123), "12.3 ms");
        assert_eq!(text(0.000_45), "450 µs");
        assert_eq!(text(0.0), "0.00 µs");
    }
}
