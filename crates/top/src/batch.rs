// SPDX-License-Identifier: MIT
//! The table as text, for pipes and files.

use std::collections::BTreeMap;
use std::fmt::Write;
use std::io;
use std::time::{Duration, Instant};

use sigzero_bpf::Live;
use sigzero_model::{Process, Site};
use sigzero_number::grouped;

use crate::Setup;
use crate::draw::{percent, printable, rate};
use crate::rows::{Looks, sort};

/// Hands `looks` tables, one after each delay, to `out`; ends early if that fails.
pub fn run(
    mut live: Live,
    setup: &Setup,
    looks: Option<u64>,
    stopped: impl Fn() -> bool,
    mut out: impl FnMut(&str) -> io::Result<()>,
) -> io::Result<()> {
    let mut before = Looks::default();
    before.look(&live.snapshot(), &setup.cost, false);
    for turn in 0.. {
        if looks.is_some_and(|looks| turn >= looks) {
            break;
        }
        let end = Instant::now() + setup.delay;
        let gone = |live: &Live| setup.until_gone && live.alive() == 0;
        while Instant::now() < end && !stopped() && !gone(&live) {
            live.turn();
        }
        let ended = stopped() || gone(&live);
        let snapshot = live.snapshot();
        let mut table = before.look(&snapshot, &setup.cost, false);
        sort(&mut table.rows, setup.sort, false);
        out(&text(&table, snapshot.age, &setup.target))?;
        if ended {
            break;
        }
    }
    Ok(())
}

fn text(table: &crate::rows::Table, age: Duration, target: &str) -> String {
    let sum = &table.sum;
    let mut text = format!(
        "sigzero top: {target}, after {:.1} s\n{} signal system calls a second, {} without any change\n\n",
        age.as_secs_f64(),
        rate(sum.calls_per_second),
        percent(sum.needless),
    );
    let _ = writeln!(
        text,
        "{:>8} {:>11} {:>7} {:>9} {:>13} PROGRAM",
        "PID", "CALLS/S", "TIME%", "NEEDLESS", "TOTAL"
    );
    for row in &table.rows {
        let pid = if row.pid == 0 { "-".into() } else { row.pid.to_string() };
        let ended = if row.ended { " (ended)" } else { "" };
        let _ = writeln!(
            text,
            "{pid:>8} {:>11} {:>7} {:>9} {:>13} {}{ended}",
            rate(row.calls_per_second),
            percent(row.share),
            percent(row.needless),
            grouped(row.total.system_calls()),
            printable(&row.program),
        );
    }
    text.push('\n');
    text
}

/// Callers of several images together, each with its most frequent stack, most calls first.
pub(crate) fn sites(processes: &[Process]) -> Vec<Site> {
    let mut sums: BTreeMap<(&str, &str, u64), (Site, u64)> = BTreeMap::new();
    for site in processes.iter().flat_map(|process| &process.sites) {
        let key = (site.function.as_str(), site.caller.module.as_str(), site.caller.offset);
        let calls = site.counts.system_calls();
        match sums.get_mut(&key) {
            None => drop(sums.insert(key, (site.clone(), calls))),
            Some((sum, most)) => {
                let counts = sum.counts;
                if calls > *most {
                    (*sum, *most) = (site.clone(), calls);
                    sum.counts += counts;
                } else {
                    sum.counts += site.counts;
                }
            }
        }
    }
    let mut sites: Vec<Site> = sums.into_values().map(|(site, _)| site).collect();
    sites.sort_by_key(|site| std::cmp::Reverse(site.counts.system_calls()));
    sites
}
