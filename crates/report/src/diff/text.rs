// SPDX-License-Identifier: MIT
//! The difference on a terminal.

use std::fmt::Write;

use sigzero_number::{duration, grouped};

use super::{Change, Diff};
use crate::View;
use crate::clean::clean;

const PLACE: usize = 40;

/// At most `top` callers; 0 shows all.
pub fn render(diff: &Diff, top: usize) -> String {
    let mut text = String::new();
    let _ = writeln!(text, "old: {}", side(&diff.old));
    let _ = writeln!(text, "new: {}\n", side(&diff.new));
    text += &callers(diff, top);
    for note in &diff.notes {
        let _ = writeln!(text, "note: {}", clean(note));
    }
    let _ = writeln!(text, "{}", verdict(diff));
    text
}

fn side(view: &View) -> String {
    let report = &view.report;
    let subject = view.subject();
    format!(
        "{subject}, {}: {} signal system calls in {}",
        view.recording.about.date,
        grouped(report.total.system_calls),
        duration(report.wall_seconds)
    )
}

fn callers(diff: &Diff, top: usize) -> String {
    let changed: Vec<_> = diff.callers.iter().filter(|change| change.system_calls() != 0).collect();
    if changed.is_empty() {
        return String::new();
    }
    let shown = if top == 0 { changed.len() } else { top.min(changed.len()) };
    let mut rows = vec![["change", "old", "new", "", "function", "called from"].map(String::from)];
    rows.extend(changed[..shown].iter().map(|change| row(change)));
    let width = |column: usize| {
        rows.iter().map(|row| row[column].chars().count()).max().unwrap_or_default()
    };
    let widths: Vec<_> = (0..6).map(width).collect();
    let mut text = String::new();
    for row in &rows {
        let [change, old, new, what, function, place] = row;
        let _ = writeln!(
            text,
            "  {change:>a$}  {old:>b$}  {new:>c$}  {what:<d$}  {function:<e$}  {place}",
            a = widths[0],
            b = widths[1],
            c = widths[2],
            d = widths[3],
            e = widths[4],
        );
    }
    if shown < changed.len() {
        let rest = changed[shown..].iter().map(|change| change.system_calls()).sum::<i128>();
        let left = grouped((changed.len() - shown) as u64);
        let _ = writeln!(text, "  and {left} more callers, {} together: see --top", signed(rest));
    }
    text + "\n"
}

fn row(change: &Change) -> [String; 6] {
    let place: String = clean(&change.place).chars().take(PLACE).collect();
    [
        signed(change.system_calls()),
        grouped(change.old.system_calls),
        grouped(change.new.system_calls),
        change.what().name().into(),
        clean(&change.function),
        format!("{place} in {}", clean(&change.module)),
    ]
}

fn verdict(diff: &Diff) -> String {
    let time = |seconds: f64| duration(seconds.abs());
    match diff.system_calls() {
        0 if diff.callers.iter().all(|change| change.system_calls() == 0) => {
            "no difference in signal system calls".into()
        }
        0 => "as many signal system calls as before, from other callers".into(),
        change if change < 0 => format!(
            "{} fewer signal system calls, about {} less of time (estimated)",
            grouped(change.unsigned_abs() as u64),
            time(diff.seconds())
        ),
        change => format!(
            "{} more signal system calls, about {} more of time (estimated)",
            grouped(change.unsigned_abs() as u64),
            time(diff.seconds())
        ),
    }
}

pub fn signed(change: i128) -> String {
    let sign = match change {
        0 => "",
        change if change < 0 => "-",
        _ => "+",
    };
    format!("{sign}{}", grouped(u64::try_from(change.unsigned_abs()).unwrap_or(u64::MAX)))
}
