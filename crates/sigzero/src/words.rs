// SPDX-License-Identifier: MIT
//! Sentences that several reports share.

use std::fmt::Write;

use sigzero_launch::status::signal_name;
use sigzero_model::Ending;

/// How a command ended.
pub fn ending(ending: &Ending) -> String {
    match (ending.code, ending.signal) {
        (_, Some(signal)) => format!("killed by {}", signal_name(signal)),
        (code, _) => format!("exit status {}", code.unwrap_or_default()),
    }
}

/// A line each, after an empty one.
pub fn notes(notes: &[String]) -> String {
    let start = if notes.is_empty() { "" } else { "\n" };
    notes.iter().fold(start.to_string(), |mut text, note| {
        let _ = writeln!(text, "note: {note}");
        text
    })
}
