// SPDX-License-Identifier: MIT
//! `sigzero stat`: runs the command, counts, reports, and ends as the command ended; or looks at
//! what runs already.

mod folder;
mod inside;
mod json;
mod kernel;
mod outside;
pub mod text;

use std::os::unix::process::ExitStatusExt;
use std::path::Path;
use std::process::{ExitCode, ExitStatus};

use anyhow::bail;
use sigzero_launch::{Obstacle, System, hand_on, inspect, lookup};
use sigzero_model::report::{Run, Source};
use sigzero_model::{Cost, Ending, Process, Report};

use crate::{cli, failure, output};

/// What was counted, and how the command ended, if there was one.
pub struct Finished {
    pub status: Option<ExitStatus>,
    pub run: Run,
    pub processes: Vec<Process>,
}

impl Finished {
    /// Ends as the command ended. What runs already goes on as it was, and the exit status tells
    /// nothing of it.
    pub fn hand_on(&self) -> ExitCode {
        match self.status {
            Some(status) => hand_on(status),
            None => ExitCode::SUCCESS,
        }
    }
}

pub fn main(args: &cli::Stat) -> anyhow::Result<ExitCode> {
    check(&args.counted)?;
    let destination = output::Report::open(args.output.as_deref())?;
    let finished = count(&args.counted)?;
    destination.write(&rendered(args, &finished));
    Ok(finished.hand_on())
}

/// Said before a file is made for the result.
pub fn check(args: &cli::Counted) -> anyhow::Result<()> {
    if let Some(command) = args.command.first() {
        lookup::find(command)?;
    }
    Ok(())
}

/// Runs the command, or looks at what runs.
pub fn count(args: &cli::Counted) -> anyhow::Result<Finished> {
    match args.command.first() {
        Some(name) => command(args, &lookup::find(name)?),
        None => kernel::watch(args),
    }
}

fn rendered(args: &cli::Stat, finished: &Finished) -> String {
    // Only the runtime knows what could be removed, and so what it would save.
    let cost = match finished.run.source {
        Source::Runtime => sigzero_calibrate::measure(),
        _ => Cost::default(),
    };
    let report = Report::new(finished.run.clone(), finished.processes.clone(), cost);
    if args.json { json::render(&report) } else { text::render(report, args.top) }
}

fn command(args: &cli::Counted, path: &Path) -> anyhow::Result<Finished> {
    let inspection = inspect(path, &System::present());
    let obstacle = inspection.obstacles.first();
    if let Some(obstacle) = obstacle.filter(|obstacle| obstacle.prevents_execution()) {
        return outside::only_run(args, obstacle);
    }
    match (args.source, obstacle) {
        (cli::Source::Auto | cli::Source::Runtime, None) => inside::count(args),
        (cli::Source::Runtime, Some(obstacle)) => {
            bail!("{}: {obstacle}: leave out --source, or take another", path.display())
        }
        (cli::Source::Bpf, _) => match kernel::count(args, Vec::new())? {
            Ok(finished) => Ok(finished),
            Err(why) => {
                failure::warn(&format!("{why}; it runs counted by ptrace instead"));
                outside::count(args, vec![why])
            }
        },
        (cli::Source::Ptrace, _) => outside::count(args, Vec::new()),
        (cli::Source::Auto, Some(obstacle)) => from_outside(args, path, obstacle),
    }
}

/// Said at once, since the command may run for long.
fn from_outside(args: &cli::Counted, path: &Path, obstacle: &Obstacle) -> anyhow::Result<Finished> {
    let reason = format!("{}: {obstacle}", path.display());
    failure::warn(&format!("{reason}; it runs untreated, counted from outside"));
    match kernel::count(args, vec![reason.clone()])? {
        Ok(finished) => Ok(finished),
        Err(why) => outside::count(args, vec![reason, format!("counted by ptrace: {why}")]),
    }
}

fn ending(status: ExitStatus) -> Ending {
    Ending { code: status.code(), signal: status.signal() }
}

fn words(args: &cli::Counted) -> Vec<String> {
    args.command.iter().map(|word| word.to_string_lossy().into_owned()).collect()
}
