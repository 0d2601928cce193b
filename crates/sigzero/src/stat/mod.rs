// SPDX-License-Identifier: MIT
//! `sigzero stat`: runs the command, counts, reports, and ends as the command ended.

mod inside;
mod json;
mod outside;
mod text;

use std::os::unix::process::ExitStatusExt;
use std::process::{ExitCode, ExitStatus};

use sigzero_launch::{Obstacle, System, hand_on, inspect, lookup};
use sigzero_model::report::Run;
use sigzero_model::{Ending, Process, Report};

use crate::{cli, failure, output};

/// A finished run: how it ended and what was counted.
struct Finished {
    status: ExitStatus,
    run: Run,
    processes: Vec<Process>,
}

pub fn main(args: &cli::Stat) -> anyhow::Result<ExitCode> {
    let path = lookup::find(&args.command[0])?;
    let destination = output::Report::open(args.output.as_deref())?;
    let inspection = inspect(&path, &System::present());
    let finished = match inspection.obstacles.first() {
        None => inside::count(args)?,
        Some(obstacle) if obstacle.prevents_execution() => outside::only_run(args, obstacle)?,
        Some(obstacle) => outside::count(args, &reason(&path.display().to_string(), obstacle))?,
    };
    let status = finished.status;
    let report = Report::new(finished.run, finished.processes, sigzero_calibrate::measure());
    destination.write(&if args.json {
        json::render(&report)
    } else {
        text::render(&report, args.top)
    });
    hand_on(status)
}

/// Said at once, since the command may run for long.
fn reason(name: &str, obstacle: &Obstacle) -> String {
    let reason = format!("{name}: {obstacle}");
    failure::warn(&format!("{reason}; it runs untreated, counted from outside"));
    reason
}

fn ending(status: ExitStatus) -> Ending {
    Ending { code: status.code(), signal: status.signal() }
}

fn words(args: &cli::Stat) -> Vec<String> {
    args.command.iter().map(|word| word.to_string_lossy().into_owned()).collect()
}
