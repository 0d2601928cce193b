// SPDX-License-Identifier: MIT
//! One look at a process. Nothing is stopped for it, so each thread is read twice: what did
//! not change in between belongs together.

use std::collections::BTreeMap;
use std::io;

use crate::Error;
use crate::calls::Call;
use crate::memory::Memory;
use crate::process;
use crate::runtime::{Doing, Kept, Runtime};
use crate::signals::{Set, Signal};
use crate::status::Status;

/// How often a thread is read until nothing changed in between.
const TRIES: usize = 5;

/// How a process can be read, found out once.
pub struct Subject {
    pub pid: i32,
    /// One of its threads that has not ended.
    pub alive: i32,
    pub memory: Memory,
    pub maps: String,
    pub treatment: Treatment,
}

pub enum Treatment {
    Treated(Box<Runtime>),
    Untreated,
    /// It has no memory of its own.
    Kernel,
    /// Its memory must not be read.
    Unknown(io::Error),
}

pub struct Look {
    /// CLOCK_MONOTONIC, in nanoseconds.
    pub at: u64,
    pub status: Status,
    pub doing: Option<Doing>,
    pub threads: BTreeMap<i32, Thread>,
}

#[derive(Clone, Debug, Default)]
pub struct Thread {
    pub status: Status,
    pub call: Option<Call>,
    pub kept: Option<Kept>,
    /// Its own memory could not be read, though that of the process can.
    pub unreadable: bool,
}

impl Subject {
    pub fn new(pid: i32) -> Result<Self, Error> {
        let alive = process::threads(pid)?
            .into_iter()
            .find(|thread| process::thread_status(pid, *thread).is_some_and(|s| !s.ended()));
        let Some(alive) = alive else {
            let status = process::status(pid)?;
            return Err(Error::Zombie { pid, parent: status.parent });
        };
        let memory = Memory::of(alive);
        let (maps, treatment) = match readable(pid, alive, &memory) {
            Ok(maps) if maps.is_empty() => (maps, Treatment::Kernel),
            Ok(maps) => {
                let runtime = Runtime::find(&maps, &memory).map(Box::new);
                (maps, runtime.map_or(Treatment::Untreated, Treatment::Treated))
            }
            Err(error) => (String::new(), Treatment::Unknown(error)),
        };
        Ok(Self { pid, alive, memory, maps, treatment })
    }

    pub fn look(&self) -> Result<Look, Error> {
        let runtime = match &self.treatment {
            Treatment::Treated(runtime) => Some(runtime),
            _ => None,
        };
        let threads = process::threads(self.pid)?.into_iter();
        let threads: BTreeMap<_, _> =
            threads.filter_map(|thread| Some((thread, self.thread(thread)?))).collect();
        let status = process::status(self.pid)?;
        if threads.values().all(|thread| thread.status.ended()) {
            return Err(Error::Ended(self.pid));
        }
        let doing = runtime.map(|runtime| runtime.doing(&self.memory));
        Ok(Look { at: now(), status, doing, threads })
    }

    /// It became another program by exec.
    pub fn is_another_now(&self) -> bool {
        let start = |maps: &str| maps.split('-').next().map(String::from);
        let now = process::maps(self.pid, self.alive);
        now.is_ok_and(|now| !self.maps.is_empty() && start(&now) != start(&self.maps))
    }

    /// `None` if the thread has ended meanwhile.
    fn thread(&self, thread: i32) -> Option<Thread> {
        let mut before = self.kept(thread);
        let mut status = process::thread_status(self.pid, thread)?;
        for _ in 1..TRIES {
            let after = self.kept(thread);
            if before.as_ref().ok() == after.as_ref().ok() {
                break;
            }
            before = after;
            status = process::thread_status(self.pid, thread)?;
        }
        Some(Thread {
            // For its own threads the kernel says what happens to lie there.
            call: match self.treatment {
                Treatment::Kernel => None,
                _ => process::call(self.pid, thread),
            },
            unreadable: before.is_err() && !status.ended(),
            kept: before.ok().flatten(),
            status,
        })
    }

