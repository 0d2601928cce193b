// SPDX-License-Identifier: MIT
//! Recordings for tests.

use std::sync::Arc;

use sigzero_model::counts::{ActionCounts, MaskCounts};
use sigzero_model::report::{Run, Source};
use sigzero_model::{Caller, Cost, Counts, Process, Site};
use sigzero_recording::{About, Recording};

pub fn frame(symbol: &str, offset: u64) -> Caller {
    Caller {
        module: "/bin/x".into(),
        offset,
        symbol: Some(symbol.into()),
        symbol_offset: Some(4),
        ..Caller::default()
    }
}

/// Queries and blocks, from a stack that is given innermost first.
pub fn site(stack: &[Caller], query: u64, block: u64) -> Site {
    let mask = MaskCounts {
        total: query + block,
        query,
        block,
        needless: query,
        removable: query,
        ..Default::default()
    };
    let calls = query + block;
    Site {
        function: "rt_sigprocmask".into(),
        opaque: false,
        caller: stack[0].clone(),
        stack: stack.iter().cloned().map(Arc::new).collect(),
        stack_whole: true,
        counts: Counts { calls, rt_sigprocmask: mask, ..Counts::default() },
    }
}

pub fn recording(source: Source, sites: Vec<Site>) -> Recording {
    let process = Process { pid: 7, executable: "/bin/x".into(), sites, ..Process::default() };
    Recording {
        about: About {
            sigzero: "0.1.0".into(),
            date: "2026-01-02T03:04:05Z".into(),
            start_unix_ns: 1_767_323_045_000_000_000,
            ..About::default()
        },
        run: Run { command: vec!["x".into()], source, wall_seconds: 0.5, ..Run::default() },
        cost: Cost {
            mask_query_ns: 100.0,
            mask_same_ns: 110.0,
            mask_change_ns: 200.0,
            action_query_ns: 120.0,
            action_set_ns: 150.0,
        },
        processes: vec![process],
        damage: None,
    }
}

/// main calls work, which asks and blocks, and rest, which asks.
pub fn stacks() -> Recording {
    let main = frame("main", 0x40);
    let work = [frame("work", 0x10), main.clone()];
    let rest = [frame("rest", 0x20), main];
    recording(Source::Bpf, vec![site(&work, 30, 10), site(&rest, 5, 0)])
}

/// As the runtime sees it: functions and callers, no stacks.
pub fn inside() -> Recording {
    let mut jump = site(&[frame("try_it", 0x10)], 0, 0);
    jump.function = "__sigsetjmp".into();
    jump.stack.clear();
    jump.counts.calls = 1000;
    jump.counts.rt_sigprocmask = MaskCounts {
        total: 1000,
        query: 1000,
        needless: 999,
        removable: 999,
        ..Default::default()
    };
    let mut set = site(&[frame("install", 0x20)], 0, 0);
    set.function = "sigaction".into();
    set.stack.clear();
    set.counts.calls = 3;
    set.counts.rt_sigaction = ActionCounts { total: 3, set: 3, ..Default::default() };
    recording(Source::Runtime, vec![jump, set])
}

/// Different stacks under one main, each with a tail of its own.
pub fn many(stacks: u64, depth: u64) -> Recording {
    let site_of = |number: u64| {
        let mut stack: Vec<_> = (0..depth)
            .map(|level| frame(&format!("f{}", number / (1 << level)), number * depth + level))
            .collect();
        stack.push(frame("main", 1 << 40));
        site(&stack, 1 + stacks / (number + 1), 1)
    };
    recording(Source::Bpf, (0..stacks).map(site_of).collect())
}
