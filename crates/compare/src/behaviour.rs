// SPDX-License-Identifier: MIT
//! Whether the runs with the runtime did the same as those without.
//!
//! The first run without it is the reference. Where the others without it already disagree with it,
//! the command varies by itself, and nothing can be said about the runs with it.

use std::io;
use std::os::unix::process::ExitStatusExt;
use std::process::ExitStatus;

use serde::Serialize;
use sigzero_launch::status::signal_name;

use crate::capture::{Ended, Streams};
use crate::difference::{Difference, first_difference};

/// Who made a run.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Side {
    Without,
    With,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case", tag = "agreement")]
pub enum Agreement<D> {
    Same,
    /// Runs without the runtime differ among themselves.
    Varies {
        example: D,
    },
    /// Runs without agree, and this many with differ from them.
    Different {
        runs: u32,
        example: D,
    },
}

/// What the runs had in common, by what can be seen of a run from outside.
#[derive(Clone, Debug, Serialize)]
pub struct Behaviour {
    pub runs_without: u32,
    pub runs_with: u32,
    /// How the reference run ended.
    pub reference_status: String,
    pub stdout_bytes: u64,
    pub stderr_bytes: u64,
    pub status: Agreement<Statuses>,
    pub stdout: Agreement<Difference>,
    pub stderr: Agreement<Difference>,
    /// What the runtime's own check mode said.
    pub check_report: Option<String>,
}

/// Two ends that should have been the same.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Statuses {
    pub first: String,
    pub second: String,
}

impl Behaviour {
    pub fn differs(&self) -> bool {
        self.status.is_different() || self.stdout.is_different() || self.stderr.is_different()
    }

    /// Something varies by itself, so that sameness cannot be claimed.
    pub fn varies(&self) -> bool {
        self.status.varies() || self.stdout.varies() || self.stderr.varies()
    }
}

impl<D> Agreement<D> {
    fn is_different(&self) -> bool {
        matches!(self, Agreement::Different { .. })
    }

    fn varies(&self) -> bool {
        matches!(self, Agreement::Varies { .. })
    }
}

/// Gathers one aspect over all runs.
struct Aspect<D> {
    varies: Option<D>,
    different: Option<D>,
    different_runs: u32,
}

impl<D: Clone> Aspect<D> {
    fn new() -> Self {
        Aspect { varies: None, different: None, different_runs: 0 }
    }

    fn saw(&mut self, side: Side, difference: Option<D>) {
        let Some(difference) = difference else { return };
        match side {
            Side::Without => self.varies.get_or_insert(difference),
            Side::With => {
                self.different_runs += 1;
                self.different.get_or_insert(difference)
            }
        };
    }

    fn agreement(&self) -> Agreement<D> {
        match (&self.varies, &self.different) {
            (Some(example), _) => Agreement::Varies { example: example.clone() },
            (None, Some(example)) => {
                Agreement::Different { runs: self.different_runs, example: example.clone() }
            }
            (None, None) => Agreement::Same,
        }
    }
}

/// Holds each run against the reference as it ends, so that one run's output is kept, not all.
pub struct Judge {
    reference: Option<Ended>,
    runs: [u32; 2],
    status: Aspect<Statuses>,
    stdout: Aspect<Difference>,
    stderr: Aspect<Difference>,
    check_report: Option<String>,
}

impl Judge {
    pub fn new() -> Self {
        Judge {
            reference: None,
            runs: [0; 2],
            status: Aspect::new(),
            stdout: Aspect::new(),
            stderr: Aspect::new(),
            check_report: None,
        }
    }

    /// The first run to be seen must be one without the runtime.
    pub fn see(&mut self, side: Side, ended: Ended) -> io::Result<()> {
        self.runs[side as usize] += 1;
        if side == Side::With && self.check_report.is_none() {
            self.check_report = check_report(&ended.streams)?;
        }
        let Some(reference) = &self.reference else {
            self.reference = Some(ended);
            return Ok(());
        };
        let (a, b) = (&reference.streams, &ended.streams);
        self.status.saw(side, statuses(reference.status, ended.status));
        self.stdout.saw(side, first_difference(&a.stdout, &b.stdout)?);
        self.stderr.saw(side, first_difference(&a.stderr, &b.stderr)?);
        Ok(())
    }

