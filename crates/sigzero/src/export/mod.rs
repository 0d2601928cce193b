// SPDX-License-Identifier: MIT
//! `sigzero export`: counts for a monitoring system, until Ctrl-C.

mod profiles;

use std::time::{Duration, SystemTime, UNIX_EPOCH};

use anyhow::Context;
use sigzero_bpf::{Live, Options};
use sigzero_export::http::Server;
use sigzero_export::metrics::{Metrics, Sigqueues, State};
use sigzero_export::text;
use sigzero_queue::Watch;
use std::process::ExitCode;

use crate::{cli, failure, interrupt, target};
use profiles::Profiles;

/// Counts are looked at that often also when nobody asks, so that the heaviest programs are known.
const LOOK: Duration = Duration::from_secs(5);

pub fn main(args: &cli::Export) -> anyhow::Result<ExitCode> {
    let server = Server::start(args.listen).with_context(|| {
        format!("cannot listen on {}: give another address with --listen", args.listen)
    })?;
    let target = target::running(&args.pid);
    let started = since_1970();
    let options = Options { stacks: args.push.is_some(), ..Options::default() };
    let mut live = Live::start(&target, &options)?;
    let mut queue = Watch::new(&target)?;
    for process in &args.pid {
        queue.add_running(*process)?;
    }
    let mut metrics = Metrics::new(args.programs, env!("CARGO_PKG_VERSION"));
    let mut profiles = args.push.as_ref().map(|url| Profiles::new(url.clone(), args.every));
    interrupt::watch();
    failure::warn(&format!("the metrics are at http://{}/metrics", server.address()));
    target::note(&args.pid).iter().for_each(|note| failure::warn(note));
    if !server.address().ip().is_loopback() {
        failure::warn("whoever reaches that address can read the names of programs");
    }
    let mut looked = Duration::ZERO;
    while !interrupt::came() && (args.pid.is_empty() || live.alive() > 0) {
        live.turn();
        queue.forget_ended();
        let waiting: Vec<_> = server.requests().collect();
        let now = since_1970();
        if waiting.is_empty() && now.saturating_sub(looked) < LOOK {
            continue;
        }
        looked = now;
        let snapshot = live.snapshot();
        metrics.update(&snapshot);
        let sums = queue.total();
        let state = State {
            price: snapshot.price,
            unplaced: snapshot.unplaced.values().sum(),
            sigqueues: Some(Sigqueues {
                signals: sums.signals,
                cache: sums.cache,
                slab: sums.slab,
                real: queue.is_real(),
            }),
            started,
        };
        for request in waiting {
            let families = metrics.families(&state);
            let format = request.format;
            request.answer(text::render(&families, format));
        }
        if let Some(profiles) = &mut profiles {
            profiles.look(&mut live, &snapshot);
        }
    }
    if let Some(mut profiles) = profiles {
        let last = live.snapshot();
        profiles.push(&mut live, &last);
    }
    Ok(ExitCode::SUCCESS)
}

fn since_1970() -> Duration {
    SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default()
}
