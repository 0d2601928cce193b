// SPDX-License-Identifier: MIT
//! `sigzero doctor` on processes of all kinds.

mod support;

use std::io::Read;
use std::os::unix::process::CommandExt;
use std::path::Path;
use std::process::{Child, Command, Output, Stdio};
use std::thread::sleep;
use std::time::{Duration, Instant};

use serde_json::Value;
use support::*;

const BLOCKING: &str = r#"
#define _GNU_SOURCE
#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/signalfd.h>
#include <sys/syscall.h>
#include <unistd.h>

static sigset_t set_of(int sig) { sigset_t set; sigemptyset(&set); sigaddset(&set, sig); return set; }

__attribute__((noinline)) void block_it(int sig)
{
	sigset_t set = set_of(sig);
	pthread_sigmask(SIG_BLOCK, &set, NULL);
	__asm__ volatile("");
}

__attribute__((noinline)) void unblock_it(int sig)
{
	sigset_t set = set_of(sig);
	pthread_sigmask(SIG_UNBLOCK, &set, NULL);
	__asm__ volatile("");
}

static void handler(int sig) { (void)sig; }

static void *worker(void *ready)
{
	sigset_t set = set_of(SIGTERM);
	pthread_setname_np(pthread_self(), "worker");
	pthread_sigmask(SIG_BLOCK, &set, NULL);
	pthread_barrier_wait(ready);
	for (;;)
		pause();
}

static void start_worker(void)
{
	static pthread_barrier_t ready;
	pthread_t thread;
	pthread_barrier_init(&ready, NULL, 2);
	pthread_create(&thread, NULL, worker, &ready);
	pthread_barrier_wait(&ready);
}

int main(int argc, char **argv)
{
	int never[2];
	if (pipe(never) != 0)
		return 1;
	signal(SIGTERM, handler);
	for (int i = 1; i < argc; i++) {
		if (!strcmp(argv[i], "worker"))
			start_worker();
		if (!strcmp(argv[i], "block"))
			block_it(SIGTERM);
		if (!strcmp(argv[i], "unblock"))
			unblock_it(SIGTERM);
		if (!strcmp(argv[i], "process"))
			kill(getpid(), SIGTERM);
		if (!strcmp(argv[i], "thread"))
			syscall(SYS_tgkill, getpid(), getpid(), SIGTERM);
		if (!strcmp(argv[i], "signalfd")) {
			sigset_t set = set_of(SIGTERM);
			signalfd(-1, &set, 0);
		}
		if (!strcmp(argv[i], "behind")) {
			/* Not plain, or `run` would leave the program alone. */
			volatile long number = SYS_rt_sigprocmask;
			unsigned long set = 1ul << (SIGUSR1 - 1);
			register long size __asm__("r10") = 8;
			long result = number;
			__asm__ volatile("syscall" : "+a"(result)
			                 : "D"(SIG_BLOCK), "S"(&set), "d"(0), "r"(size)
			                 : "rcx", "r11", "memory");
		}
	}
	write(1, "r", 1);
	/* Restarted, and so not a call before which everything is blocked for real. */
	while (read(never[0], argv, 1) >= 0)
		;
}
"#;

const SECTIONS: &str = r#"
#include <signal.h>
#include <string.h>
#include <sigzero.h>
#include <unistd.h>

int main(int argc, char **argv)
{
	static volatile uint32_t own;
	for (int i = 1; i < argc; i++) {
		if (!strcmp(argv[i], "enter"))
			sigzero_block();
		if (!strcmp(argv[i], "often"))
			for (int i = 0; i < 100; i++) {
				sigzero_block();
				sigzero_unblock();
			}
		if (!strcmp(argv[i], "process"))
			kill(getpid(), SIGTERM);
		if (!strcmp(argv[i], "overwrite"))
			memset(&sigzero_self, 'A', 4);
		if (!strcmp(argv[i], "below"))
			sigzero_self.word -= 16, sigzero_self.copy += 16;
		if (!strcmp(argv[i], "register") && sigfastblock(SIGFASTBLOCK_SETPTR, (void *)&own) != 0)
			return 77;
		if (!strcmp(argv[i], "deeper"))
			own += 48;
	}
	write(1, "r", 1);
	for (;;)
		pause();
}
"#;

/// A process that is ended with the test.
struct Subject(Child);

