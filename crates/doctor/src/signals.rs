// SPDX-License-Identifier: MIT
//! Sets of signals, one bit each as in the kernel, and their names.

use std::fmt;
use std::ops::{BitAnd, BitOr, Not};

use serde::{Serialize, Serializer};

/// In the order of their numbers on Linux, from 1.
const NAMES: [&str; 31] = [
    "HUP", "INT", "QUIT", "ILL", "TRAP", "ABRT", "BUS", "FPE", "KILL", "USR1", "SEGV", "USR2",
    "PIPE", "ALRM", "TERM", "STKFLT", "CHLD", "CONT", "STOP", "TSTP", "TTIN", "TTOU", "URG",
    "XCPU", "XFSZ", "VTALRM", "PROF", "WINCH", "IO", "PWR", "SYS",
];

/// glibc keeps the two real-time signals below for itself.
const RTMIN: u32 = 34;
const RTMAX: u32 = 64;

#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Signal(pub u32);

impl Signal {
    /// Without `SIG`, as kill(1) takes it.
    pub fn short(self) -> String {
        match self.0 {
            number @ 1..=31 => NAMES[number as usize - 1].into(),
            RTMIN => "RTMIN".into(),
            RTMAX => "RTMAX".into(),
            number @ RTMIN..RTMAX => format!("RTMIN+{}", number - RTMIN),
            number => number.to_string(),
        }
    }
}

impl fmt::Display for Signal {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.0 {
            1..=31 | RTMIN..=RTMAX => write!(f, "SIG{}", self.short()),
            number => write!(f, "signal {number}"),
        }
    }
}

impl Serialize for Signal {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct Set(pub u64);

impl Set {
    /// KILL and STOP: nothing can block them.
    pub const UNBLOCKABLE: Set = Set(1 << 8 | 1 << 18);
    /// What glibc keeps for itself: programs cannot block it.
    pub const LIBC: Set = Set(1 << 31 | 1 << 32);
    pub const EMPTY: Set = Set(0);

    /// What a program can block at most.
    pub fn all() -> Self {
        !(Self::UNBLOCKABLE | Self::LIBC)
    }

    pub fn one(signal: Signal) -> Self {
        Set(1 << (signal.0 - 1))
    }

    pub fn has(self, signal: Signal) -> bool {
        self & Self::one(signal) != Self::EMPTY
    }

    pub fn without(self, other: Self) -> Self {
        self & !other
    }

    pub fn is_empty(self) -> bool {
        self == Self::EMPTY
    }

    pub fn iter(self) -> impl Iterator<Item = Signal> {
        (1..=64).map(Signal).filter(move |signal| self.has(*signal))
    }

    /// For a cell of a table: the shorter of what is in it and what is not.
    pub fn short(self) -> String {
        let open = Self::all().without(self);
        let words = words(self);
        match open.0.count_ones() {
            0 => "all".into(),
            count if count < self.0.count_ones() => format!("all but {}", self::words(open)),
            _ => words,
        }
    }
}

/// Names, with neighbours among the real-time signals drawn together.
fn words(set: Set) -> String {
    let mut words = Vec::new();
    let mut signals = set.iter().peekable();
    while let Some(first) = signals.next() {
        let mut last = first;
        while first.0 >= RTMIN && signals.peek() == Some(&Signal(last.0 + 1)) {
            last = signals.next().expect("it was just seen");
        }
        words.push(match last.0 - first.0 {
            0 => first.short(),
            1 => format!("{} {}", first.short(), last.short()),
            _ => format!("{}…{}", first.short(), last.short()),
        });
    }
    words.join(" ")
}

impl BitOr for Set {
    type Output = Self;
    fn bitor(self, other: Self) -> Self {
        Set(self.0 | other.0)
    }
}

impl BitAnd for Set {
    type Output = Self;
    fn bitand(self, other: Self) -> Self {
        Set(self.0 & other.0)
    }
}

impl Not for Set {
    type Output = Self;
    fn not(self) -> Self {
        Set(!self.0)
    }
}

impl Serialize for Set {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_seq(self.iter())
    }
}

/// In a sentence: "SIGINT, SIGTERM and SIGHUP".
pub fn sentence(set: Set) -> String {
    let names: Vec<_> = set.iter().map(|signal| signal.to_string()).collect();
    if names.len() > 6 {
        return format!("{} signals", names.len());
    }
    match names.split_last() {
        Some((last, rest)) if !rest.is_empty() => format!("{} and {last}", rest.join(", ")),
        _ => names.concat(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn set(numbers: &[u32]) -> Set {
        numbers.iter().fold(Set::EMPTY, |set, number| set | Set::one(Signal(*number)))
    }

    #[test]
    fn signals_have_their_names() {
        let names: Vec<_> = [1, 31, 32, 34, 36, 64].map(|n| Signal(n).to_string()).into();
        assert_eq!(names, ["SIGHUP", "SIGSYS", "signal 32", "SIGRTMIN", "SIGRTMIN+2", "SIGRTMAX"]);
        assert_eq!(set(&[9, 19]), Set::UNBLOCKABLE);
        assert_eq!(set(&[32, 33]), Set::LIBC);
    }

    #[test]
    fn a_set_is_named_by_the_shorter_side() {
        assert_eq!(Set::EMPTY.short(), "");
        assert_eq!(set(&[2, 15]).short(), "INT TERM");
        assert_eq!(Set::all().short(), "all");
        assert_eq!((!Set::EMPTY).short(), "all");
        assert_eq!(Set::all().without(set(&[11, 7])).short(), "all but BUS SEGV");
        assert_eq!(set(&[34, 36, 37, 38, 40, 41]).short(), "RTMIN RTMIN+2…RTMIN+4 RTMIN+6 RTMIN+7");
    }

    #[test]
    fn sentences_read_well() {
        assert_eq!(sentence(set(&[2])), "SIGINT");
        assert_eq!(sentence(set(&[2, 15, 1])), "SIGHUP, SIGINT and SIGTERM");
        assert_eq!(sentence(Set::all()), "60 signals");
    }
}
