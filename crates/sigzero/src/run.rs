// SPDX-License-Identifier: MIT
//! `sigzero run`: becomes the command, with the runtime preloaded.

use std::env;
use std::ffi::OsString;
use std::path::PathBuf;
use std::process::ExitCode;

use anyhow::bail;
use sigzero_launch::filters::Filters;
use sigzero_launch::{Image, Mode, Preload, System, inspect, lookup};

use crate::{cli, failure};

pub fn main(args: &cli::Run) -> anyhow::Result<ExitCode> {
    let path = lookup::find(&args.command[0])?;
    let inspection = inspect(&path, &System::present());
    let variables = match inspection.obstacles.first() {
        None => variables(args)?,
        // What cannot be executed at all is told by the attempt.
        Some(obstacle) if obstacle.prevents_execution() => Vec::new(),
        Some(obstacle) => {
            let (name, advice) = (path.display(), obstacle.advice());
            failure::warn(&format!("{name}: {obstacle}; it runs untreated ({advice})"));
            Vec::new()
        }
    };
    Err(Image::new(&args.command, &variables)?.exec().into())
}

fn variables(args: &cli::Run) -> anyhow::Result<Vec<(OsString, OsString)>> {
    let mut preload = Preload::new(args.mode.into(), &args.follow)?;
    if preload.mode == Mode::Watch {
        preload.out = env::var_os("SIGZERO_OUT").filter(|out| !out.is_empty()).map(PathBuf::from);
        if preload.out.is_none() {
            bail!(
                "mode watch needs a folder for its counters: set SIGZERO_OUT, or use `sigzero stat`"
            );
        }
    }
    if preload.mode == Mode::Lazy && preload.filters == Filters::Forbid {
        failure::warn(
            "a seccomp filter forbids to send signals again (rt_sigqueueinfo, \
             rt_tgsigqueueinfo, tgkill): as in mode shadow, every block is made for real",
        );
    }
    Ok(preload.variables())
}
