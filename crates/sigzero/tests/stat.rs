// SPDX-License-Identifier: MIT
//! `sigzero stat`: what it counts and where the report goes.

mod support;

use std::fs;
use std::os::fd::AsRawFd;
use std::path::Path;
use std::process::Command;
use std::time::{Duration, SystemTime};

use serde_json::Value;
use support::*;

#[test]
fn counts_exactly_and_names_the_caller() {
    if skip_without_library() {
        return;
    }
    let folder = tempfile::tempdir().unwrap();
    let path = asks(folder.path(), 12_345, &["-g"]);
    let report = stat_json(&["--", path.to_str().unwrap()]);
    assert_eq!(report["format"], "sigzero-stat-1");
    assert_eq!(report["source"], "runtime");
    assert_eq!(report["exact"], true);
    assert_eq!(report["ending"]["code"], 7);
    assert!(report["wall_seconds"].as_f64().unwrap() > 0.0);
    assert_eq!(report["total"]["rt_sigprocmask"]["query"], 12_345);
    assert!(report["total"]["removable"].as_u64().unwrap() >= 12_344);
    let caller = &report["callers"][0];
    assert_eq!(caller["function"], "sigprocmask");
    assert_eq!(caller["calls"], 12_345);
    assert_eq!(caller["caller"]["symbol"], "asks_its_mask");
    assert_eq!(caller["caller"]["line"], 4);
    assert!(caller["caller"]["file"].as_str().unwrap().ends_with("asks.c"));
    assert!(caller["caller"]["module"].as_str().unwrap().ends_with("/asks"));
}

#[test]
fn blocks_that_need_no_kernel_are_foretold() {
    if skip_without_library() {
        return;
    }
    let folder = tempfile::tempdir().unwrap();
    let source = "#include <signal.h>\n#include <stddef.h>\nint main(void) {\n\
        sigset_t set, old;\nsigemptyset(&set);\nsigaddset(&set, SIGTERM);\n\
        for (int i = 0; i < 1000; i++) {\nsigprocmask(SIG_BLOCK, &set, &old);\n\
        sigprocmask(SIG_SETMASK, &old, NULL);\n}\nreturn 0; }\n";
    let path = compile(folder.path(), "blocks", source, &[]);
    let total = stat_json(&["--", path.to_str().unwrap()])["total"].clone();
    assert_eq!(total["rt_sigprocmask"]["total"], 2000);
    assert_eq!(total["needless"], 0);
    assert!(total["added"].as_u64().unwrap() > 0, "{total}");
    assert!((1800..2000).contains(&total["removable"].as_u64().unwrap()), "{total}");
    let text = stderr(&output(&["stat", "--", path.to_str().unwrap()]));
    assert!(text.contains("a forecast: 0 change nothing"), "{text}");
}

#[test]
fn the_program_owns_standard_output() {
    if skip_without_library() {
        return;
    }
    let result = output(&["stat", "--", "echo", "mine"]);
    assert_eq!(stdout(&result), "mine\n");
    assert!(stderr(&result).contains("nothing to win"), "{}", stderr(&result));
    assert!(!stderr(&result).contains('\x1b'), "no colour where there is no terminal");
}

#[test]
fn the_report_goes_to_the_file_alone() {
    if skip_without_library() {
        return;
    }
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("report");
    let result =
        output(&["stat", "-o", file.to_str().unwrap(), "--", "sh", "-c", "echo theirs >&2"]);
    assert_eq!(stderr(&result), "theirs\n");
    let text = fs::read_to_string(&file).unwrap();
    assert!(text.contains("sigzero stat: sh"), "{text}");
}

#[test]
fn a_full_disk_loses_neither_status_nor_report() {
    if skip_without_library() || !Path::new("/dev/full").exists() {
        return;
    }
    let result = output(&["stat", "-o", "/dev/full", "--", "sh", "-c", "exit 4"]);
    assert_eq!(result.status.code(), Some(4));
    assert!(stderr(&result).contains("the report follows here"), "{}", stderr(&result));
    assert!(stderr(&result).contains("exit status 4"), "{}", stderr(&result));
}

#[test]
fn children_are_counted_if_asked_for() {
    if skip_without_library() {
        return;
    }
    let folder = tempfile::tempdir().unwrap();
    let path = asks(folder.path(), 100, &[]);
    let text = format!("{0}; {0}; exit 0", path.display());
    let alone = stat_json(&["--", "sh", "-c", &text]);
    assert_eq!(alone["followed"], false);
    assert!(alone["total"]["rt_sigprocmask"]["query"].as_u64().unwrap() < 100);
    let all = stat_json(&["--follow", "--", "sh", "-c", &text]);
    assert_eq!(all["followed"], true);
    assert!(all["total"]["rt_sigprocmask"]["query"].as_u64().unwrap() >= 200);
    let processes = all["processes"].as_array().unwrap();
    let asked = |process: &&Value| process["executable"].as_str().unwrap().ends_with("/asks");
    assert_eq!(processes.iter().filter(asked).count(), 2);
}

