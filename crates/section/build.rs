// SPDX-License-Identifier: MIT
//! Finds libsigzero: SIGZERO_LIB_DIR if set, else the build tree that this crate lies in, else
//! what pkg-config says, else where the linker looks by itself.

use std::env;
use std::fs;
use std::os::unix::fs::symlink;
use std::path::{Path, PathBuf};
use std::process::Command;

const FOLDER: &str = "SIGZERO_LIB_DIR";

/// As the dynamic linker and the static linker know the shared library.
const NAMES: [&str; 2] = ["libsigzero.so.1", "libsigzero.so"];

fn main() {
    println!("cargo:rustc-check-cfg=cfg(sigzero_found)");
    println!("cargo:rerun-if-env-changed={FOLDER}");
    println!("cargo:rerun-if-env-changed=PKG_CONFIG_PATH");
    let statically = env::var_os("CARGO_FEATURE_STATIC").is_some();
    if let Some(folder) = env::var_os(FOLDER).filter(|folder| !folder.is_empty()) {
        search(Path::new(&folder));
    } else if let Some(folder) = build_tree() {
        println!("cargo:rerun-if-changed={}", folder.display());
        if !folder.join("libsigzero.so").exists() {
            // Nothing can be linked, but everything be checked.
            return;
        }
        if statically { search(&folder) } else { search(&within_reach(&folder)) }
    } else {
        pkg_config(statically).iter().for_each(|folder| search(Path::new(folder)));
    }
    println!("cargo:rustc-cfg=sigzero_found");
    println!("cargo:rustc-link-lib={}=sigzero", if statically { "static" } else { "dylib" });
}

fn search(folder: &Path) {
    println!("cargo:rustc-link-search=native={}", folder.display());
}

/// Where Meson builds the runtime, if this crate still lies beside its sources.
fn build_tree() -> Option<PathBuf> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    root.join("runtime/libsigzero.map").exists().then(|| root.join("build/runtime"))
}

/// Tests find their libraries at run time only in folders below Cargo's own.
fn within_reach(folder: &Path) -> PathBuf {
    let own = PathBuf::from(env::var_os("OUT_DIR").expect("Cargo sets it"));
    for name in NAMES {
        let link = own.join(name);
        let _ = fs::remove_file(&link);
        symlink(folder.join("libsigzero.so"), link).expect("OUT_DIR can be written");
    }
    own
}

/// The folders that pkg-config names; none if it does not know sigzero.
fn pkg_config(statically: bool) -> Vec<String> {
    let name = env::var_os("PKG_CONFIG").unwrap_or_else(|| "pkg-config".into());
    let mut command = Command::new(name);
    command.arg("--libs-only-L");
    if statically {
        command.arg("--static");
    }
    let said = command.arg("sigzero").output().ok().filter(|output| output.status.success());
    let said = said.map(|output| String::from_utf8_lossy(&output.stdout).into_owned());
    let words = said.as_deref().unwrap_or_default().split_whitespace();
    words.filter_map(|word| word.strip_prefix("-L")).map(String::from).collect()
}
