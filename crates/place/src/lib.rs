// SPDX-License-Identifier: MIT
//! The file of a result: made before the work, filled after it, in one step.

use std::ffi::OsString;
use std::fs::{self, File, OpenOptions, Permissions};
use std::io::{self, BufWriter, ErrorKind, Write};
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};

use tempfile::NamedTempFile;

pub struct Place {
    path: PathBuf,
    target: Target,
}

enum Target {
    /// Put in place of the old file when complete, or removed.
    Replace(NamedTempFile),
    /// A device or a pipe, which cannot be replaced.
    Existing(File),
}

impl Place {
    /// Fails if there can be no such file; what is there stays as it is.
    pub fn create(path: &Path) -> io::Result<Self> {
        Ok(Place { path: path.to_owned(), target: Target::open(path)? })
    }

    pub fn path(&self) -> &Path {
        &self.path
    }

    /// All of it, or the old file stays.
    pub fn write(self, bytes: &[u8]) -> io::Result<()> {
        match self.target {
            Target::Replace(mut file) => {
                file.write_all(bytes)?;
                settle(file.as_file())?;
                file.persist(&self.path).map(drop).map_err(|error| error.error)
            }
            Target::Existing(mut file) => file.write_all(bytes),
        }
    }

    /// What `write` writes, and where it fails what it has written until then; an old file gets
    /// `.old` at the end of its name, and is returned.
    pub fn fill(
        self,
        write: impl FnOnce(&mut dyn Write) -> io::Result<()>,
    ) -> io::Result<Option<PathBuf>> {
        match self.target {
            Target::Replace(file) => {
                let mut out = BufWriter::new(file);
                let mut written = write(&mut out).and_then(|()| out.flush());
                // What is in the buffer found no room.
                let (file, _) = out.into_parts();
                written = written.and_then(|()| settle(file.as_file()));
                if written.is_err() && file.as_file().metadata()?.len() == 0 {
                    return written.map(|()| None);
                }
                let old = put_aside(&self.path)?;
                file.persist(&self.path).map_err(|error| error.error)?;
                written.map(|()| old)
            }
            Target::Existing(file) => {
                let mut out = BufWriter::new(file);
                let written = write(&mut out).and_then(|()| out.flush());
                // The buffer would try again when it is dropped.
                drop(out.into_parts());
                written.map(|()| None)
            }
        }
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

/// Makes sure that what was written is there: some file systems tell only now that they are full; a
/// pipe has nothing to tell.
pub fn settle(file: &File) -> io::Result<()> {
    match file.sync_data() {
        Err(error) if error.kind() == ErrorKind::InvalidInput => Ok(()),
        done => done,
    }
}

fn put_aside(path: &Path) -> io::Result<Option<PathBuf>> {
    let mut name = OsString::from(path);
    name.push(".old");
    let old = PathBuf::from(name);
    match fs::rename(path, &old) {
        Ok(()) => Ok(Some(old)),
        Err(error) if error.kind() == ErrorKind::NotFound => Ok(None),
        Err(error) => Err(error),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn names(folder: &Path) -> Vec<String> {
        let entries = fs::read_dir(folder).unwrap();
        let name = |entry: io::Result<fs::DirEntry>| entry.unwrap().file_name();
        let mut names: Vec<_> = entries.map(|e| name(e).into_string().unwrap()).collect();
        names.sort();
        names
    }

    #[test]
    fn a_file_is_written_and_replaced() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("page.html");
        Place::create(&path).unwrap().write(b"one").unwrap();
        Place::create(&path).unwrap().write(b"two").unwrap();
        assert_eq!(fs::read_to_string(&path).unwrap(), "two");
        assert_eq!(names(folder.path()), ["page.html"]);
    }

    #[test]
    fn nothing_is_left_when_nothing_is_written() {
        let folder = tempfile::tempdir().unwrap();
        drop(Place::create(&folder.path().join("page.html")).unwrap());
        assert!(names(folder.path()).is_empty());
    }

    #[test]
    fn a_folder_or_a_missing_folder_is_refused_at_once() {
        let folder = tempfile::tempdir().unwrap();
        assert!(Place::create(folder.path()).is_err());
        assert!(Place::create(&folder.path().join("no/page.html")).is_err());
    }

    #[test]
    fn what_was_there_is_kept_as_old() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("x.rec");
        let fill = |text: &'static str| {
            Place::create(&path).unwrap().fill(|out| out.write_all(text.as_bytes())).unwrap()
        };
        assert_eq!(fill("one"), None);
        assert_eq!(fill("two"), Some(folder.path().join("x.rec.old")));
        assert_eq!(fill("three"), Some(folder.path().join("x.rec.old")));
        assert_eq!(fs::read_to_string(&path).unwrap(), "three");
        assert_eq!(fs::read_to_string(folder.path().join("x.rec.old")).unwrap(), "two");
        assert_eq!(names(folder.path()), ["x.rec", "x.rec.old"]);
    }

    #[test]
    fn what_was_written_until_a_failure_is_kept() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("x.rec");
        let failed = Place::create(&path).unwrap().fill(|out| {
            out.write_all(b"a line\n")?;
            out.flush()?;
            Err(io::Error::from(ErrorKind::StorageFull))
        });
        assert_eq!(failed.unwrap_err().kind(), ErrorKind::StorageFull);
        assert_eq!(fs::read_to_string(&path).unwrap(), "a line\n");
        fs::write(&path, "kept").unwrap();
        let failed =
            Place::create(&path).unwrap().fill(|_| Err(io::Error::from(ErrorKind::StorageFull)));
        assert!(failed.is_err());
        assert_eq!(fs::read_to_string(&path).unwrap(), "kept");
    }

    #[test]
    fn a_full_device_is_told() {
        let full = Path::new("/dev/full");
        if !full.exists() {
            println!("skipped: there is no /dev/full");
            return;
        }
        assert!(Place::create(full).unwrap().write(b"x").is_err());
        assert!(Place::create(full).unwrap().fill(|out| out.write_all(b"x")).is_err());
    }
}
