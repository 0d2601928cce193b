// SPDX-License-Identifier: MIT
//! What is wrong with the signals of a process. A finding must hold at every look: what is
//! only passing is no finding.

use serde::Serialize;

use crate::calls::Call;
use crate::look::{Look, Thread, Treatment};
use crate::process::SignalFile;
use crate::runtime::{Agreement, Section, Word};
use crate::signals::{Set, Signal, sentence};

#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Finding {
    pub kind: Kind,
    /// `None` if it is about the whole process.
    pub thread: Option<i32>,
    pub signals: Set,
    pub text: String,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Kind {
    /// Pending for the process, and every thread blocks it.
    EveryoneBlocks,
    /// Pending for one thread, which blocks it.
    ThreadBlocks,
    /// Pending and not blocked, but not delivered either.
    NotDelivered,
    /// A critical section that is not left though a signal waits for its end.
    SectionNotLeft,
    /// The section word and its copy differ.
    WordCorrupted,
    /// A section was left more often than it was entered.
    BelowZero,
    /// The kernel blocks what the program has open.
    BlockedUnasked,
    /// The runtime's copy of the kernel's mask is wrong.
    CopyWrong,
}

/// What is found at every look, in the words of the last.
pub fn of(looks: &[Look], files: &[SignalFile], treatment: &Treatment) -> Vec<Finding> {
    let Some((last, earlier)) = looks.split_last() else { return Vec::new() };
    let mut found = at(last, files, treatment);
    for look in earlier {
        let others = at(look, files, treatment);
        found.retain_mut(|finding| {
            let same = |other: &&Finding| {
                other.kind == finding.kind
                    && other.thread == finding.thread
                    && (other.signals & finding.signals).is_empty() == finding.signals.is_empty()
            };
            others.iter().any(|other| same(&other))
        });
    }
    found
}

fn at(look: &Look, files: &[SignalFile], treatment: &Treatment) -> Vec<Finding> {
    let mut found = of_process(look, files);
    for (number, thread) in look.threads.iter().filter(|(_, thread)| !thread.status.ended()) {
        found.extend(pending(*number, thread));
        found.extend(section(*number, thread, look));
        if matches!(treatment, Treatment::Treated(_)) {
            found.extend(masks(*number, thread));
        }
    }
    found
}

/// Who can take a signal that is pending for the process.
pub fn takers(look: &Look, signal: Signal) -> Vec<i32> {
    let open = look.threads.iter().filter(|(_, thread)| !thread.closed().has(signal));
    open.map(|(number, _)| *number).collect()
}

fn of_process(look: &Look, files: &[SignalFile]) -> Vec<Finding> {
    let each = look.status.shared_pending.iter().filter_map(|signal| {
        let takers = takers(look, signal);
        let (kind, text) = match takers.as_slice() {
            // A section that somebody is in is a finding of its own.
            [] if look.threads.values().any(|thread| !thread.blocks(signal)) => return None,
            [] => (Kind::EveryoneBlocks, everyone_blocks(look, signal, files)),
            _ if look.stopped() => return None,
            [first, ..] => {
                let state = asleep(*first, &look.threads[first])?;
                (Kind::NotDelivered, format!("{signal} is pending for the process: {state}"))
            }
        };
        Some(Finding { kind, thread: None, signals: Set::one(signal), text })
    });
    each.collect()
}

fn everyone_blocks(look: &Look, signal: Signal, files: &[SignalFile]) -> String {
    let alive = look.threads.values().filter(|thread| !thread.status.ended()).count();
    let who = match alive {
        1 => "its only thread blocks it".into(),
        2 => "both threads block it".into(),
        count => format!("all {count} threads block it"),
    };
    let readers: Vec<_> = files
        .iter()
        .filter(|file| file.signals.has(signal))
        .map(|file| file.descriptor.to_string())
        .collect();
    let reader = match readers.as_slice() {
        [] => String::new(),
        all => format!("; it can be read from file descriptor {}", all.join(" or ")),
    };
    format!("{signal} is pending for the process, and {who}{reader}")
}

fn pending(number: i32, thread: &Thread) -> Option<Finding> {
    let held = thread.depth() > 0;
    let blocked = if held { Set::EMPTY } else { thread.status.pending & thread.closed() };
    if !blocked.is_empty() {
        let verb = if blocked.0.count_ones() == 1 { "is" } else { "are" };
        let text =
            format!("{} {verb} pending for thread {number}, which blocks it", sentence(blocked));
        let kind = Kind::ThreadBlocks;
        return Some(Finding { kind, thread: Some(number), signals: blocked, text });
    }
    let open = thread.status.pending;
    if open.is_empty() || held || thread.status.stopped() {
        return None;
    }
    let text =
        format!("{} is pending for thread {number}: {}", sentence(open), asleep(number, thread)?);
    Some(Finding { kind: Kind::NotDelivered, thread: Some(number), signals: open, text })
}

