// SPDX-License-Identifier: MIT
//! Why there is no result.

use std::io;
use std::path::PathBuf;

use sigzero_launch::error::OWN_FAILURE;

#[derive(Debug, thiserror::Error)]
pub enum Error {
    #[error(transparent)]
    Launch(#[from] sigzero_launch::Error),
    #[error(
        "{0}: run as root, or where ptrace and seccomp are permitted (a container may need \
         --cap-add=SYS_PTRACE)"
    )]
    Count(String),
    #[error("cannot keep the command's output: {}: {}", .0, capture_advice(.0))]
    Capture(io::Error),
    #[error("cannot read standard input: {0}: give the input as a file with `<FILE`")]
    Input(io::Error),
    #[error("{}: cannot be written: {source}: choose another file for --html", .path.display())]
    Page { path: PathBuf, source: io::Error },
    #[error("cannot print the result: {0}: redirect it to a file with room")]
    Print(io::Error),
    #[error("interrupted before two pairs were done: no result")]
    Interrupted,
}

fn capture_advice(error: &io::Error) -> &'static str {
    match error.raw_os_error() {
        Some(libc::EMFILE | libc::ENFILE) => "raise the limit of open files (`ulimit -n`)",
        Some(libc::EFBIG) => "raise the limit of file sizes (`ulimit -f`)",
        _ => "set TMPDIR to a folder with room",
    }
}

impl Error {
    /// The exit status as env(1) gives it: 127 not found, 126 not executable, 125 our own failure.
    pub fn exit_code(&self) -> u8 {
        match self {
            Error::Launch(error) => error.exit_code(),
            Error::Interrupted => 128 + libc::SIGINT as u8,
            _ => OWN_FAILURE,
        }
    }
}
