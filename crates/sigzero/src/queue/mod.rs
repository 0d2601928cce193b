// SPDX-License-Identifier: MIT
//! `sigzero queue`: sigqueues, and what a one-slot cache of them saves.

mod text;

use std::process::ExitCode;

use sigzero_bpf::{Error, Target};
use sigzero_count::Spec;
use sigzero_launch::child::stand_aside_for;
use sigzero_launch::{Image, hand_on, lookup};
use sigzero_model::report;
use sigzero_queue::Report;

use crate::{cli, interrupt, output};

pub fn main(args: &cli::Queue) -> anyhow::Result<ExitCode> {
    if args.command.is_empty() {
        return running(args);
    }
    lookup::find(&args.command[0])?;
    let destination = output::Report::open(args.output.as_deref())?;
    let image = Image::new(&args.command, &[])?;
    let mut spec = Spec::new(&args.command[0]).args(&args.command[1..]);
    spec.on_start = Some(stand_aside_for);
    let mut seen = match sigzero_queue::run(&spec) {
        Err(Error::Count(sigzero_count::Error::Spawn(error))) => {
            return Err(image.explain(error.source).into());
        }
        seen => seen?,
    };
    let words = args.command.iter().map(|word| word.to_string_lossy().into_owned());
    seen.report.command = words.collect();
    destination.write(&rendered(args, &seen.report));
    hand_on(seen.status)
}

/// Until Ctrl-C, the time that was given, or the end of all the processes.
fn running(args: &cli::Queue) -> anyhow::Result<ExitCode> {
    let destination = output::Report::open(args.output.as_deref())?;
    let (target, seen) = match args.all {
        true => (Target::Everything, report::Target::Everything),
        false => (Target::Processes(args.pid.clone()), report::Target::Processes(args.pid.clone())),
    };
    interrupt::watch();
    let mut report = sigzero_queue::watch(&target, |passed, left| {
        interrupt::came()
            || args.duration.is_some_and(|limit| passed >= limit)
            || (!args.all && left == 0)
    })?;
    report.target = Some(seen);
    destination.write(&rendered(args, &report));
    Ok(ExitCode::SUCCESS)
}

fn rendered(args: &cli::Queue, report: &Report) -> String {
    if args.json {
        return serde_json::to_string_pretty(report).expect("it has string keys only") + "\n";
    }
    text::render(report, args.top)
}
