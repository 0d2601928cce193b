// SPDX-License-Identifier: MIT
//! The terminal: taken, drawn on, and given back as it was.

use std::io::{self, Stdout, stdout};
use std::panic;
use std::sync::Once;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

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
        while event::poll(Duration::ZERO)? {
            dirty = true;
            let Event::Key(key) = event::read()? else { continue };
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
