// SPDX-License-Identifier: MIT
//! Why nothing was counted.

use std::ffi::OsString;
use std::io;

/// The command could not be started. `source` is what `exec` reported.
#[derive(Debug, thiserror::Error)]
#[error("cannot run {}: {source}", program.to_string_lossy())]
pub struct SpawnError {
    pub program: OsString,
    pub source: io::Error,
}

impl SpawnError {
    /// The exit status that env(1) would give: 127 not found, 126 found but not executable.
    pub fn exit_code(&self) -> u8 {
        match self.source.kind() {
            io::ErrorKind::NotFound => 127,
            _ => 126,
        }
    }
}

#[derive(Debug, thiserror::Error)]
pub enum Error {
    #[error(transparent)]
    Spawn(#[from] SpawnError),
    /// The method does not work here. The command was not started.
    #[error("cannot count system calls: {0}")]
    Unavailable(String),
    #[error("counting failed: {0}")]
    Io(#[from] io::Error),
}

impl Error {
    pub(crate) fn unavailable(what: &str, error: &io::Error) -> Self {
        Error::Unavailable(format!("{what}: {error}"))
    }
}
