// SPDX-License-Identifier: MIT
//! `sigzero check`: what of a program can be treated, and why not.

use std::ffi::OsStr;
use std::fmt::Write;
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use anstyle::Style;
use anyhow::bail;
use serde::Serialize;
use sigzero_launch::error::visible;
use sigzero_launch::inspect::{Family, Imported, Library, Linking, libraries};
use sigzero_launch::{Inspection, Obstacle, System, inspect, lookup};

use crate::{cli, output};

#[derive(Serialize)]
struct Verdict<'a> {
    format: &'static str,
    treatable: bool,
    /// The obstacles in words, in the order of `obstacles`.
    reasons: Vec<String>,
    advice: Vec<&'static str>,
    #[serde(flatten)]
    inspection: &'a Inspection,
    libraries: &'a [Library],
}

pub fn main(args: &cli::Check) -> anyhow::Result<ExitCode> {
    let path = find(&args.file)?;
    let mut inspection = inspect(&path, &System::present());
    if inspection.treatable() && !lookup::may_execute(&path) {
        inspection.obstacles.push(Obstacle::NotExecutable);
    }
    let libraries = match &inspection.program {
        Some(program) if inspection.treatable() => libraries(&program.path),
        _ => Vec::new(),
    };
    output::to_stdout(&if args.json {
        json(&inspection, &libraries)?
    } else {
        text(&inspection, &libraries)
    })?;
    Ok(ExitCode::from(u8::from(!inspection.treatable())))
}

/// A path, else a command, else a file in the current folder.
fn find(name: &OsStr) -> anyhow::Result<PathBuf> {
    let is_path = name.as_bytes().contains(&b'/');
    if let (false, Ok(found)) = (is_path, lookup::find(name)) {
        return Ok(found);
    }
    let path = PathBuf::from(name);
    if !path.exists() {
        bail!("{}: no such file or command: check the spelling and PATH", path.display());
    }
    Ok(path)
}

fn json(inspection: &Inspection, libraries: &[Library]) -> anyhow::Result<String> {
    let verdict = Verdict {
        format: "sigzero-check-1",
        treatable: inspection.treatable(),
        reasons: inspection.obstacles.iter().map(ToString::to_string).collect(),
        advice: inspection.obstacles.iter().map(|obstacle| obstacle.advice()).collect(),
        inspection,
        libraries,
    };
    Ok(serde_json::to_string_pretty(&verdict)? + "\n")
}

fn text(inspection: &Inspection, libraries: &[Library]) -> String {
    let bold = Style::new().bold();
    let verdict = if inspection.treatable() { "can be treated" } else { "cannot be treated" };
    let mut text = format!("{bold}{}: {verdict}{bold:#}\n", inspection.path.display());
    for obstacle in &inspection.obstacles {
        line(&mut text, "because", &format!("{obstacle}"));
        line(&mut text, "", obstacle.advice());
    }
    for interpreter in &inspection.interpreters {
        line(&mut text, "run by", &visible(interpreter));
    }
    if let Some(program) = &inspection.program {
        let linker = program.interpreter.as_deref().map(Path::display);
        let linking = match (program.linking, linker) {
            (Linking::Dynamic, Some(linker)) => format!("dynamic, loaded by {linker}"),
            (Linking::Library, _) => "a shared library".into(),
            _ => "static".into(),
        };
        let bits = program.bits.count();
        line(&mut text, "program", &format!("{}, {bits} bits, {linking}", program.machine));
        families(&mut text, &program.imported);
    }
    libraries.iter().for_each(|library| of_library(&mut text, library));
    inspection.notes.iter().for_each(|note| line(&mut text, "note", note));
    text
}

fn families(text: &mut String, imported: &Imported) {
    for (family, names) in imported.families() {
        if !names.is_empty() {
            line(text, label(family), &names.join(", "));
        }
    }
}

fn label(family: Family) -> &'static str {
    match family {
        Family::Mask => "mask",
        Family::Disposition => "disposition",
        Family::Jump => "jump",
        Family::Context => "context",
        Family::Inside => "inside libc",
    }
}

fn of_library(text: &mut String, library: &Library) {
    let name = library.path.file_name().unwrap_or_default().to_string_lossy();
    let names: Vec<_> = library.imported.families().iter().flat_map(|(_, names)| *names).collect();
    let names: Vec<_> = names.iter().map(|name| name.as_str()).collect();
    if !names.is_empty() {
        line(text, "library", &format!("{name}: {}", names.join(", ")));
    }
    if library.own_calls.any() {
        let calls = library.own_calls;
        line(text, "mind", &format!("{name}: {calls}: try `sigzero run --mode check` first"));
    }
}

fn line(text: &mut String, label: &str, value: &str) {
    let _ = writeln!(text, "  {label:<12} {value}");
}
