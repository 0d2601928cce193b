// SPDX-License-Identifier: MIT
//! Watches a command, running processes or the whole machine.

use std::cell::RefCell;
use std::mem::MaybeUninit;
use std::os::fd::OwnedFd;
use std::os::unix::process::ExitStatusExt;
use std::process::ExitStatus;
use std::rc::Rc;
use std::sync::atomic::{AtomicI32, Ordering};
use std::time::{Duration, Instant};

use libbpf_rs::skel::{OpenSkel, SkelBuilder};
use libbpf_rs::{Link, RingBuffer, RingBufferBuilder};
use sigzero_bpf::layout::{Number, Number64, Plain, text};
use sigzero_bpf::{
    Error, Follower, Target, entries, follow, namespace, own_time, per_processor, permit, quiet,
};
use sigzero_count::Spec;
use sigzero_launch::status::signal_name;
use sigzero_model::report::Price;

use crate::counters::Counters;
use crate::layout::{self, LinkKey, Slot, Totals};
use crate::report::{Depth, Ended, Origin, Report, Source, Sums, Task, User};

#[allow(clippy::all, clippy::pedantic, dead_code)]
mod skeleton {
    include!(concat!(env!("OUT_DIR"), "/queue.skel.rs"));
}

use skeleton::{QueueSkel, QueueSkelBuilder};

const TURN: Duration = Duration::from_millis(50);

/// What was seen of a command.
pub struct Seen {
    pub status: ExitStatus,
    pub report: Report,
}

/// Runs the command to its end. It is not started if it cannot be watched.
pub fn run(spec: &Spec) -> Result<Seen, Error> {
    let mut watch = Watch::new(&Target::Command)?;
    let (status, wall) = follow::command(spec, &mut watch)?;
    let left = watch.alive();
    let mut report = watch.finish(wall);
    report.ending.code = status.code();
    report.ending.signal = status.signal();
    if left > 0 {
        report.exact = false;
        report
            .notes
            .push(format!("{left} of its processes still run: they were watched until now"));
    }
    Ok(Seen { status, report })
}

/// Watches until `stop` says so; it is asked some twenty times a second, and told how many of the
/// processes are left.
pub fn watch(target: &Target, stop: impl FnMut(Duration, u32) -> bool) -> Result<Report, Error> {
    let mut watch = match Watch::new(target) {
        Err(error) if error.is_unavailable() && matches!(target, Target::Everything) => {
            return by_counters(error, stop);
        }
        watch => watch?,
    };
    if let Target::Processes(processes) = target {
        processes.iter().try_for_each(|process| watch.add_running(*process))?;
    }
    let wall = follow::until(&mut watch, stop);
    Ok(watch.finish(wall))
}

/// All that there is without eBPF, in a kernel that has the cache.
fn by_counters(error: Error, mut stop: impl FnMut(Duration, u32) -> bool) -> Result<Report, Error> {
    let Some(before) = Counters::read() else { return Err(error) };
    let start = Instant::now();
    while !stop(start.elapsed(), 1) {
        std::thread::sleep(TURN);
    }
    let wall = start.elapsed();
    let counters = Counters::read().map(|after| after.since(&before)).unwrap_or_default();
    let total = Sums {
        signals: counters.cache + counters.slab,
        cache: counters.cache,
        slab: counters.slab,
        kept: counters.kept,
        dropped: counters.dropped,
        ..Sums::default()
    };
    Ok(Report {
        source: Source::Counters,
        notes: vec![format!("only the kernel's counters of the whole machine: {error}")],
        exact: true,
        total,
        counters: Some(counters),
        ..empty(wall)
    })
}

fn empty(wall: Duration) -> Report {
    Report {
        format: crate::report::FORMAT.into(),
        command: Vec::new(),
        target: None,
        source: Source::Forecast,
        notes: Vec::new(),
        ending: Default::default(),
        wall_seconds: wall.as_secs_f64(),
        exact: false,
        total: Sums::default(),
        tasks: Vec::new(),
        links: Vec::new(),
        depths: Vec::new(),
        users: Vec::new(),
        counters: None,
        price: None,
    }
}

/// The programs in the kernel, and what they have told so far.
pub struct Watch {
    skel: QueueSkel<'static>,
    links: Vec<Link>,
    ring: RingBuffer<'static>,
    fresh: Rc<RefCell<Vec<Slot>>>,
    ended: Ended,
    /// The kernel has the cache.
    real: bool,
    before: Option<Counters>,
    started: Duration,
}

