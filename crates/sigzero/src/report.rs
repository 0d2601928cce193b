// SPDX-License-Identifier: MIT
//! `sigzero report`: shows what was recorded, or two recordings against each other.

use std::fs::File;
use std::io::{self, BufRead, BufReader, IsTerminal};
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use anstream::adapter::strip_bytes;
use anyhow::{Context, bail};
use sigzero_place::Place;
use sigzero_recording::Recording;
use sigzero_report::{Diff, View, Weight, diff, folded, html, json, pprof};

use crate::cli::{By, Form, Report};
use crate::{failure, output, stat};

pub fn main(args: &Report) -> anyhow::Result<ExitCode> {
    let form = args.form.chosen();
    if let (Some(_), Some(Form::Pprof | Form::Folded | Form::Ndjson)) = (&args.diff, form) {
        bail!("a difference can be --text, --html or --json");
    }
    let otherwise = if args.diff.is_some() { Form::Text } else { Form::Html };
    let form = form.unwrap_or(otherwise);
    let destination = Destination::of(args, form);
    destination.check(args, form)?;
    let bytes = match &args.diff {
        None => one(args, form)?,
        Some(old) => two(args, old, form)?,
    };
    destination.write(&bytes, form)?;
    Ok(ExitCode::SUCCESS)
}

fn one(args: &Report, form: Form) -> anyhow::Result<Vec<u8>> {
    let recording = read(&args.file)?;
    let view = View::new(&recording);
    let weight = match args.by {
        By::Calls => Weight::Calls,
        By::Time => Weight::Time,
    };
    Ok(match form {
        Form::Html => html::page(&view).into_bytes(),
        Form::Text => stat::text::render(view.report, args.top).into_bytes(),
        Form::Pprof => pprof::render(&view),
        Form::Folded => folded::render(&view, weight).into_bytes(),
        Form::Json => json::document(&view).into_bytes(),
        Form::Ndjson => json::lines(&view).into_bytes(),
    })
}

fn two(args: &Report, old: &Path, form: Form) -> anyhow::Result<Vec<u8>> {
    let (old, new) = (read(old)?, read(&args.file)?);
    let difference = Diff::new(View::new(&old), View::new(&new));
    let text = match form {
        Form::Html => diff::html::page(&difference),
        Form::Json => diff::json::document(&difference),
        _ => diff::text::render(&difference, args.top),
    };
    Ok(text.into_bytes())
}

fn read(path: &Path) -> anyhow::Result<Recording> {
    let stdin = path.as_os_str() == "-";
    let name = if stdin { "standard input".into() } else { path.display().to_string() };
    let from: Box<dyn BufRead> = if stdin {
        Box::new(io::stdin().lock())
    } else {
        let file = File::open(path).with_context(|| {
            format!("{name}: cannot be read: `sigzero record` makes a recording")
        })?;
        Box::new(BufReader::new(file))
    };
    let recording = sigzero_recording::read(from).with_context(|| name.clone())?;
    if let Some(damage) = &recording.damage {
        failure::warn(&format!("{name}: {damage}"));
    }
    Ok(recording)
}

enum Destination {
    StandardOutput,
    File(PathBuf),
}

impl Destination {
    /// A page goes into a file beside the recording, anything else to standard output.
    fn of(args: &Report, form: Form) -> Self {
        match &args.output {
            Some(path) if path.as_os_str() == "-" => Self::StandardOutput,
            Some(path) => Self::File(path.clone()),
            None if form == Form::Html && args.file.as_os_str() != "-" => {
                Self::File(args.file.with_extension("html"))
            }
            None => Self::StandardOutput,
        }
    }

    fn check(&self, args: &Report, form: Form) -> anyhow::Result<()> {
        let inputs = [Some(&args.file), args.diff.as_ref()];
        if let Self::File(path) = self
            && let Ok(path) = path.canonicalize()
            && path.is_file()
            && inputs
                .into_iter()
                .flatten()
                .any(|input| input.canonicalize().is_ok_and(|i| i == path))
        {
            bail!("{}: that is the recording itself: give another --output", path.display());
        }
        if matches!(self, Self::StandardOutput) && form == Form::Pprof && io::stdout().is_terminal()
        {
            bail!("a profile is not for a terminal: give --output FILE");
        }
        Ok(())
    }

    fn write(self, bytes: &[u8], form: Form) -> anyhow::Result<()> {
        // Colours are for terminals.
        let plain = || strip_bytes(bytes).into_vec();
        let path = match self {
            Self::StandardOutput if form == Form::Text => {
                return output::to_stdout(&String::from_utf8_lossy(bytes));
            }
            Self::StandardOutput => return output::bytes_to_stdout(bytes),
            Self::File(path) => path,
        };
        let bytes = if form == Form::Text { &plain() } else { bytes };
        let written = Place::create(&path).and_then(|place| place.write(bytes));
        written.with_context(|| {
            format!("{}: cannot be written: choose another file for --output", path.display())
        })?;
        if form == Form::Html {
            output::to_stdout(&format!("{}\n", path.display()))?;
        }
        Ok(())
    }
}
