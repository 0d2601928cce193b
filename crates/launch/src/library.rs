// SPDX-License-Identifier: MIT
//! Where libsigzero.so lies.

use std::env;
use std::path::{Path, PathBuf};

use crate::Error;

const NAME: &str = "libsigzero.so";

/// SIGZERO_LIB if set, else beside the installed binary, else in the build tree.
pub fn find() -> Result<PathBuf, Error> {
    let candidates = match env::var_os("SIGZERO_LIB").filter(|path| !path.is_empty()) {
        Some(path) => vec![PathBuf::from(path)],
        None => env::current_exe().map(|exe| around(&exe)).unwrap_or_default(),
    };
    first_of(&candidates)
}

fn first_of(candidates: &[PathBuf]) -> Result<PathBuf, Error> {
    let found = candidates.iter().find_map(|path| path.canonicalize().ok());
    let path = found.filter(|path| path.is_file()).ok_or_else(|| missing(candidates))?;
    // The dynamic linker splits LD_PRELOAD at both and knows no quoting.
    if path.to_string_lossy().contains([' ', ':']) {
        return Err(Error::LibraryPath { path });
    }
    Ok(path)
}

fn missing(candidates: &[PathBuf]) -> Error {
    let tried: Vec<_> = candidates.iter().map(|path| path.display().to_string()).collect();
    Error::LibraryMissing { tried: tried.join(", ") }
}

fn around(exe: &Path) -> Vec<PathBuf> {
    let Some(folder) = exe.parent() else { return Vec::new() };
    let mut candidates = vec![folder.join("../lib/sigzero").join(NAME)];
    // target/release/sigzero, and target/debug/deps/… for test binaries.
    let profile = if folder.ends_with("deps") { folder.join("..") } else { folder.into() };
    let in_target = folder.ancestors().any(|ancestor| ancestor.ends_with("target"));
    if in_target {
        candidates.push(profile.join("../../build/runtime").join(NAME));
    }
    candidates
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::fs;

    #[test]
    fn looks_beside_an_installed_binary_and_in_the_build_tree() {
        let installed = around(Path::new("/opt/x/bin/sigzero"));
        assert_eq!(installed, [PathBuf::from("/opt/x/bin/../lib/sigzero/libsigzero.so")]);
        let built = around(Path::new("/src/target/release/sigzero"));
        assert!(
            built.contains(&PathBuf::from("/src/target/release/../../build/runtime/libsigzero.so"))
        );
    }

    #[test]
    fn refuses_a_path_that_cannot_be_preloaded() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("a b.so");
        fs::write(&path, "").unwrap();
        assert!(matches!(first_of(&[path]), Err(Error::LibraryPath { .. })));
        assert!(matches!(
            first_of(&[folder.path().join("none.so")]),
            Err(Error::LibraryMissing { .. })
        ));
    }
}
