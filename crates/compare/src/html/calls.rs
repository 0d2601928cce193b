// SPDX-License-Identifier: MIT
//! Bars of system calls, two a name: without and with.

use maud::{Markup, html};

use crate::report::{Call, Calls};
use crate::text::fewer;
use crate::units::count;

const WIDTH: f64 = 720.0;
const LABEL: f64 = 160.0;
const VALUE: f64 = 90.0;
const BAR: f64 = 14.0;
const ROW: f64 = 46.0;

pub fn section(calls: &Calls) -> Markup {
    html! {
        section {
            h2 { "Signal system calls" }
            @if calls.by_name.is_empty() {
                p { "None, without sigzero or with it." }
            } @else {
                p.headline {
                    b { (count(calls.without)) } " without, " b { (count(calls.with)) } " with: "
                    (fewer(calls.without, calls.with))
                    @if calls.with <= calls.without { " fewer" }
                }
                div.scroll { (chart(&calls.by_name)) }
            }
        }
    }
}

fn chart(calls: &[Call]) -> Markup {
    let greatest = calls.iter().map(|c| c.without.max(c.with)).max().unwrap_or(0).max(1);
    let height = ROW * calls.len() as f64;
    let view = format!("0 0 {WIDTH} {height}");
    html! {
        svg viewBox=(view) role="img" aria-label="System calls by name, without and with sigzero" {
            @for (i, call) in calls.iter().enumerate() {
                (row(call, ROW * i as f64, greatest as f64))
            }
        }
    }
}

fn row(call: &Call, top: f64, greatest: f64) -> Markup {
    let middle = top + ROW / 2.0;
    html! {
        text.name x="0" y=(middle) { (call.name) }
        (bar("without", call.without, middle - BAR - 1.0, greatest))
        (bar("with", call.with, middle + 1.0, greatest))
    }
}

fn bar(class: &str, value: u64, top: f64, greatest: f64) -> Markup {
    let room = WIDTH - LABEL - VALUE;
    // A call that was made must be seen, however many others there are.
    let least = if value > 0 { 2.0 } else { 0.0 };
    let width = (room * value as f64 / greatest).max(least);
    html! {
        rect class=(class) x=(LABEL) y=(top) width=(format!("{width:.1}")) height=(BAR) rx="2" {}
        text.value x=(format!("{:.1}", LABEL + width + 6.0)) y=(top + BAR / 2.0) { (count(value)) }
    }
}
