// SPDX-License-Identifier: MIT
use super::*;
use crate::signals::{Set, Signal};
use crate::status::Status;

const TERM: Signal = Signal(15);

fn look(at: u64, blocked: Set, switches: u64) -> Look {
    let status = Status { state: 'S', blocked, switches, ..Status::default() };
    let threads = BTreeMap::from([(7, Thread { status, ..Thread::default() })]);
    let status = Status { shared_pending: Set::one(TERM), ..Status::default() };
    Look { at, status, doing: None, threads }
}

#[test]
fn a_mask_is_certainly_unchanged_only_if_the_thread_did_not_run() {
    let blocked = Set::one(TERM);
    let cases = [
        (vec![look(0, blocked, 5), look(1, blocked, 5)], Unchanged::All),
        (vec![look(0, blocked, 5), look(1, blocked, 6)], Unchanged::SameAtLooks),
        (vec![look(0, blocked, 5), look(1, Set::EMPTY, 6)], Unchanged::Changed),
        (vec![look(0, blocked, 5)], Unchanged::Unknown),
    ];
    for (looks, expected) in cases {
        assert_eq!(unchanged(7, &looks), expected);
    }
    assert_eq!(unchanged(8, &[look(0, blocked, 5), look(1, blocked, 5)]), Unchanged::Unknown);
}

#[test]
fn it_is_told_who_can_take_a_signal() {
    let file = SignalFile { descriptor: 4, signals: Set::one(TERM) };
    let closed = pending(&[look(0, Set::one(TERM), 1)], std::slice::from_ref(&file));
    assert_eq!((&closed[0].blocked_by, &closed[0].takers), (&vec![7], &vec![]));
    assert_eq!((closed[0].readers.as_slice(), closed[0].thread), (&[4][..], None));
    let open = pending(&[look(0, Set::EMPTY, 1)], &[]);
    assert_eq!((&open[0].blocked_by, &open[0].takers), (&vec![], &vec![7]));
}

#[test]
fn we_can_examine_ourselves() {
    let report = examine(std::process::id() as i32, Duration::from_millis(20)).unwrap();
    assert!(report.threads.len() >= 2 && report.looks == 5);
    assert!(matches!(report.treatment, report::Treatment::Untreated));
}
