// SPDX-License-Identifier: MIT
//! `sigzero run`: the program starts as it would have without us.

mod support;

use std::fs;
use std::os::unix::process::CommandExt;

use support::*;

/// What a program can see of how it was started. No shell: some clear the mask.
const LOOKS: [&[&str]; 2] =
    [&["grep", "-E", "^Sig(Ign|Blk|Cgt)", "/proc/self/status"], &["ls", "/proc/self/fd"]];

#[test]
fn the_process_is_replaced() {
    if skip_without_library() {
        return;
    }
    let child = sigzero(&["run", "--", "sh", "-c", "echo $$"])
        .stdout(std::process::Stdio::piped())
        .spawn()
        .unwrap();
    let pid = child.id();
    let result = child.wait_with_output().unwrap();
    assert_eq!(stdout(&result), format!("{pid}\n"));
}

#[test]
fn the_environment_is_the_same() {
    if skip_without_library() {
        return;
    }
    let words = ["--", "env"];
    let ours = output(&[&["run", "--mode", "off"], &words[..]].concat());
    let theirs = unset(std::process::Command::new("env")).output().unwrap();
    let sorted = |text: String| {
        let of_ours = |line: &&str| !line.starts_with("SIGZERO_LIB=");
        let mut lines: Vec<_> = text.lines().filter(of_ours).map(String::from).collect();
        lines.sort();
        lines
    };
    let (ours, theirs) = (sorted(stdout(&ours)), sorted(stdout(&theirs)));
    let added: Vec<_> = ours.iter().filter(|line| !theirs.contains(line)).collect();
    let lost: Vec<_> = theirs.iter().filter(|line| !ours.contains(line)).collect();
    assert!(added.is_empty() && lost.is_empty(), "added {added:?}, lost {lost:?}");
}

#[test]
fn a_users_own_preload_is_kept() {
    if skip_without_library() {
        return;
    }
    let folder = tempfile::tempdir().unwrap();
    let source = "#define _GNU_SOURCE\n#include <errno.h>\n#include <stdio.h>\n\
                  __attribute__((constructor)) static void hello(void)\n\
                  { printf(\"in %s\\n\", program_invocation_short_name); fflush(stdout); }\n";
    let theirs = compile(folder.path(), "theirs.so", source, &["-shared", "-fPIC"]);
    let result = sigzero(&["run", "--", "true"]).env("LD_PRELOAD", &theirs).output().unwrap();
    assert_eq!(stdout(&result), "in sigzero\nin true\n");
}

#[test]
fn dispositions_mask_and_descriptors_are_inherited_unchanged() {
    if skip_without_library() {
        return;
    }
    let queues = output(&["queue", "-a", "--duration", "0"]).status.success();
    for ignored in [false, true] {
        let start = |program: &str, words: &[&str]| {
            let mut command = std::process::Command::new(program);
            command.args(words).env("SIGZERO_LIB", library().unwrap());
            // SAFETY: async-signal-safe calls on locals; an all-zero set is empty.
            unsafe {
                command.pre_exec(move || {
                    let to = if ignored { libc::SIG_IGN } else { libc::SIG_DFL };
                    libc::signal(libc::SIGPIPE, to);
                    libc::signal(libc::SIGINT, to);
                    libc::close(0);
                    let mut mask = std::mem::zeroed();
                    libc::sigaddset(&mut mask, libc::SIGUSR1);
                    libc::sigprocmask(libc::SIG_SETMASK, &mask, std::ptr::null_mut());
                    Ok(())
                });
            }
            stdout(&command.output().unwrap())
        };
        let binary = assert_cmd::cargo::cargo_bin("sigzero");
        let binary = binary.to_str().unwrap();
        for look in LOOKS {
            let plain = start(look[0], &look[1..]);
            let blocked = look[0] != "grep" || plain.contains("SigBlk:\t0000000000000200\n");
            assert!(blocked, "{plain}");
            let ways: [&[&str]; 5] = [
                &["run"],
                &["stat"],
                &["stat", "--source", "bpf"],
                &["stat", "--source", "ptrace"],
                &["queue"],
            ];
            for way in ways {
                if way == ["queue"] && !queues {
                    continue;
                }
                let ours = start(binary, &[way, &["--"], look].concat());
                assert_eq!(ours, plain, "{way:?} {look:?}, {ignored}");
            }
        }
    }
}

#[test]
fn a_script_without_an_interpreter_line_goes_to_the_shell() {
    if skip_without_library() {
        return;
    }
    let folder = tempfile::tempdir().unwrap();
    let script = folder.path().join("script");
    fs::write(&script, "echo shell $1\n").unwrap();
    fs::set_permissions(&script, std::os::unix::fs::PermissionsExt::from_mode(0o755)).unwrap();
    for way in ["run", "stat"] {
        let result = output(&[way, "--", script.to_str().unwrap(), "word"]);
        assert_eq!(stdout(&result), "shell word\n", "{way}: {}", stderr(&result));
    }
}

#[test]
fn needless_calls_are_gone() {
    if skip_without_library() {
        return;
    }
    let folder = tempfile::tempdir().unwrap();
    let path = asks(folder.path(), 5000, &[]);
    let report = folder.path().join("counts");
    let traced = std::process::Command::new("strace")
        .args(["-f", "-c", "-e", "trace=rt_sigprocmask", "-o"])
        .arg(&report)
        .arg(assert_cmd::cargo::cargo_bin("sigzero"))
        .args(["run", "--", path.to_str().unwrap()])
        .env("SIGZERO_LIB", library().unwrap())
        .status();
    let Ok(status) = traced else { return println!("skipped: there is no strace") };
    assert_eq!(status.code(), Some(7));
    let text = fs::read_to_string(&report).unwrap();
    let line = text.lines().find(|line| line.ends_with("rt_sigprocmask"));
    let calls = line.map_or(0, |line| line.split_whitespace().nth(3).unwrap().parse().unwrap());
    assert!(calls < 50, "{text}");
}
