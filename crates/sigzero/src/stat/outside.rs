// SPDX-License-Identifier: MIT
//! Counts what cannot be preloaded: a tracer sees each signal system call and where in
//! the program it was made, but not what for.

use std::path::Path;
use std::time::Instant;

use sigzero_count::{Counted, Error, count_with_sites};
use sigzero_launch::{Image, Obstacle, supervise};
use sigzero_model::counts::{ActionCounts, MaskCounts};
use sigzero_model::report::{Run, Source};
use sigzero_model::{Caller, Counts, Process, Site};
use sigzero_watch::symbols::Symbols;

use super::{Finished, ending, words};
use crate::{cli, command};

pub fn count(args: &cli::Counted, mut notes: Vec<String>) -> anyhow::Result<Finished> {
    let image = Image::new(&args.command, &[])?;
    let spec = command::spec(&args.command);
    let start = Instant::now();
    match count_with_sites(&spec) {
        Ok(counted) => Ok(traced(args, notes, &counted, start.elapsed().as_secs_f64())),
        Err(Error::Unavailable(why)) => {
            notes.push(format!("its system calls could not be counted either: {why}"));
            uncounted(args, image, notes)
        }
        Err(Error::Spawn(error)) => Err(image.explain(error.source).into()),
        Err(error) => Err(error.into()),
    }
}

fn traced(
    args: &cli::Counted,
    mut notes: Vec<String>,
    counted: &Counted,
    wall_seconds: f64,
) -> Finished {
    let symbols = Symbols::new();
    let images = counted.images.iter().enumerate();
    let processes = images.map(|(order, image)| process(order, image, &symbols)).collect();
    notes.extend(counted.counts.note.clone());
    let run = Run {
        command: words(args),
        source: Source::Ptrace,
        notes,
        ending: ending(counted.status),
        wall_seconds,
        followed: true,
        incomplete: !counted.counts.exact,
        ..Run::default()
    };
    Finished { status: Some(counted.status), run, processes }
}

/// Something that the kernel may know how to start, though we do not.
pub fn only_run(args: &cli::Counted, obstacle: &Obstacle) -> anyhow::Result<Finished> {
    let notes = vec![format!("{}: {obstacle}", args.command[0].to_string_lossy())];
    uncounted(args, Image::new(&args.command, &[])?, notes)
}

/// The program's work matters more than our numbers: it runs all the same.
fn uncounted(args: &cli::Counted, image: Image, notes: Vec<String>) -> anyhow::Result<Finished> {
    let outcome = supervise(image)?;
    let run = Run {
        command: words(args),
        source: Source::Nobody,
        notes,
        ending: ending(outcome.status),
        wall_seconds: outcome.wall.as_secs_f64(),
        user_seconds: Some(outcome.user.as_secs_f64()),
        system_seconds: Some(outcome.system.as_secs_f64()),
        ..Run::default()
    };
    Ok(Finished { status: Some(outcome.status), run, processes: Vec::new() })
}

fn process(order: usize, image: &sigzero_count::Image, symbols: &Symbols) -> Process {
    Process {
        pid: image.pid as u32,
        executable: image.exe.display().to_string(),
        // The tracer knows their order only.
        start_ns: order as u64,
        sites: image.sites.iter().map(|traced| site(traced, symbols)).collect(),
        ..Process::default()
    }
}

fn site(traced: &sigzero_count::Site, symbols: &Symbols) -> Site {
    let calls = traced.calls;
    let mut counts = Counts { calls, ..Counts::default() };
    match traced.call {
        "rt_sigprocmask" => {
            counts.rt_sigprocmask = MaskCounts { total: calls, ..Default::default() }
        }
        "rt_sigaction" => counts.rt_sigaction = ActionCounts { total: calls, ..Default::default() },
        _ => counts.other = calls,
    }
    Site {
        function: traced.call.into(),
        opaque: false,
        caller: caller(traced, symbols),
        stack: Vec::new(),
        stack_whole: false,
        counts,
    }
}

fn caller(traced: &sigzero_count::Site, symbols: &Symbols) -> Caller {
    if traced.module.as_os_str().is_empty() {
        return Caller { module: "[no file]".into(), offset: traced.ip, ..Caller::default() };
    }
    let module: &Path = &traced.module;
    let offset = traced.file_offset;
    let symbol = symbols.find(module, offset.saturating_sub(1));
    Caller {
        module: module.display().to_string(),
        offset,
        symbol_offset: symbol.as_ref().map(|symbol| symbol.offset + 1),
        file: symbol.as_ref().and_then(|symbol| symbol.file.clone()),
        line: symbol.as_ref().and_then(|symbol| symbol.line),
        symbol: symbol.map(|symbol| symbol.name),
    }
}
