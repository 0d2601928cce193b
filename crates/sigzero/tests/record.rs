// SPDX-License-Identifier: MIT
//! `sigzero record` and `sigzero report`: what is written, read again, shown and refused.

mod support;

use std::fs;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};

use serde_json::Value;
use support::*;

/// A recording of a program that reads its mask 1,000 times; `None` if that is not possible here.
fn recorded(folder: &Path, options: &[&str]) -> Option<PathBuf> {
    let program = asks(folder, 1000, &["-g"]);
    let file = folder.join("a b.rec");
    let words = ["record", "-o", file.to_str().unwrap()];
    let result = output(&[&words[..], options, &["--", program.to_str().unwrap()]].concat());
    assert_eq!(result.status.code(), Some(7), "{}", stderr(&result));
    Some(file)
}

fn inside(folder: &Path) -> Option<PathBuf> {
    if skip_without_library() { None } else { recorded(folder, &[]) }
}

/// What `sigzero report` with these words says of the recording.
fn report(file: &Path, words: &[&str]) -> String {
    let result = output(&[&["report"], words, &[file.to_str().unwrap()]].concat());
    assert!(result.status.success(), "{}", stderr(&result));
    stdout(&result)
}

fn refused(words: &[&str]) -> String {
    let result = output(words);
    assert_eq!(result.status.code(), Some(125), "{}", stdout(&result));
    stderr(&result)
}

#[test]
fn what_is_recorded_is_what_stat_counts() {
    let folder = tempfile::tempdir().unwrap();
    let Some(file) = inside(folder.path()) else { return };
    let value: Value = serde_json::from_str(&report(&file, &["--json"])).unwrap();
    assert_eq!(value["format"], "sigzero-report-1");
    assert_eq!(value["stat"]["source"], "runtime");
    assert_eq!(value["stat"]["total"]["rt_sigprocmask"]["query"], 1000);
    assert_eq!(value["stat"]["ending"]["code"], 7);
    let caller = &value["callers"][0];
    assert_eq!(caller["caller"]["symbol"], "asks_its_mask");
    assert!(caller["removable"].as_u64().unwrap() >= 999);
    let seconds = caller["estimated_seconds"].as_f64().unwrap();
    let price = value["stat"]["cost"]["mask_query_ns"].as_f64().unwrap();
    assert!((seconds - price * 1e-6).abs() < price * 1e-8, "1,000 calls of {price} ns: {seconds}");
    assert_eq!(value["advice"][0]["kind"], "query");
    let text = report(&file, &["--text"]);
    assert!(text.contains("asks_its_mask") && !text.contains('\x1b'), "{text}");
    let folded = report(&file, &["--folded"]);
    assert!(folded.contains("asks;asks_its_mask;sigprocmask;query 1000\n"), "{folded}");
    let lines = report(&file, &["--ndjson"]);
    assert!(lines.lines().all(|line| serde_json::from_str::<Value>(line).is_ok()));
}

#[test]
fn the_page_is_written_beside_the_recording() {
    let folder = tempfile::tempdir().unwrap();
    let Some(file) = inside(folder.path()) else { return };
    let page = folder.path().join("a b.html");
    assert_eq!(report(&file, &[]), format!("{}\n", page.display()));
    let text = fs::read_to_string(&page).unwrap();
    assert!(text.starts_with("<!DOCTYPE html>") && text.contains("asks_its_mask"));
    assert_eq!(report(&file, &["-o", "-"]), text);
}

#[test]
fn a_recording_is_not_written_over_by_its_report() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("x.html");
    fs::write(&file, "kept").unwrap();
    let path = file.to_str().unwrap();
    for words in [&["report", path][..], &["report", "--json", "-o", path, path]] {
        assert!(refused(words).contains("that is the recording itself"));
    }
    assert_eq!(fs::read_to_string(&file).unwrap(), "kept");
}

