// SPDX-License-Identifier: MIT
//! Looks at the signals of a running process, treated or not, from outside and without stopping
//! it: what each thread blocks, since when and by whom, which signals wait, and what is wrong.

mod calls;
mod error;
pub mod findings;
mod guards;
mod image;
mod look;
mod memory;
mod process;
pub mod report;
mod runtime;
mod signals;
mod status;

use std::collections::{BTreeMap, BTreeSet};
use std::io;
use std::thread::sleep;
use std::time::{Duration, Instant};

pub use sigzero_model::Caller;
use sigzero_watch::maps::Maps;
use sigzero_watch::symbols::Symbols;

pub use error::Error;
pub use findings::Finding;
use look::{Look, Subject, Thread, Treatment};
pub use process::SignalFile;
pub use report::Report;
use report::{Action, Pending, Unchanged};
pub use signals::{Set, Signal, sentence};

/// How often a process is looked at while it is watched.
const LOOKS: u32 = 5;

/// How often more, at uneven distances, where chance must be ruled out.
const MORE_LOOKS: u32 = 20;
const STEP: Duration = Duration::from_micros(300);

/// Watches the process that `pid` is or belongs to for that long.
pub fn examine(pid: i32, watch: Duration) -> Result<Report, Error> {
    let process = process::process_of(pid)?;
    let (mut subject, mut start) = (Subject::new(process)?, Instant::now());
    let mut looks = self::looks(&subject, watch)?;
    // What was found by the old addresses means nothing in another program.
    if subject.is_another_now() {
        (subject, start) = (Subject::new(process)?, Instant::now());
        looks = self::looks(&subject, watch)?;
    }
    let watched = if looks.len() > 1 { start.elapsed() } else { Duration::ZERO };
    let mut report = report(&subject, &looks, watched);
    if process != pid {
        report.notes.insert(0, format!("{pid} is a thread of process {process}"));
    }
    Ok(report)
}

fn looks(subject: &Subject, watch: Duration) -> Result<Vec<Look>, Error> {
    let mut looks = vec![subject.look()?];
    if watch.is_zero() {
        return Ok(looks);
    }
    for _ in 1..LOOKS {
        sleep(watch / (LOOKS - 1));
        looks.push(subject.look()?);
    }
    // In a process that moves on, what was seen may each time have been another signal.
    if moves_on(&looks) && !findings::of(&looks, &[], &subject.treatment).is_empty() {
        for number in 0..MORE_LOOKS {
            sleep(STEP * (1 + number * 7 % 10));
            looks.push(subject.look()?);
        }
    }
    Ok(looks)
}

fn moves_on(looks: &[Look]) -> bool {
    let last = looks.last().expect("there is at least one look");
    last.threads.keys().any(|number| unchanged(*number, looks) != Unchanged::All)
}

fn report(subject: &Subject, looks: &[Look], watched: Duration) -> Report {
    let last = looks.last().expect("there is at least one look");
    let files = process::signal_files(subject.pid);
    let callers = Callers::new(&subject.maps);
    let threads = last.threads.iter().filter(|(_, thread)| !thread.status.ended());
    Report {
        format: "sigzero-doctor-1",
        pid: subject.pid,
        command: process::command(subject.pid, subject.alive, &last.status.name),
        treatment: treatment(subject, last),
        watched_seconds: watched.as_secs_f64(),
        looks: looks.len(),
        stopped: last.stopped(),
        tracer: last.threads.values().map(|thread| thread.status.tracer).find(|pid| *pid != 0),
        ignored: last.status.ignored,
        caught: last.caught(),
        threads: threads.map(|(number, _)| of_thread(*number, subject, looks, &callers)).collect(),
        pending: pending(looks, files.as_deref().unwrap_or_default()),
        findings: findings::of(looks, files.as_deref().unwrap_or_default(), &subject.treatment),
        signal_files: files,
        notes: notes(subject, last),
    }
}

fn treatment(subject: &Subject, look: &Look) -> report::Treatment {
    match &subject.treatment {
        Treatment::Untreated => report::Treatment::Untreated,
        Treatment::Kernel => report::Treatment::Kernel,
        Treatment::Unknown(error) => report::Treatment::Unknown { reason: reason(error) },
        Treatment::Treated(runtime) => {
            let doing = look.doing.clone().unwrap_or_default();
            report::Treatment::Treated {
                library: runtime.library.clone(),
                mode: doing.mode,
                refused: doing.refused,
                stepped_aside: doing.stepped_aside,
            }
        }
    }
}

fn reason(error: &io::Error) -> String {
    match error.kind() {
        io::ErrorKind::PermissionDenied => "its memory is not yours to read".into(),
        _ => format!("its memory cannot be read: {error}"),
    }
}

/// Names for return addresses in the process.
struct Callers {
    maps: Maps,
    symbols: Symbols,
}

impl Callers {
    fn new(maps: &str) -> Self {
        Self { maps: Maps::parse(maps), symbols: Symbols::new() }
    }

    fn name(&self, address: u64) -> Caller {
        sigzero_watch::caller(address, &self.maps, &self.symbols)
    }
}

