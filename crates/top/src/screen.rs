// SPDX-License-Identifier: MIT
//! The terminal: taken, drawn on, and given back as it was.

use std::io::{self, Stdout, stdout};
use std::panic;
use std::sync::Once;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{Receiver, channel};
use std::thread;
use std::time::Instant;

use ratatui::Terminal;
use ratatui::backend::CrosstermBackend;
use ratatui::crossterm::cursor::Show;
use ratatui::crossterm::event::{self, Event, KeyEventKind};
use ratatui::crossterm::execute;
use ratatui::crossterm::terminal::{
    EnterAlternateScreen, LeaveAlternateScreen, disable_raw_mode, enable_raw_mode,
};
use sigzero_bpf::{Live, Snapshot};

use crate::Setup;
use crate::draw::{Meter, draw};
use crate::rows::Looks;
use crate::state::{State, View, Wish};

/// Shows what `live` counts until a key, `stopped`, or the end of the processes ends it.
pub fn run(mut live: Live, setup: &Setup, stopped: impl Fn() -> bool) -> io::Result<()> {
    let mut screen = Screen::take()?;
    let events = events();
    let mut state = State::new(setup.sort);
    let mut looks = Looks::default();
    let mut meter = Meter::default();
    let mut snapshot = Snapshot::default();
    let mut next = Instant::now();
    let mut gone = false;
    while !stopped() {
        let mut dirty = false;
        if Instant::now() >= next {
            next = Instant::now() + setup.delay;
            if !state.paused {
                look(&mut live, &mut state, &mut looks, &mut meter, &mut snapshot, setup);
            }
            // One more look after their end, then no more.
            if setup.until_gone && live.alive() == 0 {
                if gone {
                    break;
                }
                gone = true;
            }
            dirty = true;
        }
        while let Ok(event) = events.try_recv() {
            dirty = true;
            let Event::Key(key) = event? else { continue };
            if key.kind == KeyEventKind::Release {
                continue;
            }
            match state.key(key) {
                Wish::Nothing => {}
                Wish::Look => next = Instant::now(),
                Wish::Quit => return Ok(()),
                Wish::Suspend => screen.suspend()?,
            }
        }
        if dirty {
            screen.terminal.draw(|frame| draw(frame, &mut state, setup, &meter))?;
        }
        // Some fifty milliseconds: keys are answered that fast.
        live.turn();
    }
    Ok(())
}

/// What is typed, from a thread of its own: half of a key or of a character holds up the reading until
/// the rest comes.
fn events() -> Receiver<io::Result<Event>> {
    let (sender, receiver) = channel();
    thread::spawn(move || {
        loop {
            let event = event::read();
            let failed = event.is_err();
            if sender.send(event).is_err() || failed {
                return;
            }
        }
    });
    receiver
}

fn look(
    live: &mut Live,
    state: &mut State,
    looks: &mut Looks,
    meter: &mut Meter,
    snapshot: &mut Snapshot,
    setup: &Setup,
) {
    *snapshot = live.snapshot();
    *meter = Meter {
        price: snapshot.price,
        age_seconds: snapshot.age.as_secs_f64(),
        unplaced: snapshot.unplaced.values().sum(),
    };
    state.set_table(looks.look(snapshot, &setup.cost, state.by_program));
    let View::Callers { pid, program } = &state.view else { return };
    if !setup.stacks {
        return;
    }
    let processes = live.processes(snapshot, |_, image| match *pid {
        0 => image.executable.rsplit('/').next() == Some(program),
        pid => image.process == pid,
    });
    state.set_callers(crate::batch::sites(&processes));
}

/// The terminal while it is ours.
struct Screen {
    terminal: Terminal<CrosstermBackend<Stdout>>,
}

/// Raw mode is on, and the other screen is shown.
static TAKEN: AtomicBool = AtomicBool::new(false);

impl Screen {
    fn take() -> io::Result<Self> {
        static HOOK: Once = Once::new();
        HOOK.call_once(|| {
            let before = panic::take_hook();
            panic::set_hook(Box::new(move |info| {
                give_back();
                before(info);
            }));
        });
        enter()?;
        let terminal = Terminal::new(CrosstermBackend::new(stdout()));
        if terminal.is_err() {
            give_back();
        }
        Ok(Self { terminal: terminal? })
    }

    /// As the shell expects it of Ctrl-Z.
    fn suspend(&mut self) -> io::Result<()> {
        give_back();
        // SAFETY: a plain call; we go on after SIGCONT.
        unsafe { libc::raise(libc::SIGTSTP) };
        enter()?;
        self.terminal.clear()
    }
}

impl Drop for Screen {
    fn drop(&mut self) {
        give_back();
    }
}

fn enter() -> io::Result<()> {
    enable_raw_mode()?;
    TAKEN.store(true, Ordering::SeqCst);
    execute!(stdout(), EnterAlternateScreen)
}

fn give_back() {
    if TAKEN.swap(false, Ordering::SeqCst) {
        let _ = execute!(stdout(), LeaveAlternateScreen, Show);
        let _ = disable_raw_mode();
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::fs::File;
    use std::io::Read;
    use std::os::fd::{AsRawFd, FromRawFd, OwnedFd};
    use std::os::unix::process::CommandExt;
    use std::process::{Command, Stdio};

    const IN_THE_CHILD: &str = "SIGZERO_TOP_PANICS";

    fn terminal() -> (File, OwnedFd) {
        let (mut ours, mut theirs) = (0, 0);
        let (null, none) = (std::ptr::null_mut(), std::ptr::null());
        // SAFETY: two fresh descriptors, owned by nobody else.
        unsafe {
            assert_eq!(libc::openpty(&mut ours, &mut theirs, null, none, std::ptr::null()), 0);
            (File::from_raw_fd(ours), OwnedFd::from_raw_fd(theirs))
        }
    }

    #[test]
    fn a_panic_gives_the_terminal_back() {
        if std::env::var_os(IN_THE_CHILD).is_some() {
            let _screen = Screen::take().unwrap();
            panic!("on purpose");
        }
        let (mut terminal, theirs) = terminal();
        let copy = || Stdio::from(theirs.try_clone().unwrap());
        let mut command = Command::new(std::env::current_exe().unwrap());
        command.args(["--exact", "screen::tests::a_panic_gives_the_terminal_back", "--nocapture"]);
        command.env(IN_THE_CHILD, "1").stdin(copy()).stdout(copy()).stderr(copy());
        // SAFETY: two async-signal-safe calls between fork and exec.
        unsafe {
            command.pre_exec(|| {
                libc::setsid();
                libc::ioctl(0, libc::TIOCSCTTY, 0);
                Ok(())
            });
        }
        let status = command.status().unwrap();
        assert!(!status.success());
        // SAFETY: a structure that the call fills in.
        let settings = unsafe {
            let mut settings: libc::termios = std::mem::zeroed();
            assert_eq!(libc::tcgetattr(theirs.as_raw_fd(), &mut settings), 0);
            settings
        };
        let cooked = libc::ICANON | libc::ECHO | libc::ISIG;
        assert_eq!(settings.c_lflag & cooked, cooked, "raw mode was left on");
        let mut bytes = [0; 16384];
        let read = terminal.read(&mut bytes).unwrap();
        let text = String::from_utf8_lossy(&bytes[..read]);
        let taken = text.find("\x1b[?1049h").expect("it was taken");
        let left = text.find("\x1b[?1049l").expect("it was given back");
        let said = text.find("on purpose").expect("the panic was told");
        assert!(taken < left && left < said, "{text}");
    }
}
