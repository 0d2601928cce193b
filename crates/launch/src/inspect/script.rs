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
    let line = trim(rest.split(|byte| *byte == b'\n').next()?);
    let end = line.iter().position(is_blank).unwrap_or(line.len());
    let (program, argument) = line.split_at(end);
    if program.is_empty() {
        return None;
    }
    let argument = trim(argument);
    Some(Line {
        program: OsString::from_vec(program.to_vec()).into(),
        argument: (!argument.is_empty()).then(|| argument.to_vec()),
    })
}

/// A carriage return is none: it belongs to the name, which then does not exist.
fn is_blank(byte: &u8) -> bool {
    matches!(byte, b' ' | b'\t')
}

fn trim(text: &[u8]) -> &[u8] {
    let start = text.iter().position(|byte| !is_blank(byte)).unwrap_or(text.len());
    let end = text.iter().rposition(|byte| !is_blank(byte)).map_or(start, |last| last + 1);
    &text[start..end]
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
        assert_eq!(interpreter(b"#!/bin/sh\r\n").unwrap().program, PathBuf::from("/bin/sh\r"));
        assert!(interpreter(b"#!\n").is_none());
        assert!(interpreter(b"#! \t \n").is_none());
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
