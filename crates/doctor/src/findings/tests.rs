// SPDX-License-Identifier: MIT
use std::collections::BTreeMap;

use super::*;
use crate::runtime::{Kept, Section, Word};
use crate::status::Status;

const TERM: Signal = Signal(15);
const USR1: Signal = Signal(10);

/// A thread that the runtime knows everything about, asleep in `read`.
fn thread(mask: Set, kernel: Set, word: u32, copy: i32) -> Thread {
    let section = Some(Section { word: Word(word), copy: copy as u32 });
    let kept = Kept { mask: Some(mask), kernel: Some(kernel), section, ..Kept::default() };
    let status = Status { state: 'S', blocked: kernel, ..Status::default() };
    Thread { status, call: Some(Call(libc::SYS_read)), kept: Some(kept), unreadable: false }
}

fn look(shared: Set, threads: impl IntoIterator<Item = Thread>) -> Look {
    let threads: BTreeMap<_, _> = (1..).zip(threads).collect();
    let status = Status { state: 'S', shared_pending: shared, ..Status::default() };
    Look { at: 0, status, doing: None, threads }
}

fn found(look: &Look) -> Vec<Finding> {
    let mut found = of_process(look, &[]);
    for (number, thread) in &look.threads {
        found.extend(pending(*number, thread));
        found.extend(section(*number, thread, look));
        found.extend(masks(*number, thread));
    }
    found
}

fn kinds(look: &Look) -> Vec<Kind> {
    found(look).into_iter().map(|finding| finding.kind).collect()
}

fn open() -> Thread {
    thread(Set::EMPTY, Set::EMPTY, 0, 0)
}

#[test]
fn nothing_is_found_where_nothing_is_wrong() {
    let term = Set::one(TERM);
    assert_eq!(kinds(&look(Set::EMPTY, [open(), thread(term, Set::EMPTY, 0, 0)])), []);
    assert_eq!(kinds(&look(Set::EMPTY, [thread(term, term, 0x20, -0x20)])), []);
    // libc's own signals do not count.
    assert_eq!(kinds(&look(Set::EMPTY, [thread(term, term | Set::LIBC, 0, 0)])), []);
    // One thread has it open, so it is only passing.
    assert_eq!(kinds(&look(term, [open(), thread(term, term, 0, 0)])), []);
}

#[test]
fn a_signal_that_everyone_blocks() {
    let term = Set::one(TERM);
    let lazily = thread(term, Set::EMPTY, 0, 0);
    let really = thread(term, term, 0, 0);
    let look = look(term, [lazily, really]);
    assert_eq!(kinds(&look), [Kind::EveryoneBlocks]);
    let text = found(&look).remove(0).text;
    assert_eq!(text, "SIGTERM is pending for the process, and both threads block it");
}

#[test]
fn a_signal_of_a_thread_that_blocks_it() {
    let mut thread = thread(Set::one(USR1), Set::one(USR1), 0, 0);
    thread.status.pending = Set::one(USR1);
    let look = look(Set::EMPTY, [thread, open()]);
    assert_eq!(kinds(&look), [Kind::ThreadBlocks]);
    assert_eq!(found(&look)[0].thread, Some(1));
}

#[test]
fn a_signal_that_finds_only_the_uninterruptible() {
    let mut thread = open();
    thread.status.state = 'D';
    assert_eq!(kinds(&look(Set::one(TERM), [thread.clone()])), [Kind::NotDelivered]);
    thread.status.pending = Set::one(USR1);
    assert_eq!(kinds(&look(Set::EMPTY, [thread])), [Kind::NotDelivered]);
}

#[test]
fn a_section_that_is_not_left() {
    let mut held = thread(Set::EMPTY, Set::all(), 0x11, -0x10);
    held.kept.as_mut().unwrap().held_since = Some(1_000_000_000);
    let mut look = look(Set::one(TERM), [held]);
    look.at = 4_500_000_000;
    assert_eq!(kinds(&look), [Kind::SectionNotLeft]);
    let text = found(&look).remove(0).text;
    assert_eq!(
        text,
        "thread 1 is in a critical section (depth 1) and does not leave it, while SIGTERM has waited for 3.5 s for its end"
    );
}

#[test]
fn words_that_cannot_be() {
    assert_eq!(
        kinds(&look(Set::EMPTY, [thread(Set::EMPTY, Set::EMPTY, 0xffff_fff0, 0x10)])),
        [Kind::BelowZero]
    );
    let corrupted = thread(Set::EMPTY, Set::EMPTY, 0x4141_4140, 0);
    assert_eq!(kinds(&look(Set::EMPTY, [corrupted])), [Kind::WordCorrupted]);
    // Between two instructions they differ by one step, but never during a call.
    let mut between = thread(Set::EMPTY, Set::EMPTY, 0x10, 0);
    assert_eq!(kinds(&look(Set::EMPTY, [between.clone()])), [Kind::WordCorrupted]);
    between.call = None;
    assert_eq!(kinds(&look(Set::EMPTY, [between])), []);
}

#[test]
fn masks_that_do_not_belong_together() {
    let term = Set::one(TERM);
    assert_eq!(kinds(&look(Set::EMPTY, [thread(Set::EMPTY, term, 0, 0)])), [Kind::BlockedUnasked]);
    let mut wrong = thread(term, term, 0, 0);
    wrong.status.blocked = Set::EMPTY;
    assert_eq!(kinds(&look(Set::EMPTY, [wrong.clone()])), [Kind::CopyWrong]);
    wrong.call = Some(Call(libc::SYS_ppoll));
    assert_eq!(kinds(&look(Set::EMPTY, [wrong])), []);
}

#[test]
fn what_passes_is_no_finding() {
    let term = Set::one(TERM);
    let blocked = || look(term, [thread(term, term, 0, 0)]);
    let free = look(Set::EMPTY, [thread(term, term, 0, 0)]);
    let of = |looks: &[Look]| of(looks, &[], &Treatment::Untreated).len();
    assert_eq!(of(&[blocked(), blocked()]), 1);
    assert_eq!((of(&[free, blocked()]), of(&[])), (0, 0));
}
