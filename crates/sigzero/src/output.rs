// SPDX-License-Identifier: MIT
//! Where results go: colours only where they are welcome, and nothing lost when the
//! place for it fails.

use std::fs::File;
use std::io::{self, ErrorKind, Write};
use std::path::{Path, PathBuf};

use anstream::AutoStream;
use anstream::adapter::strip_str;
use anyhow::Context;
use sigzero_place::settle;

use crate::failure;

/// Where the report of a command goes: its standard output is its own.
pub enum Report {
    StandardError,
    File(PathBuf, File),
}

impl Report {
    /// Opens the file before the command runs, so that its work is not done in vain.
    pub fn open(path: Option<&Path>) -> anyhow::Result<Self> {
        let Some(path) = path else { return Ok(Self::StandardError) };
        let file = File::create(path).with_context(|| {
            format!("{}: cannot be written: choose another file for --output", path.display())
        })?;
        Ok(Self::File(path.into(), file))
    }

    pub fn write(self, text: &str) {
        let Self::File(path, file) = self else { return to_stderr(text) };
        let plain = strip_str(text).to_string();
        if let Err(error) = write_through(&file, &plain) {
            failure::warn(&format!("{}: {error}: the report follows here", path.display()));
            to_stderr(text);
        }
    }
}

fn write_through(mut file: &File, text: &str) -> io::Result<()> {
    file.write_all(text.as_bytes())?;
    settle(file)
}

fn to_stderr(text: &str) {
    let _ = AutoStream::auto(io::stderr()).write_all(text.as_bytes());
}

/// Writes a result to standard output.
pub fn to_stdout(text: &str) -> anyhow::Result<()> {
    let mut stdout = AutoStream::auto(io::stdout());
    unless_closed(stdout.write_all(text.as_bytes()).and_then(|()| stdout.flush()))
}

/// As they are: what is not for people.
pub fn bytes_to_stdout(bytes: &[u8]) -> anyhow::Result<()> {
    let mut stdout = io::stdout().lock();
    unless_closed(stdout.write_all(bytes).and_then(|()| stdout.flush()))
}

/// A reader that went away is no failure.
pub fn unless_closed(written: io::Result<()>) -> anyhow::Result<()> {
    match written {
        Err(error) if error.kind() != ErrorKind::BrokenPipe => {
            Err(error).context("standard output cannot be written: give it another place")
        }
        _ => Ok(()),
    }
}
