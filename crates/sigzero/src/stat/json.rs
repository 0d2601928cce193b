// SPDX-License-Identifier: MIT
//! The report as one JSON document.

use sigzero_model::Report;

pub fn render(report: &Report) -> String {
    let document = serde_json::to_string_pretty(report).expect("a report has string keys only");
    document + "\n"
}