impl Subject {
    fn start(mut command: Command) -> Self {
        let mut child = command.stdin(Stdio::null()).stdout(Stdio::piped()).spawn().unwrap();
        child.stdout.as_mut().unwrap().read_exact(&mut [0]).unwrap();
        wait_until_all_sleep(child.id());
        Self(child)
    }

    fn pid(&self) -> String {
        self.0.id().to_string()
    }

    fn doctor(&self, options: &[&str]) -> Output {
        let pid = self.pid();
        output(&[&["doctor"], options, &[&pid]].concat())
    }

    fn report(&self) -> Value {
        let result = self.doctor(&["--json"]);
        serde_json::from_slice(&result.stdout).unwrap_or_else(|_| panic!("{}", stderr(&result)))
    }
}

fn wait_until_all_sleep(pid: u32) {
    let asleep = |task: std::fs::DirEntry| {
        let status = std::fs::read_to_string(task.path().join("status")).unwrap();
        status.contains("State:\tS")
    };
    let end = Instant::now() + Duration::from_secs(20);
    let tasks = || std::fs::read_dir(format!("/proc/{pid}/task")).unwrap();
    while !tasks().all(|task| asleep(task.unwrap())) {
        assert!(Instant::now() < end, "the process does not come to rest");
        sleep(Duration::from_millis(5));
    }
}