fn of_thread(number: i32, subject: &Subject, looks: &[Look], callers: &Callers) -> report::Thread {
    let look = looks.last().expect("there is at least one look");
    let thread = &look.threads[&number];
    let kept = thread.kept.as_ref();
    let unknown = matches!(subject.treatment, Treatment::Unknown(_)) || thread.unreadable;
    let if_known = |set| (!unknown).then_some(set);
    let held = if thread.holds_back(look) { kept.and_then(|kept| kept.held_since) } else { None };
    let held = held.and_then(|since| look.at.checked_sub(since));
    report::Thread {
        tid: number,
        name: thread.status.name.clone(),
        state: status::state(thread.status.state),
        call: thread.call.map(calls::Call::name),
        kernel_function: process::kernel_function(subject.pid, number),
        blocked_by_program: if_known(thread.by_program()),
        blocked_by_kernel: thread.status.blocked,
        temporary: thread.swapped(),
        blocked_lazily: if_known(thread.lazily()),
        section: kept.and_then(|kept| kept.section).map(|section| section.word.depth()),
        section_registered: kept.and_then(|kept| kept.registered).map(|word| word.depth()),
        unchanged: unchanged(number, looks),
        changes: kept.and_then(|kept| kept.changes),
        changed_by: kept.and_then(|kept| kept.changed_by).map(|address| callers.name(address)),
        held_seconds: held.map(|ns| ns as f64 / 1e9),
        pending: thread.status.pending,
    }
}

fn unchanged(number: i32, looks: &[Look]) -> Unchanged {
    let seen: Vec<&Thread> = looks.iter().filter_map(|look| look.threads.get(&number)).collect();
    if seen.len() < looks.len() || looks.len() < 2 {
        return Unchanged::Unknown;
    }
    let pairs = || seen.windows(2).map(|pair| (pair[0], pair[1]));
    let counted = |thread: &Thread| thread.kept.as_ref().and_then(|kept| kept.changes);
    if pairs().any(|(a, b)| a.by_program() != b.by_program() || counted(a) != counted(b)) {
        return Unchanged::Changed;
    }
    let certain = |a: &Thread, b: &Thread| b.slept_since(a) || counted(b).is_some();
    if pairs().all(|(a, b)| certain(a, b)) { Unchanged::All } else { Unchanged::SameAtLooks }
}

fn pending(looks: &[Look], files: &[SignalFile]) -> Vec<Pending> {
    let last = looks.last().expect("there is at least one look");
    let shared = last.status.shared_pending.iter().map(|signal| (None, signal));
    let own = last.threads.iter().flat_map(|(number, thread)| {
        thread.status.pending.iter().map(move |signal| (Some(*number), signal))
    });
    shared.chain(own).map(|(thread, signal)| one_pending(thread, signal, looks, files)).collect()
}

fn one_pending(
    thread: Option<i32>,
    signal: Signal,
    looks: &[Look],
    files: &[SignalFile],
) -> Pending {
    let last = looks.last().expect("there is at least one look");
    let concerned: BTreeMap<_, _> = last
        .threads
        .iter()
        .filter(|(number, state)| {
            !state.status.ended() && thread.is_none_or(|thread| thread == **number)
        })
        .collect();
    let is_there = |look: &Look| match thread {
        None => look.status.shared_pending.has(signal),
        Some(thread) => look.threads.get(&thread).is_some_and(|t| t.status.pending.has(signal)),
    };
    let numbers = |closed: bool| {
        let some = concerned.iter().filter(|(_, state)| state.closed().has(signal) == closed);
        some.map(|(number, _)| **number).collect()
    };
    Pending {
        signal,
        thread,
        action: action(last, signal),
        all_the_time: looks.iter().all(is_there),
        blocked_by: numbers(true),
        takers: numbers(false),
        readers: files.iter().filter(|f| f.signals.has(signal)).map(|f| f.descriptor).collect(),
    }
}

fn action(look: &Look, signal: Signal) -> Action {
    match (look.caught().has(signal), look.status.ignored.has(signal)) {
        (true, _) => Action::Caught,
        (_, true) => Action::Ignored,
        _ => Action::Default,
    }
}

fn notes(subject: &Subject, look: &Look) -> Vec<String> {
    let mut notes = Vec::new();
    match &subject.treatment {
        Treatment::Untreated => notes.push(
            "who changed a mask, and when, is recorded only in a process that runs under `sigzero run`"
                .into(),
        ),
        Treatment::Unknown(error) => notes.push(format!(
            "{}: whether libsigzero is in it, what is blocked lazily, sections and callers are \
             unknown: run sigzero as the user of the process (where kernel.yama.ptrace_scope is 0), \
             or as root",
            reason(error)
        )),
        Treatment::Treated(_) | Treatment::Kernel => {}
    }
    if look.threads.values().any(|thread| thread.unreadable) {
        notes.push(
            "some threads could not be read: what they block lazily and their sections are unknown"
                .into(),
        );
    }
    notes.extend(temporary(look));
    notes
}

fn temporary(look: &Look) -> Option<String> {
    let threads = look.threads.values().filter(|thread| thread.swapped());
    let calls: BTreeSet<_> =
        threads.filter_map(|thread| thread.call).map(calls::Call::name).collect();
    let calls: Vec<_> = calls.into_iter().collect();
    (!calls.is_empty()).then(|| {
        let calls = calls.join(", ");
        format!("what the kernel blocks during {calls} may be for that wait only")
    })
}

#[cfg(test)]
mod tests;
