// SPDX-License-Identifier: MIT
//! The reasons for which a program cannot be treated.

use std::fmt;
use std::fs::Metadata;
use std::path::{Path, PathBuf};

use serde::Serialize;

use super::{Bits, Linking, OwnCalls, Program, System};

/// The C library's own name for the dynamic linker that we can be preloaded by.
const GLIBC_LINKER: &str = "ld-linux-x86-64.so.2";

#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(tag = "kind", rename_all = "snake_case")]
pub enum Obstacle {
    Format,
    Unreadable { reason: String },
    NotExecutable,
    Machine { machine: String, bits: Bits },
    Static,
    Library,
    Musl,
    Linker { path: PathBuf },
    SecureExec { by: &'static str },
    Go,
    OwnCalls(OwnCalls),
    ShadowStack,
    Sanitizer { name: &'static str },
}

impl Obstacle {
    /// The attempt to execute it will fail, unless the kernel knows something we do not.
    pub fn prevents_execution(&self) -> bool {
        matches!(self, Self::Format | Self::Unreadable { .. } | Self::NotExecutable)
    }

    /// What a user may do about it.
    pub fn advice(&self) -> &'static str {
        match self {
            Self::Format => "check the file with `file`",
            Self::Unreadable { .. } => "check the path and its permissions",
            Self::NotExecutable => "make it executable with `chmod +x`",
            Self::Machine { .. } => "use a build for x86-64",
            Self::Static | Self::Musl | Self::Linker { .. } => {
                "build it against the dynamic glibc if that is possible"
            }
            Self::Library => "name the program that loads it",
            Self::SecureExec { .. } => {
                "run it as the user it changes to, or on a copy without that privilege"
            }
            Self::Go => "nothing to be done: the Go runtime looks after its signals itself",
            Self::OwnCalls(_) => "look for a build option that makes it use libc for its signals",
            Self::Sanitizer { .. } => "use a build without it",
            Self::ShadowStack => "unset `x86_shstk` in GLIBC_TUNABLES for this program",
        }
    }
}

impl fmt::Display for Obstacle {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Format => write!(f, "not an executable that this machine can run"),
            Self::Unreadable { reason } => write!(f, "cannot be read: {reason}"),
            Self::NotExecutable => write!(f, "not permitted to be executed"),
            Self::Machine { machine, bits } => {
                write!(
                    f,
                    "built for {machine} ({} bits), and the runtime is for x86-64",
                    bits.count()
                )
            }
            Self::Static => write!(f, "statically linked, so nothing can be preloaded"),
            Self::Library => write!(f, "a shared library, not a program"),
            Self::Musl => write!(f, "linked against musl, and the runtime is for glibc"),
            Self::Linker { path } => {
                write!(f, "loaded by {}, which is not glibc's dynamic linker", path.display())
            }
            Self::SecureExec { by } => {
                write!(f, "gains privilege by {by}, so the dynamic linker refuses to preload")
            }
            Self::Go => {
                write!(f, "a Go program: its runtime changes signal masks behind libc's back")
            }
            Self::OwnCalls(calls) => write!(f, "{calls} in its own code, behind libc's back"),
            Self::Sanitizer { name } => {
                write!(f, "built with {name}, which looks after signals or preloading itself")
            }
            Self::ShadowStack => {
                write!(f, "runs with shadow stacks, which the runtime does not support")
            }
        }
    }
}

/// All that stands in the way of treating `program`.
pub fn of(
    program: &Program,
    path: &Path,
    data: Option<&Metadata>,
    system: &System,
) -> Vec<Obstacle> {
    let mut found = Vec::new();
    if program.machine != "x86-64" || program.bits != Bits::Sixtyfour {
        let machine = program.machine.clone();
        return vec![Obstacle::Machine { machine, bits: program.bits }];
    }
    found.extend(of_linking(program));
    if let Some(by) = system.gains_privilege(path, data) {
        found.push(Obstacle::SecureExec { by });
    }
    if program.go {
        found.push(Obstacle::Go);
    } else if program.linking == Linking::Dynamic && program.own_calls.any() {
        found.push(Obstacle::OwnCalls(program.own_calls));
    }
    if let Some(name) = program.sanitizer {
        found.push(Obstacle::Sanitizer { name });
    }
    if program.shadow_stack_marked && system.shadow_stacks {
        found.push(Obstacle::ShadowStack);
    }
    found
}

fn of_linking(program: &Program) -> Option<Obstacle> {
    match program.linking {
        Linking::Static => return Some(Obstacle::Static),
        Linking::Library => return Some(Obstacle::Library),
        Linking::Dynamic => {}
    }
    let linker = program.interpreter.as_deref()?;
    let name = linker.file_name().unwrap_or_default().to_string_lossy();
    match &*name {
        GLIBC_LINKER => None,
        musl if musl.starts_with("ld-musl-") => Some(Obstacle::Musl),
        _ => Some(Obstacle::Linker { path: linker.into() }),
    }
}
