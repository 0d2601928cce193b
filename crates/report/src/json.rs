// SPDX-License-Identifier: MIT
//! The report for other programs: one document, or one line a thing. The fields are in JSON.md.

use serde::Serialize;
use sigzero_model::{Caller, Process, Report, Site};
use sigzero_recording::About;

use crate::View;
use crate::view::Row;

pub const FORMAT: &str = "sigzero-report-1";

#[derive(Serialize)]
struct Document<'a> {
    format: &'static str,
    recording: Recorded<'a>,
    time: Time,
    callers: Vec<CallerLine<'a>>,
    advice: Vec<AdviceLine<'a>>,
    stat: &'a Report,
}

#[derive(Serialize)]
struct Recorded<'a> {
    #[serde(flatten)]
    about: &'a About,
    damage: Option<&'a str>,
}

/// Times are calls by the price of one: estimates.
#[derive(Clone, Copy, Serialize)]
pub(crate) struct Time {
    pub estimated_seconds: f64,
    pub unpriced_calls: u64,
}

#[derive(Serialize)]
struct CallerLine<'a> {
    function: &'a str,
    through: Option<&'a str>,
    caller: &'a Caller,
    calls: u64,
    system_calls: u64,
    query: u64,
    same: u64,
    change: u64,
    needless: Option<u64>,
    removable: Option<u64>,
    #[serde(flatten)]
    time: Time,
}

#[derive(Serialize)]
struct AdviceLine<'a> {
    function: &'a str,
    caller: &'a Caller,
    kind: &'static str,
    calls: u64,
    share: f64,
    text: &'static str,
}

#[derive(Serialize)]
struct ProcessLine<'a> {
    number: usize,
    pid: u32,
    parent: u32,
    executable: &'a str,
    start_ns: u64,
    lost: u64,
    note: &'a str,
    damage: &'a str,
    system_calls: u64,
}

#[derive(Serialize)]
struct StackLine<'a> {
    process: usize,
    #[serde(flatten)]
    site: &'a Site,
    #[serde(flatten)]
    time: Time,
}

#[derive(Serialize)]
struct RunLine<'a> {
    format: &'static str,
    recording: Recorded<'a>,
    subject: String,
    source: sigzero_model::report::Source,
    exact: bool,
    lost: u64,
    notes: Vec<String>,
    wall_seconds: f64,
    cost: sigzero_model::Cost,
    total: sigzero_model::report::Summary,
    time: Time,
}

#[derive(Serialize)]
#[serde(tag = "type", rename_all = "lowercase")]
enum Line<'a> {
    Run(Box<RunLine<'a>>),
    Process(ProcessLine<'a>),
    Caller(CallerLine<'a>),
    Stack(StackLine<'a>),
    Advice(AdviceLine<'a>),
}

pub fn document(view: &View) -> String {
    let document = Document {
        format: FORMAT,
        recording: recorded(view),
        time: view.spent.into(),
        callers: view.rows.iter().map(|row| caller(row, view)).collect(),
        advice: advice(view).collect(),
        stat: &view.report,
    };
    let text = serde_json::to_string_pretty(&document);
    text.expect("a report has string keys only") + "\n"
}

pub fn lines(view: &View) -> String {
    let report = &view.report;
    let run = Line::Run(Box::new(RunLine {
        format: FORMAT,
        recording: recorded(view),
        subject: view.subject(),
        source: report.source,
        exact: report.exact,
        lost: report.lost,
        notes: view.notes(),
        wall_seconds: report.wall_seconds,
        cost: report.cost,
        total: report.total,
        time: view.spent.into(),
    }));
    let processes = view.recording.processes.iter().enumerate();
    let callers = view.rows.iter().map(|row| Line::Caller(caller(row, view)));
    let stacks = processes.clone().flat_map(|(number, process)| stacks(view, number, process));
    let processes = processes.map(|(number, process)| Line::Process(of_process(number, process)));
    let advice = advice(view).map(Line::Advice);
    let lines = std::iter::once(run).chain(processes).chain(callers).chain(stacks).chain(advice);
    lines
        .map(|line| serde_json::to_string(&line).expect("it has string keys only") + "\n")
        .collect()
}

fn recorded<'a>(view: &View<'a>) -> Recorded<'a> {
    Recorded { about: &view.recording.about, damage: view.recording.damage.as_deref() }
}

fn caller<'a>(row: &'a Row, view: &View) -> CallerLine<'a> {
    CallerLine {
        function: &row.function,
        through: row.through.as_deref(),
        caller: &row.caller,
        calls: row.calls,
        system_calls: row.system_calls,
        query: row.queries,
        same: row.same,
        change: row.changes,
        needless: view.classified().then_some(row.needless),
        removable: view.foretold().then_some(row.removable),
        time: row.spent.into(),
    }
}

