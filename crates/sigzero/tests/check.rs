// SPDX-License-Identifier: MIT
//! `sigzero check`: verdicts, statuses, and what else the binary writes.

mod support;

use std::fs;
use std::os::unix::fs::{PermissionsExt, chown};

use serde_json::Value;
use support::*;

#[test]
fn a_dynamic_program_can_be_treated() {
    let result = output(&["check", "/bin/ls"]);
    assert_eq!(result.status.code(), Some(0), "{}", stdout(&result));
    assert!(stdout(&result).starts_with("/bin/ls: can be treated\n"), "{}", stdout(&result));
}

#[test]
fn commands_are_found_in_path_and_json_is_valid() {
    let result = output(&["check", "--json", "ls"]);
    let value: Value = serde_json::from_slice(&result.stdout).unwrap();
    assert_eq!(value["treatable"], true);
    assert_eq!(value["program"]["linking"], "dynamic");
    assert!(value["path"].as_str().unwrap().ends_with("/ls"));
}

#[test]
fn a_static_program_cannot() {
    let folder = tempfile::tempdir().unwrap();
    let path = asks(folder.path(), 1, &["-static"]);
    let result = output(&["check", path.to_str().unwrap()]);
    assert_eq!(result.status.code(), Some(1));
    assert!(stdout(&result).contains("statically linked"), "{}", stdout(&result));
    let result = output(&["check", "--json", path.to_str().unwrap()]);
    let value: Value = serde_json::from_slice(&result.stdout).unwrap();
    assert_eq!(
        (&value["treatable"], &value["obstacles"][0]["kind"]),
        (&false.into(), &"static".into())
    );
}

#[test]
fn a_setuid_program_of_another_user_cannot() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("ls");
    fs::copy("/bin/ls", &path).unwrap();
    if chown(&path, Some(65534), None).is_err() {
        return println!("skipped: giving a file away needs root");
    }
    fs::set_permissions(&path, PermissionsExt::from_mode(0o4755)).unwrap();
    let result = output(&["check", path.to_str().unwrap()]);
    if stdout(&result).contains("without effect") {
        return println!("skipped: the folder for temporary files is mounted nosuid");
    }
    assert_eq!(result.status.code(), Some(1), "{}", stdout(&result));
    assert!(stdout(&result).contains("setuid"), "{}", stdout(&result));
    let result = output(&["run", "--", path.to_str().unwrap(), "/dev/null"]);
    assert_eq!(stdout(&result), "/dev/null\n");
    assert!(stderr(&result).contains("setuid"), "{}", stderr(&result));
}

#[test]
fn no_such_file_is_an_error_of_ours() {
    let result = output(&["check", "/no/such/file"]);
    assert_eq!(result.status.code(), Some(125));
    assert!(stderr(&result).contains("check the spelling"), "{}", stderr(&result));
}

#[test]
fn manual_pages_and_completions_are_generated() {
    let folder = tempfile::tempdir().unwrap();
    for what in ["man", "completions"] {
        let target = folder.path().join(what);
        let result = output(&["generate", what, target.to_str().unwrap()]);
        assert!(result.status.success(), "{}", stderr(&result));
    }
    let page = fs::read_to_string(folder.path().join("man/sigzero-stat.1")).unwrap();
    for part in ["SYNOPSIS", "EXIT STATUS", "EXAMPLES", "SEE ALSO", "\\-\\-follow"] {
        assert!(page.contains(part), "{part}: {page}");
    }
    assert!(folder.path().join("man/sigzero.1").exists());
    assert!(folder.path().join("man/sigzero-doctor.1").exists());
    for file in ["sigzero.bash", "_sigzero", "sigzero.fish"] {
        let text = fs::read_to_string(folder.path().join("completions").join(file)).unwrap();
        assert!(text.contains("--mode") || text.contains("-l mode"), "{file}");
        assert!(
            text.contains("compare") && text.contains("doctor") && !text.contains("generate"),
            "{file}"
        );
    }
}

#[test]
fn a_reader_that_goes_away_is_no_failure() {
    let mut command = sigzero(&["check", "/bin/ls"]);
    let mut child = command.stdout(std::process::Stdio::piped()).spawn().unwrap();
    drop(child.stdout.take());
    assert_eq!(child.wait().unwrap().code(), Some(0));
}

#[test]
fn what_cannot_be_executed_cannot_be_treated() {
    let folder = tempfile::tempdir().unwrap();
    let script = folder.path().join("script");
    let path = script.to_str().unwrap();
    fs::write(&script, "#!/bin/sh\n").unwrap();
    fs::set_permissions(&script, fs::Permissions::from_mode(0o644)).unwrap();
    let result = output(&["check", path]);
    assert_eq!(result.status.code(), Some(1));
    assert!(stdout(&result).contains("chmod +x"), "{}", stdout(&result));
    fs::write(&script, "#!/bin/sh\r\n").unwrap();
    fs::set_permissions(&script, fs::Permissions::from_mode(0o755)).unwrap();
    let result = output(&["check", path]);
    assert_eq!(result.status.code(), Some(1));
    assert!(stdout(&result).contains(r"/bin/sh\r: No such"), "{}", stdout(&result));
    for way in ["run", "stat", "compare"] {
        let result = output(&[way, "--", path]);
        assert_eq!(result.status.code(), Some(127), "{way}");
        assert!(stderr(&result).contains("line ends of Windows"), "{}", stderr(&result));
    }
}

#[test]
fn output_that_is_cut_off_proves_nothing() {
    if skip_without_library() {
        return;
    }
    let ours = env!("CARGO_BIN_EXE_sigzero");
    let text = format!("ulimit -f 8; {ours} compare -n 2 -- head -c 1000000 /dev/zero");
    let result = std::process::Command::new("bash").args(["-c", &text]).output().unwrap();
    assert_eq!(result.status.code(), Some(125));
    assert!(stderr(&result).contains("ulimit -f"), "{}", stderr(&result));
}

#[test]
fn a_page_is_written_though_nobody_reads_the_rest() {
    if skip_without_library() {
        return;
    }
    let folder = tempfile::tempdir().unwrap();
    let page = folder.path().join("page.html");
    for (place, status) in [("/dev/full", 125), ("/dev/null", 0)] {
        let mut command = sigzero(&["compare", "-n", "2", "--html"]);
        command.arg(&page).args(["--", "true"]).stdin(std::process::Stdio::null());
        let out = fs::OpenOptions::new().write(true).open(place).unwrap();
        let result = command.stdout(out).output().unwrap();
        assert_eq!(result.status.code(), Some(status), "{place}: {}", stderr(&result));
        assert!(fs::read_to_string(&page).unwrap().contains("</html>"), "{place}");
        fs::remove_file(&page).unwrap();
    }
}
