// SPDX-License-Identifier: MIT
//! Whether a program can be treated, and if not, why.

mod elf;
mod functions;
mod instructions;
mod libraries;
mod obstacle;
mod script;
mod system;

use std::fs::{File, Metadata};
use std::io;
use std::path::{Path, PathBuf};

use memmap2::Mmap;
use serde::Serialize;

pub use elf::{Bits, Linking};
pub use functions::{Family, Imported};
pub use instructions::OwnCalls;
pub use libraries::{Library, libraries};
pub use obstacle::Obstacle;
pub use system::System;

use crate::error::visible;

/// Scripts may name scripts as their interpreters; Linux gives up at this depth too.
const DEPTH: usize = 5;

/// What a file is and what stands in the way of treating it.
#[derive(Clone, Debug, Serialize)]
pub struct Inspection {
    pub path: PathBuf,
    /// For a script, the programs that run it, outermost first.
    pub interpreters: Vec<PathBuf>,
    pub program: Option<Program>,
    pub obstacles: Vec<Obstacle>,
    pub notes: Vec<String>,
}

/// The facts of the ELF file that would run.
#[derive(Clone, Debug, Serialize)]
pub struct Program {
    pub path: PathBuf,
    pub machine: String,
    pub bits: Bits,
    pub linking: Linking,
    pub interpreter: Option<PathBuf>,
    pub go: bool,
    pub shadow_stack_marked: bool,
    pub own_calls: OwnCalls,
    pub imported: Imported,
    pub sanitizer: Option<&'static str>,
}

impl Inspection {
    pub fn treatable(&self) -> bool {
        self.obstacles.is_empty()
    }
}

/// Looks into `path` and, if it is a script, into what would run it.
pub fn inspect(path: &Path, system: &System) -> Inspection {
    let mut result = Inspection {
        path: path.to_path_buf(),
        interpreters: Vec::new(),
        program: None,
        obstacles: Vec::new(),
        notes: Vec::new(),
    };
    look_into(path, system, &mut result, DEPTH);
    result
}

/// What the kernel starts to run `path`, if it names such a thing.
pub fn interpreter_of(path: &Path) -> Option<PathBuf> {
    let data = map(path).ok()?;
    script::interpreter(&data)
        .map(|line| line.program)
        .or_else(|| elf::read(path, &data).and_then(|program| program.interpreter))
}

fn look_into(path: &Path, system: &System, result: &mut Inspection, depth: usize) {
    let data = match open(path) {
        Ok((_, Some(data))) => data,
        Ok((_, None)) => return result.obstacles.push(Obstacle::Format),
        Err(error) => return unreadable(path, &error, result),
    };
    if data.starts_with(&object::elf::ELFMAG) {
        return look_into_elf(path, &data, system, result);
    }
    match script::interpreter(&data) {
        Some(line) if depth > 0 => look_into_script(&line, system, result, depth - 1),
        Some(_) => result.obstacles.push(Obstacle::Format),
        None if script::is_text(&data) => {
            let shell = script::shell();
            result.notes.push("a text file without `#!`: the shell runs it".into());
            look_into_script(&shell, system, result, depth.saturating_sub(1));
        }
        None => result.obstacles.push(Obstacle::Format),
    }
}

fn look_into_script(line: &script::Line, system: &System, result: &mut Inspection, depth: usize) {
    for program in line.programs() {
        result.interpreters.push(program.clone());
        look_into(&program, system, result, depth);
    }
}

fn look_into_elf(path: &Path, data: &[u8], system: &System, result: &mut Inspection) {
    let Some(program) = elf::read(path, data) else {
        return result.obstacles.push(Obstacle::Format);
    };
    let metadata = path.metadata().ok();
    result.obstacles.extend(obstacle::of(&program, path, metadata.as_ref(), system));
    result.notes.extend(notes(&program, metadata.as_ref(), path, system));
    result.program = Some(program);
}

fn notes(program: &Program, data: Option<&Metadata>, path: &Path, system: &System) -> Vec<String> {
    let mut notes = Vec::new();
    if program.shadow_stack_marked && !system.shadow_stacks {
        notes.push("marked for shadow stacks, which are not in effect here".into());
    }
    if system::changes_identity(data) && !system.becomes_secure(path, data) {
        notes.push("setuid or setgid, without effect for the present user".into());
    }
    if program.imported.is_empty() && program.linking == Linking::Dynamic {
        notes.push(
            "calls none of the functions that sigzero treats itself; its libraries may".into(),
        );
    }
    notes
}

fn unreadable(path: &Path, error: &io::Error, result: &mut Inspection) {
    let permission = error.kind() == io::ErrorKind::PermissionDenied;
    if permission {
        result.notes.push(format!("{}: cannot be read, so it was not inspected", path.display()));
    } else {
        let named = path != result.path;
        let of = if named { format!("{}: ", visible(path)) } else { String::new() };
        result.obstacles.push(Obstacle::Unreadable { reason: format!("{of}{error}") });
    }
}

fn open(path: &Path) -> io::Result<(File, Option<Mmap>)> {
    // A pipe or a device would block or have no end.
    if !path.metadata()?.is_file() {
        return Err(io::Error::other("not a regular file"));
    }
    let file = File::open(path)?;
    if file.metadata()?.len() == 0 {
        return Ok((file, None));
    }
    // SAFETY: read only; executables are not cut short while they are inspected, since
    // Linux refuses to write to a running one and installers replace the file.
    let data = unsafe { Mmap::map(&file)? };
    Ok((file, Some(data)))
}

fn map(path: &Path) -> io::Result<Mmap> {
    open(path)?.1.ok_or_else(|| io::Error::other("empty file"))
}

#[cfg(test)]
mod tests;
