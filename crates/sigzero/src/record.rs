// SPDX-License-Identifier: MIT
//! `sigzero record`: counts as `stat` does, and writes what it counted to a file.

use std::io;
use std::process::ExitCode;
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use anyhow::{Context, bail};
use sigzero_machine::{Machine, date};
use sigzero_model::Report;
use sigzero_model::report::Source;
use sigzero_place::Place;
use sigzero_recording::{About, Recording};

use crate::number::grouped;
use crate::stat::{self, Finished};
use crate::{cli, failure, output};

pub fn main(args: &cli::Record) -> anyhow::Result<ExitCode> {
    stat::check(&args.counted)?;
    let destination = Destination::open(args)?;
    let mut finished = stat::count(&args.counted)?;
    let recording = recording(&mut finished);
    destination.write(&recording)?;
    Ok(finished.hand_on())
}

fn recording(finished: &mut Finished) -> Recording {
    let ran = Duration::try_from_secs_f64(finished.run.wall_seconds).unwrap_or_default();
    let start = SystemTime::now().checked_sub(ran).unwrap_or(UNIX_EPOCH);
    let start = start.duration_since(UNIX_EPOCH).unwrap_or_default();
    let about = About {
        sigzero: env!("CARGO_PKG_VERSION").into(),
        date: date(),
        start_unix_ns: start.as_nanos() as i64,
        machine: Machine::here(),
    };
    Recording {
        about,
        run: finished.run.clone(),
        cost: sigzero_calibrate::measure(),
        processes: std::mem::take(&mut finished.processes),
        damage: None,
    }
}

enum Destination {
    StandardOutput,
    File(Place),
}

impl Destination {
    /// Known before the command runs, so that its work is not done in vain.
    fn open(args: &cli::Record) -> anyhow::Result<Self> {
        let path = &args.output;
        if path.as_os_str() != "-" {
            let place = Place::create(path).with_context(|| {
                format!("{}: cannot be written: choose another file for --output", path.display())
            })?;
            return Ok(Self::File(place));
        }
        if !args.counted.command.is_empty() {
            bail!("standard output is the command's own: choose a file for --output");
        }
        Ok(Self::StandardOutput)
    }

    fn write(self, recording: &Recording) -> anyhow::Result<()> {
        let place = match self {
            Self::File(place) => place,
            Self::StandardOutput => {
                let written = sigzero_recording::write(recording, &mut io::stdout().lock());
                return output::unless_closed(written);
            }
        };
        let path = place.path().to_owned();
        let old = place.fill(|out| sigzero_recording::write(recording, out)).with_context(|| {
            format!(
                "{}: the recording could not be written whole: make room, or choose another file for \
                 --output",
                path.display()
            )
        })?;
        let kept = old.map_or(String::new(), |old| format!(" (the old one is {})", old.display()));
        failure::warn(&format!(
            "{}, in {}{kept}; next: sigzero report {}",
            told(recording),
            path.display(),
            shlex::try_quote(&path.to_string_lossy()).unwrap_or_default()
        ));
        Ok(())
    }
}

fn told(recording: &Recording) -> String {
    if recording.run.source == Source::Nobody {
        return "nothing was counted".into();
    }
    let report: Report = recording.report();
    let exact = if report.exact { "" } else { ", not all of them" };
    format!("{} signal system calls recorded{exact}", grouped(report.total.system_calls))
}
