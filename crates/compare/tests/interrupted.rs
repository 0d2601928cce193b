// SPDX-License-Identifier: MIT
//! Interrupted: the command ends at once, and what was measured is kept if it says anything.
//! One test, alone in its process: the signals are the process's.

use std::os::fd::AsRawFd;
use std::path::Path;
use std::thread;
use std::time::{Duration, Instant};

use clap::Parser;
use sigzero_compare::{Args, Error, Report, measure};

#[derive(Parser)]
struct Line {
    #[command(flatten)]
    args: Args,
}

/// Sends us SIGTERM when the command has started for the `nth` time.
fn interrupted_at(nth: usize) -> Result<Report, Error> {
    let folder = tempfile::tempdir().unwrap();
    let log = folder.path().join("log");
    let script = format!("echo started >> {}; exec sleep 0.1", log.display());
    let line = ["compare", "-n", "50", "--", "sh", "-c", &script];
    let args = Line::parse_from(line).args;
    thread::scope(|scope| {
        scope.spawn(|| signal_when(&log, nth));
        measure(&args, &vec![])
    })
}

fn signal_when(log: &Path, nth: usize) {
    let end = Instant::now() + Duration::from_secs(60);
    let starts = || std::fs::read_to_string(log).unwrap_or_default().lines().count();
    while starts() < nth {
        assert!(Instant::now() < end, "the command was not started {nth} times");
        thread::sleep(Duration::from_millis(5));
    }
    // SAFETY: a signal to ourselves, which `measure` handles.
    unsafe { libc::kill(libc::getpid(), libc::SIGTERM) };
}

#[test]
fn an_interrupt_ends_the_runs() {
    let null = std::fs::File::open("/dev/null").unwrap();
    // SAFETY: both descriptors are open.
    assert_eq!(unsafe { libc::dup2(null.as_raw_fd(), 0) }, 0);

    let start = Instant::now();
    let error = interrupted_at(1).unwrap_err();
    assert!(matches!(error, Error::Interrupted), "{error}");
    assert_eq!(error.exit_code(), 130);

    // Two counted runs, two pairs, and the first run of the third pair.
    let report = interrupted_at(7).unwrap();
    assert!(report.interrupted);
    assert_eq!(report.pairs.len(), 2);
    assert_eq!(report.verdict.same_behaviour, Some(true));
    assert!(start.elapsed() < Duration::from_secs(30));
}
