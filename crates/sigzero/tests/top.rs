// SPDX-License-Identifier: MIT
//! `sigzero top` on a terminal, as whoever sits there sees it.

mod support;

use std::fs::File;
use std::io::{Read, Write};
use std::os::fd::{AsRawFd, FromRawFd, OwnedFd};
use std::os::unix::process::CommandExt;
use std::path::Path;
use std::process::{Child, Command, ExitStatus, Stdio};
use std::time::{Duration, Instant};

use support::*;

/// What a program on a terminal of its own shows.
struct Seat {
    child: Child,
    terminal: File,
    parser: vt100::Parser,
    /// All that it wrote.
    bytes: Vec<u8>,
}

impl Seat {
    fn start(words: &[&str]) -> Self {
        let (terminal, theirs) = terminal(24, 100);
        let copy = || Stdio::from(theirs.try_clone().unwrap());
        let mut command = sigzero(&[&["top"], words].concat());
        command.env("TERM", "xterm-256color").stdin(copy()).stdout(copy()).stderr(copy());
        // SAFETY: two async-signal-safe calls between fork and exec.
        unsafe {
            command.pre_exec(|| {
                libc::setsid();
                libc::ioctl(0, libc::TIOCSCTTY, 0);
                Ok(())
            });
        }
        let child = command.spawn().unwrap();
        let flags = unsafe { libc::fcntl(terminal.as_raw_fd(), libc::F_GETFL) };
        unsafe { libc::fcntl(terminal.as_raw_fd(), libc::F_SETFL, flags | libc::O_NONBLOCK) };
        Self { child, terminal, parser: vt100::Parser::new(24, 100, 0), bytes: Vec::new() }
    }

    fn read(&mut self) {
        let mut part = [0; 8192];
        while let Ok(read @ 1..) = self.terminal.read(&mut part) {
            self.parser.process(&part[..read]);
            self.bytes.extend_from_slice(&part[..read]);
        }
    }

    fn screen(&mut self) -> String {
        self.read();
        self.parser.screen().contents()
    }

    /// Waits until the screen is as wanted, and returns it.
    fn until(&mut self, what: &str, wanted: impl Fn(&str) -> bool) -> String {
        let end = Instant::now() + Duration::from_secs(30);
        loop {
            let screen = self.screen();
            if wanted(&screen) {
                return screen;
            }
            assert!(Instant::now() < end, "{what}:\n{screen}");
            std::thread::sleep(Duration::from_millis(30));
        }
    }

    fn keys(&mut self, keys: &str) {
        self.terminal.write_all(keys.as_bytes()).unwrap();
    }

    fn resize(&mut self, rows: u16, columns: u16) {
        let size = libc::winsize { ws_row: rows, ws_col: columns, ws_xpixel: 0, ws_ypixel: 0 };
        // SAFETY: a live structure.
        unsafe { libc::ioctl(self.terminal.as_raw_fd(), libc::TIOCSWINSZ, &size) };
        self.parser.set_size(rows, columns);
    }

    /// Its end; the terminal must be as it was.
    fn end(&mut self) -> ExitStatus {
        let end = Instant::now() + Duration::from_secs(20);
        let status = loop {
            self.read();
            if let Some(status) = self.child.try_wait().unwrap() {
                break status;
            }
            assert!(Instant::now() < end, "{}", self.screen());
            std::thread::sleep(Duration::from_millis(20));
        };
        self.read();
        let screen = self.parser.screen();
        assert!(!screen.alternate_screen() && !screen.hide_cursor());
        // SAFETY: a structure that the call fills in.
        unsafe {
            let mut settings: libc::termios = std::mem::zeroed();
            assert_eq!(libc::tcgetattr(self.terminal.as_raw_fd(), &mut settings), 0);
            let cooked = libc::ICANON | libc::ECHO | libc::ISIG;
            assert_eq!(settings.c_lflag & cooked, cooked, "raw mode was left on");
        }
        status
    }
}