/// Why a thread that has a signal open does not take it.
fn asleep(number: i32, thread: &Thread) -> Option<String> {
    let call = thread.call.map(|call| format!(" in {}", call.name())).unwrap_or_default();
    (thread.status.state == 'D')
        .then(|| format!("thread {number} has it open, but sleeps uninterruptibly{call}"))
}

fn section(number: i32, thread: &Thread, look: &Look) -> Vec<Finding> {
    let Some(kept) = &thread.kept else { return Vec::new() };
    let broken = kept.section.and_then(|section| corrupted(number, thread, section));
    let own = kept.section.filter(|_| broken.is_none()).map(|section| section.word);
    let words = [(own, ""), (kept.registered, ", by the word registered with sigfastblock")];
    let words = words.into_iter().filter_map(|(word, name)| Some((word?, name)));
    let of_words = words.filter_map(|(word, name)| not_left(number, thread, look, word, name));
    broken.into_iter().chain(of_words).collect()
}

fn corrupted(number: i32, thread: &Thread, section: Section) -> Option<Finding> {
    let broken = match section.agreement() {
        Agreement::Whole => false,
        // For one instruction, but never during a call.
        Agreement::InTheMiddle => thread.call.is_some(),
        Agreement::Broken => true,
    };
    let Section { word: Word(word), copy } = section;
    let text = format!(
        "the section word of thread {number} was overwritten: it is {word:#x}, and its copy {copy:#x}; the two should add up to 0"
    );
    let (kind, signals) = (Kind::WordCorrupted, Set::EMPTY);
    broken.then_some(Finding { kind, thread: Some(number), signals, text })
}

fn not_left(number: i32, thread: &Thread, look: &Look, word: Word, name: &str) -> Option<Finding> {
    let depth = word.depth();
    let finding = |kind, signals, text| Some(Finding { kind, thread: Some(number), signals, text });
    if depth < 0 {
        let text = format!(
            "thread {number} left critical sections {} more often than it entered them{name}",
            times(depth.unsigned_abs())
        );
        return finding(Kind::BelowZero, Set::EMPTY, text);
    }
    let waiting = waiting(thread, look);
    if depth == 0 || waiting.is_empty() {
        return None;
    }
    let what = sentence(waiting);
    let kept = thread.kept.as_ref()?;
    let held = kept.held_since.and_then(|since| look.at.checked_sub(since));
    let held = held.map_or(String::new(), |ns| format!(" for {}", seconds(ns)));
    let text = format!(
        "thread {number} is in a critical section (depth {depth}{name}) and does not leave it, while {what} has waited{held} for its end"
    );
    finding(Kind::SectionNotLeft, waiting, text)
}

/// What would be delivered to a thread in a section if it were not in one.
fn waiting(thread: &Thread, look: &Look) -> Set {
    let nobody_takes = |signal: &Signal| takers(look, *signal).is_empty();
    let shared = look.status.shared_pending.iter().filter(nobody_takes);
    let shared = shared.fold(Set::EMPTY, |set, signal| set | Set::one(signal));
    (thread.status.pending | shared).without(thread.outside_of_section())
}

/// With as many digits as matter.
fn seconds(nanoseconds: u64) -> String {
    match nanoseconds as f64 / 1e9 {
        value if value < 9.95 => format!("{value:.1} s"),
        value => format!("{value:.0} s"),
    }
}

fn times(count: u32) -> String {
    if count == 1 { "once".into() } else { format!("{count} times") }
}

/// The kernel's mask must be a part of the program's, but for libc's own signals and while a
/// section holds everything, a wait has a mask of its own, or libc starts somebody.
fn masks(number: i32, thread: &Thread) -> Option<Finding> {
    let kept = thread.kept.as_ref()?;
    let mask = kept.mask?;
    let spawning = thread.call.is_some_and(Call::starts_others);
    if thread.swapped() || spawning || thread.depth() != 0 {
        return None;
    }
    let kernel = thread.status.blocked;
    let unasked = kernel.without(mask | Set::LIBC);
    let finding = |kind, signals, text| Some(Finding { kind, thread: Some(number), signals, text });
    if !unasked.is_empty() {
        let text = format!(
            "thread {number} does not block {}, but the kernel does: somebody changed the mask without libc",
            sentence(unasked)
        );
        return finding(Kind::BlockedUnasked, unasked, text);
    }
    let copy = kept.kernel.unwrap_or(mask);
    let wrong = (copy.without(kernel) | kernel.without(copy)).without(Set::LIBC);
    if wrong.is_empty() {
        return None;
    }
    let text = format!(
        "libsigzero is wrong about {} in thread {number}: it remembers another mask than the kernel has; somebody changed it without libc",
        sentence(wrong)
    );
    finding(Kind::CopyWrong, wrong, text)
}

#[cfg(test)]
mod tests;
