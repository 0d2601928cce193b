// SPDX-License-Identifier: MIT
//! What the cache does with 1,000 signals of each kind.

use std::path::PathBuf;
use std::process::Command;

use sigzero_count::Spec;
use sigzero_queue::report::{Origin, Report, Source};

const COUNT: u64 = 1000;

fn compiled(folder: &std::path::Path) -> PathBuf {
    let source = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/programs/signals.c");
    let program = folder.join("signals");
    let mut compile = Command::new("cc");
    compile.args(["-O1", "-Wall", "-Werror", "-pthread", "-o"]).arg(&program).arg(source);
    assert!(compile.arg("-lrt").status().unwrap().success());
    program
}

/// `None`, after a line that says so, where eBPF is not permitted.
fn seen(how: &str, count: u64) -> Option<Report> {
    let folder = tempfile::tempdir().unwrap();
    let program = compiled(folder.path());
    let words = [
        "-c".into(),
        format!("cd '{}' && exec {} {how} {count}", folder.path().display(), program.display()),
    ];
    match sigzero_queue::run(&Spec::new("sh").args(words)) {
        Err(sigzero_bpf::Error::Refused(error)) => panic!("{error}"),
        Err(error) if error.is_unavailable() => {
            println!("skipped: {error}");
            None
        }
        seen => {
            let seen = seen.unwrap();
            assert_eq!(seen.status.code(), Some(0), "{how}");
            Some(seen.report)
        }
    }
}

fn hits(how: &str) -> Option<Report> {
    let report = seen(how, COUNT)?;
    let sums = report.total;
    assert_eq!((sums.forecast_cache, sums.forecast_slab), (COUNT - 1, 1), "{how}: {report:#?}");
    assert_eq!((sums.cache, sums.slab, sums.unsure), (COUNT - 1, 1, 0), "{how}");
    assert_eq!((sums.timer, sums.dropped), (0, 0), "{how}");
    assert!(report.exact && report.notes.is_empty(), "{how}: {:?}", report.notes);
    let task = &report.tasks[0];
    assert_eq!((task.name.as_str(), task.sums.cache, task.deepest), ("signals", COUNT - 1, 1));
    assert_eq!(report.depths.len(), 1);
    Some(report)
}

#[test]
fn signals_one_after_another_hit_but_for_the_first() {
    for how in ["kill", "sigqueue", "itimer", "sigwait", "signalfd", "thread"] {
        let Some(report) = hits(how) else { return };
        let link = &report.links[0];
        assert_eq!((link.target.as_str(), link.signals), ("signals", COUNT), "{how}");
        let (origin, sender) = match how {
            "itimer" => (Origin::Kernel, None),
            _ => (Origin::Program, Some("signals".into())),
        };
        assert_eq!((link.origin, &link.sender), (origin, &sender), "{how}");
    }
}

#[test]
fn children_that_end_hit_but_for_the_first() {
    let Some(report) = hits("chld") else { return };
    let link = &report.links[0];
    assert_eq!((link.origin, link.signal_name.as_str()), (Origin::Child, "SIGCHLD"));
    assert_eq!((link.signals, link.cache, link.slab), (COUNT, COUNT - 1, 1));
}

#[test]
fn a_posix_timer_takes_nothing() {
    let Some(report) = seen("timer", COUNT) else { return };
    assert_eq!((report.total.forecast_cache, report.total.forecast_slab), (0, 0), "{report:#?}");
    assert_eq!(report.total.timer, COUNT);
    assert_eq!(report.links[0].origin, Origin::Timer);
}

#[test]
fn marks_of_inotify_are_not_counted() {
    let Some(report) = seen("marks", COUNT) else { return };
    // The child's end is told to us, and we are not counted.
    assert_eq!((report.total.signals, report.tasks.len()), (0, 0), "{report:#?}");
}

#[test]
fn signals_that_queue_up_miss() {
    let Some(report) = seen("at-once", 200) else { return };
    let sums = report.total;
    assert_eq!((sums.forecast_cache, sums.forecast_slab), (1, 200));
    assert_eq!((sums.kept, sums.dropped), (1, 199));
    assert_eq!(report.tasks[0].deepest, 200);
    let deep = report.depths.last().unwrap();
    assert_eq!((deep.from, deep.to, deep.signals), (129, 256, 72));
    let user = report.users.iter().find(|user| user.most >= 200).unwrap();
    assert!(user.limit > 200 && user.refused == 0);
    assert_eq!(report.source, Source::Forecast);
}

#[test]
fn a_line_too_long_is_said_to_be() {
    let Some(report) = seen("at-once", 1000) else { return };
    let sums = report.total;
    assert_eq!((sums.forecast_cache, sums.forecast_slab), (1, 1000));
    assert!(!report.exact && report.notes[0].contains("longer than 256"), "{:?}", report.notes);
}