impl Drop for Seat {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// A terminal: our side, and that of the program.
fn terminal(rows: u16, columns: u16) -> (File, OwnedFd) {
    let size = libc::winsize { ws_row: rows, ws_col: columns, ws_xpixel: 0, ws_ypixel: 0 };
    let (mut ours, mut theirs) = (0, 0);
    // SAFETY: two fresh descriptors, owned by nobody else.
    unsafe {
        let null = std::ptr::null_mut();
        assert_eq!(libc::openpty(&mut ours, &mut theirs, null, std::ptr::null(), &size), 0);
        libc::fcntl(ours, libc::F_SETFD, libc::FD_CLOEXEC);
        libc::fcntl(theirs, libc::F_SETFD, libc::FD_CLOEXEC);
        (File::from_raw_fd(ours), OwnedFd::from_raw_fd(theirs))
    }
}

/// Killed when it is dropped.
struct Running(Child);

impl Drop for Running {
    fn drop(&mut self) {
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

/// Makes so many calls a millisecond: reads its mask, or changes it.
fn asker(folder: &Path, name: &str, calls: u32, changes: bool) -> Running {
    let call = match changes {
        true => "sigprocmask(i % 2 ? SIG_UNBLOCK : SIG_BLOCK, &set, 0)",
        false => "sigprocmask(SIG_SETMASK, 0, &set)",
    };
    let source = format!(
        "#include <signal.h>\n#include <unistd.h>\n\
         __attribute__((noinline)) void asks_its_mask(void) {{ sigset_t set; sigemptyset(&set);\n\
         sigaddset(&set, SIGUSR1); for (int i = 0; i < {calls}; i++) {call}; }}\n\
         int main(void) {{ for (;;) {{ asks_its_mask(); usleep(1000); }} }}\n"
    );
    let path = compile(folder, name, &source, &["-g"]);
    Running(Command::new(path).stdin(Stdio::null()).spawn().unwrap())
}

/// True, after a line that says so, where eBPF is not permitted.
fn skip() -> bool {
    let refused = output(&["top", "-b", "-n", "0", "--no-stacks"]);
    if !refused.status.success() {
        println!("skipped: {}", stderr(&refused));
    }
    !refused.status.success()
}

fn line_of(screen: &str, word: &str) -> Option<usize> {
    screen.lines().position(|line| line.trim_end().ends_with(word))
}

#[test]
fn a_terminal_shows_processes_callers_and_help() {
    if skip() {
        return;
    }
    let folder = tempfile::tempdir().unwrap();
    let busy = asker(folder.path(), "busy-asker", 100, false);
    let idle = asker(folder.path(), "idle-asker", 2, true);
    let pids = [busy.0.id().to_string(), idle.0.id().to_string()];
    let mut seat = Seat::start(&["-p", &pids[0], "-p", &pids[1], "-d", "0.3"]);

    let screen = seat.until("first screen", |screen| {
        line_of(screen, "busy-asker").is_some() && line_of(screen, "idle-asker").is_some()
    });
    assert!(screen.starts_with(&format!("sigzero top: {}, {}", pids[0], pids[1])), "{screen}");
    assert!(screen.contains("CALLS/S▼") && screen.contains("F10Quit"), "{screen}");
    assert!(line_of(&screen, "busy-asker") < line_of(&screen, "idle-asker"), "{screen}");
    assert!(screen.contains(&pids[0]) && screen.contains("signal system calls a second"));

    seat.keys("A");
    seat.until("sorted by program", |screen| screen.contains("PROGRAM▼"));
    seat.keys("I");
    seat.until("reversed", |screen| {
        screen.contains("PROGRAM▲") && line_of(screen, "idle-asker") < line_of(screen, "busy-asker")
    });
    seat.keys("t");
    seat.until("sorted by time", |screen| {
        screen.contains("TIME%▼") && line_of(screen, "busy-asker") < line_of(screen, "idle-asker")
    });

    seat.keys("/idle\r");
    seat.keys("\r");
    let screen = seat.until("callers", |screen| screen.contains("asks_its_mask+"));
    assert!(screen.contains(&format!("who asks in idle-asker ({})", pids[1])), "{screen}");
    let screen =
        seat.until("the stack", |screen| screen.lines().any(|line| line.contains(" main")));
    assert!(screen.contains("rt_sigprocmask") && screen.contains("its stack"), "{screen}");
    seat.keys("\x1b");
    seat.until("back", |screen| screen.contains("TIME%▼"));

    seat.keys("\x1bOP");
    seat.until("help by F1", |screen| screen.contains("any key goes back"));
    seat.keys(" ");
    seat.keys("\\busy\r");
    seat.until("filtered", |screen| {
        line_of(screen, "busy-asker").is_some() && line_of(screen, "idle-asker").is_none()
    });

    seat.resize(12, 60);
    let screen = seat.until("resized", |screen| {
        screen.lines().nth(11).is_some_and(|line| line.starts_with("F1Help"))
    });
    assert!(line_of(&screen, "busy-asker").is_some(), "{screen}");

    seat.keys("q");
    assert!(seat.end().success());
}

#[test]
fn however_it_ends_the_terminal_is_given_back() {
    if skip() {
        return;
    }
    let folder = tempfile::tempdir().unwrap();
    let shown = |screen: &str| screen.contains("F10Quit");
    for way in ["Ctrl-C", "TERM", "F10", "gone"] {
        let target = asker(folder.path(), "asker", 10, false);
        let mut seat = Seat::start(&["-p", &target.0.id().to_string(), "-d", "0.2"]);
        seat.until(way, shown);
        assert!(seat.parser.screen().alternate_screen());
        match way {
            "Ctrl-C" => seat.keys("\x03"),
            "F10" => seat.keys("\x1b[21~"),
            "TERM" => {
                let pid = seat.child.id().to_string();
                assert!(Command::new("kill").arg(pid).status().unwrap().success());
            }
            _ => drop(target),
        }
        assert_eq!(seat.end().code(), Some(0), "{way}");
    }
}

#[test]
fn half_a_key_stops_nothing() {
    if skip() {
        return;
    }
    let folder = tempfile::tempdir().unwrap();
    // The start of a character of two bytes, and Alt-[, with which longer keys start.
    for half in [&b"\xe0"[..], b"\x1b["] {
        let target = asker(folder.path(), "asker", 10, false);
        let mut seat = Seat::start(&["-p", &target.0.id().to_string(), "-d", "0.2"]);
        seat.until("first screen", |screen| line_of(screen, "asker").is_some());
        seat.terminal.write_all(half).unwrap();
        drop(target);
        assert_eq!(seat.end().code(), Some(0), "{half:?}");
    }
}

#[test]
fn a_process_that_is_not_there_is_named_before_the_screen_is_taken() {
    if skip() {
        return;
    }
    let mut child = Command::new("true").spawn().unwrap();
    let pid = child.id().to_string();
    child.wait().unwrap();
    let mut seat = Seat::start(&["-p", &pid]);
    assert_eq!(seat.end().code(), Some(125));
    assert!(seat.screen().contains(&format!("there is no process {pid}")));
    assert!(!String::from_utf8_lossy(&seat.bytes).contains("\x1b[?1049h"));
}

#[test]
fn a_full_disk_is_told() {
    if skip() {
        return;
    }
    let full = std::fs::OpenOptions::new().write(true).open("/dev/full").unwrap();
    let result = sigzero(&["top", "-b", "-n", "2", "-d", "0.1"]).stdout(full).output().unwrap();
    assert_eq!(result.status.code(), Some(125));
    assert!(stderr(&result).contains("give it another place"), "{}", stderr(&result));
}

#[test]
fn a_terminal_that_cannot_draw_is_named() {
    let (_ours, theirs) = terminal(24, 80);
    let copy = || Stdio::from(theirs.try_clone().unwrap());
    let mut command = sigzero(&["top"]);
    let result = command.env("TERM", "dumb").stdin(copy()).stdout(copy()).output().unwrap();
    assert_eq!(result.status.code(), Some(125));
    assert!(stderr(&result).contains("--batch"), "{}", stderr(&result));
}

#[test]
fn without_a_terminal_there_is_text() {
    let refused = output(&["top"]);
    assert_eq!(refused.status.code(), Some(125));
    assert!(stderr(&refused).contains("no terminal") && stderr(&refused).contains("-b -n 3"));
    if skip() {
        return;
    }
    let folder = tempfile::tempdir().unwrap();
    let busy = asker(folder.path(), "busy-asker", 100, false);
    let pid = busy.0.id().to_string();
    let result = output(&["top", "-b", "-n", "2", "-d", "0.3", "-p", &pid]);
    assert!(result.status.success(), "{}", stderr(&result));
    let text = stdout(&result);
    let rows: Vec<_> = text.lines().filter(|line| line.ends_with("busy-asker")).collect();
    assert_eq!((rows.len(), text.matches("sigzero top:").count()), (2, 2), "{text}");
    assert!(rows[0].trim_start().starts_with(&pid) && rows[0].contains("100%"), "{text}");
    assert!(!text.contains('\x1b'));
}
