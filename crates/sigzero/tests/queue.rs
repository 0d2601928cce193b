// SPDX-License-Identifier: MIT
//! `sigzero queue`: sigqueues of a command, of what runs already, of the machine.

mod support;

use std::fs;
use std::io::Write;
use std::path::Path;
use std::process::{Command, Stdio};
use std::thread::sleep;
use std::time::{Duration, Instant};

use serde_json::Value;
use support::*;

/// True, after a line that says so, where eBPF is not permitted.
fn skip() -> bool {
    let refused = output(&["queue", "-a", "--duration", "0", "-o", "/dev/null"]);
    if !refused.status.success() {
        println!("skipped: {}", stderr(&refused));
    }
    !refused.status.success()
}

fn queue_json(words: &[&str]) -> (Value, Option<i32>) {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("report.json");
    let start = ["queue", "--json", "-o", file.to_str().unwrap()];
    let result = output(&[&start[..], words].concat());
    let text = fs::read_to_string(&file).unwrap();
    let report = serde_json::from_str(&text);
    (report.unwrap_or_else(|error| panic!("{error}: {}", stderr(&result))), result.status.code())
}

/// Signals itself, `each` times or for ever, once a millisecond.
fn signaller(folder: &Path) -> std::path::PathBuf {
    let source = "#include <signal.h>\n#include <stdlib.h>\n#include <unistd.h>\n\
        static void take(int number) { (void)number; }\n\
        int main(int argc, char **argv) { int each = argc > 1 ? atoi(argv[1]) : 0;\n\
        signal(SIGUSR1, take);\n\
        for (int i = 0; !each || i < each; i++) { kill(getpid(), SIGUSR1); usleep(each ? 0 : 1000); }\n\
        return 7; }\n";
    compile(folder, "signaller", source, &[])
}

#[test]
fn a_command_ends_as_it_ended() {
    if skip() {
        return;
    }
    let folder = tempfile::tempdir().unwrap();
    let path = signaller(folder.path());
    let (report, code) = queue_json(&["--", path.to_str().unwrap(), "1000"]);
    assert_eq!((&report["format"], code), (&"sigzero-queue-1".into(), Some(7)));
    let total = &report["total"];
    assert_eq!((&total["forecast_cache"], &total["forecast_slab"]), (&999.into(), &1.into()));
    assert_eq!((&report["exact"], &report["ending"]["code"]), (&true.into(), &7.into()));
    assert_eq!(report["links"][0]["signal_name"], "SIGUSR1");
    let text = stderr(&output(&["queue", "--", path.to_str().unwrap(), "1000"]));
    assert!(text.contains("999 of 1,000 sigqueues (99.9 %)"), "{text}");
    assert!(text.contains("SIGUSR1") && text.contains("signaller"), "{text}");
}

#[test]
fn what_runs_is_watched_until_it_ends() {
    if skip() {
        return;
    }
    let folder = tempfile::tempdir().unwrap();
    let path = signaller(folder.path());
    let mut target = Command::new(&path).stdin(Stdio::null()).spawn().unwrap();
    let pid = target.id().to_string();
    sleep(Duration::from_millis(50));
    let (report, code) = queue_json(&["-p", &pid, "--duration", "0.5"]);
    assert_eq!((code, &report["target"]["processes"][0]), (Some(0), &target.id().into()));
    let total = &report["total"];
    assert!(total["forecast_cache"].as_u64().unwrap() > 10, "{total}");
    if report["source"] == "forecast" {
        assert_eq!((&total["slab"], &total["unsure"]), (&1.into(), &1.into()), "{total}");
    }
    let (report, _) = queue_json(&["-a", "--duration", "0.5"]);
    let tasks = report["tasks"].as_array().unwrap();
    assert!(tasks.iter().any(|task| task["pid"] == target.id()), "{tasks:?}");

    let child = sigzero(&["queue", "-p", &pid]).stderr(Stdio::piped()).spawn().unwrap();
    attached(child.id());
    target.kill().unwrap();
    target.wait().unwrap();
    let start = Instant::now();
    let result = child.wait_with_output().unwrap();
    assert!(result.status.success() && start.elapsed() < Duration::from_secs(5));
    assert!(stderr(&result).contains("one-slot cache"), "{}", stderr(&result));
    let gone = output(&["queue", "-p", &pid]);
    assert_eq!(gone.status.code(), Some(125));
    assert!(stderr(&gone).contains(&format!("there is no process {pid}")));
}

#[test]
fn signals_to_others_are_followed_too() {
    if skip() {
        return;
    }
    // The shell was there before the watch, its target too: only who sends is given.
    let script = "sleep 60 & trap 'kill -9 $!' EXIT; read go; \
                  for i in 1 2 3 4 5; do kill -CONT $!; done; sleep 0.3";
    let mut shell = Command::new("sh")
        .args(["-c", script])
        .stdin(Stdio::piped())
        .stdout(Stdio::null())
        .spawn()
        .unwrap();
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("report.json");
    let pid = shell.id().to_string();
    let words = ["queue", "--json", "-p", &pid, "-o", file.to_str().unwrap()];
    let mut watch = sigzero(&words).spawn().unwrap();
    attached(watch.id());
    shell.stdin.take().unwrap().write_all(b"\n").unwrap();
    shell.wait().unwrap();
    assert!(watch.wait().unwrap().success());
    let report: Value = serde_json::from_str(&fs::read_to_string(&file).unwrap()).unwrap();
    let links = report["links"].as_array().unwrap();
    let found = links.iter().find(|link| link["target"] == "sleep" && link["signal"] == 18);
    assert_eq!(found.map(|link| &link["signals"]), Some(&5.into()), "{links:?}");
}

#[test]
fn the_limit_is_told() {
    if skip() {
        return;
    }
    let source = "#define _GNU_SOURCE\n#include <signal.h>\n#include <sys/resource.h>\n#include <unistd.h>\n\
        int main(void) { struct rlimit few = { 20, 20 }; sigset_t set; sigfillset(&set);\n\
        union sigval value = { 0 }; sigprocmask(SIG_BLOCK, &set, 0);\n\
        if (setresuid(65534, 65534, 65534) || setrlimit(RLIMIT_SIGPENDING, &few)) return 1;\n\
        for (int i = 0; i < 50; i++) sigqueue(getpid(), SIGRTMIN, value); return 0; }\n";
    let folder = tempfile::tempdir().unwrap();
    let path = compile(folder.path(), "pressed", source, &[]);
    let (report, code) = queue_json(&["--", path.to_str().unwrap()]);
    if code != Some(0) {
        println!("skipped: another user cannot be taken here");
        return;
    }
    assert_eq!(report["total"]["refused"], 30, "{report}");
    let users = report["users"].as_array().unwrap();
    let user = users.iter().find(|user| user["uid"] == 65534).unwrap();
    assert_eq!((&user["limit"], &user["refused"]), (&20.into(), &30.into()));
    let text = stderr(&output(&["queue", "--", path.to_str().unwrap()]));
    assert!(text.contains("Near to RLIMIT_SIGPENDING"), "{text}");
}

#[test]
fn a_command_that_is_not_there_is_named() {
    assert_eq!(output(&["queue", "--", "/no/such/command"]).status.code(), Some(127));
    assert_eq!(output(&["queue"]).status.code(), Some(125));
}
