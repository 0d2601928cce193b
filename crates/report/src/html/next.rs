// SPDX-License-Identifier: MIT
//! What to do next: for the whole run, and for those who ask most.

use maud::{Markup, html};
use sigzero_model::report::Source;
use sigzero_number::{grouped, share};

use crate::View;
use crate::advice::{Advice, Kind};

pub fn section(view: &View) -> Markup {
    html! {
        section aria-labelledby="next" {
            h2 #next { "What to do next" }
            (whole(view))
            @if !view.advice.is_empty() {
                h3 { "In the source" }
                ol.advice { @for advice in &view.advice { (one(view, advice)) } }
            }
            @if !view.report.hidden.is_empty() { (hidden(view)) }
        }
    }
}

fn whole(view: &View) -> Markup {
    let report = &view.report;
    let command = view.command();
    let total = &report.total;
    html! {
        @if report.source == Source::Nobody {
            p { "Nothing was counted: the notes below say why." }
        } @else if total.system_calls == 0 {
            p { "Nothing: there are no calls to save." }
        } @else if report.target.is_some() {
            p { "A program that can be started anew: run it without these calls, and see what that gains." }
            (commands(&[("sigzero run -- CMD", "without the calls that it can do without"),
                ("sigzero compare -- CMD", "both in pairs: calls, time, and that the output is the same")]))
        } @else if view.foretold() && total.removable == 0 {
            p { "No change of the mode of running saves any of these calls." }
        } @else if report.source == Source::Ptrace {
            p { "A program that cannot be preloaded keeps its calls, unless they are taken out of its \
                source. Built as a dynamic program:" }
            (commands(&[(&format!("sigzero run -- {command}"), "without the calls that it can do without")]))
        } @else {
            p {
                @if view.foretold() { "Nothing has to be rebuilt:" } @else {
                    "If the program can be treated, nothing has to be rebuilt; " code { "sigzero check" }
                    " tells, and why not:"
                }
            }
            (commands(&[
                (&format!("sigzero run -- {command}"), "the same program without the calls that can go"),
                (&format!("sigzero run --mode shadow -- {command}"), "the cautious way: only those that change nothing"),
                (&format!("sigzero compare -- {command}"), "proves it: calls, time, and that the output is the same"),
            ]))
        }
    }
}

fn commands(lines: &[(&str, &str)]) -> Markup {
    html! {
        dl.commands {
            @for (line, meaning) in lines { div { dt { code { (line) } } dd { (meaning) } } }
        }
    }
}

fn one(view: &View, advice: &Advice) -> Markup {
    let row = &view.rows[advice.row];
    html! {
        li {
            p.place {
                code { (row.caller.place_name()) } " in " (row.caller.module_name())
                @if let Some(source) = row.caller.source() { ", " code { (source) } }
            }
            p {
                (grouped(advice.calls)) " calls (" (share(advice.calls, view.report.total.system_calls))
                ") by " code { (row.through.as_ref().unwrap_or(&row.function)) } ". "
                (coded(advice.kind.in_the_source()))
                @if view.foretold() && !matches!(advice.kind, Kind::Wait | Kind::Send) {
                    " " (by_run(row.removable, advice.calls))
                }
            }
        }
    }
}

fn by_run(removable: u64, calls: u64) -> String {
    match removable {
        0 => "sigzero run cannot save them.".into(),
        removable if removable >= calls => "sigzero run saves all of them.".into(),
        removable => format!("sigzero run saves {} of them.", share(removable, calls)),
    }
}

/// What stands between backquotes is code.
fn coded(text: &str) -> Markup {
    html! {
        @for (number, part) in text.split('`').enumerate() {
            @if number % 2 == 1 { code { (part) } } @else { (part) }
        }
    }
}

fn hidden(view: &View) -> Markup {
    let about =
        |number: Option<u64>| number.map_or("?".into(), |n| format!("about {}", grouped(n)));
    html! {
        h3 { "Made by libc inside, unseen" }
        ul {
            @for hidden in &view.report.hidden {
                li {
                    code { (hidden.function) } ": " (grouped(hidden.calls)) " calls, "
                    (about(hidden.rt_sigprocmask)) " rt_sigprocmask and "
                    (about(hidden.rt_sigaction)) " rt_sigaction inside (known of glibc 2.36). They stay; \
                    fewer starts are the only cure."
                }
            }
        }
    }
}