impl Watch {
    pub fn new(target: &Target) -> Result<Self, Error> {
        let started = own_time();
        permit::check()?;
        quiet();
        // A few words for each load: a process makes one.
        let storage = Box::leak(Box::new(MaybeUninit::uninit()));
        let mut open = QueueSkelBuilder::default().open(storage)?;
        let settings = open.maps.rodata_data.as_deref_mut().expect("the programs have constants");
        settings.everything = matches!(target, Target::Everything);
        settings.own_process = std::process::id();
        settings.own_namespace = namespace().unwrap_or(0);
        settings.watch_start = monotonic();
        let skel = open.load()?;
        let fresh = Rc::new(RefCell::new(Vec::new()));
        let filled = Rc::clone(&fresh);
        let mut builder = RingBufferBuilder::new();
        builder.add(&skel.maps.ended, move |bytes: &[u8]| {
            filled.borrow_mut().extend(Slot::from_bytes(bytes));
            0
        })?;
        let ring = builder.build()?;
        let before = Counters::read();
        let programs = &skel.progs;
        // First what says where a sigqueue came from, or the first signal would have no source.
        let real = programs.sigqueue_allocated.attach();
        let mut links = vec![
            programs.task_freed.attach()?,
            programs.task_forked.attach()?,
            programs.task_exited.attach()?,
            programs.signal_generated.attach()?,
        ];
        let has_cache = real.is_ok();
        links.extend(real);
        Ok(Self {
            skel,
            links,
            ring,
            fresh,
            ended: Ended::default(),
            real: has_cache,
            before,
            started,
        })
    }

    fn add(&mut self, process: u32) -> Result<(), Error> {
        follow::add(&self.skel.maps.tree, self.living(), process, 1)
    }

    pub fn add_running(&mut self, process: i32) -> Result<(), Error> {
        follow::running(process, |leader| self.add(leader))
    }

    fn living(&self) -> &AtomicI32 {
        let variables = self.skel.maps.bss_data.as_deref().expect("it has variables");
        // SAFETY: an aligned integer in a mapping that can be written, changed by atomic operations
        // alone; the mapping lives as long as the programs.
        unsafe { AtomicI32::from_ptr((&raw const variables.alive).cast_mut()) }
    }

    fn take_ended(&mut self) {
        self.ring.consume_raw();
        for slot in self.fresh.take() {
            self.ended.add(self.task(&slot, true));
        }
    }

    fn task(&self, slot: &Slot, ended: bool) -> Task {
        Task {
            pid: slot.process,
            tid: slot.thread,
            name: text(&slot.name),
            tasks: 1,
            ended,
            deepest: slot.deepest,
            sums: self.sums(&slot.sums),
        }
    }

    fn sums(&self, sums: &layout::Sums) -> Sums {
        let (cache, slab) = match self.real {
            true => (sums.real_cache, sums.real_slab),
            false => (sums.cache, sums.slab),
        };
        let queued = sums.cache + sums.slab;
        let others =
            sums.timer + sums.without + sums.ignored + sums.pending + sums.no_room + sums.refused;
        Sums {
            signals: queued + others,
            cache,
            slab,
            unsure: if self.real { 0 } else { sums.unsure },
            forecast_cache: sums.cache,
            forecast_slab: sums.slab,
            kept: sums.kept,
            dropped: sums.dropped,
            timer: sums.timer,
            without: sums.without,
            ignored: sums.ignored,
            pending: sums.pending,
            no_room: sums.no_room,
            refused: sums.refused,
        }
    }

    /// The sums up to now.
    pub fn total(&self) -> Sums {
        let shares: Vec<Totals> = per_processor(&self.skel.maps.totals, 0);
        let mut total = Sums::default();
        shares.iter().for_each(|share| total.add(&self.sums(&share.sums)));
        total
    }

    /// Forgets the tasks that ended; their sums stay in the total.
    pub fn forget_ended(&mut self) {
        self.take_ended();
        self.ended = Ended::default();
    }

    /// Whether the sums are the kernel's own word.
    pub fn is_real(&self) -> bool {
        self.real
    }

