// SPDX-License-Identifier: MIT
//! The whole experiment on small commands.

use std::os::fd::AsRawFd;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::Once;

use clap::Parser;
use sigzero_compare::{Agreement, Args, Error, Kind, Report, Variables, measure, page, render};

#[derive(Parser)]
struct Line {
    #[command(flatten)]
    args: Args,
}

fn args(line: &[&str]) -> Args {
    Line::parse_from([&["compare"], line].concat()).args
}

fn compare(line: &[&str], variables: &Variables) -> Result<Report, Error> {
    without_stdin();
    measure(&args(line), variables)
}

/// The test runner's standard input may be a pipe that never ends.
fn without_stdin() {
    static ONCE: Once = Once::new();
    ONCE.call_once(|| {
        let null = std::fs::File::open("/dev/null").unwrap();
        // SAFETY: both descriptors are open.
        assert_eq!(unsafe { libc::dup2(null.as_raw_fd(), 0) }, 0);
    });
}

fn shell(script: &str, variables: &Variables) -> Report {
    compare(&["-n", "2", "--", "sh", "-c", script], variables).unwrap()
}

fn marked() -> Variables {
    vec![("SIGZERO_TEST".into(), "1".into())]
}

#[test]
fn nothing_to_remove_from_true() {
    let report = compare(&["-n", "2", "--", "true"], &vec![]).unwrap();
    assert_eq!(report.verdict.kind, Kind::NothingToRemove);
    assert_eq!((report.verdict.exit_code, report.verdict.same_behaviour), (0, Some(true)));
    assert_eq!((report.calls.without, report.calls.with), (0, 0));
    assert_eq!(report.pairs.len(), 2);
    assert!(report.pairs.iter().all(|p| p.without.wall_s > 0.0 && p.with.wall_s > 0.0));
}

#[test]
fn a_shell_loop_is_the_same_on_both_sides() {
    let report = shell("i=0; while [ $i -lt 100 ]; do i=$((i+1)); done; echo $i", &marked());
    assert_eq!(report.behaviour.stdout, Agreement::Same);
    assert_eq!(report.behaviour.stdout_bytes, 4);
    assert_eq!(report.calls.without, report.calls.with);
    assert_eq!(report.verdict.exit_code, 0);
    assert!(render(&report).contains("same in "));
}

#[test]
fn different_output_is_found_and_shown() {
    let report = shell("echo one; echo two${SIGZERO_TEST}", &marked());
    assert_eq!(report.verdict.kind, Kind::DifferentBehaviour);
    assert_eq!(report.verdict.exit_code, 1);
    let Agreement::Different { runs, example } = &report.behaviour.stdout else { panic!() };
    assert_eq!((*runs, example.byte, example.line), (report.behaviour.runs_with, 7, 2));
    let text = render(&report);
    assert!(text.contains("DIFFERENT OUTPUT: do not use"), "{text}");
    assert!(text.contains(r#"without: "two", with: "two1""#), "{text}");
}

#[test]
fn a_different_exit_status_is_different_behaviour() {
    let report = shell("[ -z \"$SIGZERO_TEST\" ] || kill -ABRT $$", &marked());
    assert_eq!(report.verdict.exit_code, 1);
    assert!(render(&report).contains("with: killed by SIGABRT"));
}

#[test]
fn a_failing_command_is_compared_with_its_status() {
    let report = shell("exit 3", &marked());
    assert_eq!(report.verdict.exit_code, 0);
    assert_eq!(report.behaviour.reference_status, "exit status 3");
}

#[test]
fn output_that_varies_is_not_called_the_same() {
    let report = shell("echo $$", &vec![]);
    assert!(report.behaviour.varies() && !report.behaviour.differs());
    assert_eq!((report.verdict.exit_code, report.verdict.same_behaviour), (3, None));
}

#[test]
fn commands_that_cannot_run_have_the_status_of_env() {
    let data = tempfile::NamedTempFile::new().unwrap();
    let code = |command: &str| compare(&["--", command], &vec![]).unwrap_err().exit_code();
    assert_eq!(code("no-such-command-here"), 127);
    assert_eq!(code(data.path().to_str().unwrap()), 126);
}

#[test]
fn options_after_the_command_are_the_commands() {
    assert_eq!(args(&["-n3", "ls", "-n", "7"]).command, ["ls", "-n", "7"]);
    assert_eq!(args(&["-n3", "ls", "-n", "7"]).runs, 3);
    assert!(Line::try_parse_from(["compare", "-n", "0", "ls"]).is_err());
    assert!(Line::try_parse_from(["compare"]).is_err());
}

#[test]
fn json_holds_numbers_as_numbers() {
    let report = shell("kill -0 $$; echo \"<a&b>\"", &vec![]);
    let json = serde_json::to_value(&report).unwrap();
    let by_name = json["calls"]["by_name"].as_array().unwrap();
    assert_eq!(by_name.iter().find(|c| c["name"] == "kill").unwrap()["without"], 1);
    assert!(json["wall"]["without"]["median_s"].is_f64());
    assert!(json["wall"]["ratio"]["median"].is_f64());
    assert_eq!(json["pairs"].as_array().unwrap().len(), 2);
    assert_eq!(json["behaviour"]["stdout"]["agreement"], "same");
    assert_eq!(json["verdict"]["kind"], "nothing_to_remove");
    assert_eq!(json["command"][0], "sh");
}

#[test]
fn the_page_needs_nothing_from_elsewhere() {
    let page = page(&shell("kill -0 $$; echo '<b>'", &vec![]));
    assert!(page.contains("<svg") && page.contains("&lt;b&gt;"));
    for foreign in ["<script", "http:", "https:", "url(", "@import", "<link", "<img", "<b>'"] {
        assert!(!page.contains(foreign), "{foreign}");
    }
}

/// The built runtime, if it is there.
fn library() -> Option<PathBuf> {
    let built = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../build/runtime/libsigzero.so");
    let path =
        std::env::var_os("SIGZERO_LIB").filter(|p| !p.is_empty()).map_or(built, PathBuf::from);
    path.canonicalize().ok()
}

#[test]
fn the_runtime_takes_the_calls_of_jumps_away() {
    let Some(library) = library() else {
        eprintln!("skipped: libsigzero.so is not built");
        return;
    };
    let folder = tempfile::tempdir().unwrap();
    let program = folder.path().join("jumps");
    let source = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/programs/jumps.c");
    let built = Command::new("cc").args(["-O1", "-o"]).arg(&program).arg(source).status();
    assert!(built.unwrap().success());
    let variables = vec![
        ("LD_PRELOAD".into(), library.into()),
        ("SIGZERO_MODE".into(), "shadow".into()),
        ("SIGZERO_QUIET".into(), "1".into()),
    ];
    let line = ["-n", "6", "--", program.to_str().unwrap(), "20000"];
    let report = compare(&line, &variables).unwrap();
    assert_eq!(report.calls.without, 40_000);
    assert!(report.calls.with <= 15, "{}", report.calls.with);
    assert_eq!(report.verdict.same_behaviour, Some(true));
}
