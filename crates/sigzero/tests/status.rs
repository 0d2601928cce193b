// SPDX-License-Identifier: MIT
//! Exit statuses and signals: those of the command, or those of env(1).

mod support;

use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::os::unix::process::{CommandExt, ExitStatusExt};
use std::process::{Command, Stdio};
use std::thread::sleep;
use std::time::{Duration, Instant};

use support::*;

#[test]
fn the_commands_status_is_handed_on() {
    if skip_without_library() {
        return;
    }
    for way in ["stat", "run"] {
        for code in [0, 1, 3, 255] {
            let result = output(&[way, "--", "sh", "-c", &format!("exit {code}")]);
            assert_eq!(result.status.code(), Some(code), "{way}");
        }
    }
}

#[test]
fn death_by_signal_is_handed_on_without_a_core() {
    if skip_without_library() {
        return;
    }
    let folder = tempfile::tempdir().unwrap();
    for way in ["stat", "run"] {
        for signal in [libc::SIGTERM, libc::SIGKILL, libc::SIGSEGV, libc::SIGINT, libc::SIGPIPE] {
            let text = format!("ulimit -c 0; kill -{signal} $$");
            let mut command = sigzero(&[way, "--", "sh", "-c", &text]);
            let result = command.current_dir(&folder).output().unwrap();
            assert_eq!(result.status.signal(), Some(signal), "{way}: {}", stderr(&result));
            assert!(!result.status.core_dumped(), "{way}");
        }
    }
}

#[test]
fn a_shell_sees_a_program_stop_itself_and_can_wake_it() {
    if skip_without_library() {
        return;
    }
    let binary = env!("CARGO_BIN_EXE_sigzero");
    let kernel = output(&["stat", "-a", "--duration", "0"]).status.success();
    let ways = ["stat", "stat --source bpf", "queue"];
    for way in &ways[..if kernel { 3 } else { 1 }] {
        let job = format!(
            "{binary} {way} -o /dev/null -- sh -c 'kill -STOP $$; exit 7'; echo stop $?; fg; echo end $?"
        );
        let mut command = Command::new("timeout");
        command.args(["--foreground", "20", "script", "-qec", "bash -mc \"$JOB\"", "/dev/null"]);
        let result = command.env("JOB", job).stdin(Stdio::null()).output().unwrap();
        if result.status.code() == Some(127) {
            return println!("skipped: there is no script(1) here");
        }
        let said = stdout(&result);
        assert!(said.contains("stop 147") && said.contains("end 7"), "{way}: {said}");
    }
}

#[test]
fn a_program_that_others_wake_is_not_waited_for() {
    if skip_without_library() {
        return;
    }
    let text = "(sleep 0.1; kill -CONT $$) & kill -STOP $$; exit 7";
    assert_eq!(output(&["stat", "--", "sh", "-c", text]).status.code(), Some(7));
}

#[test]
fn a_static_program_runs_untreated_with_its_status() {
    let folder = tempfile::tempdir().unwrap();
    let path = asks(folder.path(), 5, &["-static", "-g"]);
    let path = path.to_str().unwrap();
    for way in ["stat", "run"] {
        let result = output(&[way, "--", path]);
        assert_eq!(result.status.code(), Some(7), "{way}");
        assert!(stderr(&result).contains("statically linked"), "{way}: {}", stderr(&result));
    }
}

#[test]
fn failures_have_the_statuses_of_env_and_say_the_next_step() {
    let folder = tempfile::tempdir().unwrap();
    let plain = folder.path().join("plain");
    fs::write(&plain, "no program").unwrap();
    let broken = folder.path().join("broken");
    fs::write(&broken, &fs::read("/bin/ls").unwrap()[..100]).unwrap();
    fs::set_permissions(&broken, PermissionsExt::from_mode(0o755)).unwrap();
    let script = folder.path().join("script");
    fs::write(&script, "#!/nonexistent/interpreter\n").unwrap();
    fs::set_permissions(&script, PermissionsExt::from_mode(0o755)).unwrap();
    let [plain, broken, script] = [&plain, &broken, &script].map(|path| path.to_str().unwrap());
    for way in ["stat", "run"] {
        let cases: [(&[&str], i32, &str); 9] = [
            (&[way, "--", "no-such-command"], 127, "check the spelling"),
            (&[way, "--", "/no/such/path"], 127, "check the path"),
            (&[way, "--", "1234"], 127, "stat -p"),
            (&[way, "--", script], 127, "/nonexistent/interpreter does not exist"),
            (&[way, "--", plain], 126, "chmod"),
            (&[way, "--", "/tmp"], 126, "directory"),
            (&[way, "--", broken], 126, "file"),
            (&[way], 125, "--help"),
            (&[way, "--no-such-option", "true"], 125, "--help"),
        ];
        for (words, code, hint) in cases {
            let result = output(words);
            let text = stderr(&result);
            assert_eq!(result.status.code(), Some(code), "{words:?}: {text}");
            assert!(text.contains(hint), "{words:?}: {text}");
        }
    }
}