    fn kept(&self, thread: i32) -> io::Result<Option<Kept>> {
        match &self.treatment {
            Treatment::Treated(runtime) => runtime.thread(&self.memory, thread),
            _ => Ok(None),
        }
    }
}

/// The mappings, if the memory can be read too. A process of the kernel has none.
fn readable(pid: i32, thread: i32, memory: &Memory) -> io::Result<String> {
    let maps = process::maps(pid, thread)?;
    let start = maps.split('-').next().and_then(|start| u64::from_str_radix(start, 16).ok());
    match start.map(|start| memory.u32(start)) {
        Some(Err(error)) if error.kind() == io::ErrorKind::PermissionDenied => Err(error),
        _ => Ok(maps),
    }
}

impl Look {
    /// All of it. The first thread may have ended before the others.
    pub fn stopped(&self) -> bool {
        let mut alive = self.threads.values().filter(|thread| !thread.status.ended());
        alive.all(|thread| thread.status.stopped())
    }

    /// What the program has handlers for.
    pub fn caught(&self) -> Set {
        let guarded = self.doing.as_ref().map_or(Set::EMPTY, |doing| doing.guarded_defaults);
        self.status.caught.without(guarded)
    }
}

fn now() -> u64 {
    let mut now = libc::timespec { tv_sec: 0, tv_nsec: 0 };
    // SAFETY: writes to a local.
    unsafe { libc::clock_gettime(libc::CLOCK_MONOTONIC, &mut now) };
    now.tv_sec as u64 * 1_000_000_000 + now.tv_nsec as u64
}

impl Thread {
    /// What the program believes is blocked. Where the runtime does not know better, that is
    /// what the kernel blocks.
    pub fn by_program(&self) -> Set {
        self.kept.as_ref().and_then(|kept| kept.mask).unwrap_or(self.status.blocked)
    }

    pub fn lazily(&self) -> Set {
        if self.swapped() { Set::EMPTY } else { self.by_program().without(self.status.blocked) }
    }

    /// The kernel's mask is one for the time of a wait.
    pub fn swapped(&self) -> bool {
        self.call.is_some_and(Call::swaps_mask)
    }

    /// The depth of the critical sections that the thread is in, the runtime's and the program's
    /// own word together.
    pub fn depth(&self) -> i32 {
        let Some(kept) = &self.kept else { return 0 };
        let own = kept.section.map_or(0, |section| section.word.depth());
        own.saturating_add(kept.registered.map_or(0, |word| word.depth()))
    }

    /// It would not take the signal, whether in a section or not.
    pub fn blocks(&self, signal: Signal) -> bool {
        let mask = if self.depth() > 0 { self.outside_of_section() } else { self.closed() };
        self.status.ended() || mask.has(signal)
    }

    /// What the program blocks beside the section that it is in. A section that blocks for real may
    /// be noted as if the program did; nobody blocks everything as well.
    pub fn outside_of_section(&self) -> Set {
        let mask = self.by_program();
        if Set::all().without(mask).is_empty() { Set::EMPTY } else { mask }
    }

    /// What would not reach a handler now.
    pub fn closed(&self) -> Set {
        if self.status.ended() || self.depth() > 0 {
            return !Set::EMPTY;
        }
        let lazily = self.lazily();
        self.status.blocked | lazily
    }

    /// A signal is pending that the thread would take if it could.
    pub fn holds_back(&self, look: &Look) -> bool {
        let pending = self.status.pending | look.status.shared_pending;
        !(pending & self.closed()).is_empty()
    }

    /// It certainly did not run between two looks.
    pub fn slept_since(&self, earlier: &Self) -> bool {
        self.status.asleep()
            && earlier.status.asleep()
            && self.status.switches == earlier.status.switches
    }
}
