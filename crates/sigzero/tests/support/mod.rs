// SPDX-License-Identifier: MIT
//! What the tests of the command share.
#![allow(dead_code)]

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};
use std::thread::sleep;
use std::time::{Duration, Instant};

use assert_cmd::cargo::cargo_bin;
use serde_json::Value;

/// The command, without anything of our own environment that would sway it.
pub fn sigzero(words: &[&str]) -> Command {
    let mut command = Command::new(cargo_bin("sigzero"));
    command.args(words);
    command = unset(command);
    if let Some(library) = library() {
        command.env("SIGZERO_LIB", library);
    }
    command
}

pub fn unset(mut command: Command) -> Command {
    for name in ["LD_PRELOAD", "TMPDIR", "SIGZERO_MODE", "SIGZERO_OUT", "SIGZERO_FOLLOW"] {
        command.env_remove(name);
    }
    command.env_remove("SIGZERO_QUIET").env_remove("SIGZERO_LIB");
    command
}

pub fn output(words: &[&str]) -> Output {
    sigzero(words).output().unwrap()
}

pub fn stdout(output: &Output) -> String {
    String::from_utf8_lossy(&output.stdout).into_owned()
}

pub fn stderr(output: &Output) -> String {
    String::from_utf8_lossy(&output.stderr).into_owned()
}

/// The runtime as Meson builds it.
pub fn library() -> Option<PathBuf> {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../build/runtime/libsigzero.so");
    path.canonicalize().ok()
}

/// True, after a line that says so, if the runtime is not built.
pub fn skip_without_library() -> bool {
    let missing = library().is_none();
    if missing {
        println!("skipped: build/runtime/libsigzero.so is not built");
    }
    missing
}

/// Compiles a C program into `folder`.
pub fn compile(folder: &Path, name: &str, source: &str, options: &[&str]) -> PathBuf {
    let (input, output) = (folder.join(format!("{name}.c")), folder.join(name));
    std::fs::write(&input, source).unwrap();
    let mut compile = Command::new("gcc");
    let done = compile.arg(&input).args(options).arg("-o").arg(&output).status();
    assert!(done.expect("gcc is needed for this test").success());
    output
}

/// A program that reads its mask `calls` times in a function of that name.
pub fn asks(folder: &Path, calls: u32, options: &[&str]) -> PathBuf {
    let source = format!(
        "#include <signal.h>\n\
         __attribute__((noinline)) void asks_its_mask(void) {{ sigset_t old;\n\
         for (int i = 0; i < {calls}; i++)\n\
         sigprocmask(SIG_SETMASK, 0, &old); }}\n\
         int main(void) {{ asks_its_mask(); return 7; }}\n"
    );
    compile(folder, "asks", &source, options)
}

/// What `sigzero stat` with these words reports.
pub fn stat_json(words: &[&str]) -> Value {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("report.json");
    let start = ["stat", "--json", "-o", file.to_str().unwrap()];
    let result = output(&[&start[..], words].concat());
    let text = fs::read_to_string(&file).unwrap();
    serde_json::from_str(&text).unwrap_or_else(|error| panic!("{error}: {}", stderr(&result)))
}

/// Waits until the process has put its programs into the kernel, and a little longer.
pub fn attached(pid: u32) {
    let end = Instant::now() + Duration::from_secs(30);
    let watches = || {
        let entries = fs::read_dir(format!("/proc/{pid}/fd")).ok()?;
        let links = entries.filter_map(|entry| fs::read_link(entry.ok()?.path()).ok());
        links.map(|link| link.display().to_string()).find(|name| name.contains("bpf_link"))
    };
    while watches().is_none() {
        assert!(Instant::now() < end, "{pid} put nothing into the kernel");
        sleep(Duration::from_millis(20));
    }
    sleep(Duration::from_millis(400));
}
