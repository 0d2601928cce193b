// SPDX-License-Identifier: MIT
//! What of the calls goes away, and what stays: two bars on one scale.

use maud::{Markup, html};
use sigzero_number::{grouped, share};

use crate::View;

struct Part {
    class: &'static str,
    name: &'static str,
    calls: u64,
}

pub fn section(view: &View) -> Markup {
    let calls = view.report.total.system_calls;
    if calls == 0 || !view.classified() {
        return html! {};
    }
    html! {
        section aria-labelledby="before" {
            h2 #before { "Before and after" }
            (bars(view, calls))
            p.hint { (explained(view)) }
        }
    }
}

fn bars(view: &View, calls: u64) -> Markup {
    let parts = parts(view, calls);
    let after = if view.foretold() {
        calls - view.report.total.removable.min(calls)
    } else {
        calls - view.report.total.needless.min(calls)
    };
    html! {
        div.bars {
            div.bar {
                span.label { "now" } (bar(&parts, calls)) span.value { (grouped(calls)) }
            }
            div.bar {
                span.label { (if view.foretold() { "with sigzero run" } else { "without those" }) }
                (bar(&[Part { class: "stays", name: "stay", calls: after }], calls))
                span.value { (grouped(after)) }
            }
        }
        ul.legend {
            @for part in parts.iter().filter(|part| part.calls > 0) {
                li { i class=(part.class) {} (grouped(part.calls)) " (" (share(part.calls, calls)) ") "
                     (part.name) }
            }
        }
    }
}

fn bar(parts: &[Part], calls: u64) -> Markup {
    let scaled = |calls_of: u64| calls_of as f64 * 1000.0 / calls as f64;
    let start = |number: usize| scaled(parts[..number].iter().map(|part| part.calls).sum());
    html! {
        svg viewBox="0 0 1000 20" preserveAspectRatio="none" aria-hidden="true" {
            @for (number, part) in parts.iter().enumerate().filter(|(_, part)| part.calls > 0) {
                // A part that is there must be seen.
                @let width = scaled(part.calls).max(2.0);
                rect class=(part.class) x=(format!("{:.2}", start(number).min(1000.0 - width)))
                    width=(format!("{width:.2}")) height="20" {}
            }
        }
    }
}

fn parts(view: &View, calls: u64) -> Vec<Part> {
    let total = &view.report.total;
    let needless = total.needless.min(calls);
    if !view.foretold() {
        return vec![
            Part { class: "sure", name: "change nothing", calls: needless },
            Part {
                class: "stays",
                name: "change something, or wait, or send",
                calls: calls - needless,
            },
        ];
    }
    // What the runtime itself is expected to call is taken off from the forecast.
    let removable = total.removable.min(calls);
    let sure = needless.min(removable);
    vec![
        Part { class: "sure", name: "change nothing and are gone for sure", calls: sure },
        Part {
            class: "foretold",
            name: "block or restore without need of the kernel: a forecast",
            calls: removable - sure,
        },
        Part { class: "stays", name: "stay", calls: calls - removable },
    ]
}

fn explained(view: &View) -> &'static str {
    if view.foretold() {
        "Each signal that arrives while it is blocked costs a few calls more. sigzero compare counts \
         and times what is foretold here."
    } else {
        "Counted by the real masks in the kernel. Which calls sigzero run removes is told by \
         --source runtime alone: the kernel sees what was asked, not why."
    }
}
