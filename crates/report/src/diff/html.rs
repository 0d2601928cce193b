// SPDX-License-Identifier: MIT
//! The difference as one page.

use maud::{Markup, html};
use sigzero_number::{duration, grouped, percent};

use super::text::signed;
use super::{Change, Diff, What};
use crate::html::callers::{FIRST, ROWS, heading, more};
use crate::{View, html};

pub fn page(diff: &Diff) -> String {
    let title = diff.new.subject();
    let changed: Vec<_> = diff.callers.iter().filter(|c| c.system_calls() != 0).collect();
    let (tone, verdict) = verdict(diff, changed.is_empty());
    let body = html! {
        header {
            p.tool { "sigzero report, difference" }
            h1 { code { (title) } }
            p class={ "verdict " (tone) } { (verdict) }
        }
        (sides(diff))
        @if !changed.is_empty() { (callers(diff, &changed)) }
        @if !diff.notes.is_empty() {
            section { h2 { "Notes" } ul.notes { @for note in &diff.notes { li { (note) } } } }
        }
    };
    html::frame(&title, body)
}

fn verdict(diff: &Diff, same: bool) -> (&'static str, String) {
    let time = duration(diff.seconds().abs());
    let change = diff.system_calls();
    let number = grouped(u64::try_from(change.unsigned_abs()).unwrap_or(u64::MAX));
    match change {
        0 if same => ("neutral", "No difference in signal system calls".into()),
        0 => ("neutral", "As many signal system calls as before, from other callers".into()),
        change if change < 0 => {
            ("good", format!("{number} fewer signal system calls, about {time} less"))
        }
        _ => ("bad", format!("{number} more signal system calls, about {time} more")),
    }
}

fn sides(diff: &Diff) -> Markup {
    let most = diff.old.report.total.system_calls.max(diff.new.report.total.system_calls);
    html! {
        section {
            h2 { "Before and after" }
            div.bars {
                (side("old", &diff.old, most))
                (side("new", &diff.new, most))
            }
            dl.facts {
                @for (name, view) in [("Old", &diff.old), ("New", &diff.new)] {
                    dt { (name) }
                    dd {
                        code { (view.subject()) } ", " (view.recording.about.date) ", "
                        (duration(view.report.wall_seconds)) " wall time, counted " (view.source())
                        ", time in the calls about " (duration(view.spent.seconds))
                    }
                }
            }
        }
    }
}

fn side(name: &str, view: &View, most: u64) -> Markup {
    let calls = view.report.total.system_calls;
    let width = calls as f64 * 1000.0 / most.max(1) as f64;
    html! {
        div.bar {
            span.label { (name) }
            svg viewBox="0 0 1000 20" preserveAspectRatio="none" aria-hidden="true" {
                rect class=(if name == "old" { "stays" } else { "sure" })
                    width=(format!("{width:.2}")) height="20" {}
            }
            span.value { (grouped(calls)) }
        }
    }
}

fn callers(diff: &Diff, changed: &[&Change]) -> Markup {
    let (shown, rest) = changed.split_at(ROWS.min(changed.len()));
    html! {
        section aria-labelledby="callers" {
            h2 #callers { "What changed" }
            div.scroll tabindex="0" role="region" aria-labelledby="callers" {
                table.callers data-sort data-first=(FIRST) {
                    thead { tr {
                        (heading("Called from", "left", false))
                        (heading("Function", "left optional", false))
                        (heading("Old", "", false))
                        (heading("New", "", false))
                        (heading("Change", "", true))
                    } }
                    tbody { @for change in shown { (line(change)) } }
                    tfoot {
                        @if !rest.is_empty() {
                            tr { th.left scope="row" { (grouped(rest.len() as u64)) " more" } td.optional {} td {} td {}
                                td { (signed(rest.iter().map(|c| c.system_calls()).sum())) } }
                        }
                        tr {
                            th.left scope="row" { "Total" } td.optional {}
                            td { (grouped(diff.old.report.total.system_calls)) }
                            td { (grouped(diff.new.report.total.system_calls)) }
                            td { (signed(diff.system_calls())) }
                        }
                    }
                }
            }
            (more(shown.len()))
        }
    }
}

fn line(change: &Change) -> Markup {
    let (old, new) = (change.old.system_calls, change.new.system_calls);
    let hint = match change.what() {
        What::Came => "new".into(),
        What::Went => "gone".into(),
        _ => percent((new as f64 - old as f64).abs() / old.max(1) as f64),
    };
    let tone = if new < old { "less" } else { "more" };
    html! {
        tr {
            th.left scope="row" data-value=(change.place) {
                code.name { (change.place) } small { (change.module) }
            }
            td.left.optional data-value=(change.function) { code { (change.function) } }
            td data-value=(old) { (grouped(old)) }
            td data-value=(new) { (grouped(new)) }
            td class=(tone) data-value=(change.system_calls().unsigned_abs()) {
                (signed(change.system_calls())) small { (hint) }
            }
        }
    }
}
