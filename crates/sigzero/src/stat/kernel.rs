// SPDX-License-Identifier: MIT
//! Counts from inside the kernel, by eBPF: commands, running processes, the whole machine.

use sigzero_bpf::{Error, Options, Trace, names};
use sigzero_launch::Image;
use sigzero_model::report::{Price, Run, Source};

use super::{Finished, ending, words};
use crate::number::grouped;
use crate::{cli, command, target};

/// Runs the command and counts; the inner error says why it cannot be traced, and was not started.
pub fn count(args: &cli::Counted, notes: Vec<String>) -> anyhow::Result<Result<Finished, String>> {
    let image = Image::new(&args.command, &[])?;
    let spec = command::spec(&args.command);
    let trace = match sigzero_bpf::run(&spec, &options(args)) {
        Ok(trace) => trace,
        Err(error) if error.is_unavailable() => return Ok(Err(error.to_string())),
        Err(Error::Count(sigzero_count::Error::Spawn(error))) => {
            return Err(image.explain(error.source).into());
        }
        Err(error) => return Err(error.into()),
    };
    let status = trace.status.expect("a command ends with a status");
    let processes = names::processes(&trace);
    let run = Run { command: words(args), ending: ending(status), ..run(&trace, notes) };
    Ok(Ok(Finished { status: Some(status), run, processes }))
}

/// Until Ctrl-C, the time that was given, or the end of all the processes.
pub fn watch(args: &cli::Counted) -> anyhow::Result<Finished> {
    if matches!(args.source, cli::Source::Runtime | cli::Source::Ptrace) {
        anyhow::bail!("what runs already can be counted by --source bpf only: leave out --source");
    }
    let enough = target::enough(&args.pid, args.duration);
    let trace = sigzero_bpf::watch(&target::running(&args.pid), &options(args), enough)?;
    let processes = names::processes(&trace);
    let notes = target::note(&args.pid).into_iter().collect();
    let run = Run { target: Some(target::named(&args.pid)), ..run(&trace, notes) };
    Ok(Finished { status: None, run, processes })
}

fn options(args: &cli::Counted) -> Options {
    Options { stacks: !args.no_stacks, ..Options::default() }
}

fn run(trace: &Trace, mut notes: Vec<String>) -> Run {
    let price = &trace.price;
    if price.foreign > 0 {
        notes.push(format!(
            "{} system calls of 32-bit programs were not counted",
            grouped(price.foreign)
        ));
    }
    if price.missed > 0 {
        notes.push(format!(
            "up to {} calls were lost: the kernel does not run the programs while its processor is in another eBPF \
             user's map operation (of these calls or of other processes', it does not say); next: \
             SIGZERO_ATTACH=tp_btf, which misses none",
            grouped(price.missed)
        ));
    }
    if !trace.unplaced.is_empty() {
        let calls = trace.unplaced.values().sum();
        notes.push(format!(
            "{} calls are counted as [others]: there was no room for their process and stack",
            grouped(calls)
        ));
    }
    if price.records_lost > 0 {
        notes.push(format!(
            "the kernel dropped {} records of mappings: some stacks may have no names",
            grouped(price.records_lost)
        ));
    }
    if trace.unreadable > 0 && trace.stacks {
        notes.push(format!(
            "the mappings of {} may not be read, as of other users' or guarded ones, so their stacks have no \
             names: grant CAP_SYS_PTRACE too, if it is missing",
            match trace.unreadable {
                1 => "1 process".to_string(),
                many => format!("{many} processes"),
            }
        ));
    }
    if trace.status.is_some() && trace.left > 0 {
        notes.push(format!(
            "{} of its processes still run: they were counted until now",
            grouped(trace.left.into())
        ));
    }
    Run {
        source: Source::Bpf,
        attached: Some(trace.attach.name().into()),
        notes,
        wall_seconds: trace.wall.as_secs_f64(),
        followed: true,
        incomplete: price.foreign > 0
            || price.missed > 0
            || (trace.status.is_some() && trace.left > 0),
        price: Some(Price {
            in_kernel_seconds: price.in_kernel.map(|time| time.as_secs_f64()),
            own_seconds: price.own.as_secs_f64(),
        }),
        ..Run::default()
    }
}
