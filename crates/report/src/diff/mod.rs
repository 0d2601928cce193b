// SPDX-License-Identifier: MIT
//! Two recordings against each other: by caller, what went away and what came.

pub mod html;
pub mod json;
pub mod text;

use std::collections::BTreeMap;

use serde::Serialize;

use crate::View;
use crate::view::Row;

pub struct Diff<'a> {
    pub old: View<'a>,
    pub new: View<'a>,
    /// Greatest change first.
    pub callers: Vec<Change>,
    /// Why the two may not be comparable.
    pub notes: Vec<String>,
}

#[derive(Clone, Debug, PartialEq)]
pub struct Change {
    pub function: String,
    pub place: String,
    pub module: String,
    pub old: Sum,
    pub new: Sum,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize)]
pub struct Sum {
    pub calls: u64,
    pub system_calls: u64,
    pub estimated_seconds: f64,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum What {
    Came,
    Went,
    More,
    Fewer,
    Same,
}

impl What {
    pub fn name(self) -> &'static str {
        match self {
            What::Came => "came",
            What::Went => "went",
            What::More => "more",
            What::Fewer => "fewer",
            What::Same => "same",
        }
    }
}

impl Change {
    /// New less old.
    pub fn system_calls(&self) -> i128 {
        i128::from(self.new.system_calls) - i128::from(self.old.system_calls)
    }

    pub fn what(&self) -> What {
        match (self.old.system_calls, self.new.system_calls) {
            (old, new) if old == new => What::Same,
            (0, _) => What::Came,
            (_, 0) => What::Went,
            (old, new) if old < new => What::More,
            _ => What::Fewer,
        }
    }
}

impl<'a> Diff<'a> {
    pub fn new(old: View<'a>, new: View<'a>) -> Self {
        let mut changes: BTreeMap<(String, String, String), Change> = BTreeMap::new();
        for (row, is_new) in
            old.rows.iter().map(|row| (row, false)).chain(new.rows.iter().map(|row| (row, true)))
        {
            let change = changes.entry(key(row)).or_insert_with(|| Change {
                function: row.function.clone(),
                place: place(row),
                module: row.caller.module_name().into(),
                old: Sum::default(),
                new: Sum::default(),
            });
            let sum = if is_new { &mut change.new } else { &mut change.old };
            sum.calls += row.calls;
            sum.system_calls += row.system_calls;
            sum.estimated_seconds += row.spent.seconds;
        }
        let mut callers: Vec<_> = changes.into_values().collect();
        callers.sort_by_key(|change| {
            let most = change.old.system_calls.max(change.new.system_calls);
            std::cmp::Reverse((change.system_calls().unsigned_abs(), most))
        });
        let notes = notes(&old, &new);
        Self { old, new, callers, notes }
    }

    /// Of all system calls, new less old.
    pub fn system_calls(&self) -> i128 {
        i128::from(self.new.report.total.system_calls)
            - i128::from(self.old.report.total.system_calls)
    }

    pub fn seconds(&self) -> f64 {
        self.new.spent.seconds - self.old.spent.seconds
    }
}

/// The same place, though the program was built anew and its addresses moved.
fn key(row: &Row) -> (String, String, String) {
    (row.function.clone(), row.caller.module_name().into(), place(row))
}

fn place(row: &Row) -> String {
    let offset = || format!("+{:#x}", row.caller.offset);
    row.caller.symbol.clone().unwrap_or_else(offset)
}

fn notes(old: &View, new: &View) -> Vec<String> {
    let mut notes = Vec::new();
    let (one, other) = (&old.report, &new.report);
    if one.source != other.source {
        notes.push(format!(
            "the old one was counted {}, the new one {}: callers and what is counted differ",
            old.source(),
            new.source()
        ));
    }
    if one.command != other.command || one.target != other.target {
        notes.push(format!("not the same was recorded: {}, and {}", old.subject(), new.subject()));
    }
    for (name, view) in [("old", old), ("new", new)] {
        if !view.report.exact {
            notes.push(format!("in the {name} one not all calls were counted"));
        }
        if let Some(damage) = &view.recording.damage {
            notes.push(format!("the {name} one: {damage}"));
        }
    }
    if old.recording.about.machine != new.recording.about.machine {
        notes.push("they are of different machines or systems, so times cannot be compared".into());
    }
    notes
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::samples::{self, frame, site};
    use sigzero_model::report::Source;

    #[test]
    fn what_went_and_came_is_told_by_caller() {
        let old = samples::recording(
            Source::Bpf,
            vec![
                site(&[frame("gone", 0x10)], 50, 0),
                site(&[frame("stays", 0x20)], 5, 0),
                site(&[frame("fewer", 0x30)], 20, 0),
            ],
        );
        let new = samples::recording(
            Source::Bpf,
            vec![
                site(&[frame("stays", 0x99)], 5, 0),
                site(&[frame("fewer", 0x30)], 10, 0),
                site(&[frame("fewer", 0x38)], 2, 0),
                site(&[frame("came", 0x40)], 1, 0),
            ],
        );
        let diff = Diff::new(View::new(&old), View::new(&new));
        let found: Vec<_> = diff
            .callers
            .iter()
            .map(|change| (change.place.as_str(), change.what(), change.system_calls()))
            .collect();
        let expected = [
            ("gone", What::Went, -50),
            ("fewer", What::Fewer, -8),
            ("came", What::Came, 1),
            ("stays", What::Same, 0),
        ];
        assert_eq!(found, expected);
        assert_eq!(diff.system_calls(), 18 - 75);
        assert!(diff.seconds() < 0.0 && diff.notes.is_empty());
        let text = text::render(&diff, 10);
        assert!(text.contains("gone") && text.contains("-50"), "{text}");
        let value: serde_json::Value = serde_json::from_str(&json::document(&diff)).unwrap();
        assert_eq!(value["change"]["system_calls"], -57);
        assert_eq!(value["callers"][0]["what"], "went");
        let page = html::page(&diff);
        assert!(page.contains("gone") && page.contains("57"), "{page}");
    }

    #[test]
    fn what_cannot_be_compared_is_said() {
        let old = samples::stacks();
        let new = samples::inside();
        let diff = Diff::new(View::new(&old), View::new(&new));
        assert!(diff.notes.iter().any(|note| note.contains("callers and what is counted differ")));
    }

    #[test]
    fn two_empty_ones_do_not_differ() {
        let empty = samples::recording(Source::Runtime, Vec::new());
        let diff = Diff::new(View::new(&empty), View::new(&empty));
        assert!(diff.callers.is_empty() && diff.system_calls() == 0);
        assert!(text::render(&diff, 10).contains("no difference"));
        assert!(html::page(&diff).contains("No difference"));
    }
}
