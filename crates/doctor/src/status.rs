// SPDX-License-Identifier: MIT
//! /proc/PID/status: the kernel's own word on the signals of a process and of each thread.

use crate::signals::Set;

#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Status {
    pub name: String,
    /// One letter, as ps(1) has it.
    pub state: char,
    pub process: i32,
    pub parent: i32,
    /// Who traces it; 0 if nobody does.
    pub tracer: i32,
    pub pending: Set,
    pub shared_pending: Set,
    pub blocked: Set,
    pub ignored: Set,
    pub caught: Set,
    /// How often it gave up a processor. The same number twice, and asleep both times: it did not run.
    pub switches: u64,
}

impl Status {
    pub fn parse(text: &str) -> Self {
        let mut status = Self::default();
        for (name, value) in text.lines().filter_map(|line| line.split_once(':')) {
            status.line(name, value.trim());
        }
        status
    }

    fn line(&mut self, name: &str, value: &str) {
        match name {
            "Name" => self.name = value.into(),
            "State" => self.state = value.chars().next().unwrap_or('?'),
            "Tgid" => self.process = value.parse().unwrap_or(0),
            "PPid" => self.parent = value.parse().unwrap_or(0),
            "TracerPid" => self.tracer = value.parse().unwrap_or(0),
            "SigPnd" => self.pending = set(value),
            "ShdPnd" => self.shared_pending = set(value),
            "SigBlk" => self.blocked = set(value),
            "SigIgn" => self.ignored = set(value),
            "SigCgt" => self.caught = set(value),
            "voluntary_ctxt_switches" | "nonvoluntary_ctxt_switches" => {
                self.switches += value.parse::<u64>().unwrap_or(0);
            }
            _ => {}
        }
    }

    pub fn ended(&self) -> bool {
        matches!(self.state, 'Z' | 'X')
    }

    /// Stopped by a signal or by a tracer.
    pub fn stopped(&self) -> bool {
        matches!(self.state, 'T' | 't')
    }

    pub fn asleep(&self) -> bool {
        matches!(self.state, 'S' | 'D' | 'I') || self.stopped()
    }
}

fn set(digits: &str) -> Set {
    Set(u64::from_str_radix(digits, 16).unwrap_or(0))
}

/// The state in words.
pub fn state(letter: char) -> &'static str {
    match letter {
        'R' => "running",
        'S' => "sleeping",
        'D' => "in uninterruptible sleep",
        'T' => "stopped",
        't' => "stopped by a tracer",
        'Z' | 'X' => "ended",
        'I' => "idle",
        'P' => "parked",
        _ => "in an unknown state",
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::signals::Signal;

    #[test]
    fn a_status_is_read() {
        let status = Status::parse(
            "Name:\ta: b\nUmask:\t0022\nState:\tS (sleeping)\nTgid:\t7\nPPid:\t3\nTracerPid:\t0\n\
             SigQ:\t1/2\nSigPnd:\t0000000000000200\nShdPnd:\t0000000000004000\n\
             SigBlk:\t0000000000014002\nvoluntary_ctxt_switches:\t4\nnonvoluntary_ctxt_switches:\t3\n",
        );
        assert_eq!((status.name.as_str(), status.state, status.process), ("a: b", 'S', 7));
        assert!(status.pending.has(Signal(10)) && status.shared_pending.has(Signal(15)));
        assert_eq!((status.blocked, status.switches), (Set(0x14002), 7));
        assert!(status.asleep() && !status.ended());
    }
}
