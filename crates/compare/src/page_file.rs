// SPDX-License-Identifier: MIT
//! The file of the HTML page: made before the runs, filled after them, in one step.

use std::fs::{File, OpenOptions, Permissions};
use std::io::{self, Write};
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};

use tempfile::NamedTempFile;

use crate::error::Error;

pub struct PageFile {
    path: PathBuf,
    target: Target,
}

enum Target {
    /// Put in place of the old page when complete, or removed.
    Replace(NamedTempFile),
    /// A device or a pipe, which cannot be replaced.
    Existing(File),
}

impl PageFile {
    pub fn create(path: &Path) -> Result<Self, Error> {
        let target = Target::open(path).map_err(|source| failed(path, source))?;
        Ok(PageFile { path: path.to_owned(), target })
    }

    pub fn write(self, page: &str) -> Result<(), Error> {
        let written = match self.target {
            Target::Replace(mut file) => file
                .write_all(page.as_bytes())
                .and_then(|()| file.persist(&self.path).map(drop).map_err(|e| e.error)),
            Target::Existing(mut file) => file.write_all(page.as_bytes()),
        };
        written.map_err(|source| failed(&self.path, source))
    }
}

impl Target {
    fn open(path: &Path) -> io::Result<Self> {
        match path.metadata() {
            Ok(data) if data.is_dir() => Err(io::Error::from_raw_os_error(libc::EISDIR)),
            Ok(data) if !data.is_file() => {
                OpenOptions::new().write(true).open(path).map(Target::Existing)
            }
            Ok(data) => {
                // Asked for its own sake: a folder may let us replace a file that we may not write.
                OpenOptions::new().write(true).open(path)?;
                beside(path, data.permissions())
            }
            Err(_) => beside(path, Permissions::from_mode(0o666)),
        }
    }
}

fn beside(path: &Path, permissions: Permissions) -> io::Result<Target> {
    let folder = path.parent().filter(|p| !p.as_os_str().is_empty()).unwrap_or(Path::new("."));
    folder.metadata()?;
    let file = tempfile::Builder::new().permissions(permissions).tempfile_in(folder);
    // The error names a temporary file that nobody asked for.
    Ok(Target::Replace(file.map_err(|error| io::Error::from(error.kind()))?))
}

fn failed(path: &Path, source: io::Error) -> Error {
    Error::Page { path: path.to_owned(), source }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_page_is_written_and_replaced() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("page.html");
        PageFile::create(&path).unwrap().write("one").unwrap();
        PageFile::create(&path).unwrap().write("two").unwrap();
        assert_eq!(std::fs::read_to_string(&path).unwrap(), "two");
        assert_eq!(std::fs::read_dir(folder.path()).unwrap().count(), 1);
    }

    #[test]
    fn nothing_is_left_when_nothing_is_written() {
        let folder = tempfile::tempdir().unwrap();
        drop(PageFile::create(&folder.path().join("page.html")).unwrap());
        assert_eq!(std::fs::read_dir(folder.path()).unwrap().count(), 0);
    }

    #[test]
    fn a_folder_or_a_missing_folder_is_refused_at_once() {
        let folder = tempfile::tempdir().unwrap();
        assert!(PageFile::create(folder.path()).is_err());
        assert!(PageFile::create(&folder.path().join("no/page.html")).is_err());
    }
}
