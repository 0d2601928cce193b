// SPDX-License-Identifier: MIT
//! Profiles by push: each has what was counted since the one before.

use std::collections::HashMap;
use std::time::Duration;

use sigzero_bpf::trace::Tally;
use sigzero_bpf::{Live, Snapshot};
use sigzero_export::push::{Profile, Url, send};
use sigzero_model::Cost;

use super::since_1970;
use crate::failure;

const NAME: &str = "sigzero";

pub struct Profiles {
    url: Url,
    every: Duration,
    since: Duration,
    /// By program and stack: what was pushed already.
    pushed: HashMap<(String, Tally), u64>,
    cost: Cost,
    /// The last push failed, and it was said.
    failed: bool,
}

impl Profiles {
    pub fn new(url: Url, every: Duration) -> Self {
        Self {
            url,
            every,
            since: since_1970(),
            pushed: HashMap::new(),
            cost: sigzero_calibrate::measure(),
            failed: false,
        }
    }

    /// Pushes if it is time.
    pub fn look(&mut self, live: &mut Live, snapshot: &Snapshot) {
        if since_1970().saturating_sub(self.since) >= self.every {
            self.push(live, snapshot);
        }
    }

    /// What could not be sent is sent with the next.
    pub fn push(&mut self, live: &mut Live, snapshot: &Snapshot) {
        let now = since_1970();
        let mut added = snapshot.by_program();
        let images = std::mem::take(&mut added.images);
        let name = |image: u32| images.get(&image).map_or("", |image| &image.executable);
        // The number of a program may differ from one snapshot to the next.
        let key =
            |tally: &Tally| (name(tally.image).to_string(), Tally { image: 0, ..tally.clone() });
        let sums: Vec<_> = added.tallies.iter().map(|(tally, sum)| (key(tally), *sum)).collect();
        added.tallies.retain(|tally, sum| {
            *sum = sum.saturating_sub(self.pushed.get(&key(tally)).copied().unwrap_or(0));
            *sum > 0
        });
        added.images = images;
        let processes = live.processes(&added, |_, _| true);
        let pprof = sigzero_pprof::encode(&sigzero_pprof::Input {
            processes: &processes,
            cost: self.cost,
            time_nanos: self.since.as_nanos() as i64,
            duration_nanos: now.saturating_sub(self.since).as_nanos() as i64,
            comments: &[],
        });
        let profile = Profile {
            pprof: &pprof,
            name: NAME,
            from: self.since.as_secs(),
            // Two in one second would be one interval of no length.
            until: now.as_secs().max(self.since.as_secs() + 1),
        };
        match send(&self.url, &profile) {
            Ok(()) => {
                self.pushed = sums.into_iter().collect();
                self.since = now;
                if std::mem::take(&mut self.failed) {
                    failure::warn("the profiles are taken again");
                }
            }
            Err(why) if !self.failed => {
                failure::warn(&format!("{why}; it is tried again"));
                self.failed = true;
            }
            Err(_) => {}
        }
    }
}
