// SPDX-License-Identifier: MIT
//! Our own failures: what is said, and the exit status as env(1) gives it.

use std::io::{self, Write};
use std::process::ExitCode;

use clap::error::ErrorKind;
use sigzero_launch::error::{NOT_EXECUTABLE, NOT_FOUND, OWN_FAILURE};

/// Help and version go to standard output and are no failure.
pub fn of_arguments(error: &clap::Error) -> ExitCode {
    let _ = error.print();
    match error.kind() {
        ErrorKind::DisplayHelp | ErrorKind::DisplayVersion => ExitCode::SUCCESS,
        _ => ExitCode::from(OWN_FAILURE),
    }
}

pub fn report(error: &anyhow::Error) -> ExitCode {
    warn(&format!("{error:#}"));
    ExitCode::from(code(error))
}

/// One line on standard error; a closed one is no reason to fail.
pub fn warn(text: &str) {
    let _ = writeln!(io::stderr(), "sigzero: {text}");
}

fn code(error: &anyhow::Error) -> u8 {
    if let Some(error) = error.downcast_ref::<sigzero_launch::Error>() {
        return error.exit_code();
    }
    if let Some(error) = error.downcast_ref::<sigzero_compare::Error>() {
        return error.exit_code();
    }
    if let Some(sigzero_count::Error::Spawn(error)) = error.downcast_ref() {
        return if error.exit_code() == NOT_FOUND { NOT_FOUND } else { NOT_EXECUTABLE };
    }
    OWN_FAILURE
}
