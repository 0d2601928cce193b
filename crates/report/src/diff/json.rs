// SPDX-License-Identifier: MIT
//! The difference for other programs. The fields are in JSON.md.

use serde::Serialize;
use sigzero_model::report::Source;

use super::{Diff, Sum, What};
use crate::View;

pub const FORMAT: &str = "sigzero-diff-1";

#[derive(Serialize)]
struct Document<'a> {
    format: &'static str,
    old: Side<'a>,
    new: Side<'a>,
    change: Change,
    callers: Vec<Caller<'a>>,
    notes: &'a [String],
}

#[derive(Serialize)]
struct Side<'a> {
    subject: String,
    source: Source,
    exact: bool,
    date: &'a str,
    wall_seconds: f64,
    system_calls: u64,
    removable: Option<u64>,
    estimated_seconds: f64,
}

#[derive(Serialize)]
struct Change {
    system_calls: i128,
    estimated_seconds: f64,
}

#[derive(Serialize)]
struct Caller<'a> {
    what: What,
    function: &'a str,
    place: &'a str,
    module: &'a str,
    old: Sum,
    new: Sum,
}

pub fn document(diff: &Diff) -> String {
    let callers = diff.callers.iter().map(|change| Caller {
        what: change.what(),
        function: &change.function,
        place: &change.place,
        module: &change.module,
        old: change.old,
        new: change.new,
    });
    let document = Document {
        format: FORMAT,
        old: side(&diff.old),
        new: side(&diff.new),
        change: Change { system_calls: diff.system_calls(), estimated_seconds: diff.seconds() },
        callers: callers.collect(),
        notes: &diff.notes,
    };
    let text = serde_json::to_string_pretty(&document);
    text.expect("a difference has string keys only") + "\n"
}

fn side<'a>(view: &View<'a>) -> Side<'a> {
    let report = &view.report;
    Side {
        subject: view.subject(),
        source: report.source,
        exact: report.exact,
        date: &view.recording.about.date,
        wall_seconds: report.wall_seconds,
        system_calls: report.total.system_calls,
        removable: view.foretold().then_some(report.total.removable),
        estimated_seconds: view.spent.seconds,
    }
}
