// SPDX-License-Identifier: MIT
//! The libraries that a program loads, as the dynamic linker itself lists them.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use serde::Serialize;

use super::{Imported, OwnCalls, elf};

/// Only the system's own: what a file names as its linker may be anything.
const LINKER: &str = "/lib64/ld-linux-x86-64.so.2";
/// The C library and its parts are what we stand in front of.
const OF_LIBC: [&str; 4] = ["ld-linux-x86-64", "libc.so.", "libpthread.so.", "libm.so."];

#[derive(Clone, Debug, Serialize)]
pub struct Library {
    pub path: PathBuf,
    pub imported: Imported,
    pub own_calls: OwnCalls,
}

/// Libraries of `program` that have to do with signals; the program is not run.
pub fn libraries(program: &Path) -> Vec<Library> {
    let Ok(output) = Command::new(LINKER).arg("--list").arg(program).output() else {
        return Vec::new();
    };
    paths(&String::from_utf8_lossy(&output.stdout))
        .into_iter()
        .filter_map(read)
        .filter(|library| !library.imported.is_empty() || library.own_calls.any())
        .collect()
}

fn read(path: PathBuf) -> Option<Library> {
    let data = fs::read(&path).ok()?;
    let facts = elf::read(&path, &data)?;
    Some(Library { path, imported: facts.imported, own_calls: facts.own_calls })
}

fn paths(listing: &str) -> Vec<PathBuf> {
    listing
        .lines()
        .filter_map(|line| line.split_once(" => "))
        .filter(|(name, _)| !OF_LIBC.iter().any(|part| name.trim().starts_with(part)))
        .filter_map(|(_, rest)| rest.rsplit_once(" (").map(|(path, _)| path.into()))
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn reads_the_linkers_listing() {
        let listing = "\tlinux-vdso.so.1 (0x00007ffc)\n\
                       \tlibtinfo.so.6 => /lib/x/libtinfo.so.6 (0x00007f01)\n\
                       \tlibc.so.6 => /lib/x/libc.so.6 (0x00007f02)\n\
                       \tlibnone.so => not found\n\
                       \t/lib64/ld-linux-x86-64.so.2 (0x00007f03)\n";
        assert_eq!(paths(listing), [PathBuf::from("/lib/x/libtinfo.so.6")]);
    }
}
