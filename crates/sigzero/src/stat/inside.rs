// SPDX-License-Identifier: MIT
//! Counts through the runtime in mode `watch`.

use std::path::Path;

use sigzero_launch::{Image, Mode, Outcome, Preload, supervise};
use sigzero_model::Process;
use sigzero_model::report::{Run, Source};

use super::folder::Folder;
use super::{Finished, ending, words};
use crate::cli;

pub fn count(args: &cli::Counted) -> anyhow::Result<Finished> {
    let follow = if args.follow { vec!["*".to_string()] } else { Vec::new() };
    let folder = Folder::make()?;
    let mut preload = Preload::new(Mode::Watch, &follow)?;
    preload.out = Some(folder.path().into());
    let outcome = supervise(Image::new(&args.command, &preload.variables())?)?;
    let mut run = run(args, &outcome);
    let processes = sigzero_watch::collect(folder.path()).unwrap_or_else(|error| {
        run.notes.push(error.to_string());
        Vec::new()
    });
    run.notes.extend(still_running(&processes, outcome.pid));
    if processes.is_empty() {
        run.source = Source::Nobody;
        run.notes.push(
            "the runtime left no counts: see whether libsigzero.so is of this version, and whether \
             the folder for temporary files has room"
                .into(),
        );
    }
    Ok(Finished { status: Some(outcome.status), run, processes })
}

fn run(args: &cli::Counted, outcome: &Outcome) -> Run {
    Run {
        command: words(args),
        source: Source::Runtime,
        ending: ending(outcome.status),
        wall_seconds: outcome.wall.as_secs_f64(),
        user_seconds: Some(outcome.user.as_secs_f64()),
        system_seconds: Some(outcome.system.as_secs_f64()),
        followed: args.follow,
        ..Run::default()
    }
}

/// Children may outlive the command; what they do from now on is not counted.
fn still_running(processes: &[Process], command: u32) -> Option<String> {
    let mut pids: Vec<_> = processes.iter().map(|process| process.pid).collect();
    pids.sort_unstable();
    pids.dedup();
    pids.retain(|pid| *pid != command && Path::new(&format!("/proc/{pid}")).exists());
    (!pids.is_empty())
        .then(|| format!("{} of its processes still run: they were counted until now", pids.len()))
}
