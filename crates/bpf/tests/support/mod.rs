// SPDX-License-Identifier: MIT
//! What the tests of the tracer share.
#![allow(dead_code)]

use std::path::{Path, PathBuf};
use std::process::Command;

use sigzero_bpf::{Error, Options, Trace, names, run};
use sigzero_count::Spec;
use sigzero_model::{Process, Site};

/// `None`, after a line that says so, where eBPF is not permitted.
pub fn traced(spec: &Spec) -> Option<Trace> {
    with(spec, &Options::default())
}

pub fn with(spec: &Spec, options: &Options) -> Option<Trace> {
    match run(spec, options) {
        Err(error @ Error::Refused(_)) => panic!("{error}"),
        Err(error) if error.is_unavailable() => {
            println!("skipped: {error}");
            None
        }
        trace => Some(trace.unwrap()),
    }
}

pub fn permitted() -> bool {
    sigzero_bpf::permit::check().inspect_err(|error| println!("skipped: {error}")).is_ok()
}

/// Whether the program is there; a line says if not.
pub fn installed(program: &str) -> bool {
    let there = in_path(program);
    if !there {
        println!("skipped: {program} is not installed");
    }
    there
}

fn in_path(program: &str) -> bool {
    let paths = std::env::var_os("PATH").unwrap_or_default();
    std::env::split_paths(&paths).any(|folder| folder.join(program).is_file())
}

pub fn compile(folder: &Path, name: &str, flags: &[&str]) -> PathBuf {
    let source = Path::new(env!("CARGO_MANIFEST_DIR")).join(format!("tests/programs/{name}.c"));
    let path = folder.join(name);
    let status =
        Command::new("cc").args(["-O1", "-g", "-o"]).arg(&path).arg(source).args(flags).status();
    assert!(status.unwrap().success(), "cc {name}.c");
    path
}

pub fn build(compiler: &str, words: &[&str], folder: &Path) {
    let mut command = Command::new(compiler);
    command.args(words).current_dir(folder).env("GOCACHE", folder).env("GO111MODULE", "off");
    assert!(command.status().unwrap().success(), "{compiler} {words:?}");
}

pub fn sites(trace: &Trace) -> Vec<Site> {
    processes(trace).into_iter().flat_map(|process| process.sites).collect()
}

pub fn processes(trace: &Trace) -> Vec<Process> {
    names::processes(trace)
}

/// Innermost first.
pub fn functions(site: &Site) -> Vec<String> {
    site.stack.iter().map(|frame| frame.symbol.clone().unwrap_or_else(|| "?".into())).collect()
}

/// The sites of one system call, most calls first.
pub fn of(sites: &[Site], call: &str) -> Vec<Site> {
    let mut found: Vec<_> = sites.iter().filter(|site| site.function == call).cloned().collect();
    found.sort_by_key(|site| std::cmp::Reverse(site.counts.calls));
    found
}

pub fn calls<'a>(sites: impl IntoIterator<Item = &'a Site>) -> u64 {
    sites.into_iter().map(|site| site.counts.calls).sum()
}
