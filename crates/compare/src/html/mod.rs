// SPDX-License-Identifier: MIT
//! The result as one HTML file: no script, nothing loaded from elsewhere.

mod calls;
mod scale;
mod times;

use maud::{DOCTYPE, Markup, PreEscaped, html};

use crate::report::Report;
use crate::text::{behaviour_lines, command_line, kinds, method_line, ratio, verdict_line};
use crate::units::Unit;
use crate::verdict::Kind;

/// The whole page.
pub fn page(report: &Report) -> String {
    let title = command_line(&report.command);
    let page = html! {
        (DOCTYPE)
        html lang="en" {
            head {
                meta charset="utf-8";
                meta name="viewport" content="width=device-width, initial-scale=1";
                meta name="color-scheme" content="light dark";
                title { (title) " – sigzero compare" }
                style { (PreEscaped(include_str!("style.css"))) }
            }
            body { main { (body(report, &title)) } }
        }
    };
    page.into_string()
}

fn body(report: &Report, title: &str) -> Markup {
    html! {
        header {
            p.tool { "sigzero compare" }
            h1 { code { (title) } }
            p class={ "verdict " (tone(report)) } { (verdict_line(report)) }
            p.legend { (key("without", "without sigzero")) (key("with", "with sigzero")) }
        }
        (calls::section(&report.calls))
        @if !report.pairs.is_empty() { (times::section(report)) (times_table(report)) }
        (behaviour(report))
        (runs(report))
        (circumstances(report))
        (limits(report))
    }
}

fn key(class: &str, text: &str) -> Markup {
    html! { span.key { i class=(class) {} (text) } }
}

/// How the verdict is to be felt.
fn tone(report: &Report) -> &'static str {
    match (report.verdict.same_behaviour, report.verdict.kind) {
        (Some(true), Kind::Faster) => "good",
        (Some(false), _) | (_, Kind::Slower) => "bad",
        (None, _) => "doubtful",
        _ => "neutral",
    }
}

fn times_table(report: &Report) -> Markup {
    html! {
        div.scroll {
            table {
                thead { tr {
                    th { "Time" } th { "without" } th { "with" } th { "ratio (95 % interval)" }
                } }
                tbody {
                    @for (name, time) in kinds(report) {
                        @let unit = Unit::of(&time);
                        tr {
                            th { (name) }
                            @for s in [time.without, time.with] {
                                td {
                                    b { (unit.full(s.median_s)) }
                                    " " small { (unit.number(s.min_s)) "–" (unit.number(s.max_s)) }
                                }
                            }
                            td { (ratio(&time)) }
                        }
                    }
                }
            }
        }
        p.hint { "Medians, with the least and the greatest. A ratio above 1 is a gain." }
    }
}

fn behaviour(report: &Report) -> Markup {
    html! {
        section {
            h2 { "Behaviour" }
            ul { @for line in behaviour_lines(&report.behaviour) { li { (line) } } }
            @if !report.notes.is_empty() {
                h2 { "Notes" }
                ul { @for note in &report.notes { li { (note) } } }
            }
        }
    }
}

fn runs(report: &Report) -> Markup {
    html! {
        details.scroll {
            summary { "All " (report.pairs.len()) " pairs, wall time in seconds" }
            table {
                thead { tr { th { "pair" } th { "first" } th { "without" } th { "with" } th { "ratio" } } }
                tbody {
                    @for (i, pair) in report.pairs.iter().enumerate() {
                        tr {
                            td { (i + 1) }
                            td { (format!("{:?}", pair.first).to_lowercase()) }
                            td { (format!("{:.6}", pair.without.wall_s)) }
                            td { (format!("{:.6}", pair.with.wall_s)) }
                            td { (format!("{:.3}", pair.without.wall_s / pair.with.wall_s)) }
                        }
                    }
                }
            }
        }
    }
}

fn circumstances(report: &Report) -> Markup {
    let machine = &report.machine;
    html! {
        section {
            h2 { "How it was measured" }
            dl {
                dt { "Method" } dd { (method_line(report)) }
                @if !report.follow.is_empty() { dt { "Children" } dd { (report.follow.join(", ")) } }
                @if report.interrupted {
                    dt { "Interrupted" }
                    dd { "after " (report.pairs.len()) " of " (report.pairs_asked_for) " pairs" }
                }
                dt { "Date" } dd { (report.date) }
                dt { "Processor" } dd { (machine.processor) ", " (machine.processors) " available" }
                dt { "Kernel" } dd { (machine.kernel) }
                dt { "System" } dd { (machine.system) ", " (machine.libc) }
                dt { "sigzero" } dd { (report.sigzero) }
            }
        }
    }
}

fn limits(report: &Report) -> Markup {
    html! {
        section {
            h2 { "What this does not show" }
            ul { @for limit in &report.limits { li { (limit) } } }
        }
    }
}
