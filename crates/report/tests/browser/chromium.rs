// SPDX-License-Identifier: MIT
//! A headless Chromium, steered through a pipe by its own protocol.

use std::fs::{self, File};
use std::io::{BufRead, BufReader, Write};
use std::os::fd::{AsRawFd, FromRawFd, OwnedFd};
use std::os::unix::process::CommandExt;
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use base64::Engine;
use serde_json::{Value, json};

const PROGRAMS: &[&str] = &["chromium", "chromium-browser", "google-chrome"];
/// The machine may be busy.
const PATIENCE: Duration = Duration::from_secs(60);

pub struct Browser {
    child: Child,
    to: File,
    from: BufReader<File>,
    calls: u64,
    session: Option<String>,
    events: Vec<Value>,
    _profile: tempfile::TempDir,
}

impl Browser {
    /// `None`, after a line that says so, if there is no browser here.
    pub fn start() -> Option<Self> {
        let started = PROGRAMS.iter().find_map(|program| Self::of(program));
        if started.is_none() {
            println!("skipped: no chromium is installed (./setup check)");
        }
        started
    }

    fn of(program: &str) -> Option<Self> {
        let profile = tempfile::tempdir().unwrap();
        let ((its_in, to), (from, its_out)) = (pipe(), pipe());
        let mut command = Command::new(program);
        command
            .args(["--headless=new", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage"])
            .args(["--no-first-run", "--disable-extensions", "--disable-background-networking"])
            .args(["--hide-scrollbars", "--remote-debugging-pipe"])
            .arg(format!("--user-data-dir={}", profile.path().display()))
            .stdin(Stdio::null())
            .stdout(Stdio::null())
            .stderr(Stdio::null());
        let ends = (its_in.as_raw_fd(), its_out.as_raw_fd());
        // SAFETY: between fork and exec only dup2 and fcntl are called, on descriptors that live.
        unsafe {
            command.pre_exec(move || {
                // Out of the way first: one of them may be 3 or 4 itself.
                let input = libc::fcntl(ends.0, libc::F_DUPFD, 10);
                let output = libc::fcntl(ends.1, libc::F_DUPFD, 10);
                libc::dup2(input, 3);
                libc::dup2(output, 4);
                Ok(())
            });
        }
        let child = command.spawn().ok()?;
        let from = BufReader::new(File::from(from));
        let mut browser = Self {
            child,
            to: File::from(to),
            from,
            calls: 0,
            session: None,
            events: Vec::new(),
            _profile: profile,
        };
        let target = browser.call("Target.createTarget", json!({"url": "about:blank"}));
        let attach = json!({"targetId": target["targetId"], "flatten": true});
        let session = browser.call("Target.attachToTarget", attach);
        browser.session = session["sessionId"].as_str().map(String::from);
        for domain in ["Page", "Runtime", "Log", "Network"] {
            browser.call(&format!("{domain}.enable"), json!({}));
        }
        Some(browser)
    }

    pub fn call(&mut self, method: &str, parameters: Value) -> Value {
        self.calls += 1;
        let mut message = json!({"id": self.calls, "method": method, "params": parameters});
        if let Some(session) = &self.session {
            message["sessionId"] = session.as_str().into();
        }
        self.to.write_all(message.to_string().as_bytes()).unwrap();
        self.to.write_all(&[0]).unwrap();
        loop {
            let answer = self.read();
            if answer["id"] == self.calls {
                assert!(answer.get("error").is_none(), "{method}: {answer}");
                return answer["result"].clone();
            }
            self.events.push(answer);
        }
    }

    fn read(&mut self) -> Value {
        let start = Instant::now();
        while self.from.buffer().is_empty() {
            let fd = self.from.get_ref().as_raw_fd();
            let mut poll = libc::pollfd { fd, events: libc::POLLIN, revents: 0 };
            // SAFETY: one live entry.
            if unsafe { libc::poll(&mut poll, 1, 1000) } > 0 {
                break;
            }
            assert!(start.elapsed() < PATIENCE, "the browser does not answer");
        }
        let mut bytes = Vec::new();
        self.from.read_until(0, &mut bytes).unwrap();
        bytes.pop();
        serde_json::from_slice(&bytes).expect("the browser has ended")
    }

    /// Opens a file, and waits until it is loaded.
    pub fn open(&mut self, path: &Path) {
        self.events.clear();
        self.call("Page.navigate", json!({"url": format!("file://{}", path.display())}));
        while !self.events.iter().any(|event| event["method"] == "Page.loadEventFired") {
            let event = self.read();
            self.events.push(event);
        }
    }

    /// What went wrong since the page was opened, and what it asked for besides itself.
    pub fn complaints(&mut self) -> Vec<String> {
        // All that happened before is told before the answer.
        self.evaluate("1");
        let bad = |event: &&Value| match event["method"].as_str().unwrap_or_default() {
            "Runtime.exceptionThrown" | "Log.entryAdded" | "Page.javascriptDialogOpening" => true,
            "Runtime.consoleAPICalled" => true,
            "Network.requestWillBeSent" => event["params"]["type"] != "Document",
            _ => false,
        };
        self.events.iter().filter(bad).map(Value::to_string).collect()
    }

    pub fn evaluate(&mut self, expression: &str) -> Value {
        let parameters = json!({"expression": expression, "returnByValue": true});
        let result = self.call("Runtime.evaluate", parameters);
        assert!(result.get("exceptionDetails").is_none(), "{expression}: {result}");
        result["result"]["value"].clone()
    }

    /// With the mouse, in the middle of what the expression yields.
    pub fn click(&mut self, element: &str) {
        let place = self.evaluate(&format!(
            "(() => {{ const it = {element}; it.scrollIntoView({{block: 'center'}}); \
             const at = it.getBoundingClientRect(); \
             return [at.x + at.width / 2, at.y + at.height / 2]; }})()"
        ));
        for kind in ["mouseMoved", "mousePressed", "mouseReleased"] {
            let (button, count) = if kind == "mouseMoved" { ("none", 0) } else { ("left", 1) };
            let event = json!({"type": kind, "x": place[0], "y": place[1], "button": button,
                "clickCount": count});
            self.call("Input.dispatchMouseEvent", event);
        }
    }

    pub fn press(&mut self, key: &str) {
        for kind in ["keyDown", "keyUp"] {
            self.call("Input.dispatchKeyEvent", json!({"type": kind, "key": key}));
        }
    }

    pub fn type_text(&mut self, text: &str) {
        self.call("Input.insertText", json!({"text": text}));
    }

    pub fn look(&mut self, width: u32, scheme: &str) {
        let size = json!({"width": width, "height": 900, "deviceScaleFactor": 1, "mobile": false});
        self.call("Emulation.setDeviceMetricsOverride", size);
        let feature = json!([{"name": "prefers-color-scheme", "value": scheme}]);
        self.call("Emulation.setEmulatedMedia", json!({"features": feature}));
        // The page lays itself out anew in its next frame.
        let frames =
            "new Promise(done => requestAnimationFrame(() => requestAnimationFrame(done)))";
        self.call("Runtime.evaluate", json!({"expression": frames, "awaitPromise": true}));
    }

    /// The whole page as a picture.
    pub fn screenshot(&mut self, path: &Path) {
        let picture = self.call(
            "Page.captureScreenshot",
            json!({"format": "png", "captureBeyondViewport": true}),
        );
        let engine = base64::engine::general_purpose::STANDARD;
        let bytes = engine.decode(picture["data"].as_str().unwrap()).unwrap();
        fs::write(path, bytes).unwrap();
    }
}

impl Drop for Browser {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// Its end for reading, and for writing; both closed by exec.
fn pipe() -> (OwnedFd, OwnedFd) {
    let mut ends = [0; 2];
    // SAFETY: two descriptors are filled in, and belong to us.
    unsafe {
        assert_eq!(libc::pipe2(ends.as_mut_ptr(), libc::O_CLOEXEC), 0);
        (OwnedFd::from_raw_fd(ends[0]), OwnedFd::from_raw_fd(ends[1]))
    }
}