#[test]
fn children_that_live_on_are_told() {
    if skip_without_library() {
        return;
    }
    let report =
        stat_json(&["--follow", "--", "sh", "-c", "sleep 5 >&- 2>&- & sleep 0.2; echo $!"]);
    let notes = report["notes"].to_string();
    assert!(notes.contains("1 of its processes still run"), "{notes}");
}

#[test]
fn a_static_program_is_counted_from_outside() {
    let folder = tempfile::tempdir().unwrap();
    let path = asks(folder.path(), 50, &["-static", "-g"]);
    let report = stat_json(&["--", path.to_str().unwrap()]);
    match report["source"].as_str().unwrap() {
        "ptrace" => assert_eq!(report["total"]["rt_sigprocmask"]["total"], 50),
        "bpf" => assert_eq!(report["total"]["rt_sigprocmask"]["query"], 50),
        "nobody" => println!("skipped: this machine does not let us trace"),
        other => panic!("{other}"),
    }
    assert!(report["notes"][0].as_str().unwrap().contains("statically linked"));
    assert_eq!(report["ending"]["code"], 7);
}

#[test]
fn ptrace_counts_where_it_is_asked_for() {
    let folder = tempfile::tempdir().unwrap();
    let path = asks(folder.path(), 50, &["-g"]);
    let report = stat_json(&["--source", "ptrace", "--", path.to_str().unwrap()]);
    match report["source"].as_str().unwrap() {
        "ptrace" => assert_eq!(report["total"]["rt_sigprocmask"]["total"], 50),
        "nobody" => println!("skipped: this machine does not let us trace"),
        other => panic!("{other}"),
    }
    assert_eq!(report["ending"]["code"], 7);
}

#[test]
fn the_folder_for_counters_is_always_removed() {
    if skip_without_library() {
        return;
    }
    let folder = tempfile::tempdir().unwrap();
    for words in
        [["sh", "-c", "exit 1"], ["sh", "-c", "kill -9 $$"], ["sh", "-c", "exec /dev/null"]]
    {
        let mut command = sigzero(&["stat", "--", words[0], words[1], words[2]]);
        command.env("TMPDIR", folder.path()).output().unwrap();
        assert_eq!(fs::read_dir(&folder).unwrap().count(), 0, "{words:?}");
    }
    let mut command = sigzero(&["stat", "--", "true"]);
    let result = command.env("TMPDIR", "/nonexistent").output().unwrap();
    assert_eq!(result.status.code(), Some(125));
    assert!(stderr(&result).contains("TMPDIR"), "{}", stderr(&result));
}

#[test]
fn what_a_killed_one_left_is_removed_by_the_next() {
    if skip_without_library() {
        return;
    }
    let place = tempfile::tempdir().unwrap();
    let make = |name: &str, file: &str, age: u64| {
        let folder = place.path().join(name);
        fs::create_dir(&folder).unwrap();
        fs::write(folder.join(file), "counters").unwrap();
        let then = SystemTime::now() - Duration::from_secs(age);
        fs::File::open(&folder).unwrap().set_modified(then).unwrap();
    };
    let mut ended = Command::new("true").spawn().unwrap();
    let (gone, alive) = (ended.id(), std::process::id());
    ended.wait().unwrap();
    make("sigzero-left", &format!("{gone}.1"), 100);
    make("sigzero-young", &format!("{gone}.1"), 0);
    make("sigzero-alive", &format!("{alive}.1"), 100);
    make("sigzero-other", "somebody's", 100);
    make("sigzero-locked", &format!("{gone}.1"), 100);
    let lock = fs::File::open(place.path().join("sigzero-locked")).unwrap();
    // SAFETY: a plain call on a live descriptor.
    assert_eq!(unsafe { libc::flock(lock.as_raw_fd(), libc::LOCK_EX) }, 0);
    sigzero(&["stat", "--", "true"]).env("TMPDIR", place.path()).output().unwrap();
    let entries = fs::read_dir(&place).unwrap();
    let mut names: Vec<_> = entries.map(|entry| entry.unwrap().file_name()).collect();
    names.sort();
    assert_eq!(names, ["sigzero-alive", "sigzero-locked", "sigzero-other", "sigzero-young"]);
}

#[test]
fn calls_inside_libc_are_named_as_unseen() {
    if skip_without_library() {
        return;
    }
    let folder = tempfile::tempdir().unwrap();
    let source = "#include <stdlib.h>\nint main(void) { return system(\"true\"); }\n";
    let path = compile(folder.path(), "spawns", source, &[]);
    let report = stat_json(&["--", path.to_str().unwrap()]);
    let hidden = &report["hidden"][0];
    assert_eq!((&hidden["function"], &hidden["calls"]), (&"system".into(), &1.into()));
    assert!(hidden["rt_sigaction"].as_u64().unwrap() > 0);
}