fn advice<'a>(view: &'a View) -> impl Iterator<Item = AdviceLine<'a>> {
    view.advice.iter().map(|advice| AdviceLine {
        function: &view.rows[advice.row].function,
        caller: &view.rows[advice.row].caller,
        kind: advice.kind.name(),
        calls: advice.calls,
        share: advice.share,
        text: advice.kind.in_the_source(),
    })
}

fn of_process(number: usize, process: &Process) -> ProcessLine<'_> {
    ProcessLine {
        number,
        pid: process.pid,
        parent: process.parent,
        executable: &process.executable,
        start_ns: process.start_ns,
        lost: process.lost,
        note: &process.note,
        damage: &process.damage,
        system_calls: process.total().system_calls(),
    }
}

fn stacks<'a>(
    view: &'a View,
    number: usize,
    process: &'a Process,
) -> impl Iterator<Item = Line<'a>> {
    process.sites.iter().map(move |site| {
        let time = view.recording.cost.of_all(&site.counts).into();
        Line::Stack(StackLine { process: number, site, time })
    })
}

impl From<sigzero_model::Spent> for Time {
    fn from(spent: sigzero_model::Spent) -> Self {
        Self { estimated_seconds: spent.seconds, unpriced_calls: spent.unpriced }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::samples;
    use serde_json::Value;

    /// The names of all fields, so that none changes unnoticed.
    fn fields(value: &Value) -> String {
        let names: Vec<_> = value.as_object().unwrap().keys().map(String::as_str).collect();
        names.join(" ")
    }

    #[test]
    fn the_fields_of_the_document_are_what_json_md_says() {
        let recording = samples::stacks();
        let value: Value = serde_json::from_str(&document(&View::new(&recording))).unwrap();
        assert_eq!(fields(&value), "advice callers format recording stat time");
        assert_eq!(value["format"], "sigzero-report-1");
        assert_eq!(value["stat"]["format"], "sigzero-stat-1");
        assert_eq!(
            fields(&value["callers"][0]),
            "caller calls change estimated_seconds function needless query removable same \
             system_calls through unpriced_calls"
        );
        assert_eq!(fields(&value["advice"][0]), "caller calls function kind share text");
        assert_eq!(fields(&value["recording"]), "damage date machine sigzero start_unix_ns");
        assert_eq!(value["callers"][0]["system_calls"], 40);
        assert_eq!(value["callers"][0]["removable"], Value::Null);
        let seconds = value["callers"][0]["estimated_seconds"].as_f64().unwrap();
        assert!((seconds - 5e-6).abs() < 1e-12);
        let documented = include_str!("../JSON.md");
        for name in ["advice", "callers", "through", "estimated_seconds", "unpriced_calls"] {
            assert!(documented.contains(&format!("`{name}")), "{name}");
        }
    }

    #[test]
    fn each_line_is_a_thing_of_its_own() {
        let recording = samples::stacks();
        let text = lines(&View::new(&recording));
        let lines: Vec<Value> = text.lines().map(|l| serde_json::from_str(l).unwrap()).collect();
        let types: Vec<_> = lines.iter().map(|line| line["type"].as_str().unwrap()).collect();
        assert_eq!(
            types,
            ["run", "process", "caller", "caller", "stack", "stack", "advice", "advice"]
        );
        assert_eq!(lines[4]["stack"][1]["symbol"], "main");
        assert_eq!(lines[0]["total"]["system_calls"], 45);
    }

    #[test]
    fn nothing_counted_is_a_document_too() {
        let recording = samples::recording(sigzero_model::report::Source::Nobody, Vec::new());
        let view = View::new(&recording);
        let value: Value = serde_json::from_str(&document(&view)).unwrap();
        assert_eq!(value["callers"], Value::Array(Vec::new()));
        assert_eq!(lines(&view).lines().count(), 2);
    }
}
