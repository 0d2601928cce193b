// SPDX-License-Identifier: MIT
//! `sigzero compare`: a library of its own does the work.

use std::process::ExitCode;

pub fn main(args: &sigzero_compare::Args) -> anyhow::Result<ExitCode> {
    Ok(ExitCode::from(sigzero_compare::run(args)?))
}
