// SPDX-License-Identifier: MIT
//! `sigzero doctor`: the signals of a running process.

mod text;

use std::process::ExitCode;

use crate::{cli, output};

pub fn main(args: &cli::Doctor) -> anyhow::Result<ExitCode> {
    let report = sigzero_doctor::examine(args.pid, args.watch)?;
    output::to_stdout(&if args.json {
        serde_json::to_string_pretty(&report)? + "\n"
    } else {
        text::render(&report)
    })?;
    Ok(ExitCode::from(u8::from(!report.findings.is_empty())))
}