    /// What was seen, as a report.
    pub fn finish(mut self, wall: Duration) -> Report {
        // Detached first, so that nothing is added while it is read.
        self.links.clear();
        self.take_ended();
        let maps = &self.skel.maps;
        let shares: Vec<Totals> = per_processor(&maps.totals, 0);
        let sum = |field: fn(&Totals) -> u64| shares.iter().map(field).sum::<u64>();
        let total = self.total();
        let slots = entries::<Number64, Slot>(&maps.slots);
        let living: Vec<Task> = slots.iter().map(|(_, slot)| self.task(slot, false)).collect();
        let mut tasks = std::mem::take(&mut self.ended).into_tasks();
        tasks.extend(living);
        tasks.sort_by(|a, b| {
            let weight = |task: &Task| (task.sums.sigqueues(), task.sums.signals);
            weight(b).cmp(&weight(a)).then_with(|| (a.pid, a.tid).cmp(&(b.pid, b.tid)))
        });
        let mut notes = Vec::new();
        let mut lost = false;
        for (count, text) in [
            (
                sum(|t| t.unplaced),
                "signals are not in the numbers: there were too many tasks at once",
            ),
            (
                sum(|t| t.links_lost),
                "signals are missing among senders and targets: there were too many",
            ),
            (
                sum(|t| t.ended_lost),
                "tasks that ended are missing among the tasks: too many ended at once",
            ),
            (
                sum(|t| t.deep),
                "signals were put into lines longer than 256: there the forecast is an estimate",
            ),
        ] {
            if count > 0 {
                notes.push(format!("{count} {text}"));
                lost = true;
            }
        }
        if Counters::refused() {
            notes.push("the counters of the kernel may be read by root only".into());
        }
        let counters = self.before.and_then(|before| Some(Counters::read()?.since(&before)));
        let timed = sum(|t| t.timed);
        let signals = sum(|t| t.signals);
        let each = sum(|t| t.nanoseconds) as f64 / timed.max(1) as f64;
        let price = Price {
            in_kernel_seconds: (timed > 0).then_some(each * signals as f64 * 1e-9),
            own_seconds: own_time().saturating_sub(self.started).as_secs_f64(),
        };
        let users = entries::<Number, layout::User>(&maps.users);
        let mut users: Vec<_> = users
            .into_iter()
            .map(|(uid, user)| User {
                uid: uid.value,
                most: user.most,
                limit: user.limit,
                refused: user.refused,
            })
            .collect();
        users.sort_by_key(|user| user.uid);
        Report {
            source: if self.real { Source::Kernel } else { Source::Forecast },
            notes,
            exact: !lost,
            total,
            tasks,
            links: links(entries(&maps.links)),
            depths: depths(&shares),
            users,
            counters,
            price: Some(price),
            ..empty(wall)
        }
    }
}

impl Follower for Watch {
    fn add_command(&mut self, process: u32) -> Result<(), Error> {
        self.add(process)
    }

    fn turn(&mut self, process: Option<&OwnedFd>) -> bool {
        let ended = follow::wait_for(self.ring.epoll_fd(), process);
        self.take_ended();
        ended
    }

    fn alive(&self) -> u32 {
        self.living().load(Ordering::Relaxed).max(0) as u32
    }
}

fn links(seen: Vec<(LinkKey, layout::Link)>) -> Vec<crate::report::Link> {
    let link = |(key, link): (LinkKey, layout::Link)| {
        let origin = match key.origin {
            0 => Origin::Program,
            1 => Origin::Child,
            2 => Origin::Timer,
            _ => Origin::Kernel,
        };
        let known = matches!(origin, Origin::Program | Origin::Child);
        crate::report::Link {
            sender: known.then(|| text(&key.sender)),
            target: text(&key.target),
            signal: key.signal as i32,
            signal_name: signal_name(key.signal as i32),
            origin,
            signals: link.signals,
            cache: link.cache,
            slab: link.slab,
        }
    };
    let mut links: Vec<_> = seen.into_iter().map(link).collect();
    links.sort_by(|a, b| {
        let names = |link: &crate::report::Link| (link.sender.clone(), link.target.clone());
        b.signals.cmp(&a.signals).then_with(|| (names(a), a.signal).cmp(&(names(b), b.signal)))
    });
    links
}

fn depths(shares: &[Totals]) -> Vec<Depth> {
    let range = |power: usize| match power {
        0 => (1, 1),
        power => ((1 << (power - 1)) + 1, 1 << power),
    };
    (0..layout::DEPTHS)
        .map(|power| {
            let signals = shares.iter().map(|share| share.depths[power]).sum();
            let (from, to) = range(power);
            Depth { from, to, signals }
        })
        .filter(|depth| depth.signals > 0)
        .collect()
}

/// The clock of the kernel's start times.
fn monotonic() -> u64 {
    let mut time = libc::timespec { tv_sec: 0, tv_nsec: 0 };
    // SAFETY: a live structure that the call fills in.
    unsafe { libc::clock_gettime(libc::CLOCK_MONOTONIC, &mut time) };
    time.tv_sec as u64 * 1_000_000_000 + time.tv_nsec as u64
}
