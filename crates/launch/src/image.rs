// SPDX-License-Identifier: MIT
//! A program ready to be executed: path, arguments and environment as execve(2) wants
//! them, laid out beforehand so that nothing is allocated between fork and exec.

use std::env;
use std::ffi::{CString, OsStr, OsString, c_char};
use std::fs::File;
use std::io::{self, Read};
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};
use std::ptr;

use crate::{Error, environment, inherited, lookup};

pub struct Image {
    path: PathBuf,
    file: CString,
    arguments: Vector,
    environment: Vector,
    // execvp(3) gives a text file without `#!` to the shell.
    shell: Option<(CString, Vector)>,
}

impl Image {
    /// `command` is the name and its arguments; `variables` are set over our environment.
    pub fn new(command: &[OsString], variables: &[(OsString, OsString)]) -> Result<Self, Error> {
        let name = command.first().map(OsString::as_os_str).unwrap_or_default();
        let path = lookup::find(name)?;
        let file = c_string(path.as_os_str())?;
        let arguments = Vector::new(command.iter().map(|word| c_string(word)))?;
        let environment = Vector::new(merged(variables).iter().map(|word| c_string(word)))?;
        let shell = if is_text(&path) { Some(through_shell(&path, command)?) } else { None };
        Ok(Self { path, file, arguments, environment, shell })
    }

    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Becomes the program; returns only if that fails.
    pub fn exec(&self) -> Error {
        inherited::restore();
        let source = self.execve();
        self.explain(source)
    }

    /// Async-signal-safe: for use between fork and exec.
    pub(crate) fn execve(&self) -> io::Error {
        // SAFETY: all three are NUL-terminated and owned by `self`.
        unsafe {
            libc::execve(self.file.as_ptr(), self.arguments.as_ptr(), self.environment.as_ptr());
        }
        let error = io::Error::last_os_error();
        let (Some(libc::ENOEXEC), Some((shell, arguments))) = (error.raw_os_error(), &self.shell)
        else {
            return error;
        };
        // SAFETY: as above.
        unsafe {
            libc::execve(shell.as_ptr(), arguments.as_ptr(), self.environment.as_ptr());
        }
        io::Error::last_os_error()
    }

    /// What an error of execve(2) means for a user.
    pub fn explain(&self, source: io::Error) -> Error {
        Error::of_start(&self.path, source)
    }
}

fn merged(variables: &[(OsString, OsString)]) -> Vec<OsString> {
    // A sigzero around us must not decide what this one does.
    let stray = |name: &OsStr| !variables.is_empty() && environment::is_for_runtime(name);
    let ours = |name: &OsStr| variables.iter().any(|(set, _)| set == name) || stray(name);
    env::vars_os()
        .filter(|(name, _)| !ours(name))
        .chain(variables.iter().cloned())
        .map(|(mut name, value)| {
            name.push("=");
            name.push(value);
            name
        })
        .collect()
}

fn is_text(path: &Path) -> bool {
    let mut start = [0; 128];
    let read = File::open(path).and_then(|mut file| file.read(&mut start));
    matches!(read, Ok(length) if !start[..length].contains(&0))
}

fn through_shell(path: &Path, command: &[OsString]) -> Result<(CString, Vector), Error> {
    let shell = c"/bin/sh".to_owned();
    let words = [OsStr::new("sh"), path.as_os_str()];
    let words = words.into_iter().chain(command.iter().skip(1).map(OsString::as_os_str));
    Ok((shell, Vector::new(words.map(c_string))?))
}

fn c_string(text: &OsStr) -> Result<CString, Error> {
    CString::new(text.as_bytes())
        .map_err(|_| Error::Nul { text: text.to_string_lossy().into_owned() })
}

/// A list of strings with the array of pointers that execve(2) takes.
struct Vector {
    _strings: Vec<CString>,
    pointers: Vec<*const c_char>,
}

impl Vector {
    fn new(strings: impl Iterator<Item = Result<CString, Error>>) -> Result<Self, Error> {
        let strings = strings.collect::<Result<Vec<_>, _>>()?;
        let pointers = strings.iter().map(|s| s.as_ptr()).chain([ptr::null()]).collect();
        Ok(Self { _strings: strings, pointers })
    }

    fn as_ptr(&self) -> *const *const c_char {
        self.pointers.as_ptr()
    }
}

// SAFETY: the pointers are into heap memory of the strings beside them, never changed.
unsafe impl Send for Vector {}
unsafe impl Sync for Vector {}