impl Drop for Subject {
    fn drop(&mut self) {
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

fn program(folder: &Path) -> std::path::PathBuf {
    compile(folder, "blocking", BLOCKING, &["-g", "-pthread"])
}

fn untreated(folder: &Path, words: &[&str]) -> Subject {
    let mut command = unset(Command::new(program(folder)));
    command.args(words);
    Subject::start(command)
}

fn treated(folder: &Path, words: &[&str]) -> Subject {
    let path = program(folder);
    let mut command = sigzero(&["run", "--", path.to_str().unwrap()]);
    command.args(words);
    Subject::start(command)
}

/// Blocks without calls from the first change on that the runtime knows the mask at.
fn at_once(mut command: Command) -> Command {
    command.env("SIGZERO_MODE", "lazy").env("SIGZERO_HOT", "0");
    command
}

fn lazily(folder: &Path, words: &[&str]) -> Subject {
    let mut command = at_once(unset(Command::new(program(folder))));
    command.args(words).env("LD_PRELOAD", library().unwrap());
    Subject::start(command)
}

/// A program with sections, linked to the runtime in the way that `options` say.
fn linked(folder: &Path, words: &[&str], options: &[&str]) -> Subject {
    let runtime = library().unwrap();
    let runtime = runtime.parent().unwrap().to_str().unwrap();
    let headers = format!("-I{}/../../include", env!("CARGO_MANIFEST_DIR"));
    let (place, path) = (format!("-L{runtime}"), format!("-Wl,-rpath,{runtime}"));
    let options = [&["-g", &headers, &place, &path], options].concat();
    let program = compile(folder, "sections", SECTIONS, &options);
    let mut command = at_once(unset(Command::new(program)));
    command.args(words);
    Subject::start(command)
}

fn kinds(report: &Value) -> Vec<&str> {
    report["findings"].as_array().unwrap().iter().map(|f| f["kind"].as_str().unwrap()).collect()
}

#[test]
fn a_process_that_blocks_nothing_has_no_findings() {
    let folder = tempfile::tempdir().unwrap();
    let subject = untreated(folder.path(), &[]);
    let result = subject.doctor(&[]);
    assert_eq!(result.status.code(), Some(0), "{}", stdout(&result));
    assert!(stdout(&result).contains("nothing wrong was found"), "{}", stdout(&result));
    assert!(stdout(&result).contains("in read"), "{}", stdout(&result));
}

#[test]
fn a_signal_that_all_threads_block_is_found() {
    let folder = tempfile::tempdir().unwrap();
    let subject = untreated(folder.path(), &["worker", "block", "process"]);
    let result = subject.doctor(&[]);
    assert_eq!(result.status.code(), Some(1), "{}", stdout(&result));
    let text = "finding: SIGTERM is pending for the process, and both threads block it";
    assert!(stdout(&result).contains(text), "{}", stdout(&result));
    let report = subject.report();
    assert_eq!(kinds(&report), ["everyone-blocks"]);
    assert_eq!(report["treatment"]["kind"], "untreated");
    assert_eq!(report["threads"][1]["name"], "worker");
    assert_eq!(report["threads"][1]["unchanged"], "all");
    let pending = &report["pending"][0];
    assert_eq!((&pending["signal"], &pending["action"]), (&"SIGTERM".into(), &"caught".into()));
    assert_eq!(pending["blocked_by"].as_array().unwrap().len(), 2);
}

#[test]
fn a_signal_for_one_thread_is_told_apart() {
    let folder = tempfile::tempdir().unwrap();
    let subject = untreated(folder.path(), &["worker", "block", "thread"]);
    let report = subject.report();
    assert_eq!(kinds(&report), ["thread-blocks"]);
    assert_eq!(report["pending"][0]["thread"].to_string(), subject.pid());
}

#[test]
fn a_file_descriptor_that_can_take_a_signal_is_named() {
    let folder = tempfile::tempdir().unwrap();
    let subject = untreated(folder.path(), &["block", "signalfd", "process"]);
    let report = subject.report();
    let readers = report["pending"][0]["readers"].as_array().unwrap();
    assert_eq!(readers.len(), 1);
    let said = stdout(&subject.doctor(&[]));
    assert!(said.contains(&format!("file descriptor {}", readers[0])), "{said}");
}

#[test]
fn a_thread_leads_to_its_process() {
    let folder = tempfile::tempdir().unwrap();
    let subject = untreated(folder.path(), &["worker"]);
    let worker = subject.report()["threads"][1]["tid"].to_string();
    let result = output(&["doctor", "--watch", "0", &worker]);
    assert!(stdout(&result).contains(&format!("is a thread of process {}", subject.pid())));
    assert!(stdout(&result).contains("looked at once"), "{}", stdout(&result));
}

#[test]
fn a_treated_process_is_recognized() {
    if skip_without_library() {
        return;
    }
    let folder = tempfile::tempdir().unwrap();
    let subject = treated(folder.path(), &["worker", "block", "process"]);
    let report = subject.report();
    assert_eq!(report["treatment"]["kind"], "treated", "{report}");
    assert_eq!(kinds(&report), ["everyone-blocks"]);
    for thread in report["threads"].as_array().unwrap() {
        assert_eq!(thread["blocked_by_program"], serde_json::json!(["SIGTERM"]), "{report}");
    }
}

#[test]
fn a_runtime_without_its_file_is_recognized() {
    if skip_without_library() {
        return;
    }
    let folder = tempfile::tempdir().unwrap();
    let copy = folder.path().join("libsigzero.so");
    std::fs::copy(library().unwrap(), &copy).unwrap();
    let path = program(folder.path());
    let mut command = sigzero(&["run", "--", path.to_str().unwrap()]);
    command.arg("block").env("SIGZERO_LIB", &copy);
    let subject = Subject::start(command);
    std::fs::remove_file(&copy).unwrap();
    let report = subject.report();
    assert_eq!(report["treatment"]["kind"], "treated", "{report}");
    assert_eq!(report["threads"][0]["blocked_by_program"], serde_json::json!(["SIGTERM"]));
}

#[test]
fn a_mask_that_was_changed_without_libc_is_found() {
    if skip_without_library() {
        return;
    }
    let folder = tempfile::tempdir().unwrap();
    let subject = treated(folder.path(), &["block", "behind"]);
    let report = subject.report();
    assert_eq!(kinds(&report), ["blocked-unasked"], "{report}");
    assert_eq!(report["findings"][0]["signals"], serde_json::json!(["SIGUSR1"]));
}

#[test]
fn what_is_blocked_lazily_is_told_and_who_did_it() {
    if skip_without_library() {
        return;
    }
    let folder = tempfile::tempdir().unwrap();
    let subject = lazily(folder.path(), &["block", "unblock", "block"]);
    let report = subject.report();
    let thread = &report["threads"][0];
    let term = || serde_json::json!(["SIGTERM"]);
    assert_eq!((thread["blocked_by_program"].clone(), kinds(&report)), (term(), vec![]));
    assert_eq!(thread["blocked_by_kernel"], serde_json::json!([]), "{report}");
    assert_eq!(thread["blocked_lazily"], term(), "{report}");
    assert_eq!((&thread["changes"], &thread["unchanged"]), (&3.into(), &"all".into()));
    assert_eq!(thread["changed_by"]["symbol"], "block_it", "{report}");
    assert!(thread["changed_by"]["file"].as_str().unwrap().ends_with("blocking.c"), "{report}");
    let said = stdout(&subject.doctor(&[]));
    assert!(said.contains("lazily") && said.contains("block_it+0x"), "{said}");

    // SAFETY: the child has not been waited for, so the number is still its own.
    unsafe { libc::kill(subject.0.id() as i32, libc::SIGTERM) };
    let report = subject.report();
    let thread = &report["threads"][0];
    assert_eq!(kinds(&report), ["everyone-blocks"], "{report}");
    assert_eq!(thread["blocked_by_kernel"], term(), "{report}");
    assert!(thread["held_seconds"].as_f64().unwrap() > 0.0, "{report}");
}

#[test]
fn a_section_that_is_never_left_is_found() {
    if skip_without_library() {
        return;
    }
    let folder = tempfile::tempdir().unwrap();
    for options in [&["-lsigzero"][..], &["-l:libsigzero.a", "-s"]] {
        let subject = linked(folder.path(), &["enter", "enter"], options);
        let report = subject.report();
        assert_eq!((kinds(&report), &report["threads"][0]["section"]), (vec![], &2.into()));
        for words in [&["enter", "process"][..], &["often", "enter", "process"]] {
            let report = linked(folder.path(), words, options).report();
            assert_eq!(kinds(&report), ["section-not-left"], "{report}");
            assert_eq!(report["findings"][0]["signals"], serde_json::json!(["SIGTERM"]));
            // Not the library's.
            assert_eq!(report["caught"], serde_json::json!([]), "{report}");
            assert_eq!(report["pending"][0]["action"], "default", "{report}");
        }
    }
}

#[test]
fn words_that_were_overwritten_are_found() {
    if skip_without_library() {
        return;
    }
    let folder = tempfile::tempdir().unwrap();
    for (word, kind) in [("overwrite", "word-corrupted"), ("below", "below-zero")] {
        let report = linked(folder.path(), &[word], &["-lsigzero"]).report();
        assert_eq!(kinds(&report), [kind], "{report}");
    }
}

#[test]
fn what_may_not_be_read_is_called_unknown() {
    let folder = tempfile::tempdir().unwrap();
    let subject = untreated(folder.path(), &["block", "process"]);
    let copy = folder.path().join("sigzero");
    std::fs::copy(env!("CARGO_BIN_EXE_sigzero"), &copy).unwrap();
    let open = std::os::unix::fs::PermissionsExt::from_mode(0o755);
    std::fs::set_permissions(folder.path(), open).unwrap();
    let mut command = unset(Command::new(copy));
    command.args(["doctor", &subject.pid()]).uid(65534).gid(65534);
    let Ok(result) = command.output() else {
        return println!("skipped: becoming another user needs root");
    };
    assert_eq!(result.status.code(), Some(1), "{}", stderr(&result));
    let said = stdout(&result);
    assert!(said.contains("SIGTERM is pending") && said.contains("or as root"), "{said}");
}

#[test]
fn what_is_gone_is_an_error_with_a_next_step() {
    let result = output(&["doctor", "2147483647"]);
    assert_eq!(result.status.code(), Some(125));
    assert!(stderr(&result).contains("no such process"), "{}", stderr(&result));
    for words in [&["doctor", "0"][..], &["doctor", "x"], &["doctor", "--watch", "-1", "1"]] {
        let result = output(words);
        assert_eq!(result.status.code(), Some(125), "{words:?}: {}", stderr(&result));
    }
}

#[test]
fn what_ends_meanwhile_is_an_error_of_its_own() {
    let mut child = Command::new("sleep").arg("0.3").spawn().unwrap();
    let pid = child.id().to_string();
    let doctor = sigzero(&["doctor", "--watch", "5", &pid]).stderr(Stdio::piped()).spawn().unwrap();
    let result = doctor.wait_with_output().unwrap();
    assert_eq!(result.status.code(), Some(125));
    assert!(stderr(&result).contains("ended while it was examined"), "{}", stderr(&result));
    // It is not collected yet.
    let result = output(&["doctor", &pid]);
    assert_eq!(result.status.code(), Some(125));
    assert!(stderr(&result).contains("parent"), "{}", stderr(&result));
    child.wait().unwrap();
}
