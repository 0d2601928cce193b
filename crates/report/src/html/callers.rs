// SPDX-License-Identifier: MIT
//! The table of callers: sorted by the script, complete without it.

use maud::{Markup, html};
use sigzero_model::Caller;
use sigzero_number::{duration, grouped, share};

use crate::View;
use crate::view::Row;

/// Rows on the page; the rest is summed up.
pub const ROWS: usize = 200;
/// Rows that are seen at first.
pub const FIRST: usize = 12;

#[derive(Clone, Copy)]
struct Columns {
    needless: bool,
    removable: bool,
}

pub fn section(view: &View) -> Markup {
    if view.rows.is_empty() {
        return html! {};
    }
    let columns = Columns { needless: view.classified(), removable: view.foretold() };
    let (shown, rest) = view.rows.split_at(ROWS.min(view.rows.len()));
    let all = view.report.total.system_calls;
    html! {
        section aria-labelledby="callers" {
            h2 #callers { "Who asks" }
            div.scroll tabindex="0" role="region" aria-labelledby="callers" {
                table.callers data-sort data-first=(FIRST) {
                    thead { tr {
                        (heading("Called from", "left", false))
                        (heading("Function", "left optional", false))
                        (heading("System calls", "", true))
                        @if columns.needless { (heading("Change nothing", "optional", false)) }
                        @if columns.removable { (heading("Can go", "", false)) }
                        (heading("Time, est.", "", false))
                    } }
                    tbody { @for row in shown { (line(row, all, columns)) } }
                    tfoot {
                        @if !rest.is_empty() { (summed(rest, all, columns)) }
                        (total(view, columns))
                    }
                }
            }
            (more(shown.len()))
            @if !rest.is_empty() {
                p.hint {
                    "The " (grouped(ROWS as u64)) " callers with the most system calls; "
                    (grouped(rest.len() as u64)) " more are summed up. "
                    code { "sigzero report --json" } " has all."
                }
            }
        }
    }
}

/// The script shows it, and hides the rows that it brings back.
pub fn more(rows: usize) -> Markup {
    html! {
        @if rows > FIRST {
            button.all-rows type="button" hidden {
                "Show all " (grouped(rows as u64)) " rows"
            }
        }
    }
}

/// The table is sorted by that column at first, if `sorted`.
pub fn heading(name: &str, class: &str, sorted: bool) -> Markup {
    html! {
        th class=(class) scope="col" aria-sort=[sorted.then_some("descending")] {
            button type="button" { (name) }
        }
    }
}

fn line(row: &Row, all: u64, columns: Columns) -> Markup {
    let caller = &row.caller;
    let place = caller.place_name();
    html! {
        tr {
            th.left scope="row" data-value=(place) {
                code.name { (place) }
                small { (caller.module_name()) " · " (whereabouts(caller)) }
            }
            td.left.optional data-value=(row.function) {
                code { (row.through.as_ref().unwrap_or(&row.function)) }
            }
            td data-value=(row.system_calls) {
                (grouped(row.system_calls)) small { (share(row.system_calls, all)) }
            }
            @if columns.needless {
                td.optional data-value=(row.needless) { (grouped(row.needless)) }
            }
            @if columns.removable {
                td data-value=(row.removable) {
                    (grouped(row.removable)) small { (share(row.removable, row.system_calls)) }
                }
            }
            td data-value=(row.spent.seconds) { (time(row.spent.seconds, row.spent.unpriced)) }
        }
    }
}

/// Where in the function: its line, or else the offset.
fn whereabouts(caller: &Caller) -> String {
    match (caller.source(), caller.symbol_offset) {
        (Some(source), _) => short(&source).into(),
        (None, Some(offset)) => format!("+{offset:#x}"),
        _ => "no symbol".into(),
    }
}

/// Two names of the path: enough to know it by, short enough for a table.
fn short(source: &str) -> &str {
    let mut slashes = source.rmatch_indices('/');
    let second = slashes.nth(1);
    second.map_or(source, |(at, _)| &source[at + 1..])
}

fn time(seconds: f64, unpriced: u64) -> String {
    match (seconds, unpriced) {
        (seconds, 1..) if seconds <= 0.0 => "unknown".into(),
        _ => duration(seconds),
    }
}

fn summed(rest: &[Row], all: u64, columns: Columns) -> Markup {
    let sum = |number: fn(&Row) -> u64| rest.iter().map(number).sum::<u64>();
    let calls = sum(|row| row.system_calls);
    let seconds = rest.iter().map(|row| row.spent.seconds).sum();
    html! {
        tr {
            th.left scope="row" { (grouped(rest.len() as u64)) " more" }
            td.optional {}
            td { (grouped(calls)) small { (share(calls, all)) } }
            @if columns.needless { td.optional { (grouped(sum(|row| row.needless))) } }
            @if columns.removable { td { (grouped(sum(|row| row.removable))) } }
            td { (time(seconds, sum(|row| row.spent.unpriced))) }
        }
    }
}

fn total(view: &View, columns: Columns) -> Markup {
    let total = &view.report.total;
    html! {
        tr {
            th.left scope="row" { "Total" }
            td.optional {}
            td { (grouped(total.system_calls)) }
            @if columns.needless { td.optional { (grouped(total.needless)) } }
            @if columns.removable {
                td {
                    (grouped(total.counts.removable()))
                    @if total.added > 0 { small { (grouped(total.added)) " of our own come" } }
                }
            }
            td { (time(view.spent.seconds, view.spent.unpriced)) }
        }
    }
}
