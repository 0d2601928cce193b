// SPDX-License-Identifier: MIT
//! `sigzero queue`: sigqueues, and what a one-slot cache of them saves.

mod text;

use std::process::ExitCode;

use sigzero_bpf::Error;
use sigzero_launch::{Image, hand_on, lookup};
use sigzero_queue::Report;

use crate::{cli, command, output, target};

pub fn main(args: &cli::Queue) -> anyhow::Result<ExitCode> {
    if args.command.is_empty() {
        return running(args);
    }
    lookup::find(&args.command[0])?;
    let destination = output::Report::open(args.output.as_deref())?;
    let image = Image::new(&args.command, &[])?;
    let spec = command::spec(&args.command);
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
    let enough = target::enough(&args.pid, args.duration);
    let mut report = sigzero_queue::watch(&target::running(&args.pid), enough)?;
    report.target = Some(target::named(&args.pid));
    report.notes.extend(target::note(&args.pid));
    destination.write(&rendered(args, &report));
    Ok(ExitCode::SUCCESS)
}

fn rendered(args: &cli::Queue, report: &Report) -> String {
    if args.json {
        return serde_json::to_string_pretty(report).expect("it has string keys only") + "\n";
    }
    text::render(report, args.top)
}