#[test]
fn our_own_failures_are_125() {
    let cases: [&[&str]; 6] = [
        &[],
        &["no-such-subcommand"],
        &["run", "--mode", "no-such-mode", "--", "true"],
        &["run", "--follow", "a:b", "--", "true"],
        &["run", "--mode", "watch", "--", "true"],
        &["stat", "-o", "/nonexistent/file", "--", "true"],
    ];
    for words in cases {
        let result = output(words);
        assert_eq!(result.status.code(), Some(125), "{words:?}: {}", stderr(&result));
    }
    let mut command = sigzero(&["run", "--", "true"]);
    let result = command.env("SIGZERO_LIB", "/nonexistent/libsigzero.so").output().unwrap();
    assert_eq!(result.status.code(), Some(125));
    assert!(stderr(&result).contains("SIGZERO_LIB"), "{}", stderr(&result));
}

#[test]
fn help_and_version_are_no_failure() {
    for words in [&["--help"][..], &["--version"], &["stat", "--help"], &["run", "--help"]] {
        let result = output(words);
        assert!(result.status.success(), "{words:?}");
        assert!(!result.stdout.is_empty() && result.stderr.is_empty(), "{words:?}");
    }
    assert!(stdout(&output(&["stat", "--help"])).contains("Exit status:"));
}

/// Starts `stat` on a shell that says when it is ready, sends a signal, and waits.
fn signalled(signal: i32, whole_group: bool, trap: &str) -> std::process::Output {
    let folder = tempfile::tempdir().unwrap();
    let ready = folder.path().join("ready");
    let text = format!("{trap}; : >{}; while :; do sleep 0.01; done", ready.display());
    let mut command = sigzero(&["stat", "--", "sh", "-c", &text]);
    command.process_group(0).stdout(Stdio::piped()).stderr(Stdio::piped());
    let child = command.spawn().unwrap();
    let end = Instant::now() + Duration::from_secs(20);
    while !ready.exists() {
        assert!(Instant::now() < end, "the command did not start");
        sleep(Duration::from_millis(5));
    }
    let pid = child.id() as i32;
    // SAFETY: the child has not been waited for, so the number is still its own.
    unsafe { libc::kill(if whole_group { -pid } else { pid }, signal) };
    child.wait_with_output().unwrap()
}

#[test]
fn signals_for_the_command_reach_it() {
    if skip_without_library() {
        return;
    }
    let result = signalled(libc::SIGUSR1, false, "trap 'exit 9' USR1");
    assert_eq!(result.status.code(), Some(9));
    assert!(stderr(&result).contains("sigzero stat:"), "{}", stderr(&result));
    assert_eq!(signalled(libc::SIGUSR2, false, ":").status.signal(), Some(libc::SIGUSR2));
}

#[test]
fn ctrl_c_is_the_commands_business() {
    if skip_without_library() {
        return;
    }
    // As a terminal does: to the whole group. The command lives on and chooses its status.
    let result = signalled(libc::SIGINT, true, "trap 'exit 9' INT");
    assert_eq!(result.status.code(), Some(9));
    assert!(stderr(&result).contains("sigzero stat:"), "{}", stderr(&result));
    let result = signalled(libc::SIGINT, true, ":");
    assert_eq!(result.status.signal(), Some(libc::SIGINT));
    assert!(stderr(&result).contains("sigzero stat:"), "{}", stderr(&result));
}

#[test]
fn what_is_to_end_us_ends_the_command_and_the_report_is_written() {
    if skip_without_library() {
        return;
    }
    let result = signalled(libc::SIGTERM, false, ":");
    assert_eq!(result.status.signal(), Some(libc::SIGTERM));
    assert!(stderr(&result).contains("killed by SIGTERM"), "{}", stderr(&result));
}