#[test]
fn an_older_recording_is_kept() {
    let folder = tempfile::tempdir().unwrap();
    if inside(folder.path()).is_none() {
        return;
    }
    let file = inside(folder.path()).unwrap();
    let old = folder.path().join("a b.rec.old");
    assert!(file.exists() && old.exists());
    let same = report(&file, &["--diff", old.to_str().unwrap()]);
    assert!(same.contains("no difference in signal system calls"), "{same}");
    let value: Value =
        serde_json::from_str(&report(&file, &["--json", "--diff", old.to_str().unwrap()])).unwrap();
    assert_eq!(
        (&value["format"], &value["change"]["system_calls"]),
        (&"sigzero-diff-1".into(), &0.into())
    );
    let page = report(&file, &["--html", "-o", "-", "--diff", old.to_str().unwrap()]);
    assert!(page.contains("No difference"));
    let text = refused(&["report", "--pprof", "--diff", "x", "y"]);
    assert!(text.contains("--text, --html or --json"), "{text}");
}

/// What `go tool pprof` says of a profile; `None`, after a line that says so, without Go.
fn pprof(profile: &Path, option: &str) -> Option<String> {
    let folder = tempfile::tempdir().unwrap();
    let mut command = Command::new("go");
    command.args(["tool", "pprof", option]).arg(profile).stdin(Stdio::null());
    let result = command.env("PPROF_TMPDIR", folder.path()).output();
    match result {
        Ok(result) if result.status.success() => Some(stdout(&result)),
        Ok(result) => panic!("{}", stderr(&result)),
        Err(_) => {
            println!("skipped: go is not installed");
            None
        }
    }
}

#[test]
fn go_opens_the_profile() {
    let folder = tempfile::tempdir().unwrap();
    let Some(file) = inside(folder.path()) else { return };
    let profile = folder.path().join("asks.pb.gz");
    report(&file, &["--pprof", "-o", profile.to_str().unwrap()]);
    let Some(top) = pprof(&profile, "-top") else { return };
    assert!(top.contains("File: asks") && top.contains("Type: calls"), "{top}");
    let line = |name: &str| top.lines().find(|line| line.ends_with(name)).unwrap().to_string();
    assert!(line("sigprocmask").trim_start().starts_with("1000 "), "{top}");
    assert!(line("asks_its_mask").contains(" 1000 "), "{top}");
    let raw = pprof(&profile, "-raw").unwrap();
    assert!(raw.contains("calls/count[dflt] time/nanoseconds"), "{raw}");
    assert!(raw.contains("asks.c:4") && raw.contains("kind:[query]"), "{raw}");
    assert!(pprof(&profile, "-comments").unwrap().contains("time is estimated"));
}

#[test]
fn whole_stacks_are_recorded_where_the_kernel_lets_us() {
    let folder = tempfile::tempdir().unwrap();
    let refused = output(&["stat", "-a", "--duration", "0", "-o", "/dev/null"]);
    if !refused.status.success() {
        println!("skipped: {}", stderr(&refused));
        return;
    }
    let file = recorded(folder.path(), &["--source", "bpf"]).unwrap();
    let folded = report(&file, &["--folded"]);
    assert!(folded.lines().any(|line| line.contains(";main;asks_its_mask;")), "{folded}");
    let page = report(&file, &["-o", "-"]);
    assert!(page.contains("by eBPF") && page.contains("Flame graph"));
    let mut record = sigzero(&["record", "-a", "--duration", "0.2", "-o", "-"]);
    let mut record = record.stdout(Stdio::piped()).stderr(Stdio::null()).spawn().unwrap();
    let shown = sigzero(&["report", "--json", "-"]).stdin(record.stdout.take().unwrap()).output();
    let value: Value = serde_json::from_slice(&shown.unwrap().stdout).unwrap();
    assert_eq!(value["stat"]["target"], "everything");
    assert!(record.wait().unwrap().success());
}

#[test]
fn what_is_no_recording_is_named() {
    let folder = tempfile::tempdir().unwrap();
    let file = |name: &str, bytes: &[u8]| {
        let path = folder.path().join(name);
        fs::write(&path, bytes).unwrap();
        path.to_str().unwrap().to_string()
    };
    let cases = [
        (file("perf.data", b"PERFILE2\0\x01"), "not a recording of sigzero"),
        (file("page", b"<html>"), "not a recording of sigzero"),
        (file("empty", b""), "empty file"),
        (file("newer", b"{\"format\":\"sigzero-recording\",\"version\":9}\n"), "version 9"),
        (folder.path().join("none").to_str().unwrap().into(), "No such file"),
        (folder.path().to_str().unwrap().into(), "cannot be read"),
    ];
    for (path, reason) in cases {
        let text = refused(&["report", &path]);
        assert!(text.contains(reason) && text.contains(&path), "{text}");
        assert_eq!(text.lines().count(), 1, "{text}");
    }
}

