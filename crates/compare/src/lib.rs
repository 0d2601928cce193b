// SPDX-License-Identifier: MIT
//! `sigzero compare`: the same command without and with libsigzero, in pairs.
//!
//! System calls are counted from outside in one run each; then pairs are timed, in shuffled order,
//! and every run's output and end are held against each other. [`run`] is the whole subcommand;
//! [`measure`] does the work and yields a [`Report`]; [`render`] and [`page`] show it.

mod args;
mod behaviour;
mod capture;
mod difference;
mod error;
mod html;
mod input;
mod interrupt;
mod measure;
mod program;
mod progress;
mod report;
mod schedule;
mod stats;
mod text;
mod timed;
mod units;
mod verdict;

use std::ffi::OsString;
use std::io::{self, Write};
use std::path::Path;

pub use args::{Args, Mode};
pub use behaviour::{Agreement, Behaviour, Side, Statuses};
pub use difference::Difference;
pub use error::Error;
pub use html::page;

pub use measure::measure;
pub use report::{Call, Calls, Pair, Report, Time};
pub use stats::{Ratio, Summary};
pub use text::render;
pub use timed::Times;
pub use verdict::{Kind, Verdict};

use sigzero_place::Place;

/// Variables that make the second run of a pair differ from the first.
pub type Variables = Vec<(OsString, OsString)>;

/// The subcommand: measures, prints the result on standard output, writes the HTML page, and
/// returns the exit status: 0 same behaviour, 1 different behaviour, 3 nothing to compare with
/// because the command's own output varies.
pub fn run(args: &Args) -> Result<u8, Error> {
    // First of all, so that an unwritable file is known before the runs, not after.
    let file = args.html.as_deref().map(|path| Place::create(path).map_err(of_page(path)));
    let file = file.transpose()?;
    let report = measure(args, &treatment(args)?)?;
    let printed = print(args, &report);
    if let Some(file) = file {
        let path = file.path().to_owned();
        file.write(page(&report).as_bytes()).map_err(of_page(&path))?;
    }
    if report.interrupted {
        let done = report.pairs.len();
        let text = format!("the result is of {done} pairs instead of {}", args.runs);
        let _ = writeln!(io::stderr(), "sigzero: interrupted: {text}");
    }
    printed?;
    Ok(report.verdict.exit_code)
}

fn of_page(path: &Path) -> impl FnOnce(io::Error) -> Error {
    move |source| Error::Page { path: path.to_owned(), source }
}

fn treatment(args: &Args) -> Result<Variables, Error> {
    let mut preload = sigzero_launch::Preload::new(args.mode.into(), &args.follow)?;
    // Its notices on standard error would count as different output.
    preload.quiet = true;
    Ok(preload.variables())
}

/// A reader that went away is no failure.
fn print(args: &Args, report: &Report) -> Result<(), Error> {
    match write(args, report) {
        Err(error) if error.kind() != io::ErrorKind::BrokenPipe => Err(Error::Print(error)),
        _ => Ok(()),
    }
}

fn write(args: &Args, report: &Report) -> io::Result<()> {
    let mut out = io::stdout().lock();
    if args.json {
        serde_json::to_writer_pretty(&mut out, report)?;
        writeln!(out)
    } else {
        out.write_all(render(report).as_bytes())
    }?;
    out.flush()
}
