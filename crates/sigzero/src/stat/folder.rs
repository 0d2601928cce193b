// SPDX-License-Identifier: MIT
//! The folder in which the runtime leaves its counters.

use std::fs::{self, File};
use std::os::fd::AsRawFd;
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};
use std::time::Duration;
use std::{env, io};

use anyhow::Context;
use tempfile::TempDir;

const PREFIX: &str = "sigzero-";
/// A younger folder may be one whose maker has not locked it yet.
const YOUNG: Duration = Duration::from_secs(60);

/// Locked while it is ours, and removed with us.
pub struct Folder {
    folder: TempDir,
    _lock: File,
}

impl Folder {
    /// TMPDIR is the user's choice; else memory, since counters are written all the time.
    pub fn make() -> anyhow::Result<Self> {
        let chosen = env::var_os("TMPDIR").filter(|path| !path.is_empty()).map(PathBuf::from);
        let places =
            chosen.map_or_else(|| vec!["/dev/shm".into(), "/tmp".into()], |path| vec![path]);
        let mut made = places.iter().map(|place| (place, make(place)));
        let (mut place, mut result) = made.next().expect("there is a first place");
        if result.is_err()
            && let Some(second) = made.next()
        {
            (place, result) = second;
        }
        sweep(place);
        result.with_context(|| {
            format!(
                "{}: no folder for the counters can be made there: set TMPDIR to another",
                place.display()
            )
        })
    }

    pub fn path(&self) -> &Path {
        self.folder.path()
    }
}

fn make(place: &Path) -> io::Result<Folder> {
    let folder = tempfile::Builder::new().prefix(PREFIX).tempdir_in(place)?;
    let lock = File::open(folder.path())?;
    let _ = locked(&lock);
    Ok(Folder { folder, _lock: lock })
}

fn locked(folder: &File) -> bool {
    // SAFETY: a plain call on a live descriptor.
    unsafe { libc::flock(folder.as_raw_fd(), libc::LOCK_EX | libc::LOCK_NB) == 0 }
}

/// Removes what sigzeros left that were killed.
fn sweep(place: &Path) {
    for entry in fs::read_dir(place).into_iter().flatten().flatten() {
        let named = entry.file_name().to_string_lossy().starts_with(PREFIX);
        if named && is_left(&entry.path()).unwrap_or(false) {
            let _ = fs::remove_dir_all(entry.path());
        }
    }
}

/// Ours, and there is nothing in it but counters, and nobody who would still write or read them.
fn is_left(path: &Path) -> io::Result<bool> {
    let found = fs::symlink_metadata(path)?;
    // SAFETY: it only reads.
    let ours = found.is_dir() && found.uid() == unsafe { libc::geteuid() };
    let old = found.modified()?.elapsed().is_ok_and(|age| age > YOUNG);
    if !ours || !old || !locked(&File::open(path)?) {
        return Ok(false);
    }
    for counters in fs::read_dir(path)? {
        let name = counters?.file_name();
        let process = name.to_str().and_then(|name| name.split_once('.')?.0.parse::<u32>().ok());
        if process.is_none_or(|process| Path::new(&format!("/proc/{process}")).exists()) {
            return Ok(false);
        }
    }
    Ok(true)
}
