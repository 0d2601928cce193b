// SPDX-License-Identifier: MIT
//! From the name of a command to the path of its file, as execvp(3) does it.

use std::env;
use std::ffi::{CString, OsStr};
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};

use crate::Error;

/// Where execvp(3) looks when PATH is not set.
const DEFAULT_PATH: &str = "/bin:/usr/bin";

/// Finds `name` in PATH, or takes it as a path if it contains a slash.
pub fn find(name: &OsStr) -> Result<PathBuf, Error> {
    let search = env::var_os("PATH").unwrap_or_else(|| DEFAULT_PATH.into());
    find_in(name, &search)
}

fn find_in(name: &OsStr, search: &OsStr) -> Result<PathBuf, Error> {
    if name.as_bytes().contains(&b'/') {
        return executable(PathBuf::from(name));
    }
    let mut refused = None;
    for folder in env::split_paths(search).filter(|_| !name.is_empty()) {
        // execvp reads an empty element as the current folder.
        let folder = if folder.as_os_str().is_empty() { PathBuf::from(".") } else { folder };
        match executable(folder.join(name)) {
            Ok(path) => return Ok(path),
            Err(error @ Error::Permission { .. }) => refused = refused.or(Some(error)),
            Err(_) => {}
        }
    }
    Err(refused.unwrap_or_else(|| not_found(name)))
}

fn executable(path: PathBuf) -> Result<PathBuf, Error> {
    match path.metadata() {
        Err(error) if error.kind() == std::io::ErrorKind::PermissionDenied => {
            Err(Error::Permission { path })
        }
        Err(_) => Err(not_found(path.as_os_str())),
        Ok(data) if data.is_dir() => Err(Error::Directory { path }),
        Ok(data) if data.is_file() && may_execute(&path) => Ok(path),
        Ok(_) => Err(Error::Permission { path }),
    }
}

/// Whether execve(2) would be permitted.
pub fn may_execute(path: &Path) -> bool {
    let Ok(name) = CString::new(path.as_os_str().as_bytes()) else { return false };
    // SAFETY: `name` is a NUL-terminated string that outlives the call.
    unsafe { libc::faccessat(libc::AT_FDCWD, name.as_ptr(), libc::X_OK, libc::AT_EACCESS) == 0 }
}

fn not_found(name: &OsStr) -> Error {
    Error::NotFound { name: name.to_string_lossy().into_owned() }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::fs::{self, Permissions};
    use std::os::unix::fs::PermissionsExt;

    fn file(path: &Path, mode: u32) {
        fs::write(path, "").unwrap();
        fs::set_permissions(path, Permissions::from_mode(mode)).unwrap();
    }

    #[test]
    fn takes_the_first_that_can_be_executed() {
        let folder = tempfile::tempdir().unwrap();
        let (a, b) = (folder.path().join("a"), folder.path().join("b"));
        fs::create_dir(&a).unwrap();
        fs::create_dir(&b).unwrap();
        file(&a.join("tool"), 0o644);
        file(&b.join("tool"), 0o755);
        let search = env::join_paths([&a, &b]).unwrap();
        assert_eq!(find_in("tool".as_ref(), &search).unwrap(), b.join("tool"));
        let only_a = env::join_paths([&a]).unwrap();
        assert_eq!(find_in("tool".as_ref(), &only_a).unwrap_err().exit_code(), 126);
    }

    #[test]
    fn tells_missing_from_not_executable() {
        let folder = tempfile::tempdir().unwrap();
        let plain = folder.path().join("plain");
        file(&plain, 0o644);
        assert_eq!(find_in(plain.as_os_str(), "".as_ref()).unwrap_err().exit_code(), 126);
        assert_eq!(find_in(folder.path().as_os_str(), "".as_ref()).unwrap_err().exit_code(), 126);
        let missing = folder.path().join("missing");
        assert_eq!(find_in(missing.as_os_str(), "".as_ref()).unwrap_err().exit_code(), 127);
        assert_eq!(
            find_in("missing".as_ref(), folder.path().as_os_str()).unwrap_err().exit_code(),
            127
        );
        assert_eq!(find_in("".as_ref(), folder.path().as_os_str()).unwrap_err().exit_code(), 127);
    }
}
