// SPDX-License-Identifier: MIT
//! A bar on standard error while the runs go on; silent where that is not a terminal.

use std::time::Duration;

use indicatif::{ProgressBar, ProgressStyle};

pub struct Progress(ProgressBar);

impl Progress {
    /// Of so many runs.
    pub fn new(runs: u64) -> Self {
        let bar = ProgressBar::new(runs);
        let style = "{spinner} {msg:28} {wide_bar} {pos}/{len} runs, {eta} left";
        if let Ok(style) = ProgressStyle::with_template(style) {
            bar.set_style(style);
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

impl Drop for Progress {
    fn drop(&mut self) {
        self.0.finish_and_clear();
    }
}
