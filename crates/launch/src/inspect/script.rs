// SPDX-License-Identifier: MIT
//! Scripts: the `#!` line, and through env(1) to the program meant.

use std::ffi::{OsStr, OsString};
use std::os::unix::ffi::{OsStrExt, OsStringExt};
use std::path::PathBuf;

use crate::lookup;

/// The kernel reads this much of a file to find its interpreter.
const LINE: usize = 256;

pub struct Line {
    pub program: PathBuf,
    argument: Option<Vec<u8>>,
}

impl Line {
    /// The interpreter, and what it becomes if it is env(1).
    pub fn programs(&self) -> Vec<PathBuf> {
        let mut programs = vec![self.program.clone()];
        if self.program.file_name() == Some(OsStr::new("env")) {
            programs.extend(self.target_of_env());
        }
        programs
    }

    fn target_of_env(&self) -> Option<PathBuf> {
        let argument = self.argument.as_deref()?;
        let word = argument
            .split(u8::is_ascii_whitespace)
            .find(|word| !word.is_empty() && !word.starts_with(b"-") && !word.contains(&b'='))?;
        lookup::find(OsStr::from_bytes(word)).ok()
    }
}

/// Reads the `#!` line as the kernel does.
pub fn interpreter(data: &[u8]) -> Option<Line> {
    let rest = data.strip_prefix(b"#!")?;
    let rest = &rest[..rest.len().min(LINE - 2)];
    let line = rest.split(|byte| *byte == b'\n').next()?.trim_ascii();
    let end = line.iter().position(u8::is_ascii_whitespace).unwrap_or(line.len());
    let (program, argument) = line.split_at(end);
    if program.is_empty() {
        return None;
    }
    let argument = argument.trim_ascii();
    Some(Line {
        program: OsString::from_vec(program.to_vec()).into(),
        argument: (!argument.is_empty()).then(|| argument.to_vec()),
    })
}

/// What execvp(3) gives a text file without a `#!` line to.
pub fn shell() -> Line {
    Line { program: "/bin/sh".into(), argument: None }
}

pub fn is_text(data: &[u8]) -> bool {
    !data[..data.len().min(LINE)].contains(&0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn reads_the_line_as_the_kernel_does() {
        let line = interpreter(b"#! /bin/sh -e -u\nexit\n").unwrap();
        assert_eq!(line.program, PathBuf::from("/bin/sh"));
        assert_eq!(line.argument.unwrap(), b"-e -u");
        assert_eq!(interpreter(b"#!/bin/sh").unwrap().argument, None);
        assert!(interpreter(b"#!\n").is_none());
        assert!(interpreter(b"echo\n").is_none());
    }

    #[test]
    fn looks_through_env() {
        for text in ["#!/usr/bin/env sh\n", "#!/usr/bin/env -S A=1 sh -e\n"] {
            let programs = interpreter(text.as_bytes()).unwrap().programs();
            assert_eq!(programs.len(), 2, "{text}");
            assert!(programs[1].ends_with("sh"), "{programs:?}");
        }
    }
}
