// SPDX-License-Identifier: MIT
//! Both methods must give the same exact counts, and report the command's end as it was.

use std::os::unix::process::ExitStatusExt;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::{Duration, Instant};

use sigzero_count::{Counted, Error, Method, Spec, count, count_by, count_with_sites};

struct Program {
    path: PathBuf,
    _dir: tempfile::TempDir,
}

fn compile(name: &str, flags: &[&str]) -> Program {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join(name);
    let source = Path::new(env!("CARGO_MANIFEST_DIR")).join(format!("tests/programs/{name}.c"));
    let status = Command::new("cc")
        .args(["-O1", "-pthread", "-o"])
        .arg(&path)
        .arg(source)
        .args(flags)
        .status();
    assert!(status.unwrap().success(), "cc {name}.c");
    Program { path, _dir: dir }
}

/// Runs it by each method that works here. ptrace must; perf needs privilege.
fn by_each_method(spec: &Spec, check: impl Fn(&Counted)) {
    match count_by(Method::Perf, spec) {
        Err(Error::Unavailable(why)) => eprintln!("skipped: perf: {why}"),
        counted => check(&counted.unwrap()),
    }
    check(&count_by(Method::Ptrace, spec).unwrap());
}

fn shell(script: &str) -> Spec {
    Spec::new("sh").args(["-c", script])
}

#[test]
fn every_call_is_counted() {
    let program = compile("calls", &[]);
    let run = |n: &str| Spec::new(&program.path).args([n, "0", "0"]);
    by_each_method(&run("17"), |counted| {
        let c = &counted.counts;
        assert!(c.exact && counted.status.success());
        for name in [
            "sigaltstack",
            "rt_sigsuspend",
            "rt_sigpending",
            "rt_sigtimedwait",
            "rt_sigqueueinfo",
            "rt_tgsigqueueinfo",
            "kill",
            "tkill",
            "signalfd4",
        ] {
            assert_eq!(c.get(name), 17, "{name} by {}", c.method);
        }
        assert_eq!(c.get("rt_sigprocmask"), 3 * 17);
        assert_eq!(c.get("rt_sigaction"), 17 + 1);
        assert_eq!(c.get("tgkill"), 2 * 17);
        assert_eq!(c.get("rt_sigreturn"), 3 * 17);
        assert_eq!(c.total(), (9 + 3 + 1 + 2 + 3) * 17 + 1);
    });
}

#[test]
fn threads_and_children_are_counted() {
    let program = compile("calls", &[]);
    let run = |n: &str| Spec::new(&program.path).args([n, "3", "4"]);
    let shares = 1 + 3 + 4;
    // What glibc makes for threads and forks is in both counts; the difference is ours alone.
    let check = |method| {
        let idle = count_by(method, &run("0"))?;
        let busy = count_by(method, &run("11"))?;
        let made = |name| busy.counts.get(name) - idle.counts.get(name);
        assert_eq!(made("rt_sigpending"), 11 * shares);
        assert_eq!(made("rt_sigprocmask"), 3 * 11 * shares);
        assert_eq!(made("rt_sigreturn"), 3 * 11 * shares);
        Ok::<_, Error>(busy.counts)
    };
    let ptrace = check(Method::Ptrace).unwrap();
    match check(Method::Perf) {
        Err(Error::Unavailable(why)) => eprintln!("skipped: perf: {why}"),
        perf => assert!(perf.unwrap().iter().eq(ptrace.iter())),
    }
}

#[test]
fn exit_status_and_death_by_signal_are_reported() {
    by_each_method(&shell("exit 42"), |c| assert_eq!(c.status.code(), Some(42)));
    by_each_method(&shell("kill -TERM $$"), |c| {
        assert_eq!(c.status.signal(), Some(libc::SIGTERM));
        assert_eq!(c.counts.get("kill"), 1);
    });
    by_each_method(&shell("kill -KILL $$"), |c| {
        assert_eq!(c.status.signal(), Some(libc::SIGKILL));
    });
}

#[test]
fn a_stopped_child_stays_stopped_until_continued() {
    let program = compile("stopped", &[]);
    by_each_method(&Spec::new(&program.path), |c| {
        assert_eq!(c.status.code(), Some(7), "{:?}", c.counts.method);
    });
}

