// SPDX-License-Identifier: MIT
//! The top of the page: who asks, and what there is to gain.

use maud::{Markup, html};
use sigzero_model::report::Source;
use sigzero_number::{duration, grouped, percent, share};

use crate::View;

/// Under this share of the wall time nobody would notice that the calls are gone.
const WORTH_IT: f64 = 0.001;

pub fn section(view: &View, subject: &str) -> Markup {
    let (tone, verdict) = verdict(view);
    html! {
        header {
            p.tool { "sigzero report" }
            h1 { code { (subject) } }
            p class={ "verdict " (tone) } { (verdict) }
            @if let Some(who) = who(view) { p.who { (who) } }
        }
        @if view.report.source != Source::Nobody { (figures(view)) }
    }
}

fn verdict(view: &View) -> (&'static str, String) {
    let total = &view.report.total;
    let calls = total.system_calls;
    let all = grouped(calls);
    if view.report.source == Source::Nobody {
        return ("bad", "Nothing was counted".into());
    }
    if calls == 0 {
        return ("neutral", "Nothing to win: no signal system calls".into());
    }
    if view.foretold() {
        let removable = total.removable;
        if removable == 0 {
            return (
                "neutral",
                format!("Nothing to win: none of {all} signal system calls can go"),
            );
        }
        let can = format!("{} of {all} signal system calls can go", grouped(removable));
        let saved = duration(total.saved_seconds);
        if view.report.saved_share() < WORTH_IT {
            return ("neutral", format!("{can}, but they take only about {saved}"));
        }
        let of = percent(view.report.saved_share());
        return ("good", format!("{can}: about {saved}, {of} of the run"));
    }
    match (view.classified(), total.needless) {
        (true, 0) => ("neutral", format!("{all} signal system calls, each changes something")),
        (true, needless) => {
            let part = share(needless, calls);
            let seconds = view.needless_seconds();
            let text = format!("{all} signal system calls, {part} of them change nothing");
            match seconds / view.report.wall_seconds.max(f64::MIN_POSITIVE) {
                of if seconds <= 0.0 || of < WORTH_IT => ("neutral", text),
                _ => ("good", format!("{text}: about {}", duration(seconds))),
            }
        }
        _ => ("neutral", format!("{all} signal system calls")),
    }
}

fn who(view: &View) -> Option<Markup> {
    let first = view.rows.first().filter(|row| row.system_calls > 0)?;
    let part = share(first.system_calls, view.report.total.system_calls);
    let function = first.through.as_ref().unwrap_or(&first.function);
    Some(html! {
        (part) " come from " code { (first.caller.place_name()) } " in "
        code { (first.caller.module_name()) } ", by " code { (function) } "."
    })
}

fn figures(view: &View) -> Markup {
    let report = &view.report;
    let total = &report.total;
    let calls = total.system_calls;
    html! {
        dl.figures {
            (figure("Signal system calls", &grouped(calls), &rate(view)))
            @if view.classified() {
                (figure("Change nothing", &grouped(total.needless), &share(total.needless, calls)))
            }
            @if view.foretold() {
                (figure("Go with sigzero run", &grouped(total.removable),
                    &format!("{}, foretold", share(total.removable, calls))))
            }
            (figure("Time in these calls", &time(view), "at least; estimated"))
            (figure("Processes", &grouped(report.processes.len() as u64),
                &callers(view.rows.len())))
        }
    }
}

fn callers(number: usize) -> String {
    if number == 1 { "1 caller".into() } else { format!("{} callers", grouped(number as u64)) }
}

fn time(view: &View) -> String {
    match (view.spent.seconds, view.report.total.system_calls) {
        (seconds, calls) if seconds <= 0.0 && calls > 0 => "unknown".into(),
        (seconds, _) => duration(seconds),
    }
}

fn rate(view: &View) -> String {
    let seconds = view.report.wall_seconds;
    if seconds <= 0.0 {
        return String::new();
    }
    let rate = (view.report.total.system_calls as f64 / seconds).round() as u64;
    format!("{} a second", grouped(rate))
}

fn figure(name: &str, value: &str, hint: &str) -> Markup {
    html! { div { dt { (name) } dd { b { (value) } small { (hint) } } } }
}
