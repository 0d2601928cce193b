// SPDX-License-Identifier: MIT
//! The files whose code runs, each with a number. A file is known by device and inode, is opened
//! when it is first heard of, and stays open: so it can still be read when it is deleted, and its
//! inode cannot come to mean another file.

use std::cell::{OnceCell, RefCell};
use std::collections::HashMap;
use std::fs::File;
use std::io::Write;
use std::os::fd::{AsRawFd, FromRawFd};
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};

use crate::layout::{FILE_VDSO, FILES, FileKey};
use crate::unwind::Unwind;

#[derive(Default)]
pub struct Files {
    numbers: HashMap<FileKey, u32>,
    /// By number; the first two are memory without a file, and the vDSO.
    files: Vec<Known>,
}

#[derive(Default)]
struct Known {
    path: PathBuf,
    file: Option<File>,
    unwind: OnceCell<Option<RefCell<Unwind>>>,
}

impl Files {
    pub fn new() -> Self {
        let vdso = Known { path: "[vdso]".into(), file: vdso().ok(), ..Known::default() };
        Self { numbers: HashMap::new(), files: vec![Known::default(), vdso] }
    }

    pub fn number(&self, key: FileKey) -> Option<u32> {
        self.numbers.get(&key).copied()
    }

    /// Gives the file a number, if there is one left. `path` is as the process sees it.
    pub fn add(&mut self, key: FileKey, process: u32, path: &Path) -> Option<u32> {
        if self.files.len() >= FILES {
            return None;
        }
        let number = self.files.len() as u32;
        self.numbers.insert(key, number);
        let file = open(key, process, path);
        self.files.push(Known { path: path.into(), file, ..Known::default() });
        Some(number)
    }

    pub fn path(&self, number: u32) -> Option<&Path> {
        self.files
            .get(number as usize)
            .map(|known| known.path.as_path())
            .filter(|path| path != &Path::new(""))
    }

    /// Where the file can be read: its path if it is still there, else through our descriptor.
    pub fn readable(&self, number: u32) -> Option<PathBuf> {
        let known = self.files.get(number as usize)?;
        let file = known.file.as_ref()?;
        let ours = file.metadata().ok()?;
        let same = std::fs::metadata(&known.path)
            .is_ok_and(|data| (data.ino(), data.dev()) == (ours.ino(), ours.dev()));
        Some(if same && number != FILE_VDSO {
            known.path.clone()
        } else {
            format!("/proc/self/fd/{}", file.as_raw_fd()).into()
        })
    }

    pub fn unwind(&self, number: u32) -> Option<&RefCell<Unwind>> {
        let known = self.files.get(number as usize)?;
        let read = || Unwind::of(known.file.as_ref()?).map(RefCell::new);
        known.unwind.get_or_init(read).as_ref()
    }
}

/// The file of that inode: another may stand at its path by now, or be there for us.
fn open(key: FileKey, process: u32, path: &Path) -> Option<File> {
    if !path.is_absolute() {
        return None;
    }
    let inside = format!("/proc/{process}/root{}", path.display());
    let names = [path.into(), PathBuf::from(inside)];
    names.iter().find_map(|name| {
        // Never wait: a file that was mapped is a plain one, but what is there now may not be.
        let plain =
            std::fs::metadata(name).is_ok_and(|data| data.is_file() && data.ino() == key.inode);
        plain.then(|| File::open(name).ok()).flatten()
    })
}

/// Ours is the same as everybody's.
fn vdso() -> std::io::Result<File> {
    // SAFETY: the kernel maps the whole image there, of the size that its header tells.
    unsafe {
        let start = libc::getauxval(libc::AT_SYSINFO_EHDR) as *const u8;
        if start.is_null() {
            return Err(std::io::ErrorKind::NotFound.into());
        }
        let word = |at: usize| u16::from_ne_bytes([*start.add(at), *start.add(at + 1)]) as usize;
        let sections = u64::from_ne_bytes(std::array::from_fn(|i| *start.add(40 + i))) as usize;
        let size = sections + word(58) * word(60);
        let image = std::slice::from_raw_parts(start, size);
        let fd = libc::memfd_create(c"vdso".as_ptr(), libc::MFD_CLOEXEC);
        if fd < 0 {
            return Err(std::io::Error::last_os_error());
        }
        let mut file = File::from_raw_fd(fd);
        file.write_all(image)?;
        Ok(file)
    }
}
