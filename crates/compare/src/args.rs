// SPDX-License-Identifier: MIT
//! The command line of `compare`.

use std::ffi::OsString;
use std::path::PathBuf;

use clap::{ValueEnum, ValueHint};
use serde::Serialize;

/// Run a command without and with sigzero, and prove the difference.
///
/// Counts the signal system calls of one run each from outside, then times pairs of runs in
/// shuffled order and compares the output and the exit status of all of them. The result goes to
/// standard output; the command's own output is captured and compared, not shown.
///
/// Standard input is given to every run anew: a file is reopened, a pipe is read to its end first,
/// and in place of a terminal the command gets /dev/null.
///
/// Exit status: 0 same behaviour (faster or not), 1 different behaviour, 3 the command's own output
/// varies from run to run, so that it cannot be compared, 125 sigzero failed, 126 the command
/// cannot be executed, 127 it was not found, 130 interrupted before two pairs were done.
#[derive(clap::Args, Clone, Debug)]
pub struct Args {
    /// Number of pairs to time; fewer than 6 cannot carry a verdict on time.
    #[arg(short = 'n', long, value_name = "RUNS", default_value_t = 10)]
    #[arg(value_parser = clap::value_parser!(u32).range(1..=100_000))]
    pub runs: u32,

    /// Number of pairs to run before, untimed; the counted runs already warm the caches once.
    #[arg(long, value_name = "N", default_value_t = 0)]
    pub warmup: u32,

    /// What the runtime does; `check` asks the kernel after each step, and is slow on purpose.
    #[arg(long, value_enum, default_value_t = Mode::Lazy)]
    pub mode: Mode,

    /// Treat children too whose executable's name matches; may be given more than once.
    #[arg(long, value_name = "PATTERN")]
    pub follow: Vec<String>,

    /// Print the result as one JSON document.
    #[arg(long)]
    pub json: bool,

    /// Write the result with a chart into one HTML file.
    #[arg(long, value_name = "FILE", value_hint = ValueHint::FilePath)]
    pub html: Option<PathBuf>,

    /// The command and its arguments.
    #[arg(value_name = "CMD", required = true, num_args = 1..)]
    #[arg(trailing_var_arg = true, value_hint = ValueHint::CommandWithArguments)]
    pub command: Vec<OsString>,
}

/// The modes of the runtime that can be compared with a plain run.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Mode {
    /// Tell the kernel of a blocked signal only when it arrives, or when the kernel must know.
    Lazy,
    /// Remember the mask: only queries and changes that change nothing make no system call.
    Shadow,
    /// As lazy, and ask the kernel after each step; abort at the first difference.
    Check,
}

impl Mode {
    pub fn name(self) -> &'static str {
        sigzero_launch::Mode::from(self).name()
    }
}

impl From<Mode> for sigzero_launch::Mode {
    fn from(mode: Mode) -> Self {
        match mode {
            Mode::Lazy => sigzero_launch::Mode::Lazy,
            Mode::Shadow => sigzero_launch::Mode::Shadow,
            Mode::Check => sigzero_launch::Mode::Check,
        }
    }
}
