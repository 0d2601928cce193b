// SPDX-License-Identifier: MIT

use super::*;
use crate::Caller;
use crate::counts::MaskCounts;

fn site(function: &str, offset: u64, queries: u64) -> Site {
    let mask =
        MaskCounts { total: queries, query: queries, removable: queries, ..Default::default() };
    let counts = Counts { calls: queries, rt_sigprocmask: mask, ..Default::default() };
    let caller = Caller { module: "/bin/x".into(), offset, ..Default::default() };
    Site {
        function: function.into(),
        opaque: false,
        caller,
        stack: Vec::new(),
        stack_whole: false,
        counts,
    }
}

fn process(pid: u32, start_ns: u64, sites: Vec<Site>) -> Process {
    Process { pid, start_ns, sites, executable: "/bin/x".into(), ..Default::default() }
}

fn report(processes: Vec<Process>) -> Report {
    let cost = Cost { mask_query_ns: 100.0, ..Default::default() };
    let run = Run { command: vec!["x".into()], wall_seconds: 1e-6, ..Default::default() };
    Report::new(run, processes, cost)
}

#[test]
fn the_same_place_in_two_processes_is_one_caller() {
    let report = report(vec![
        process(2, 20, vec![site("sigprocmask", 0x10, 5)]),
        process(1, 10, vec![site("sigprocmask", 0x10, 1), site("getcontext", 0x20, 2)]),
    ]);
    let pids: Vec<_> = report.processes.iter().map(|process| process.pid).collect();
    assert_eq!(pids, [1, 2]);
    let callers: Vec<_> = report.callers.iter().map(|site| site.counts.calls).collect();
    assert_eq!(callers, [6, 2]);
    assert_eq!(report.functions[0].name, "sigprocmask");
    assert_eq!(report.total.system_calls, 8);
    assert_eq!(report.total.removable, 8);
    assert!((report.total.saved_seconds - 800e-9).abs() < 1e-15);
    assert!((report.saved_share() - 0.8).abs() < 1e-9);
}

#[test]
fn what_the_runtime_calls_itself_is_taken_off() {
    let mut process = process(1, 1, vec![site("sigprocmask", 0x10, 5)]);
    process.added.rt_sigaction = 2;
    let total = report(vec![process.clone()]).total;
    assert_eq!((total.system_calls, total.removable, total.added), (5, 3, 2));
    process.added.rt_sigaction = 9;
    assert_eq!(report(vec![process]).total.removable, 0);
}

#[test]
fn opaque_functions_are_hidden_and_not_counted_as_seen() {
    let mut spawn = site("posix_spawn", 0x30, 0);
    spawn.opaque = true;
    spawn.counts.calls = 2;
    let report = report(vec![process(1, 1, vec![spawn])]);
    assert!(report.functions.is_empty() && report.callers.is_empty());
    assert_eq!(report.total.counts.calls, 0);
    assert_eq!(report.hidden, [Hidden::new("posix_spawn", 2)]);
}

#[test]
fn what_was_lost_makes_the_counts_inexact() {
    let mut one = process(1, 1, vec![]);
    one.lost = 7;
    let mut two = process(2, 2, vec![]);
    assert!(report(vec![two.clone()]).exact);
    two.damage = "cut short".into();
    assert!(!report(vec![one.clone()]).exact && !report(vec![two]).exact);
    assert_eq!(report(vec![one]).lost, 7);
    let incomplete = Run { incomplete: true, ..Run::default() };
    assert!(!Report::new(incomplete, vec![], Cost::default()).exact);
}

#[test]
fn json_has_real_numbers_and_comes_back_the_same() {
    let report = report(vec![process(1, 1, vec![site("sigprocmask", 0x10, 5)])]);
    let text = serde_json::to_string(&report).unwrap();
    let value: serde_json::Value = serde_json::from_str(&text).unwrap();
    assert_eq!(value["total"]["rt_sigprocmask"]["query"].as_u64(), Some(5));
    assert_eq!(value["callers"][0]["caller"]["offset"].as_u64(), Some(16));
    assert_eq!(value["functions"][0]["name"], "sigprocmask");
    assert_eq!(serde_json::from_str::<Report>(&text).unwrap(), report);
}
