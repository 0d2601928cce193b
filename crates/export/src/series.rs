// SPDX-License-Identifier: MIT
//! A bounded number of series: the programs that call most have their own, the rest is "other".
//!
//! Readers take a counter that falls for one that began anew, so nothing is ever moved from one series
//! to another: what is counted from now on goes to whoever has a series now.

use std::collections::{BTreeMap, HashMap, HashSet};

pub const OTHER: &str = "other";

/// A program's call and what it asked for.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Key {
    pub program: String,
    pub call: &'static str,
    pub kind: &'static str,
}

/// What of a program's weight is left at the next look.
const KEPT: f64 = 0.9;
/// How many times heavier a program must be to take the place of another.
const HEAVIER: f64 = 2.0;

#[derive(Debug)]
pub struct Series {
    limit: usize,
    /// What was counted until now, by the programs' own names.
    seen: HashMap<Key, u64>,
    weights: HashMap<String, f64>,
    shown: HashSet<String>,
    counts: BTreeMap<Key, u64>,
}

impl Series {
    /// `limit` programs have series of their own.
    pub fn new(limit: usize) -> Self {
        Self {
            limit,
            seen: HashMap::new(),
            weights: HashMap::new(),
            shown: HashSet::new(),
            counts: BTreeMap::new(),
        }
    }

    /// Takes sums since the beginning; one that is smaller than before counts as unchanged.
    pub fn update(&mut self, sums: &HashMap<Key, u64>) {
        let mut added: HashMap<&Key, u64> = HashMap::new();
        for (key, sum) in sums {
            let before = self.seen.get(key).copied().unwrap_or(0);
            if *sum > before {
                added.insert(key, sum - before);
                self.seen.insert(key.clone(), *sum);
            }
        }
        self.weights.values_mut().for_each(|weight| *weight *= KEPT);
        for (key, count) in &added {
            *self.weights.entry(key.program.clone()).or_default() += *count as f64;
        }
        // What has faded away would be remembered for ever.
        self.weights.retain(|program, weight| *weight >= 0.01 || self.shown.contains(program));
        self.choose();
        for (key, count) in added {
            let program = match self.shown.contains(&key.program) {
                true => key.program.clone(),
                false => OTHER.into(),
            };
            *self.counts.entry(Key { program, ..key.clone() }).or_default() += count;
        }
    }

    fn choose(&mut self) {
        let mut waiting: Vec<_> = self
            .weights
            .iter()
            .filter(|(program, _)| !self.shown.contains(*program) && *program != OTHER)
            .map(|(program, weight)| (*weight, program.clone()))
            .collect();
        waiting.sort_by(|a, b| b.0.total_cmp(&a.0).then_with(|| a.1.cmp(&b.1)));
        for (weight, program) in waiting {
            if self.shown.len() < self.limit {
                self.shown.insert(program);
                continue;
            }
            let weight_of = |program: &String| self.weights.get(program).copied().unwrap_or(0.0);
            let lightest = self
                .shown
                .iter()
                .min_by(|a, b| weight_of(a).total_cmp(&weight_of(b)).then_with(|| a.cmp(b)))
                .cloned();
            let Some(lightest) = lightest.filter(|least| weight > HEAVIER * weight_of(least))
            else {
                break;
            };
            self.counts.retain(|key, _| key.program != lightest);
            self.shown.remove(&lightest);
            self.shown.insert(program);
        }
    }

    pub fn counts(&self) -> &BTreeMap<Key, u64> {
        &self.counts
    }

    pub fn len(&self) -> usize {
        self.counts.len()
    }

    pub fn is_empty(&self) -> bool {
        self.counts.is_empty()
    }

    /// Programs that have series of their own.
    pub fn programs(&self) -> usize {
        self.shown.len()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn key(program: &str) -> Key {
        Key { program: program.into(), call: "rt_sigprocmask", kind: "query" }
    }

    fn sums(pairs: &[(&str, u64)]) -> HashMap<Key, u64> {
        pairs.iter().map(|(program, sum)| (key(program), *sum)).collect()
    }

    fn of(series: &Series, program: &str) -> Option<u64> {
        series.counts().get(&key(program)).copied()
    }

    #[test]
    fn the_heaviest_have_series_and_the_rest_is_one() {
        let mut series = Series::new(2);
        series.update(&sums(&[("a", 5), ("b", 100), ("c", 50), ("d", 1)]));
        assert_eq!((of(&series, "b"), of(&series, "c")), (Some(100), Some(50)));
        assert_eq!((of(&series, "a"), of(&series, OTHER)), (None, Some(6)));
        assert_eq!((series.len(), series.programs()), (3, 2));
    }

    #[test]
    fn a_count_never_falls() {
        let mut series = Series::new(2);
        series.update(&sums(&[("a", 50)]));
        series.update(&sums(&[("a", 40)]));
        assert_eq!(of(&series, "a"), Some(50));
        series.update(&sums(&[("a", 60)]));
        assert_eq!(of(&series, "a"), Some(60));
    }

    #[test]
    fn whoever_becomes_heavy_takes_a_place_and_other_does_not_fall() {
        let mut series = Series::new(1);
        series.update(&sums(&[("old", 10), ("new", 3)]));
        assert_eq!(of(&series, OTHER), Some(3));
        series.update(&sums(&[("old", 10), ("new", 1003)]));
        assert_eq!((of(&series, "old"), of(&series, "new")), (None, Some(1000)));
        assert_eq!(of(&series, OTHER), Some(3));
        // What the old one does from now on is other's.
        series.update(&sums(&[("old", 15), ("new", 1003)]));
        assert_eq!(of(&series, OTHER), Some(8));
    }

    #[test]
    fn their_number_is_bounded() {
        let mut series = Series::new(10);
        for round in 1..200u64 {
            let names: Vec<String> = (0..50).map(|n| format!("p{}", round * 7 + n)).collect();
            let pairs: Vec<_> = names.iter().map(|name| (name.as_str(), round * 100)).collect();
            series.update(&sums(&pairs));
            assert!(series.len() <= 11 && series.programs() <= 10);
        }
    }
}
