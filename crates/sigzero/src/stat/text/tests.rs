// SPDX-License-Identifier: MIT

use anstream::adapter::strip_str;
use sigzero_model::counts::MaskCounts;
use sigzero_model::report::Run;
use sigzero_model::{Caller, Cost, Ending, Process};

use super::*;

fn site(function: &str, symbol: &str, queries: u64, changes: u64) -> Site {
    let mask = MaskCounts {
        total: queries + changes,
        query: queries,
        block: changes,
        needless: queries,
        removable: queries,
        ..Default::default()
    };
    Site {
        function: function.into(),
        opaque: false,
        caller: Caller {
            module: "/usr/bin/tool".into(),
            offset: queries + changes,
            symbol: Some(symbol.into()),
            symbol_offset: Some(4),
            file: Some("tool.c".into()),
            line: Some(7),
        },
        stack: Vec::new(),
        stack_whole: false,
        counts: Counts { calls: queries + changes, rt_sigprocmask: mask, ..Default::default() },
    }
}

fn report(sites: Vec<Site>, wall_seconds: f64) -> Report {
    let process =
        Process { pid: 7, executable: "/usr/bin/tool".into(), sites, ..Default::default() };
    let run = Run {
        command: vec!["tool".into()],
        ending: Ending { code: Some(3), signal: None },
        wall_seconds,
        ..Run::default()
    };
    Report::new(run, vec![process], Cost { mask_query_ns: 100.0, ..Default::default() })
}

fn plain(report: &Report, top: usize) -> String {
    strip_str(&render(report.clone(), top)).to_string()
}

#[test]
fn says_who_asked_and_what_can_go() {
    let sites =
        vec![site("sigprocmask", "reader", 10_000, 0), site("pthread_sigmask", "other", 0, 5)];
    let text = plain(&report(sites, 0.01), 10);
    assert!(text.contains("sigzero stat: tool\nexit status 3, 10.0 ms wall time\n"), "{text}");
    assert!(text.contains("10,005"), "{text}");
    let line = text.lines().find(|line| line.contains("reader+0x4")).unwrap();
    let words: Vec<_> = line.split_whitespace().collect();
    assert_eq!(
        words,
        ["10,000", "10,000", "10,000", "sigprocmask", "reader+0x4", "tool", "tool.c:7"]
    );
    assert!(
        text.contains("10,000 of 10,005 signal system calls (99.9 %) can be removed"),
        "{text}"
    );
    assert!(text.contains("about 1.00 ms, 10.0 % of the wall time"), "{text}");
    assert!(text.contains("sigzero run -- tool"), "{text}");
}

#[test]
fn says_plainly_when_there_is_nothing_to_win() {
    let none = plain(&report(vec![site("sigprocmask", "f", 0, 2)], 1.0), 10);
    assert!(
        none.contains("nothing to win: none of 2 signal system calls can be removed"),
        "{none}"
    );
    let little = plain(&report(vec![site("sigprocmask", "f", 2, 0)], 1.0), 10);
    assert!(
        little.contains("nothing to win: 2 of 2 signal system calls can be removed, but"),
        "{little}"
    );
    let empty = plain(&report(vec![], 1.0), 10);
    assert!(empty.contains("nothing to win: no signal system calls of its own"), "{empty}");
    let process = Process { damage: "cut short".into(), ..Process::default() };
    let run = Run { source: Source::Runtime, ..Run::default() };
    let lost = plain(&Report::new(run, vec![process], Cost::default()), 10);
    assert!(lost.contains("nothing was counted") && !lost.contains("to win"), "{lost}");
}

#[test]
fn blocks_that_can_go_are_called_a_forecast() {
    let needless = plain(&report(vec![site("sigprocmask", "f", 9, 0)], 1e-9), 10);
    assert!(needless.contains("9 of 9") && !needless.contains("forecast"), "{needless}");
    let mut sites = vec![site("sigprocmask", "f", 3, 6)];
    sites[0].counts.rt_sigprocmask.removable = 9;
    let mut process = Process { sites, ..Default::default() };
    process.added.rt_sigaction = 2;
    let run = Run { wall_seconds: 1e-9, ..Run::default() };
    let cost = Cost { mask_change_ns: 100.0, ..Default::default() };
    let text = plain(&Report::new(run, vec![process], cost), 10);
    assert!(text.contains("7 of 9 signal system calls"), "{text}");
    assert!(text.contains("a forecast: 3 change nothing and are gone for sure, 6 block"), "{text}");
    assert!(text.contains("; 2 that sigzero makes itself are taken off\n"), "{text}");
}

#[test]
fn top_limits_the_callers() {
    let sites = vec![site("sigprocmask", "a", 3, 0), site("sigprocmask", "b", 2, 0)];
    let report = report(sites, 1.0);
    let one = plain(&report, 1);
    assert!(one.contains("a+0x4") && !one.contains("b+0x4") && one.contains("top 1 of 2"), "{one}");
    let all = plain(&report, 0);
    assert!(all.contains("b+0x4"), "{all}");
}

#[test]
fn what_was_not_seen_is_named() {
    let mut spawn = site("posix_spawn", "f", 0, 0);
    spawn.opaque = true;
    spawn.counts.calls = 3;
    let mut report = report(vec![spawn], 1.0);
    report.lost = 1234;
    let text = plain(&report, 10);
    assert!(text.contains("Not visible to the runtime"), "{text}");
    assert!(text.contains("~12") && text.contains("~369"), "{text}");
    assert!(text.contains("note: 1,234 calls were lost"), "{text}");
    assert!(text.contains("--follow takes them along"), "{text}");
}

#[test]
fn a_note_of_many_processes_is_said_once() {
    let process = |pid| Process {
        pid,
        executable: "/bin/sub".into(),
        note: "left alone".into(),
        vfork_calls: 600,
        ..Default::default()
    };
    let run = Run { command: vec!["a b".into()], followed: true, ..Run::default() };
    let report = Report::new(run, vec![process(1), process(2), process(3)], Cost::default());
    let text = plain(&report, 2);
    assert!(text.contains("sigzero stat: 'a b'\n"), "{text}");
    assert!(text.contains("note: sub (3 times): left alone\n"), "{text}");
    assert!(text.contains("note: sub: 1,800 of its calls"), "{text}");
    assert!(text.contains("By process image (top 2 of 3"), "{text}");
}
