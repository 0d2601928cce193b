// SPDX-License-Identifier: MIT
//! The command, found once, so that every run starts the same file.

use std::ffi::OsString;
use std::fs::File;
use std::io::Read;
use std::os::unix::process::CommandExt;
use std::path::{Path, PathBuf};
use std::process::Command;

use sigzero_launch::{System, inspect, lookup};

use crate::error::Error;

pub struct Program {
    path: PathBuf,
    command: Vec<OsString>,
    through_shell: bool,
}

impl Program {
    pub fn find(command: &[OsString]) -> Result<Self, Error> {
        let path = lookup::find(command.first().map(OsString::as_os_str).unwrap_or_default())?;
        let through_shell = is_plain_text(&path);
        Ok(Program { path, command: command.to_vec(), through_shell })
    }

    pub fn path(&self) -> &Path {
        &self.path
    }

    /// File, name and arguments.
    pub fn words(&self) -> (OsString, OsString, Vec<OsString>) {
        let arguments = self.command[1..].iter().cloned();
        if !self.through_shell {
            let file = self.path.clone().into_os_string();
            return (file, self.command[0].clone(), arguments.collect());
        }
        let script = self.path.clone().into_os_string();
        ("/bin/sh".into(), "sh".into(), [script].into_iter().chain(arguments).collect())
    }

    pub fn command(&self) -> Command {
        let (file, name, arguments) = self.words();
        let mut command = Command::new(file);
        command.arg0(name).args(arguments);
        command
    }

    /// Why the runtime will leave it alone, if it will.
    pub fn obstacles(&self) -> Vec<String> {
        let inspection = inspect(&self.path, &System::present());
        inspection.obstacles.iter().map(|o| format!("not treated: {o}: {}", o.advice())).collect()
    }
}

/// Neither a program nor a script with `#!`: execvp(3) would hand it to the shell.
fn is_plain_text(path: &Path) -> bool {
    let mut start = Vec::new();
    let read = File::open(path).and_then(|file| file.take(128).read_to_end(&mut start));
    read.is_ok() && !start.starts_with(b"#!") && !start.contains(&0)
}