    pub fn result(&self) -> io::Result<Behaviour> {
        let reference = self.reference.as_ref().ok_or_else(|| io::Error::other("no run"))?;
        Ok(Behaviour {
            runs_without: self.runs[Side::Without as usize],
            runs_with: self.runs[Side::With as usize],
            reference_status: describe(reference.status),
            stdout_bytes: reference.streams.stdout.metadata()?.len(),
            stderr_bytes: reference.streams.stderr.metadata()?.len(),
            status: self.status.agreement(),
            stdout: self.stdout.agreement(),
            stderr: self.stderr.agreement(),
            check_report: self.check_report.clone(),
        })
    }
}

fn statuses(a: ExitStatus, b: ExitStatus) -> Option<Statuses> {
    (a != b).then(|| Statuses { first: describe(a), second: describe(b) })
}

/// In the words that a person uses.
pub fn describe(status: ExitStatus) -> String {
    match status.signal() {
        Some(signal) => format!("killed by {}", signal_name(signal)),
        None => format!("exit status {}", status.code().unwrap_or(-1)),
    }
}

const CHECK_PREFIX: &str = "sigzero: check:";
const CHECK_SEARCH: usize = 1 << 20;

/// The line in which the runtime names the first difference from the kernel.
fn check_report(streams: &Streams) -> io::Result<Option<String>> {
    use std::os::unix::fs::FileExt;
    let length = streams.stderr.metadata()?.len();
    let start = length.saturating_sub(CHECK_SEARCH as u64);
    let mut bytes = vec![0; (length - start) as usize];
    streams.stderr.read_exact_at(&mut bytes, start)?;
    let text = String::from_utf8_lossy(&bytes);
    Ok(text.lines().find(|line| line.starts_with(CHECK_PREFIX)).map(str::to_owned))
}

#[cfg(test)]
pub(crate) mod tests {
    use super::*;
    use std::io::Write;

    pub fn ended(raw_status: i32, stdout: &str, stderr: &str) -> Ended {
        let mut streams = Streams::new().unwrap();
        streams.stdout.write_all(stdout.as_bytes()).unwrap();
        streams.stderr.write_all(stderr.as_bytes()).unwrap();
        Ended { status: ExitStatus::from_raw(raw_status), streams }
    }

    fn judge(runs: &[(Side, i32, &str, &str)]) -> Behaviour {
        let mut judge = Judge::new();
        for (side, status, stdout, stderr) in runs {
            judge.see(*side, ended(*status, stdout, stderr)).unwrap();
        }
        judge.result().unwrap()
    }

    use Side::{With, Without};

    #[test]
    fn the_same_is_the_same() {
        let run = |side| (side, 3 << 8, "out", "err");
        let b = judge(&[run(Without), run(With), run(With), run(Without)]);
        assert!(!b.differs() && !b.varies());
        assert_eq!((b.runs_without, b.runs_with, b.stdout_bytes), (2, 2, 3));
        assert_eq!(b.reference_status, "exit status 3");
    }

    #[test]
    fn a_different_stream_is_named_with_its_place() {
        let plain = (Without, 0, "same", "");
        let b = judge(&[plain, (With, 0, "same", "x"), plain, (With, 0, "same", "x")]);
        assert!(b.differs() && !b.varies());
        assert_eq!(b.stdout, Agreement::Same);
        let Agreement::Different { runs: 2, example } = b.stderr else { panic!("{:?}", b.stderr) };
        assert_eq!(example.byte, 0);
    }

    #[test]
    fn a_different_end_is_different_behaviour() {
        let b = judge(&[(Without, 0, "", ""), (With, libc::SIGABRT, "", "")]);
        let Agreement::Different { runs: 1, example } = b.status else { panic!("{:?}", b.status) };
        assert_eq!(example.second, "killed by SIGABRT");
    }

    #[test]
    fn a_command_that_varies_by_itself_is_not_called_different() {
        let b = judge(&[(Without, 0, "1", ""), (With, 0, "2", ""), (Without, 0, "3", "")]);
        assert!(b.varies() && !b.differs());
    }

    #[test]
    fn an_aspect_that_does_not_vary_is_still_judged() {
        let b = judge(&[(Without, 0, "1", ""), (With, 256, "2", ""), (Without, 0, "3", "")]);
        assert!(b.varies() && b.differs());
    }

    #[test]
    fn the_report_of_check_mode_is_found() {
        let said = "noise\nsigzero: check: mask differs\nmore\n";
        let b = judge(&[(Without, 0, "", ""), (With, libc::SIGABRT, "", said)]);
        assert_eq!(b.check_report.as_deref(), Some("sigzero: check: mask differs"));
    }
}
