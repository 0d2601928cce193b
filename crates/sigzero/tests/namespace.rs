// SPDX-License-Identifier: MIT
//! From inside a PID namespace, as in a container: processes have the numbers that they have there.

mod support;

use std::fs;
use std::path::Path;
use std::process::{Command, Output, Stdio};

use serde_json::Value;
use support::*;

/// By a shell in a namespace of its own, in which `$0` is the command and `$1` a loop.
fn inside(folder: &Path, script: &str) -> Option<Output> {
    let mut unshare = unset(Command::new("unshare"));
    unshare.args(["--pid", "--fork", "--mount-proc", "sh", "-c", script]);
    unshare.arg(assert_cmd::cargo::cargo_bin("sigzero")).arg(asks(folder, 500, &["-g"]));
    let result = unshare.current_dir(folder).output();
    let refused = output(&["stat", "-a", "--duration", "0", "-o", "/dev/null"]);
    match result {
        Ok(result) if refused.status.success() && !stderr(&result).starts_with("unshare:") => {
            Some(result)
        }
        _ => {
            println!("skipped: no eBPF, or no PID namespace, is to be had here");
            None
        }
    }
}

fn json(folder: &Path) -> Value {
    serde_json::from_str(&fs::read_to_string(folder.join("report.json")).unwrap()).unwrap()
}

#[test]
fn a_command_is_counted_whole() {
    let folder = tempfile::tempdir().unwrap();
    let script = "\"$0\" stat --source bpf --json -o report.json -- sh -c '\"$0\"; \"$0\"' \"$1\"";
    let Some(result) = inside(folder.path(), script) else { return };
    let report = json(folder.path());
    assert_eq!((&report["exact"], result.status.code()), (&true.into(), Some(7)), "{report}");
    let asked = |site: &&Value| site["caller"]["symbol"] == "asks_its_mask";
    let callers = report["callers"].as_array().unwrap();
    let calls = callers.iter().filter(asked).map(|site| site["calls"].as_u64().unwrap());
    assert_eq!(calls.sum::<u64>(), 1000);
    let stacks = report["stacks"].as_array().unwrap();
    assert!(stacks.iter().all(|site| site["stack_whole"] == true), "{stacks:?}");
    // The shell that began is process 1, the tracer comes next: numbers of the namespace are small.
    let pids = report["processes"].as_array().unwrap().iter();
    assert!(pids.clone().all(|process| process["pid"].as_u64().unwrap() < 100), "{report}");
    assert!(pids.clone().any(|process| process["parent"] == pids.clone().next().unwrap()["pid"]));
}

#[test]
fn a_process_is_found_by_its_number_there() {
    let folder = tempfile::tempdir().unwrap();
    let script = "while :; do \"$1\"; done & \
        \"$0\" stat --json -o report.json -p $! --duration 0.5 && kill $!";
    if inside(folder.path(), script).is_none() {
        return;
    }
    let report = json(folder.path());
    let callers = report["callers"].as_array().unwrap();
    assert!(callers.iter().any(|site| site["caller"]["symbol"] == "asks_its_mask"), "{report}");
}

#[test]
fn all_is_what_can_be_seen_from_there() {
    let folder = tempfile::tempdir().unwrap();
    // A loop on either side.
    let outside = asks(folder.path(), 500, &["-g"]);
    let other = folder.path().join("other");
    fs::copy(outside, &other).unwrap();
    let script = format!("while :; do {} || :; done", other.display());
    // Killed between a fork and an exec, it leaves a child that finds no file.
    let mut sh = unset(Command::new("sh"));
    let mut shell = sh.args(["-c", &script]).stderr(Stdio::null()).spawn().unwrap();
    let script =
        "while :; do \"$1\"; done & \"$0\" stat --json -o report.json -a --duration 0.5; kill $!";
    let result = inside(folder.path(), script);
    shell.kill().unwrap();
    shell.wait().unwrap();
    if result.is_none() {
        return;
    }
    let report = json(folder.path());
    let processes = report["processes"].as_array().unwrap();
    let ran = |name: &str| {
        processes.iter().any(|process| process["executable"].as_str().unwrap().ends_with(name))
    };
    assert!(ran("/asks") && !ran("/other"), "{report}");
    assert!(report["notes"].to_string().contains("this PID namespace"), "{report}");
}

#[test]
fn signals_of_a_command_are_followed() {
    let folder = tempfile::tempdir().unwrap();
    let script = "\"$0\" queue --json -o report.json -- sh -c \
        'trap : USR1; i=0; while [ $i -lt 100 ]; do kill -USR1 $$; i=$((i + 1)); done'";
    if inside(folder.path(), script).is_none() {
        return;
    }
    let report = json(folder.path());
    let total = &report["total"];
    assert_eq!(
        (&total["forecast_cache"], &total["forecast_slab"]),
        (&99.into(), &1.into()),
        "{report}"
    );
    assert!(report["tasks"][0]["pid"].as_u64().unwrap() < 100, "{report}");
}

#[test]
fn the_proc_of_another_namespace_is_refused() {
    let folder = tempfile::tempdir().unwrap();
    let script = "unshare --pid --fork \"$0\" stat -a --duration 0";
    let Some(result) = inside(folder.path(), script) else { return };
    assert_eq!(result.status.code(), Some(125));
    assert!(stderr(&result).contains("mount it anew"), "{}", stderr(&result));
}
