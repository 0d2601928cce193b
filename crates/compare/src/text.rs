// SPDX-License-Identifier: MIT
//! The result on a terminal.

use std::fmt::Write;

use comfy_table::{CellAlignment, Table, presets};

use crate::behaviour::{Agreement, Behaviour, Statuses};
use crate::difference::Difference;
use crate::report::{Report, Time};
use crate::units::{Unit, count, pairs, times};
use crate::verdict::Kind;

/// What `compare` prints.
pub fn render(report: &Report) -> String {
    let mut out = String::new();
    let _ = writeln!(out, "{}\n{}\n", command_line(&report.command), method_line(report));
    let _ = writeln!(out, "{}\n", calls_table(report).trim_fmt());
    if let Some(table) = times_table(report) {
        let _ = writeln!(out, "{}\n", table.trim_fmt());
    }
    for line in behaviour_lines(&report.behaviour) {
        let _ = writeln!(out, "{line}");
    }
    for note in &report.notes {
        let _ = writeln!(out, "note: {note}");
    }
    let _ = writeln!(out, "\n{}", verdict_line(report));
    out
}

/// As it could be typed again.
pub fn command_line(words: &[String]) -> String {
    let quoted: Vec<String> = words.iter().map(|word| quote(word)).collect();
    quoted.join(" ")
}

fn quote(word: &str) -> String {
    let plain = |c: char| c.is_alphanumeric() || "_-+=./,:@%".contains(c);
    if !word.is_empty() && word.chars().all(plain) {
        return word.to_owned();
    }
    format!("'{}'", word.replace('\'', r"'\''"))
}

pub fn method_line(report: &Report) -> String {
    let exact = if report.calls.exact { "exact" } else { "not complete" };
    format!(
        "{} in shuffled order, mode {}; calls counted from outside by {} ({exact})",
        pairs(report.pairs.len() as u64),
        report.mode.name(),
        report.calls.method,
    )
}

fn calls_table(report: &Report) -> Table {
    let mut table = table(["signal system calls", "without", "with", "fewer"]);
    for call in &report.calls.by_name {
        table.add_row(call_row(call.name, call.without, call.with));
    }
    table.add_row(call_row("total", report.calls.without, report.calls.with));
    table
}

fn call_row(name: &str, without: u64, with: u64) -> [String; 4] {
    [name.into(), count(without), count(with), fewer(without, with)]
}

pub fn fewer(without: u64, with: u64) -> String {
    match with.cmp(&without) {
        std::cmp::Ordering::Greater => format!("{} more", count(with - without)),
        _ => count(without - with),
    }
}

fn times_table(report: &Report) -> Option<Table> {
    let headings = ["time: median (min–max)", "without", "with", "ratio (95 % interval)"];
    let mut table = table(headings);
    for (name, time) in kinds(report) {
        table.add_row(time_row(name, &time));
    }
    (!report.pairs.is_empty()).then_some(table)
}

/// The kinds of time that were measured, with their names.
pub fn kinds(report: &Report) -> impl Iterator<Item = (&'static str, Time)> {
    let [wall, cpu, user, system] = [report.wall, report.cpu, report.user, report.system];
    let all = [("wall", wall), ("user + system", cpu), ("user", user), ("system", system)];
    all.into_iter().filter_map(|(name, time)| Some((name, time?)))
}

fn time_row(name: &str, time: &Time) -> [String; 4] {
    let unit = Unit::of(time);
    let cell = |s: &crate::stats::Summary| {
        format!("{} ({}–{})", unit.full(s.median_s), unit.number(s.min_s), unit.number(s.max_s))
    };
    [name.into(), cell(&time.without), cell(&time.with), ratio(time)]
}

pub fn ratio(time: &Time) -> String {
    let Some(r) = time.ratio else { return "too short to say".into() };
    if r.confidence == 0.0 {
        return format!("{} in the one pair", times(r.median));
    }
    let interval = format!("{} ({}–{})", times(r.median), times(r.low), times(r.high));
    if r.is_sure() {
        interval
    } else {
        format!("{interval}, only {:.0} % sure", 100.0 * r.confidence)
    }
}

/// One line an aspect, the differing ones with an example.
pub fn behaviour_lines(behaviour: &Behaviour) -> Vec<String> {
    let (without, with) = (behaviour.runs_without, behaviour.runs_with);
    let mut same = Vec::new();
    let mut other = Vec::new();
    let aspects = [
        (behaviour.reference_status.clone(), aspect("exit status", &behaviour.status, with)),
        (bytes("stdout", behaviour.stdout_bytes), aspect("stdout", &behaviour.stdout, with)),
        (bytes("stderr", behaviour.stderr_bytes), aspect("stderr", &behaviour.stderr, with)),
    ];
    for (name, line) in aspects {
        match line {
            Some(line) => other.push(line),
            None => same.push(name),
        }
    }
    if !same.is_empty() {
        let runs = format!("{without} runs without and {with} with");
        other.insert(0, format!("same in {runs}: {}", same.join(", ")));
    }
    other.extend(behaviour.check_report.clone());
    other
}

fn bytes(stream: &str, bytes: u64) -> String {
    format!("{stream} ({} bytes)", count(bytes))
}

fn aspect<D: Example>(name: &str, agreement: &Agreement<D>, runs: u32) -> Option<String> {
    match agreement {
        Agreement::Same => None,
        Agreement::Varies { example } => Some(format!(
            "{name} varies by itself, without sigzero too, so it cannot be compared: {}",
            example.between("one run", "another")
        )),
        Agreement::Different { runs: different, example } => Some(format!(
            "{name} DIFFERS in {different} of {runs} runs: {}",
            example.between("without", "with")
        )),
    }
}

trait Example {
    fn between(&self, first: &str, second: &str) -> String;
}

impl Example for Statuses {
    fn between(&self, first: &str, second: &str) -> String {
        format!("{first}: {}, {second}: {}", self.first, self.second)
    }
}

impl Example for Difference {
    fn between(&self, first: &str, second: &str) -> String {
        format!(
            "first at byte {} in line {}, {first}: \"{}\", {second}: \"{}\"",
            count(self.byte),
            count(self.line),
            self.first,
            self.second
        )
    }
}

/// The verdict, with what limits it.
pub fn verdict_line(report: &Report) -> String {
    let text = &report.verdict.text;
    if report.verdict.same_behaviour.is_none() {
        return format!("{text}, but the output varies by itself and could not be compared");
    }
    match report.verdict.kind {
        Kind::DifferentBehaviour => text.clone(),
        _ => format!("{text}; same output"),
    }
}

fn table(headings: [&str; 4]) -> Table {
    let mut table = Table::new();
    table.load_style(presets::NOTHING).set_header(headings);
    for (i, column) in table.column_iter_mut().enumerate() {
        column.set_padding((0, 3));
        if i > 0 {
            column.set_cell_alignment(CellAlignment::Right);
        }
    }
    table
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_command_is_quoted_so_that_it_can_be_typed_again() {
        let words = ["sh", "-c", "echo 'a b'", ""].map(str::to_owned);
        assert_eq!(command_line(&words), r"sh -c 'echo '\''a b'\''' ''");
    }

    #[test]
    fn more_calls_are_not_hidden() {
        assert_eq!(fewer(30_000, 14), "29,986");
        assert_eq!(fewer(3, 18), "15 more");
    }
}
