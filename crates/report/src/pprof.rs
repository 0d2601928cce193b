// SPDX-License-Identifier: MIT
//! A profile for pprof.

use sigzero_number::grouped;
use sigzero_pprof::Input;

use crate::View;

pub fn render(view: &View) -> Vec<u8> {
    let mut comments = vec![
        format!("sigzero record: {}", view.subject()),
        format!("counted {}", view.source()),
        "time is estimated: calls times the price of one, as measured on that machine".into(),
    ];
    if !view.report.exact {
        comments.push("not all calls were counted".into());
    }
    if view.spent.unpriced > 0 {
        let calls = grouped(view.spent.unpriced);
        comments.push(format!("{calls} calls have no known price, and so no time"));
    }
    comments.extend(view.notes());
    sigzero_pprof::encode(&Input {
        processes: &view.recording.processes,
        cost: view.recording.cost,
        time_nanos: view.recording.about.start_unix_ns,
        duration_nanos: (view.report.wall_seconds * 1e9) as i64,
        comments: &comments,
    })
}
