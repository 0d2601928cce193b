// SPDX-License-Identifier: MIT
//! Medians, spread, and how sure a ratio is.

use serde::Serialize;

/// Where a sample lies.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct Summary {
    pub median_s: f64,
    pub min_s: f64,
    pub max_s: f64,
    pub lower_quartile_s: f64,
    pub upper_quartile_s: f64,
}

/// How many times one quantity is another, pair by pair.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct Ratio {
    /// The median of the pairs' ratios.
    pub median: f64,
    pub low: f64,
    pub high: f64,
    /// The probability that the interval from `low` to `high` holds the true median.
    pub confidence: f64,
}

/// The confidence that a verdict asks for.
pub const CONFIDENCE: f64 = 0.95;

impl Summary {
    /// `None` of an empty sample.
    pub fn of(sample: impl IntoIterator<Item = f64>) -> Option<Self> {
        let sorted = sorted(sample);
        let (min_s, max_s) = (*sorted.first()?, *sorted.last()?);
        Some(Summary {
            median_s: quantile(&sorted, 0.5),
            min_s,
            max_s,
            lower_quartile_s: quantile(&sorted, 0.25),
            upper_quartile_s: quantile(&sorted, 0.75),
        })
    }
}

impl Ratio {
    /// Of pairs (numerator, denominator); `None` when there is no pair or a quantity is 0.
    ///
    /// The interval is that of the sign test: it assumes nothing about how times are distributed,
    /// and needs six pairs for 95 %.
    pub fn of(pairs: impl IntoIterator<Item = (f64, f64)>) -> Option<Self> {
        let ratios = sorted(pairs.into_iter().map(|(a, b)| a / b));
        if ratios.is_empty() || !ratios.iter().all(|r| r.is_finite() && *r > 0.0) {
            return None;
        }
        let (rank, confidence) = sign_test_rank(ratios.len());
        Some(Ratio {
            median: quantile(&ratios, 0.5),
            low: ratios[rank],
            high: ratios[ratios.len() - 1 - rank],
            confidence,
        })
    }

    pub fn is_sure(&self) -> bool {
        self.confidence >= CONFIDENCE
    }
}

/// How many values to leave out at each end, and the confidence of what remains.
fn sign_test_rank(n: usize) -> (usize, f64) {
    let mut best = (0, 1.0 - 2.0 * binomial_tail(n, 0));
    for rank in 1..n.div_ceil(2) {
        let confidence = 1.0 - 2.0 * binomial_tail(n, rank);
        if confidence < CONFIDENCE {
            break;
        }
        best = (rank, confidence);
    }
    (best.0, best.1.max(0.0))
}

/// The probability of at most `k` heads in `n` throws.
fn binomial_tail(n: usize, k: usize) -> f64 {
    // By logarithms: 2 to the power of minus n is no double for a large n.
    let mut log_term = -(n as f64) * std::f64::consts::LN_2;
    let mut sum = log_term.exp();
    for i in 1..=k {
        log_term += ((n - i + 1) as f64 / i as f64).ln();
        sum += log_term.exp();
    }
    sum
}

fn sorted(sample: impl IntoIterator<Item = f64>) -> Vec<f64> {
    let mut values: Vec<f64> = sample.into_iter().collect();
    values.sort_by(f64::total_cmp);
    values
}

/// Between two values, the line through them.
fn quantile(sorted: &[f64], q: f64) -> f64 {
    let at = q * (sorted.len() - 1) as f64;
    let below = sorted[at.floor() as usize];
    let above = sorted[at.ceil() as usize];
    below + (above - below) * at.fract()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn close(a: f64, b: f64) {
        assert!((a - b).abs() < 1e-9, "{a} is not {b}");
    }

    #[test]
    fn a_known_sample_is_summarised() {
        let s = Summary::of([7.0, 1.0, 3.0, 5.0]).unwrap();
        close(s.median_s, 4.0);
        close(s.lower_quartile_s, 2.5);
        close(s.upper_quartile_s, 5.5);
        assert_eq!((s.min_s, s.max_s), (1.0, 7.0));
        assert_eq!(Summary::of([]), None);
        close(Summary::of([2.0]).unwrap().median_s, 2.0);
    }

    #[test]
    fn the_tail_of_the_binomial_is_that_of_the_tables() {
        close(binomial_tail(10, 0), 1.0 / 1024.0);
        close(binomial_tail(10, 1), 11.0 / 1024.0);
        close(binomial_tail(10, 2), 56.0 / 1024.0);
        close(binomial_tail(4, 4), 1.0);
        assert!(binomial_tail(100_000, 49_000) < 1e-9);
    }

    /// Ranks as printed in tables of the sign test at 5 %, two-sided.
    #[test]
    fn ranks_are_those_of_the_sign_test() {
        for (n, rank) in [(6, 0), (8, 0), (9, 1), (10, 1), (12, 2), (20, 5), (30, 9), (100, 39)] {
            let (got, confidence) = sign_test_rank(n);
            assert_eq!(got, rank, "n = {n}");
            assert!(confidence >= CONFIDENCE, "n = {n}: {confidence}");
        }
    }

    #[test]
    fn few_pairs_are_not_sure() {
        let ratio = |n| Ratio::of(std::iter::repeat_n((3.0, 2.0), n)).unwrap();
        close(ratio(5).confidence, 1.0 - 2.0 / 32.0);
        assert!(!ratio(5).is_sure());
        assert!(ratio(6).is_sure());
        close(ratio(1).confidence, 0.0);
    }

    #[test]
    fn a_ratio_is_taken_pair_by_pair() {
        // The machine slows down threefold half-way; the ratio of each pair does not.
        let pairs = (0..10).map(|i| if i < 5 { (1.2, 1.0) } else { (3.6, 3.0) });
        let ratio = Ratio::of(pairs).unwrap();
        close(ratio.median, 1.2);
        close(ratio.low, 1.2);
        close(ratio.high, 1.2);
    }

    #[test]
    fn the_interval_leaves_out_the_ends() {
        let ratio = Ratio::of((1..=10).map(|i| (f64::from(i), 1.0))).unwrap();
        assert_eq!((ratio.low, ratio.high), (2.0, 9.0));
        close(ratio.median, 5.5);
        close(ratio.confidence, 1.0 - 22.0 / 1024.0);
    }

    #[test]
    fn no_ratio_to_nothing() {
        assert_eq!(Ratio::of([(1.0, 0.0)]), None);
        assert_eq!(Ratio::of([]), None);
    }
}
