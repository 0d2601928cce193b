// SPDX-License-Identifier: MIT
//! A panel for each kind of time: every pair a line from the run without to the run with.

use maud::{Markup, html};

use super::scale::Scale;
use crate::report::{Pair, Report, Time};
use crate::text::kinds;
use crate::timed::Times;
use crate::units::Unit;

const WIDTH: f64 = 360.0;
const HEIGHT: f64 = 270.0;
const LEFT: f64 = 34.0;
const TOP: f64 = 30.0;
const BOTTOM: f64 = 40.0;
/// Where the two columns stand.
const WITHOUT: f64 = LEFT + 90.0;
const WITH: f64 = LEFT + 236.0;
/// Half of a median's width.
const MARK: f64 = 24.0;

/// What a panel shows of a pair. User and system time apart are in the table only: the kernel
/// divides them by samples, which would look like spread.
const PANELS: [&str; 2] = ["wall", "user + system"];

pub fn section(report: &Report) -> Markup {
    html! {
        section {
            h2 { "Time" }
            div.panels {
                @for (name, time) in kinds(report).filter(|(name, _)| PANELS.contains(name)) {
                    (panel(name, &time, &report.pairs))
                }
            }
            p.hint { "Each line is a pair of runs; the bars are the medians. The axes start at 0." }
        }
    }
}

fn panel(name: &str, time: &Time, pairs: &[Pair]) -> Markup {
    let unit = Unit::of(time);
    let greatest = time.without.max_s.max(time.with.max_s) * unit.factor;
    let frame = Frame { scale: Scale::to(greatest), unit };
    let view = format!("0 0 {WIDTH} {HEIGHT}");
    html! {
        svg viewBox=(view) role="img" aria-label={ (name) " time of each pair, without and with sigzero" } {
            text.panel x="0" y="10" { (name) ", " (unit.name) }
            (frame.axis())
            @for pair in pairs { (frame.pair(which(name, &pair.without), which(name, &pair.with))) }
            (frame.median("without", WITHOUT, time.without.median_s))
            (frame.median("with", WITH, time.with.median_s))
            (column(WITHOUT, "without"))
            (column(WITH, "with"))
        }
    }
}

fn which(name: &str, times: &Times) -> f64 {
    match name {
        "wall" => times.wall_s,
        _ => times.user_s + times.system_s,
    }
}

fn column(x: f64, label: &str) -> Markup {
    html! { text.column x=(x) y=(HEIGHT - BOTTOM + 18.0) { (label) } }
}

struct Frame {
    scale: Scale,
    unit: Unit,
}

impl Frame {
    fn y(&self, value: f64) -> f64 {
        HEIGHT - BOTTOM - (HEIGHT - TOP - BOTTOM) * self.scale.share(value)
    }

    fn axis(&self) -> Markup {
        html! {
            @for tick in self.scale.ticks() {
                @let y = format!("{:.1}", self.y(tick));
                line.grid x1=(LEFT) x2=(WIDTH) y1=(y) y2=(y) {}
                text.tick x=(LEFT - 6.0) y=(y) { (trimmed(tick)) }
            }
        }
    }

    fn pair(&self, without: f64, with: f64) -> Markup {
        let y = |seconds: f64| format!("{:.1}", self.y(seconds * self.unit.factor));
        let (a, b) = (y(without), y(with));
        html! {
            line.pair x1=(WITHOUT) y1=(a) x2=(WITH) y2=(b) {}
            circle.without cx=(WITHOUT) cy=(a) r="4" {}
            circle.with cx=(WITH) cy=(b) r="4" {}
        }
    }

    fn median(&self, class: &str, x: f64, seconds: f64) -> Markup {
        let y = self.y(seconds * self.unit.factor);
        // Outside of the columns, where no line of a pair runs.
        let (label, anchor) =
            if class == "without" { (x - MARK - 4.0, "end") } else { (x + MARK + 4.0, "start") };
        html! {
            line class={ "median " (class) } x1=(x - MARK) x2=(x + MARK)
                y1=(format!("{y:.1}")) y2=(format!("{y:.1}")) {}
            text.value x=(label) y=(format!("{y:.1}")) text-anchor=(anchor) {
                (self.unit.number(seconds))
            }
        }
    }
}

/// Without the zeros that say nothing.
fn trimmed(tick: f64) -> String {
    let text = format!("{tick:.3}");
    text.trim_end_matches('0').trim_end_matches('.').to_owned()
}
