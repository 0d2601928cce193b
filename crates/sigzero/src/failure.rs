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
    warn(&in_words(error));
    ExitCode::from(code(error))
}

/// The causes that the error does not name itself.
fn in_words(error: &anyhow::Error) -> String {
    error.chain().map(ToString::to_string).fold(String::new(), |text, cause| {
        if text.is_empty() {
            cause
        } else if text.contains(&cause) {
            text
        } else {
            format!("{text}: {cause}")
        }
    })
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

#[cfg(test)]
mod tests {
    use super::*;
    use anyhow::Context;

    #[test]
    fn a_cause_is_said_once() {
        let source = || io::Error::from_raw_os_error(libc::ENOSPC);
        let path = "x".into();
        let named = anyhow::Error::new(sigzero_launch::Error::Exec { path, source: source() });
        assert_eq!(in_words(&named).matches("No space").count(), 1);
        let context = Err::<(), _>(source()).context("cannot do it").unwrap_err();
        assert!(in_words(&context).starts_with("cannot do it: No space"));
    }
}
