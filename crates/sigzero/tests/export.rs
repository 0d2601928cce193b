// SPDX-License-Identifier: MIT
//! `sigzero export`: its metrics as readers of them see them, and the profiles that it pushes.

mod support;

use std::collections::BTreeSet;
use std::fs;
use std::io::{BufRead, BufReader, Read, Write};
use std::net::{TcpListener, TcpStream};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::sync::mpsc::channel;
use std::thread::{self, sleep};
use std::time::{Duration, Instant};

use serde_json::Value;
use support::*;

const OPENMETRICS: &str = "application/openmetrics-text;version=1.0.0,text/plain;q=0.1";

/// Killed when it is dropped.
struct Running(Child);

impl Drop for Running {
    fn drop(&mut self) {
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

struct Exporter {
    process: Running,
    address: String,
}

impl Exporter {
    /// `None`, after a line that says so, where eBPF is not permitted.
    fn start(words: &[&str]) -> Option<Self> {
        let all = [&["export", "--listen", "127.0.0.1:0"], words].concat();
        let mut child = sigzero(&all).stderr(Stdio::piped()).spawn().unwrap();
        let mut lines = BufReader::new(child.stderr.take().unwrap()).lines();
        let process = Running(child);
        let line = lines.next().unwrap().unwrap();
        if line.contains("setcap") || line.contains("eBPF") {
            println!("skipped: {line}");
            return None;
        }
        let address = line.split("http://").nth(1).unwrap().split('/').next().unwrap().to_string();
        thread::spawn(move || lines.for_each(|line| eprintln!("{}", line.unwrap_or_default())));
        Some(Self { process, address })
    }

    fn metrics(&self, accept: &str) -> (String, String) {
        get(&self.address, "/metrics", accept)
    }
}

/// The head and the body of the answer.
fn get(address: &str, path: &str, accept: &str) -> (String, String) {
    let mut stream = TcpStream::connect(address).unwrap();
    stream.set_read_timeout(Some(Duration::from_secs(20))).unwrap();
    let request = format!(
        "GET {path} HTTP/1.1\r\nHost: {address}\r\nAccept: {accept}\r\nConnection: close\r\n\r\n"
    );
    stream.write_all(request.as_bytes()).unwrap();
    let mut text = String::new();
    stream.read_to_string(&mut text).unwrap();
    let (head, body) = text.split_once("\r\n\r\n").unwrap();
    (head.into(), body.into())
}

/// A program of that name which reads its mask, some thousand times a second, for ever.
fn asker(folder: &Path, name: &str) -> Running {
    let source = "#include <signal.h>\n#include <unistd.h>\n\
        __attribute__((noinline)) void asks_its_mask(void) { sigset_t old;\n\
        for (int i = 0; i < 100; i++) sigprocmask(SIG_SETMASK, 0, &old); }\n\
        int main(void) { for (;;) { asks_its_mask(); usleep(1000); } }\n";
    let path = compile(folder, name, source, &["-g"]);
    Running(Command::new(path).stdin(Stdio::null()).spawn().unwrap())
}

/// The sum of the samples whose line begins so.
fn sum(text: &str, start: &str) -> f64 {
    let lines = text.lines().filter(|line| line.starts_with(start));
    lines.map(|line| line.rsplit(' ').next().unwrap().parse::<f64>().unwrap()).sum()
}

fn interrupt(process: &mut Running) -> Option<i32> {
    let pid = process.0.id().to_string();
    assert!(Command::new("kill").args(["-INT", &pid]).status().unwrap().success());
    process.0.wait().unwrap().code()
}

fn installed(program: &str) -> bool {
    let paths = std::env::var_os("PATH").unwrap_or_default();
    let there = std::env::split_paths(&paths).any(|folder| folder.join(program).is_file());
    if !there {
        println!("skipped: {program} is not installed");
    }
    there
}

fn packaging(file: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../packaging").join(file)
}

#[test]
fn metrics_are_of_the_form_that_is_asked_for() {
    let folder = tempfile::tempdir().unwrap();
    let (one, two) = (asker(folder.path(), "asker-one"), asker(folder.path(), "asker-two"));
    let pids = [one.0.id().to_string(), two.0.id().to_string()];
    let words = ["--programs", "1", "-p", &pids[0], "-p", &pids[1]];
    let Some(mut exporter) = Exporter::start(&words) else { return };
    sleep(Duration::from_millis(400));
    let (head, text) = exporter.metrics(OPENMETRICS);
    let kind = "Content-Type: application/openmetrics-text; version=1.0.0; charset=utf-8";
    assert!(head.starts_with("HTTP/1.1 200") && head.contains(kind), "{head}");
    assert!(text.ends_with("# EOF\n"));
    assert!(text.contains("# TYPE sigzero_system_calls counter\n# HELP sigzero_system_calls "));
    assert!(text.contains("# UNIT sigzero_cost_seconds seconds\n"));
    let calls = |text: &str, program: &str| {
        sum(
            text,
            &format!(
                "sigzero_system_calls_total{{program=\"{program}\",call=\"rt_sigprocmask\",kind=\"query\""
            ),
        )
    };
    let heavy = calls(&text, "asker-one") + calls(&text, "asker-two");
    let (one_has_its_own, other) = (heavy > 100.0, calls(&text, "other"));
    assert!(one_has_its_own && other > 100.0, "{text}");
    assert_eq!(sum(&text, "sigzero_programs "), 1.0);
    sleep(Duration::from_millis(300));
    let (_, later) = exporter.metrics(OPENMETRICS);
    assert!(calls(&later, "other") > other);
    for line in text.lines().filter(|line| line.contains("_total")) {
        let (name, value) = line.rsplit_once(' ').unwrap();
        let grown = sum(&later, &format!("{name} "));
        assert!(grown >= value.parse().unwrap(), "{line}: {grown}");
    }
    assert_eq!(sum(&text, "sigzero_lost_total{what=\"unplaced_calls\"}"), 0.0);
    assert_eq!(interrupt(&mut exporter.process), Some(0));
}

#[test]
fn promtool_finds_nothing_wrong() {
    if !installed("promtool") {
        return;
    }
    let Some(exporter) = Exporter::start(&[]) else { return };
    let folder = tempfile::tempdir().unwrap();
    let _asker = asker(folder.path(), "asker \"quoted\\");
    sleep(Duration::from_millis(300));
    let (head, text) = exporter.metrics("text/plain");
    assert!(head.contains("Content-Type: text/plain; version=0.0.4"), "{head}");
    assert!(text.contains("program=\"asker \\\"quoted\\\\\""), "{text}");
    let mut check = Command::new("promtool")
        .args(["check", "metrics"])
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    check.stdin.take().unwrap().write_all(text.as_bytes()).unwrap();
    let result = check.wait_with_output().unwrap();
    assert!(result.status.success(), "{}{}", stdout(&result), stderr(&result));
    assert_eq!((stdout(&result).as_str(), stderr(&result).as_str()), ("", ""));
}

#[test]
fn a_real_prometheus_reads_them() {
    if !installed("prometheus") {
        return;
    }
    let Some(exporter) = Exporter::start(&[]) else { return };
    let folder = tempfile::tempdir().unwrap();
    let _asker = asker(folder.path(), "asker");
    let configuration = folder.path().join("prometheus.yml");
    let text = format!(
        "global: {{scrape_interval: 1s, scrape_timeout: 1s}}\n\
         scrape_configs:\n- job_name: sigzero\n  static_configs: [{{targets: [\"{}\"]}}]\n",
        exporter.address
    );
    fs::write(&configuration, text).unwrap();
    // A port that was free a moment ago.
    let free = TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap().to_string();
    let mut command = Command::new("prometheus");
    command.arg(format!("--config.file={}", configuration.display()));
    command.arg(format!("--storage.tsdb.path={}", folder.path().join("data").display()));
    command.arg(format!("--web.listen-address={free}"));
    let log = fs::File::create(folder.path().join("log")).unwrap();
    command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(log);
    let _prometheus = Running(command.spawn().unwrap());
    let query = |expression: &str| -> Option<f64> {
        TcpStream::connect(&free).ok()?;
        let escaped: String = expression.bytes().map(|byte| format!("%{byte:02X}")).collect();
        let (_, body) = get(&free, &format!("/api/v1/query?query={escaped}"), "application/json");
        // Sent in chunks, whose lengths stand before and after.
        let body = &body[body.find('{')?..=body.rfind('}')?];
        let answer: Value = serde_json::from_str(body).ok()?;
        answer["data"]["result"][0]["value"][1].as_str()?.parse().ok()
    };
    let end = Instant::now() + Duration::from_secs(40);
    let rate = "sum(rate(sigzero_system_calls_total{program=\"asker\",kind=\"query\"}[10s]))";
    while query(rate).is_none_or(|rate| rate < 100.0) {
        let log = || fs::read_to_string(folder.path().join("log")).unwrap();
        assert!(Instant::now() < end, "{:?} {:?} {}", query("up"), query(rate), log());
        sleep(Duration::from_millis(500));
    }
    assert_eq!(query("up"), Some(1.0));
    assert_eq!(query("count(sigzero_build_info)"), Some(1.0));
    assert!(query("sigzero_cost_seconds_total{where=\"own\"}").unwrap() > 0.0);
    // Each panel's query is understood, and those on calls have an answer.
    for expression in expressions() {
        let expression = expression
            .replace("$__rate_interval", "10s")
            .replace("$__range", "1m")
            .replace("=~\"$instance\"", "=~\".*\"")
            .replace("=~\"$program\"", "=~\".*\"");
        let answer = query(&expression);
        let may_be_silent = expression.contains("sigqueues");
        assert!(may_be_silent || answer.is_some(), "{expression}");
    }
}

fn expressions() -> Vec<String> {
    let text = fs::read_to_string(packaging("grafana/sigzero.json")).unwrap();
    let dashboard: Value = serde_json::from_str(&text).unwrap();
    let panels = dashboard["panels"].as_array().unwrap();
    let targets = panels.iter().flat_map(|panel| panel["targets"].as_array().unwrap());
    targets.map(|target| target["expr"].as_str().unwrap().to_string()).collect()
}

#[test]
fn the_dashboard_asks_for_what_there_is() {
    let Some(exporter) = Exporter::start(&[]) else { return };
    sleep(Duration::from_millis(200));
    let (_, text) = exporter.metrics("text/plain");
    let there: BTreeSet<&str> =
        text.lines().filter_map(|line| line.strip_prefix("# TYPE ")?.split(' ').next()).collect();
    let dashboard = fs::read_to_string(packaging("grafana/sigzero.json")).unwrap();
    let asked: BTreeSet<&str> = dashboard
        .match_indices("sigzero_")
        .map(|(at, _)| {
            let rest = &dashboard[at..];
            let end = rest.find(|c: char| !c.is_ascii_alphanumeric() && c != '_');
            &rest[..end.unwrap_or(rest.len())]
        })
        .collect();
    assert!(asked.len() > 5 && asked.is_subset(&there), "{asked:?} {there:?}");
}

#[test]
fn a_port_in_use_is_named() {
    let taken = TcpListener::bind("127.0.0.1:0").unwrap();
    let address = taken.local_addr().unwrap().to_string();
    let result = output(&["export", "--listen", &address]);
    assert_eq!(result.status.code(), Some(125));
    let text = stderr(&result);
    assert!(
        text.contains(&format!("cannot listen on {address}")) && text.contains("--listen"),
        "{text}"
    );
    assert_eq!(output(&["export", "--push", "https://x"]).status.code(), Some(125));
    assert_eq!(output(&["export", "--listen", "nonsense"]).status.code(), Some(125));
}

#[test]
fn it_ends_with_the_process_that_was_given() {
    let folder = tempfile::tempdir().unwrap();
    let mut target = asker(folder.path(), "asker");
    let pid = target.0.id().to_string();
    let Some(mut exporter) = Exporter::start(&["-p", &pid]) else { return };
    sleep(Duration::from_millis(300));
    let (_, text) = exporter.metrics(OPENMETRICS);
    assert!(text.contains("{program=\"asker\"") && !text.contains("program=\"other\""), "{text}");
    target.0.kill().unwrap();
    target.0.wait().unwrap();
    assert_eq!(exporter.process.0.wait().unwrap().code(), Some(0));
}

/// Takes one request after another, and hands each on.
fn pyroscope() -> (String, std::sync::mpsc::Receiver<(String, Vec<u8>)>) {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let address = listener.local_addr().unwrap().to_string();
    let (send, receive) = channel();
    thread::spawn(move || {
        for (number, stream) in listener.incoming().enumerate() {
            let mut stream = stream.unwrap();
            let mut bytes = Vec::new();
            let mut part = [0; 65536];
            let (head, body) = loop {
                let read = stream.read(&mut part).unwrap();
                bytes.extend_from_slice(&part[..read]);
                let Some(at) = bytes.windows(4).position(|four| four == b"\r\n\r\n") else {
                    continue;
                };
                let head = String::from_utf8(bytes[..at].to_vec()).unwrap();
                let length = head.split("Content-Length: ").nth(1).unwrap();
                let length: usize = length.lines().next().unwrap().parse().unwrap();
                if bytes.len() >= at + 4 + length {
                    break (head, bytes[at + 4..].to_vec());
                }
            };
            // The first is refused: nothing of it may be missing from the next.
            let status = if number == 0 { "500 Internal Server Error" } else { "200 OK" };
            let _ = write!(stream, "HTTP/1.1 {status}\r\nContent-Length: 0\r\n\r\n");
            if send.send((head, body)).is_err() {
                return;
            }
        }
    });
    (format!("http://{address}"), receive)
}

/// The pprof of a multipart body, decompressed.
fn profile(head: &str, body: &[u8]) -> Vec<u8> {
    let boundary = head.split("boundary=").nth(1).unwrap().lines().next().unwrap();
    let text = String::from_utf8_lossy(body);
    assert!(
        text.starts_with(&format!("--{boundary}\r\n"))
            && text.ends_with(&format!("--{boundary}--\r\n"))
    );
    let start = body.windows(4).position(|four| four == b"\r\n\r\n").unwrap() + 4;
    let next = format!("\r\n--{boundary}\r\n");
    let length =
        body[start..].windows(next.len()).position(|part| part == next.as_bytes()).unwrap();
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("profile.gz");
    fs::write(&file, &body[start..start + length]).unwrap();
    let result = Command::new("gzip").args(["-dc"]).arg(&file).output().unwrap();
    assert!(result.status.success(), "{}", stderr(&result));
    result.stdout
}

#[test]
fn profiles_are_pushed() {
    let folder = tempfile::tempdir().unwrap();
    let target = asker(folder.path(), "asker");
    let pid = target.0.id().to_string();
    let (url, requests) = pyroscope();
    let words = ["-p", &pid, "--push", &url, "--every", "1"];
    let Some(mut exporter) = Exporter::start(&words) else { return };
    let take = || requests.recv_timeout(Duration::from_secs(30)).unwrap();
    let mut from = None;
    for turn in 0..3 {
        let (head, body) = take();
        assert!(head.starts_with("POST /ingest?name=sigzero&from="), "{head}");
        assert!(
            head.contains("&format=pprof&") && head.contains("Content-Type: multipart/form-data")
        );
        let start: u64 =
            head.split("from=").nth(1).unwrap().split('&').next().unwrap().parse().unwrap();
        // The second begins where the first, which was refused, began.
        assert!(turn != 1 || Some(start) == from, "{head}");
        assert!(turn != 2 || Some(start) > from, "{head}");
        from = Some(start);
        let profile = profile(&head, &body);
        let text = String::from_utf8_lossy(&profile);
        for name in ["asks_its_mask", "rt_sigprocmask", "main", "calls", "nanoseconds"] {
            assert!(text.contains(name), "{name} in profile {turn}");
        }
        let text = String::from_utf8_lossy(&body);
        assert!(
            text.contains("name=\"sample_type_config\"")
                && text.contains("\"units\":\"nanoseconds\"")
        );
    }
    // What was counted since is sent at the end.
    assert_eq!(interrupt(&mut exporter.process), Some(0));
    take();
}

#[test]
fn the_unit_is_sound_and_asks_for_little() {
    if !installed("systemd-analyze") {
        return;
    }
    let folder = tempfile::tempdir().unwrap();
    let unit = folder.path().join("sigzero-export.service");
    let text = fs::read_to_string(packaging("systemd/sigzero-export.service.in")).unwrap();
    let program = assert_cmd::cargo::cargo_bin("sigzero");
    let text = text.replace("@PREFIX@/bin/sigzero", program.to_str().unwrap());
    assert!(!text.contains('@') || text.contains("@system-service"));
    fs::write(&unit, &text).unwrap();
    let result = Command::new("systemd-analyze").args(["verify", "--man=no"]).arg(&unit).output();
    let result = result.unwrap();
    assert!(result.status.success(), "{}", stderr(&result));
    assert!(!stderr(&result).contains("sigzero-export"), "{}", stderr(&result));
    let result = Command::new("systemd-analyze")
        .args(["security", "--offline=true", "--threshold=30", "--no-pager"])
        .arg(&unit)
        .output()
        .unwrap();
    assert!(result.status.success(), "{}{}", stdout(&result), stderr(&result));
    let granted: Vec<_> =
        text.lines().filter(|line| line.starts_with("CapabilityBoundingSet=")).collect();
    assert_eq!(granted, ["CapabilityBoundingSet=CAP_BPF CAP_PERFMON"]);
    // systemd counts bpf among what `~@privileged` takes away: only what follows gives it back.
    let filters: Vec<_> =
        text.lines().filter(|line| line.starts_with("SystemCallFilter=")).collect();
    let taken = filters.iter().position(|line| line.contains("~@privileged")).unwrap();
    let given = filters.iter().position(|line| line.contains("=bpf perf_event_open")).unwrap();
    assert!(taken < given, "{filters:?}");
}

#[test]
fn the_manifest_is_valid() {
    if !installed("kubernetes-validate") {
        return;
    }
    let result = Command::new("kubernetes-validate")
        .args(["--strict"])
        .arg(packaging("kubernetes/sigzero-export.yaml"))
        .output()
        .unwrap();
    assert!(result.status.success(), "{}{}", stdout(&result), stderr(&result));
}