#[test]
fn a_stopped_command_goes_on_when_continued() {
    by_each_method(&shell("(sleep 0.1; kill -CONT $$) & kill -STOP $$; exit 5"), |c| {
        assert_eq!(c.status.code(), Some(5));
        assert_eq!(c.counts.get("kill"), 2);
    });
}

#[test]
fn handlers_and_real_time_signals_work() {
    let script = "trap 'exit 9' USR1; kill -USR1 $$; exit 1";
    by_each_method(&shell(script), |c| assert_eq!(c.status.code(), Some(9)));
    by_each_method(&shell("kill -40 $$"), |c| assert_eq!(c.status.signal(), Some(40)));
}

#[test]
fn a_missing_command_is_127_and_a_data_file_126() {
    let data = tempfile::NamedTempFile::new().unwrap();
    for method in [Method::Perf, Method::Ptrace] {
        for (program, code) in [(Path::new("no-such-command-here"), 127), (data.path(), 126)] {
            match count_by(method, &Spec::new(program)) {
                Err(Error::Unavailable(why)) => eprintln!("skipped: {method}: {why}"),
                Err(Error::Spawn(error)) => assert_eq!(error.exit_code(), code),
                other => panic!("{other:?}"),
            }
        }
    }
}

#[test]
fn streams_and_environment_reach_the_command() {
    let script = "read line; printf '%s %s %s' \"$0\" \"$line\" \"$SIGZERO_TEST\"; echo e >&2";
    let mut spec = shell(script);
    spec.name = Some("named".into());
    let input = tempfile::NamedTempFile::new().unwrap();
    std::fs::write(input.path(), "from stdin\n").unwrap();
    let [out, err] = [0, 1].map(|_| tempfile::NamedTempFile::new().unwrap());
    spec.env.push(("SIGZERO_TEST".into(), Some("from env".into())));
    spec.stdin = Some(input.reopen().unwrap().into());
    spec.stdout = Some(out.reopen().unwrap().into());
    spec.stderr = Some(err.reopen().unwrap().into());
    assert!(count(&spec).unwrap().status.success());
    assert_eq!(std::fs::read(out.path()).unwrap(), b"named from stdin from env");
    assert_eq!(std::fs::read(err.path()).unwrap(), b"e\n");
}

#[test]
fn what_outlives_the_command_is_waited_for() {
    let start = Instant::now();
    by_each_method(&shell("(sleep 0.4; kill -0 0) & exit 0"), |c| {
        assert!(c.counts.exact);
        assert_eq!(c.counts.get("kill"), 1);
    });
    assert!(start.elapsed() >= Duration::from_millis(400));
}

#[test]
fn perf_says_when_something_still_runs() {
    match count_by(Method::Perf, &shell("sleep 4 & exit 3")) {
        Err(Error::Unavailable(why)) => eprintln!("skipped: perf: {why}"),
        counted => {
            let counted = counted.unwrap();
            assert_eq!(counted.status.code(), Some(3));
            assert!(!counted.counts.exact && counted.counts.note.is_some());
        }
    }
}

#[test]
fn sites_name_the_code_of_a_static_program() {
    let program = compile("calls", &["-static"]);
    let spec = Spec::new(&program.path).args(["23", "0", "1"]);
    let counted = count_with_sites(&spec).unwrap();
    let of_files: u64 = counted.images.iter().flat_map(|i| &i.sites).map(|s| s.calls).sum();
    assert_eq!(of_files, counted.counts.total());
    assert_eq!(counted.images.len(), 2, "parent and child");
    for image in &counted.images {
        let pending = image.sites.iter().find(|s| s.call == "rt_sigpending").unwrap();
        assert_eq!(pending.calls, 23);
        assert_eq!(pending.module, program.path);
        assert!(is_behind_system_call(&program.path, pending.file_offset));
    }
}

#[cfg(target_arch = "x86_64")]
fn is_behind_system_call(module: &Path, offset: u64) -> bool {
    let bytes = std::fs::read(module).unwrap();
    let end = offset as usize;
    bytes[end - 2..end] == [0x0f, 0x05]
}

#[cfg(target_arch = "aarch64")]
fn is_behind_system_call(module: &Path, offset: u64) -> bool {
    let bytes = std::fs::read(module).unwrap();
    let end = offset as usize;
    bytes[end - 4..end] == [0x01, 0x00, 0x00, 0xd4]
}
