// SPDX-License-Identifier: MIT
//! How it was counted: source, exactness, losses, price, machine.

use maud::{Markup, html};
use sigzero_number::{duration, grouped, percent};

use crate::View;

pub fn section(view: &View) -> Markup {
    let about = &view.recording.about;
    let machine = &about.machine;
    let notes = view.notes();
    html! {
        section aria-labelledby="how" {
            h2 #how { "How it was counted" }
            @if !notes.is_empty() { ul.notes { @for note in &notes { li { (note) } } } }
            dl.facts {
                dt { "Source" } dd { (view.source()) }
                dt { "Counts" } dd { (exactness(view)) }
                dt { "Lost" } dd { (lost(view)) }
                dt { "Time" } dd { (time(view)) }
                @if view.foretold() {
                    dt { "Can go" } dd { "a forecast: which signals would arrive in a block is not known" }
                }
                dt { "Price" } dd { (price(view)) }
                dt { "Ran" } dd { (ran(view)) }
                dt { "Recorded" } dd { (about.date) " by sigzero " (about.sigzero) }
                dt { "Machine" }
                dd { (known(&[&machine.processor, &format!("{} processors", machine.processors)])) }
                dt { "System" } dd { (known(&[&machine.kernel, &machine.system, &machine.libc])) }
            }
        }
    }
}

fn known(words: &[&str]) -> String {
    let known: Vec<_> = words.iter().filter(|w| !w.is_empty() && **w != "0 processors").collect();
    match known.is_empty() {
        true => "unknown".into(),
        false => known.into_iter().copied().collect::<Vec<_>>().join(", "),
    }
}

fn exactness(view: &View) -> String {
    let report = &view.report;
    match (report.exact, report.estimated) {
        (false, _) => "not complete: see the notes".into(),
        (true, 0) => "exact".into(),
        (true, estimated) => {
            format!("exact; the callers of {} calls are estimates", grouped(estimated))
        }
    }
}

fn lost(view: &View) -> String {
    match view.report.lost {
        0 if view.report.exact => "nothing".into(),
        0 => "see the notes".into(),
        lost => format!("{} calls", grouped(lost)),
    }
}

fn time(view: &View) -> String {
    let cost = &view.report.cost;
    if cost.mask_query_ns <= 0.0 {
        return "not estimated: no price of a call was measured".into();
    }
    let mut text = format!(
        "estimated: calls by the price of one, measured on this machine at rest, and so rather too low \
         (query {:.0} ns, no change {:.0} ns, change {:.0} ns, sigaction {:.0} to {:.0} ns)",
        cost.mask_query_ns,
        cost.mask_same_ns,
        cost.mask_change_ns,
        cost.action_query_ns.min(cost.action_set_ns),
        cost.action_query_ns.max(cost.action_set_ns),
    );
    if view.spent.unpriced > 0 {
        text += &format!(
            "; {} other calls have no known price and are not in it",
            grouped(view.spent.unpriced)
        );
    }
    text
}

fn price(view: &View) -> String {
    let Some(price) = &view.report.price else {
        return match view.report.source {
            sigzero_model::report::Source::Runtime => {
                "not measured: a few nanoseconds a call".into()
            }
            sigzero_model::report::Source::Ptrace => {
                "not measured: the program was stopped at each call".into()
            }
            _ => "not measured".into(),
        };
    };
    let own = duration(price.own_seconds);
    match price.in_kernel_seconds {
        Some(seconds) if view.report.wall_seconds > 0.0 => format!(
            "about {} of the programs' time, {} of the wall time, and {own} of our own",
            duration(seconds),
            percent(seconds / view.report.wall_seconds),
        ),
        Some(seconds) => {
            format!("about {} of the programs' time, and {own} of our own", duration(seconds))
        }
        None => format!("too little of the programs' time to tell, and {own} of our own"),
    }
}

fn ran(view: &View) -> String {
    let report = &view.report;
    let mut text = format!("{} wall time", duration(report.wall_seconds));
    if let (Some(user), Some(system)) = (report.user_seconds, report.system_seconds) {
        text += &format!(", {} user, {} system", duration(user), duration(system));
    }
    if report.target.is_none() {
        text += &match (report.ending.code, report.ending.signal) {
            (_, Some(signal)) => format!("; killed by signal {signal}"),
            (Some(code), _) => format!("; exit status {code}"),
            _ => String::new(),
        };
    }
    text
}
