// SPDX-License-Identifier: MIT
//! `sigzero stat` from inside the kernel: what runs already, and what is said where it cannot be.

mod support;

use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Output, Stdio};
use std::thread::sleep;
use std::time::{Duration, Instant};

use serde_json::Value;
use support::*;

/// A process that reads its mask for ever.
struct Busy(Child, #[allow(dead_code)] tempfile::TempDir);

impl Busy {
    fn start() -> Self {
        let folder = tempfile::tempdir().unwrap();
        let source = "#include <signal.h>\n\
            __attribute__((noinline)) void asks_its_mask(void) { sigset_t old;\n\
            for (;;) sigprocmask(SIG_SETMASK, 0, &old); }\n\
            int main(void) { asks_its_mask(); return 0; }\n";
        let path = compile(folder.path(), "busy", source, &["-g"]);
        let child = Command::new(path).stdin(Stdio::null()).spawn().unwrap();
        Self(child, folder)
    }

    fn pid(&self) -> String {
        self.0.id().to_string()
    }

    fn runs(&self) -> bool {
        let stat = fs::read_to_string(format!("/proc/{}/stat", self.0.id())).unwrap();
        stat.rsplit(") ").next().unwrap().starts_with('R')
    }
}

impl Drop for Busy {
    fn drop(&mut self) {
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

/// True, after a line that says so, where eBPF is not permitted.
fn skip() -> bool {
    let refused = output(&["stat", "-a", "--duration", "0", "-o", "/dev/null"]);
    if !refused.status.success() {
        println!("skipped: {}", stderr(&refused));
    }
    !refused.status.success()
}

#[test]
fn a_running_process_is_counted_and_goes_on() {
    if skip() {
        return;
    }
    let busy = Busy::start();
    let report = stat_json(&["-p", &busy.pid(), "--duration", "0.3"]);
    assert_eq!(report["source"], "bpf");
    assert_eq!(report["exact"], true);
    assert_eq!(report["target"]["processes"][0], busy.0.id());
    let calls = report["total"]["calls"].as_u64().unwrap();
    assert!(calls > 1000 && report["total"]["rt_sigprocmask"]["query"] == calls);
    assert_eq!(report["callers"][0]["caller"]["symbol"], "asks_its_mask");
    let stack = report["stacks"][0]["stack"].as_array().unwrap();
    assert_eq!(stack.last().unwrap()["symbol"], "main");
    assert!(report["price"]["own_seconds"].as_f64().unwrap() > 0.0);
    assert!(busy.runs());
}

#[test]
fn it_is_said_where_the_programs_stood() {
    if skip() {
        return;
    }
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("report");
    let traced = |word: Option<&str>| {
        let words =
            ["stat", "--source", "bpf", "--json", "-o", file.to_str().unwrap(), "--", "true"];
        let mut command = sigzero(&words);
        if let Some(word) = word {
            command.env("SIGZERO_ATTACH", word);
        }
        command.output().unwrap()
    };
    let place = || {
        let report: Value = serde_json::from_str(&fs::read_to_string(&file).unwrap()).unwrap();
        assert_eq!((&report["source"], &report["exact"]), (&"bpf".into(), &true.into()));
        report["attached"].as_str().unwrap().to_string()
    };
    // What this kernel does not have is passed over without a word.
    assert_eq!(stderr(&traced(None)), "");
    let by_itself = place();
    assert!(["kprobe.multi", "tp_btf", "raw_tp"].contains(&&*by_itself));
    traced(Some("raw_tp"));
    assert_eq!(place(), "raw_tp");
    let wrong = traced(Some("anywhere"));
    assert!(!wrong.status.success() && stderr(&wrong).contains("SIGZERO_ATTACH=anywhere"));
    let text = stderr(&output(&["stat", "--source", "bpf", "--", "true"]));
    assert!(text.contains(&format!("by eBPF ({by_itself}), exactly")), "{text}");
}

#[test]
fn the_whole_machine_is_counted_without_us() {
    if skip() {
        return;
    }
    let busy = Busy::start();
    let report = stat_json(&["-a", "--duration", "0.3"]);
    assert_eq!(report["target"], "everything");
    let pids: Vec<_> = report["processes"].as_array().unwrap().iter().map(|p| &p["pid"]).collect();
    assert!(pids.contains(&&Value::from(busy.0.id())), "{pids:?}");
    let text = stderr(&output(&["stat", "-a", "--duration", "0.2"]));
    assert!(text.contains("the whole machine") && text.contains("busy"), "{text}");
    assert!(
        text.contains("counted in the kernel by eBPF (") && text.contains("), exactly"),
        "{text}"
    );
}

#[test]
fn ctrl_c_ends_the_counting_only() {
    if skip() {
        return;
    }
    let busy = Busy::start();
    let child = sigzero(&["stat", "-p", &busy.pid()]).stderr(Stdio::piped()).spawn().unwrap();
    attached(child.id());
    let pid = child.id().to_string();
    assert!(Command::new("kill").args(["-INT", &pid]).status().unwrap().success());
    let result = child.wait_with_output().unwrap();
    assert!(result.status.success());
    assert!(stderr(&result).contains("asks_its_mask"), "{}", stderr(&result));
    assert!(busy.runs());
}

#[test]
fn killed_we_leave_nothing_behind() {
    if skip() {
        return;
    }
    let busy = Busy::start();
    let mut child = sigzero(&["stat", "-p", &busy.pid()]).stderr(Stdio::null()).spawn().unwrap();
    attached(child.id());
    child.kill().unwrap();
    child.wait().unwrap();
    sleep(Duration::from_millis(50));
    assert!(busy.runs());
}

#[test]
fn the_counting_ends_with_the_process() {
    if skip() {
        return;
    }
    let mut busy = Busy::start();
    let child = sigzero(&["stat", "-p", &busy.pid()]).stderr(Stdio::piped()).spawn().unwrap();
    attached(child.id());
    busy.0.kill().unwrap();
    busy.0.wait().unwrap();
    let start = Instant::now();
    let result = child.wait_with_output().unwrap();
    assert!(result.status.success() && start.elapsed() < Duration::from_secs(5));
    assert!(stderr(&result).contains("asks_its_mask"), "{}", stderr(&result));
}

#[test]
fn a_process_that_is_gone_is_named() {
    if skip() {
        return;
    }
    let mut child = Command::new("true").spawn().unwrap();
    let pid = child.id().to_string();
    // First it has ended, and only its parent has not asked; then it is gone.
    while !fs::read_to_string(format!("/proc/{pid}/stat")).unwrap().contains(") Z ") {
        std::thread::sleep(Duration::from_millis(5));
    }
    for _ in 0..2 {
        let result = output(&["stat", "-p", &pid, "--duration", "5"]);
        assert_eq!(result.status.code(), Some(125), "{}", stderr(&result));
        let text = stderr(&result);
        assert!(text.contains(&format!("there is no process {pid}")), "{text}");
        child.wait().unwrap();
    }
}

#[test]
fn a_dynamic_command_gives_whole_stacks_if_asked() {
    if skip() {
        return;
    }
    let folder = tempfile::tempdir().unwrap();
    let path = asks(folder.path(), 500, &["-g"]);
    let report = stat_json(&["--source", "bpf", "--", path.to_str().unwrap()]);
    assert_eq!((&report["source"], &report["ending"]["code"]), (&"bpf".into(), &7.into()));
    assert_eq!(report["total"]["rt_sigprocmask"]["query"], 500);
    assert_eq!(report["stacks"][0]["stack_whole"], true);
    let bare = stat_json(&["--source", "bpf", "--no-stacks", "--", path.to_str().unwrap()]);
    assert_eq!(bare["total"]["rt_sigprocmask"]["query"], 500);
    assert!(bare.get("stacks").is_none());
}

/// The program where everybody can run it.
fn public(folder: &Path) -> PathBuf {
    fs::set_permissions(folder, fs::Permissions::from_mode(0o755)).unwrap();
    let path = folder.join("sigzero");
    fs::copy(assert_cmd::cargo::cargo_bin("sigzero"), &path).unwrap();
    path
}

fn by_nobody(folder: &Path, words: &[&str]) -> Option<Output> {
    let path = public(folder);
    let mut command = unset(Command::new("setpriv"));
    command.args(["--reuid=65534", "--regid=65534", "--clear-groups", "--bounding-set=-all"]);
    let result = command.arg(path).args(words).current_dir("/").output();
    match result {
        Ok(result) if !stderr(&result).starts_with("setpriv:") => Some(result),
        _ => {
            println!("skipped: setpriv cannot give up privilege here");
            None
        }
    }
}

/// What `sigzero stat -a` says when a shell starts it as `start` says, where that works.
fn said_under(start: &[&str]) -> Option<Output> {
    let mut command = unset(Command::new(start[0]));
    command.args(&start[1..]).arg(assert_cmd::cargo::cargo_bin("sigzero"));
    let result = command.args(["stat", "-a", "--duration", "0"]).output().ok();
    let result = result.filter(|result| stderr(result).contains("sigzero:"));
    if result.is_none() {
        println!("skipped: {} does not work here", start[0]);
    }
    result
}

#[test]
fn a_user_namespace_and_a_low_limit_are_named() {
    if skip() {
        return;
    }
    if let Some(result) = said_under(&["unshare", "--user", "--map-root-user"]) {
        assert_eq!(result.status.code(), Some(125));
        assert!(stderr(&result).contains("user namespace"), "{}", stderr(&result));
    }
    let result = said_under(&["sh", "-c", "ulimit -n 30; exec \"$0\" \"$@\""]).unwrap();
    assert_eq!(result.status.code(), Some(125));
    assert!(stderr(&result).contains("ulimit -n 1024"), "{}", stderr(&result));
}

#[test]
fn calls_of_32_bit_programs_are_said_to_be_missing() {
    if skip() {
        return;
    }
    let folder = tempfile::tempdir().unwrap();
    // rt_sigprocmask by its number there, and by that of another call here.
    let source = "int main(void) { long result = 0; for (int i = 0; i < 10; i++)\n\
        __asm__ volatile(\"int $0x80\" : \"=a\"(result) : \"a\"(175), \"b\"(0), \"c\"(0), \"d\"(0), \"S\"(8)\n\
        : \"memory\", \"r8\", \"r9\", \"r10\", \"r11\"); return result ? 77 : 0; }\n";
    let path = compile(folder.path(), "foreign", source, &["-static"]);
    if Command::new(&path).status().unwrap().code() != Some(0) {
        println!("skipped: this kernel has no calls of 32-bit programs");
        return;
    }
    let report = stat_json(&["--source", "bpf", "--", path.to_str().unwrap()]);
    assert_eq!(report["exact"], false);
    let notes = report["notes"].to_string();
    assert!(notes.contains("10 system calls of 32-bit programs were not counted"), "{notes}");
}

#[test]
fn without_privilege_it_is_said_what_to_grant() {
    let folder = tempfile::tempdir().unwrap();
    let Some(result) = by_nobody(folder.path(), &["stat", "-p", "1"]) else { return };
    assert_eq!(result.status.code(), Some(125));
    let text = stderr(&result);
    let advice =
        format!("sudo setcap cap_bpf,cap_perfmon+ep {}", folder.path().join("sigzero").display());
    assert!(text.contains(&advice), "{text}");
    assert_eq!(text.lines().count(), 1, "{text}");
}

#[test]
fn without_privilege_a_command_is_counted_by_ptrace() {
    let folder = tempfile::tempdir().unwrap();
    let path = asks(folder.path(), 50, &["-static"]);
    let words = ["stat", "--json", "--", path.to_str().unwrap()];
    let Some(result) = by_nobody(folder.path(), &words) else { return };
    assert_eq!(result.status.code(), Some(7));
    let text = stderr(&result);
    let report: Value = serde_json::from_str(&text[text.find('{').unwrap()..]).unwrap();
    if report["source"] == "nobody" {
        println!("skipped: this machine does not let us trace");
        return;
    }
    assert_eq!(report["source"], "ptrace");
    assert_eq!(report["total"]["rt_sigprocmask"]["total"], 50);
    assert!(report["notes"].to_string().contains("setcap"), "{text}");
}

#[test]
fn an_old_kernel_is_named() {
    let mut command = unset(Command::new("setarch"));
    command.arg("--uname-2.6").arg(assert_cmd::cargo::cargo_bin("sigzero"));
    let Ok(result) = command.args(["stat", "-a", "--duration", "0"]).output() else {
        println!("skipped: setarch is not installed");
        return;
    };
    let text = stderr(&result);
    if text.starts_with("setarch:") {
        println!("skipped: {text}");
        return;
    }
    assert_eq!(result.status.code(), Some(125));
    assert!(text.contains("the kernel is 2.6") && text.contains("5.17 or newer"), "{text}");
}

/// The same, with file systems that are changed by `mounts` and for it only.
fn said_with(mounts: &str) -> Option<Output> {
    said_under(&["unshare", "-m", "sh", "-c", &format!("{mounts} && exec \"$0\" \"$@\"")])
}

#[test]
fn a_kernel_without_types_is_named() {
    let Some(result) = said_with("mount -t tmpfs none /sys/kernel/btf") else { return };
    assert_eq!(result.status.code(), Some(125));
    assert!(stderr(&result).contains("CONFIG_DEBUG_INFO_BTF"), "{}", stderr(&result));
}

#[test]
fn what_is_not_mounted_is_named() {
    for place in ["/proc", "/sys"] {
        let Some(result) = said_with(&format!("umount -l {place}")) else { continue };
        let text = stderr(&result);
        assert_eq!(result.status.code(), Some(125));
        assert!(text.contains(&format!("{place} is not mounted")), "{text}");
    }
}

#[test]
fn a_kernel_that_is_locked_down_is_named() {
    if skip() {
        return;
    }
    let locked = "mount -t tmpfs none /sys/kernel/security && \
        echo 'none integrity [confidentiality]' >/sys/kernel/security/lockdown";
    let Some(result) = said_with(locked) else { return };
    assert_eq!(result.status.code(), Some(125));
    assert!(stderr(&result).contains("lift the lockdown"), "{}", stderr(&result));
}

/// Runs a copy of the program that has the two capabilities, as a user without privilege.
fn with_capabilities(words: &[&str]) -> Option<Output> {
    let folder = tempfile::tempdir().unwrap();
    let path = public(folder.path());
    let paths = "/usr/sbin:/sbin:/usr/bin:/bin";
    let mut grant = Command::new("setcap");
    grant.arg("cap_bpf,cap_perfmon+ep").arg(&path).env("PATH", paths);
    let mut command = unset(Command::new("setpriv"));
    command.args(["--reuid=65534", "--regid=65534", "--clear-groups"]);
    command.arg(&path).args(words).current_dir("/");
    let granted = grant.status().is_ok_and(|status| status.success());
    let result = granted.then(|| command.output()).and_then(Result::ok);
    let Some(result) = result.filter(|result| !stderr(result).starts_with("setpriv:")) else {
        println!("skipped: setcap or setpriv does not work here");
        return None;
    };
    Some(result)
}

#[test]
fn two_capabilities_suffice() {
    if skip() {
        return;
    }
    let folder = tempfile::tempdir().unwrap();
    fs::set_permissions(folder.path(), fs::Permissions::from_mode(0o755)).unwrap();
    let path = asks(folder.path(), 50, &["-static"]);
    let words = ["stat", "--json", "--", path.to_str().unwrap()];
    let Some(result) = with_capabilities(&words) else { return };
    let text = stderr(&result);
    let report: Value = serde_json::from_str(&text[text.find('{').unwrap()..]).unwrap();
    assert_eq!((&report["source"], result.status.code()), (&"bpf".into(), Some(7)));
    assert_eq!(report["callers"][0]["caller"]["symbol"], "asks_its_mask");
}

#[test]
fn a_process_of_another_user_is_counted_or_named() {
    if skip() {
        return;
    }
    let busy = Busy::start();
    let Some(result) = with_capabilities(&["stat", "-p", &busy.pid(), "--duration", "0.2"]) else {
        return;
    };
    let text = stderr(&result);
    // Since Linux 6.16 CAP_PERFMON may read mappings.
    if result.status.success() {
        assert!(text.contains("asks_its_mask"), "{text}");
    } else {
        assert_eq!(result.status.code(), Some(125));
        assert!(text.contains("another user") && text.contains("cap_sys_ptrace"), "{text}");
    }
    let words = ["stat", "-p", &busy.pid(), "--duration", "0.2", "--no-stacks"];
    let result = with_capabilities(&words).unwrap();
    assert!(result.status.success(), "{}", stderr(&result));
    assert!(stderr(&result).contains("rt_sigprocmask"), "{}", stderr(&result));
}
