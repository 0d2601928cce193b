// SPDX-License-Identifier: MIT

use sigzero_model::counts::MaskCounts;
use sigzero_model::report::Source;
use sigzero_model::{Caller, Counts, Site};

use super::*;

fn frame(symbol: &str, offset: u64) -> Caller {
    Caller {
        module: "/bin/<b>\"x\"".into(),
        offset,
        symbol: Some(symbol.into()),
        ..Caller::default()
    }
}

fn recording() -> Recording {
    let mask = MaskCounts { total: 5, query: 3, block: 2, ..Default::default() };
    let site = |stack: &[u64]| Site {
        function: "rt_sigprocmask".into(),
        opaque: false,
        caller: frame("work", stack[0]),
        stack: stack.iter().map(|offset| frame("work", *offset).into()).collect(),
        stack_whole: true,
        counts: Counts { calls: 5, rt_sigprocmask: mask, other: 1, ..Counts::default() },
    };
    let process = Process {
        pid: 9,
        executable: "/bin/x".into(),
        start_ns: 7,
        sites: vec![site(&[1, 2, 3]), site(&[2, 3])],
        ..Process::default()
    };
    Recording {
        about: About {
            sigzero: "0.1".into(),
            date: "2026-01-01T00:00:00Z".into(),
            ..About::default()
        },
        run: Run { command: vec!["x".into(), "\n".into()], source: Source::Bpf, ..Run::default() },
        cost: Cost { mask_query_ns: 1.5, ..Cost::default() },
        processes: vec![process, Process { pid: 10, ..Process::default() }],
        damage: None,
    }
}

fn bytes(recording: &Recording) -> Vec<u8> {
    let mut bytes = Vec::new();
    write(recording, &mut bytes).unwrap();
    bytes
}

#[test]
fn what_is_written_comes_back() {
    let recording = recording();
    let bytes = bytes(&recording);
    assert_eq!(read(&bytes[..]).unwrap(), recording);
    let text = String::from_utf8(bytes).unwrap();
    assert_eq!(text.lines().count(), 1 + 2 + 3 + 2 + 1);
    assert!(text.lines().nth(5).unwrap().contains(r#""stack":[0,1,2]"#), "{text}");
    assert!(!text.contains("\"failed\""), "zeros are left out: {text}");
}

#[test]
fn nothing_counted_is_a_recording_too() {
    let empty = Recording::default();
    let back = read(&bytes(&empty)[..]).unwrap();
    assert_eq!(back, empty);
    assert_eq!(back.report().total.system_calls, 0);
}

#[test]
fn cut_off_anywhere_it_gives_what_it_has() {
    let whole = recording();
    let bytes = bytes(&whole);
    let header = bytes.iter().position(|byte| *byte == b'\n').unwrap();
    for length in header + 1..bytes.len() - 1 {
        let part = read(&bytes[..length]).unwrap();
        assert_eq!(part.run, whole.run, "{length}");
        let damage = part.damage.as_ref().unwrap_or_else(|| panic!("{length}: not noticed"));
        assert!(damage.contains("cut off"), "{damage}");
        assert!(part.processes.len() <= 2);
        let report = part.report();
        assert!(!report.exact && report.notes.iter().any(|note| note.contains("cut off")));
    }
    let text = String::from_utf8(bytes).unwrap();
    let second = text.rfind("{\"type\":\"site\"").unwrap();
    let half = read(&text.as_bytes()[..second + 30]).unwrap();
    assert_eq!(half.processes[0].sites, whole.processes[0].sites[..1]);
}

#[test]
fn damage_in_the_middle_ends_the_reading() {
    let text = String::from_utf8(bytes(&recording())).unwrap();
    let bad = text.replacen("\"type\":\"site\"", "\"type\":\"site\",", 1);
    let back = read(bad.as_bytes()).unwrap();
    assert!(back.damage.unwrap().contains("line 6 of the recording is damaged"));
    let wild = text.replace("\"stack\":[0,1,2]", "\"stack\":[0,1,99999999999]");
    assert!(read(wild.as_bytes()).unwrap().damage.is_some());
    let lines: Vec<&str> = text.lines().collect();
    let without = [&lines[..5], &lines[6..]].concat().join("\n") + "\n";
    assert!(read(without.as_bytes()).unwrap().damage.is_some());
}

#[test]
fn what_is_no_recording_is_refused() {
    let refused = |text: &[u8]| read(text).unwrap_err().to_string();
    assert!(refused(b"").contains("empty"));
    for text in [&b"PERFILE2\0\xff"[..], b"{}", b"{\"format\":\"other\",\"version\":1}\n", b"\n"] {
        assert!(refused(text).contains("not a recording"));
    }
    let newer = b"{\"type\":\"anything\",\"format\":\"sigzero-recording\",\"version\":2}\n";
    assert!(refused(newer).contains("version 2"));
    let bytes = bytes(&recording());
    assert!(refused(&bytes[..40]).contains("cut off in its first line"));
}

#[test]
fn lines_of_a_later_minor_change_are_passed_over() {
    let text = String::from_utf8(bytes(&recording())).unwrap();
    let (first, rest) = text.split_once('\n').unwrap();
    let more = format!("{first}\n{{\"type\":\"weather\",\"sun\":true}}\n{rest}");
    assert_eq!(read(more.as_bytes()).unwrap(), recording());
}
