// SPDX-License-Identifier: MIT
//! Reads the counter files that watched processes leave behind (the format is in
//! `runtime/watch_format.h`) into the event model, with callers named.

pub mod file;
pub mod maps;
mod names;
pub mod symbols;

use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use sigzero_model::{Caller, Process, Site};

use file::{Contents, RawSite};
use maps::{Maps, Module};
use symbols::Symbols;

#[derive(Debug, thiserror::Error)]
#[error("{}: cannot be read: {source}: check that the folder for temporary files still exists", .path.display())]
pub struct Error {
    path: PathBuf,
    source: io::Error,
}

/// Reads every counter file in `folder`. A damaged file gives what is left of it, and
/// says so in `Process::damage`.
pub fn collect(folder: &Path) -> Result<Vec<Process>, Error> {
    let error = |source| Error { path: folder.into(), source };
    let mut paths = Vec::new();
    for entry in fs::read_dir(folder).map_err(error)? {
        let entry = entry.map_err(error)?;
        // Programs can write here too: nothing but a plain file is opened.
        if entry.file_type().map_err(error)?.is_file() {
            paths.push(entry.path());
        }
    }
    paths.sort();
    let symbols = Symbols::new();
    Ok(paths.iter().map(|path| read(path, &symbols)).collect())
}

fn read(path: &Path, symbols: &Symbols) -> Process {
    match fs::read(path)
        .map_err(|error| error.to_string())
        .and_then(|data| file::parse(&data).map_err(|damage| damage.to_string()))
    {
        Ok(contents) => process(contents, symbols),
        Err(damage) => damaged(path, damage),
    }
}

fn damaged(path: &Path, damage: String) -> Process {
    let name = path.file_name().unwrap_or_default().to_string_lossy();
    let pid = name.split('.').next().and_then(|pid| pid.parse().ok()).unwrap_or(0);
    Process { pid, damage, ..Process::default() }
}

fn process(contents: Contents, symbols: &Symbols) -> Process {
    let maps = Maps::parse(&contents.maps);
    let sites = contents.sites.iter().map(|raw| site(raw, &contents, &maps, symbols)).collect();
    Process {
        pid: contents.pid,
        parent: contents.parent,
        executable: contents.executable,
        start_ns: contents.start_ns,
        lost: contents.lost,
        vfork_calls: contents.vfork_calls,
        added: contents.added,
        note: contents.note,
        damage: contents.damage,
        sites,
    }
}

fn site(raw: &RawSite, contents: &Contents, maps: &Maps, symbols: &Symbols) -> Site {
    let function = contents.functions.get(raw.function as usize);
    Site {
        function: function.cloned().unwrap_or_else(|| format!("function {}", raw.function)),
        opaque: raw.opaque,
        caller: caller(raw.caller, maps, symbols),
        stack: Vec::new(),
        stack_whole: false,
        counts: raw.counts,
    }
}

/// The place that the call returning to `address` was made from.
pub fn caller(address: u64, maps: &Maps, symbols: &Symbols) -> Caller {
    // The call is the instruction before, and a call that never returns may be a
    // function's last.
    let Some(Module { name, path, offset }) = maps.find(address.wrapping_sub(1)) else {
        return Caller { module: "[unknown]".into(), offset: address, ..Caller::default() };
    };
    let mut caller = Caller { module: name.into(), offset: offset + 1, ..Caller::default() };
    if let Some(symbol) = path.and_then(|path| symbols.find(path, offset)) {
        caller.symbol = Some(symbol.name);
        caller.symbol_offset = Some(symbol.offset + 1);
        caller.file = symbol.file;
        caller.line = symbol.line;
    }
    caller
}

#[cfg(test)]
mod tests;
