// SPDX-License-Identifier: MIT
//! What can go wrong before the program runs, with the exit status of env(1).

use std::io;
use std::path::{Path, PathBuf};

/// The command was not found.
pub const NOT_FOUND: u8 = 127;
/// The command was found but cannot be executed.
pub const NOT_EXECUTABLE: u8 = 126;
/// sigzero itself failed.
pub const OWN_FAILURE: u8 = 125;

#[derive(Debug, thiserror::Error)]
pub enum Error {
    #[error("{name}: command not found: {}", not_found_advice(.name))]
    NotFound { name: String },

    #[error("{}: its interpreter {} does not exist: {}", .path.display(), visible(.interpreter), interpreter_advice(.interpreter))]
    InterpreterMissing { path: PathBuf, interpreter: PathBuf },

    #[error("{}: is a directory: name a program", .path.display())]
    Directory { path: PathBuf },

    #[error("{}: permission denied: make it executable with `chmod +x`", .path.display())]
    Permission { path: PathBuf },

    #[error("{}: not an executable that this machine can run: check the file with `file`", .path.display())]
    Format { path: PathBuf },

    #[error("{}: cannot be executed: {source}", .path.display())]
    Exec { path: PathBuf, source: io::Error },

    #[error(
        "libsigzero.so was not found (tried {tried}): install sigzero with `make install`, build it with `make`, or set SIGZERO_LIB to its path"
    )]
    LibraryMissing { tried: String },

    #[error("{}: a path with a space or a colon cannot be preloaded: move libsigzero.so and set SIGZERO_LIB to its new path", .path.display())]
    LibraryPath { path: PathBuf },

    #[error(
        "{pattern:?}: a pattern of --follow cannot contain a colon: give --follow once for each pattern"
    )]
    Pattern { pattern: String },

    #[error("{text:?} contains a NUL byte, which no program can be given: remove it")]
    Nul { text: String },

    #[error("cannot start a process: {0}: try again when the system has room for one")]
    Spawn(io::Error),
}

impl Error {
    /// What an error of fork(2) or of execve(2) for `path` means for a user.
    pub fn of_start(path: &Path, source: io::Error) -> Self {
        let path = path.to_path_buf();
        match source.raw_os_error() {
            Some(libc::EAGAIN | libc::ENOMEM | libc::EMFILE | libc::ENFILE) => Self::Spawn(source),
            // The file was there a moment ago, so it is what should read it that is missing.
            Some(libc::ENOENT) => match crate::inspect::interpreter_of(&path) {
                Some(interpreter) => Self::InterpreterMissing { path, interpreter },
                None => Self::NotFound { name: path.display().to_string() },
            },
            Some(libc::EACCES) => Self::Permission { path },
            Some(libc::ENOEXEC) => Self::Format { path },
            _ => Self::Exec { path, source },
        }
    }

    pub fn exit_code(&self) -> u8 {
        match self {
            Self::NotFound { .. } | Self::InterpreterMissing { .. } => NOT_FOUND,
            Self::Directory { .. }
            | Self::Permission { .. }
            | Self::Format { .. }
            | Self::Exec { .. } => NOT_EXECUTABLE,
            _ => OWN_FAILURE,
        }
    }
}

/// With what does not print shown as escapes.
pub fn visible(path: &Path) -> String {
    path.to_string_lossy().escape_debug().to_string()
}

fn interpreter_advice(interpreter: &Path) -> &'static str {
    if interpreter.to_string_lossy().ends_with('\r') {
        "the script has the line ends of Windows: remove them with `sed -i 's/\\r$//'`"
    } else {
        "install it, or correct the first line of the script"
    }
}

fn not_found_advice(name: &str) -> &'static str {
    if name.is_empty() {
        "its name is empty: name a program"
    } else if name.bytes().all(|b| b.is_ascii_digit()) {
        "a number is not a program: count a running process with `sigzero stat -p`, or look at it with `sigzero doctor`"
    } else if name.contains('/') {
        "check the path"
    } else {
        "check the spelling and PATH"
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn statuses_are_those_of_env() {
        let name = "x".to_string();
        let path = PathBuf::from("x");
        assert_eq!(Error::NotFound { name }.exit_code(), 127);
        assert_eq!(Error::Permission { path }.exit_code(), 126);
        assert_eq!(Error::LibraryMissing { tried: String::new() }.exit_code(), 125);
    }

    #[test]
    fn line_ends_of_windows_are_named() {
        let (path, interpreter) = ("x".into(), "/bin/sh\r".into());
        let text = Error::InterpreterMissing { path, interpreter }.to_string();
        assert!(text.contains(r"/bin/sh\r ") && text.contains("Windows"), "{text}");
    }

    #[test]
    fn a_pid_is_told_apart_from_a_misspelt_name() {
        let pid = Error::NotFound { name: "4711".into() }.to_string();
        let name = Error::NotFound { name: "lss".into() }.to_string();
        assert!(pid.contains("stat -p"), "{pid}");
        assert!(name.contains("PATH"), "{name}");
    }
}