#[test]
fn a_recording_that_was_cut_off_gives_what_it_has() {
    let folder = tempfile::tempdir().unwrap();
    let Some(file) = inside(folder.path()) else { return };
    let bytes = fs::read(&file).unwrap();
    fs::write(&file, &bytes[..bytes.len() - 30]).unwrap();
    let result = output(&["report", "--json", file.to_str().unwrap()]);
    assert!(result.status.success());
    assert!(stderr(&result).contains("cut off"), "{}", stderr(&result));
    let value: Value = serde_json::from_str(&stdout(&result)).unwrap();
    assert!(value["recording"]["damage"].as_str().unwrap().contains("cut off"));
    assert_eq!(
        (&value["stat"]["exact"], &value["callers"][0]["calls"]),
        (&false.into(), &1000.into())
    );
    assert!(report(&file, &["-o", "-"]).contains("cut off"));
}

#[test]
fn where_nothing_can_be_written_is_told_before_the_run() {
    let folder = tempfile::tempdir().unwrap();
    let mark = folder.path().join("ran");
    let command = format!("touch {}", mark.display());
    for path in [folder.path().to_str().unwrap(), "/nonexistent/x.rec"] {
        let text = refused(&["record", "-o", path, "--", "sh", "-c", &command]);
        assert!(text.contains("choose another file for --output"), "{text}");
    }
    let text = refused(&["record", "-o", "-", "--", "sh", "-c", &command]);
    assert!(text.contains("standard output is the command's own"), "{text}");
    assert!(!mark.exists());
    let result = output(&["record", "-o", "/dev/null", "--", "no-such-command"]);
    assert_eq!(result.status.code(), Some(127));
}

#[test]
fn a_full_disk_is_told() {
    if !Path::new("/dev/full").exists() {
        println!("skipped: there is no /dev/full");
        return;
    }
    let text = refused(&["record", "-o", "/dev/full", "--", "true"]);
    assert!(text.contains("could not be written whole") && text.contains("No space"), "{text}");
    let folder = tempfile::tempdir().unwrap();
    let Some(file) = inside(folder.path()) else { return };
    let path = file.to_str().unwrap();
    for form in ["--html", "--json", "--pprof", "--folded", "--ndjson", "--text"] {
        let text = refused(&["report", form, "-o", "/dev/full", path]);
        assert!(text.contains("/dev/full: cannot be written"), "{text}");
        let full = fs::OpenOptions::new().write(true).open("/dev/full").unwrap();
        let result = sigzero(&["report", form, "-o", "-", path]).stdout(full).output().unwrap();
        assert_eq!(result.status.code(), Some(125), "{form}");
    }
}

#[test]
fn a_reader_that_goes_away_is_no_failure() {
    let folder = tempfile::tempdir().unwrap();
    let Some(file) = inside(folder.path()) else { return };
    let mut child = sigzero(&["report", "-o", "-", file.to_str().unwrap()])
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    drop(child.stdout.take());
    let result: Output = child.wait_with_output().unwrap();
    assert!(result.status.success() && stderr(&result).is_empty(), "{}", stderr(&result));
}

#[test]
fn a_recording_is_read_from_standard_input() {
    let folder = tempfile::tempdir().unwrap();
    let Some(file) = inside(folder.path()) else { return };
    let mut command = sigzero(&["report", "-"]);
    let mut child = command.stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().unwrap();
    child.stdin.take().unwrap().write_all(&fs::read(&file).unwrap()).unwrap();
    let result = child.wait_with_output().unwrap();
    assert!(stdout(&result).starts_with("<!DOCTYPE html>"));
}

#[test]
fn a_command_killed_by_a_signal_is_recorded_and_we_die_alike() {
    use std::os::unix::process::ExitStatusExt;
    let folder = tempfile::tempdir().unwrap();
    if skip_without_library() {
        return;
    }
    let file = folder.path().join("x.rec");
    let words = ["record", "-o", file.to_str().unwrap(), "--", "sh", "-c", "kill -TERM $$"];
    let result = output(&words);
    assert_eq!(result.status.signal(), Some(libc::SIGTERM));
    let value: Value = serde_json::from_str(&report(&file, &["--json"])).unwrap();
    assert_eq!(value["stat"]["ending"]["signal"], libc::SIGTERM);
}
