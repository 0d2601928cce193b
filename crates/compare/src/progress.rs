// SPDX-License-Identifier: MIT
//! A bar on standard error while the runs go on; silent where that is not a terminal.

use std::fmt::Write;
use std::time::Duration;

use indicatif::{HumanDuration, ProgressBar, ProgressState, ProgressStyle};

pub struct Progress(ProgressBar);

impl Progress {
    /// Of so many runs.
    pub fn new(runs: u64) -> Self {
        let bar = ProgressBar::new(runs);
        let style = "{spinner} {msg:28} {wide_bar} {pos}/{len} runs{left}";
        if let Ok(style) = ProgressStyle::with_template(style) {
            bar.set_style(style.with_key("left", left));
        }
        // Seldom: drawing must not disturb what is being timed.
        bar.enable_steady_tick(Duration::from_millis(500));
        Progress(bar)
    }

    pub fn doing(&self, what: impl Into<String>) {
        self.0.set_message(what.into());
    }

    pub fn ran(&self) {
        self.0.inc(1);
    }
}

/// Nothing is known of it before the first run has ended.
fn left(state: &ProgressState, out: &mut dyn Write) {
    if state.pos() > 0 {
        let _ = write!(out, ", {:#} left", HumanDuration(state.eta()));
    }
}

impl Drop for Progress {
    fn drop(&mut self) {
        self.0.finish_and_clear();
    }
}
