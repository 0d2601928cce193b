// SPDX-License-Identifier: MIT
//! Traces a command, running processes or the whole machine.

mod live;

use std::cell::RefCell;
use std::collections::HashMap;
use std::io::ErrorKind;
use std::os::fd::{AsRawFd, FromRawFd, OwnedFd};
use std::os::unix::process::ExitStatusExt;
use std::path::Path;
use std::process::ExitStatus;
use std::rc::Rc;
use std::sync::atomic::{AtomicI32, Ordering};
use std::time::{Duration, Instant};

use libbpf_rs::{MapCore, MapFlags, RingBuffer, RingBufferBuilder};
use sigzero_count::{Gated, Spec, wait};
use sigzero_maps::Mapping;

use crate::calls::{self, Kind};
use crate::files::Files;
use crate::layout::{
    self, AddressKey, FileKey, MAX_DEPTH, MAX_KINDS, Meter, Plain, SampleHead, TallyKey,
};
use crate::programs::{Programs, entries, per_processor};
use crate::records::{Record, Records, What};
use crate::spaces::{Mapped, Spaces, special};
use crate::trace::{Image, Price, Reach, Tally, Trace};
use crate::walk::{Memory, Rules, walk};
use crate::{Error, permit};

pub use live::{Live, Snapshot};

/// How long processes that outlive the command are waited for.
const LINGER: Duration = Duration::from_secs(2);
const TURN: Duration = Duration::from_millis(50);
const BATCH: usize = 16;
/// Spaces of processes that are kept before the dead are looked for.
const SPACES: usize = 20_000;

const TREE_AFTER_EXEC: u32 = 0;
const TREE_COUNTED: u32 = 1;

#[derive(Clone, Debug)]
pub enum Target {
    /// A command that is still to be started, and its children.
    Command,
    /// Running processes, and the children they will have.
    Processes(Vec<i32>),
    Everything,
}

#[derive(Clone, Debug)]
pub struct Options {
    pub stacks: bool,
    /// Raw tracepoints at once.
    pub raw: bool,
}

impl Default for Options {
    fn default() -> Self {
        Self { stacks: true, raw: false }
    }
}

/// Runs the command to its end. It is not started if it cannot be traced.
pub fn run(spec: &Spec, options: &Options) -> Result<Trace, Error> {
    let mut tracer = Tracer::new(&Target::Command, options)?;
    let mut child = Gated::spawn(spec, &|| Ok(()))?;
    let prepared = tracer.add(child.pid as u32, TREE_AFTER_EXEC).and_then(|()| pidfd(child.pid));
    let ended = match prepared {
        Ok(ended) => ended,
        Err(error) => {
            child.abandon();
            return Err(error);
        }
    };
    if let Some(tell) = spec.on_start {
        tell(child.pid);
    }
    let start = Instant::now();
    child.release()?;
    while !tracer.turn(Some(&ended)) {}
    let wall = start.elapsed();
    let status = ExitStatus::from_raw(wait(child.pid)?);
    child.outcome(spec)?;
    let limit = Instant::now() + LINGER;
    while tracer.alive() > 0 && Instant::now() < limit {
        tracer.turn(None);
    }
    Ok(tracer.finish(Some(status), wall))
}

/// Traces until `stop` says so; it is asked some twenty times a second, and told how many of the
/// processes are left.
pub fn watch(
    target: &Target,
    options: &Options,
    mut stop: impl FnMut(Duration, u32) -> bool,
) -> Result<Trace, Error> {
    let mut tracer = Tracer::new(target, options)?;
    match target {
        Target::Processes(processes) => {
            processes.iter().try_for_each(|process| tracer.add_running(*process))?;
        }
        _ => tracer.read_all_maps(),
    }
    let start = Instant::now();
    while !stop(start.elapsed(), tracer.alive()) {
        tracer.turn(None);
    }
    let wall = start.elapsed();
    Ok(tracer.finish(None, wall))
}

struct Tracer {
    programs: Programs,
    ring: RingBuffer<'static>,
    /// Samples as they come, to be put in order with the records.
    samples: Rc<RefCell<Vec<Vec<u8>>>>,
    records: Records,
    waiting: Vec<Record>,
    spaces: Spaces,
    files: Files,
    rules: Rules,
    tallies: HashMap<Tally, u64>,
    names: Vec<&'static str>,
    stacks: bool,
    records_lost: u64,
    unreadable: u32,
    started: Duration,
}

impl Tracer {
    fn new(target: &Target, options: &Options) -> Result<Self, Error> {
        let started = own_time();
        let programs = Programs::load(target, options)?;
        let records = Records::open().map_err(Error::Records)?;
        let samples = Rc::new(RefCell::new(Vec::new()));
        let filled = Rc::clone(&samples);
        let mut builder = RingBufferBuilder::new();
        builder.add(&programs.skel.maps.samples, move |bytes: &[u8]| {
            let used = SampleHead::from_bytes(bytes).map_or(0, |head| head.length as usize);
            let end = (size_of::<SampleHead>() + used).min(bytes.len());
            filled.borrow_mut().push(bytes[..end].to_vec());
            0
        })?;
        let ring = builder.build()?;
        Ok(Self {
            ring,
            samples,
            records,
            waiting: Vec::new(),
            spaces: Spaces::default(),
            files: Files::new(),
            rules: Rules::default(),
            tallies: HashMap::new(),
            names: calls::names(),
            stacks: options.stacks,
            records_lost: 0,
            unreadable: 0,
            started,
            programs,
        })
    }

    fn add(&mut self, process: u32, state: u32) -> Result<(), Error> {
        // First the count, since the process may end as soon as it is in.
        self.living().fetch_add(1, Ordering::Relaxed);
        let tree = &self.programs.skel.maps.tree;
        Ok(tree.update(&process.to_ne_bytes(), &state.to_ne_bytes(), MapFlags::ANY)?)
    }

    fn add_running(&mut self, process: i32) -> Result<(), Error> {
        let gone = || Error::NoProcess(process);
        // The number may be that of a thread.
        let leader = process_of(process).ok_or_else(gone)?;
        if self.stacks && !self.read_maps(leader) {
            return Err(Error::Foreign { process, program: permit::program() });
        }
        self.add(leader, TREE_COUNTED)?;
        // It may have ended before it was added, and then nobody will tell.
        process_of(process).map(drop).ok_or_else(gone)
    }

    fn alive(&self) -> u32 {
        self.living().load(Ordering::Relaxed).max(0) as u32
    }

    /// How many processes of the tree live; the kernel side counts too.
    fn living(&self) -> &AtomicI32 {
        let variables = self.programs.skel.maps.bss_data.as_deref().expect("it has variables");
        // SAFETY: an aligned integer in a mapping that can be written, changed by atomic operations
        // alone; the mapping lives as long as the programs.
        unsafe { AtomicI32::from_ptr((&raw const variables.alive).cast_mut()) }
    }

    /// Serves what has come; true if the process has ended.
    fn turn(&mut self, process: Option<&OwnedFd>) -> bool {
        let mut polls = [self.ring.epoll_fd(), process.map_or(-1, AsRawFd::as_raw_fd)]
            .map(|fd| libc::pollfd { fd, events: libc::POLLIN, revents: 0 });
        // SAFETY: two live entries; a negative descriptor is passed over.
        unsafe { libc::poll(polls.as_mut_ptr(), 2, TURN.as_millis() as i32) };
        self.serve();
        polls[1].revents != 0
    }

    /// A few samples at a time, so that the answer to the first does not wait for all.
    fn serve(&mut self) {
        while self.serve_some() >= BATCH {}
        self.spaces.prune(SPACES);
    }

    fn serve_some(&mut self) -> usize {
        self.ring.consume_raw_n(BATCH);
        let samples = std::mem::take(&mut *self.samples.borrow_mut());
        // After the samples: each record that is older than one of them is there by now.
        self.records.take(&mut self.waiting);
        self.waiting.sort_by_key(|record| record.time);
        let head = |bytes: &Vec<u8>| SampleHead::from_bytes(bytes);
        let mut samples: Vec<_> = samples.iter().filter_map(|b| Some((head(b)?, b))).collect();
        samples.sort_by_key(|(head, _)| head.time);
        let mut records = std::mem::take(&mut self.waiting).into_iter().peekable();
        for (head, bytes) in &samples {
            while let Some(record) = records.next_if(|record| record.time <= head.time) {
                self.note(record);
            }
            self.follow(head, &bytes[size_of::<SampleHead>()..]);
        }
        if samples.len() >= BATCH {
            // The next samples may still be older.
            self.waiting = records.collect();
        } else {
            records.for_each(|record| self.note(record));
        }
        samples.len()
    }

    fn note(&mut self, record: Record) {
        match record.what {
            What::Forked { parent, child } => self.spaces.forked(parent, child),
            What::Executed { process } => self.spaces.executed(process),
            What::Lost { records } => self.records_lost += records,
            What::Mapped { process, start, end, offset, key, path } => {
                let file = self.file(key, process, &path);
                self.spaces.mapped(process, Mapped { start, end, offset, file });
            }
        }
    }

    /// The file's number; the kernel side is told of a new one.
    fn file(&mut self, key: FileKey, process: u32, path: &Path) -> u32 {
        if key.inode == 0 {
            return special(&path.to_string_lossy());
        }
        if let Some(number) = self.files.number(key) {
            return number;
        }
        let Some(number) = self.files.add(key, process, path) else { return layout::FILE_NONE };
        let map = &self.programs.skel.maps.files;
        let _ = map.update(key.bytes(), &number.to_ne_bytes(), MapFlags::ANY);
        number
    }

    /// False if that is not permitted; a process that has ended has no mappings.
    fn read_maps(&mut self, process: u32) -> bool {
        let mappings = match sigzero_maps::of_process(process) {
            Ok(mappings) => mappings,
            Err(error) => return error.kind() != ErrorKind::PermissionDenied,
        };
        for mapping in mappings.iter().filter(|mapping| mapping.executable) {
            let Mapping { start, end, offset, .. } = *mapping;
            let (major, minor) = mapping.device;
            let key = FileKey { inode: mapping.inode, device: layout::device(major, minor) };
            let file = self.file(key, process, Path::new(mapping.path()));
            self.spaces.mapped(process, Mapped { start, end, offset, file });
        }
        true
    }

    fn read_all_maps(&mut self) {
        let entries = std::fs::read_dir("/proc").into_iter().flatten().flatten();
        let numbers = entries.filter_map(|entry| entry.file_name().to_str()?.parse().ok());
        for process in numbers.collect::<Vec<u32>>() {
            if !self.read_maps(process) {
                self.unreadable += 1;
            }
        }
    }

    fn follow(&mut self, head: &SampleHead, bytes: &[u8]) {
        let memory = Memory { start: head.registers.sp, bytes };
        let ip = head.registers.ip.wrapping_sub(1);
        if self.spaces.of(head.process).is_none_or(|space| space.place(ip).is_none()) {
            // Only if records were lost, or it ran before us.
            self.read_maps(head.process);
        }
        let nothing = Default::default();
        let space = self.spaces.of(head.process).unwrap_or(&nothing);
        let walked = walk(&head.registers, &memory, space, &self.files, &mut self.rules);
        for (at, known) in &walked.known {
            let maps = &self.programs.skel.maps;
            if layout::file_of(known.place) != layout::FILE_NONE {
                let _ = maps.rules.update(
                    &known.place.to_ne_bytes(),
                    known.rule.bytes(),
                    MapFlags::ANY,
                );
            }
            let key = AddressKey { at: *at, image: head.image, generation: head.generation };
            let _ = maps.addresses.update(key.bytes(), known.bytes(), MapFlags::ANY);
        }
        let tally = Tally {
            image: head.image,
            call: self.names[usize::from(head.call)],
            kind: Kind::of(head.kind),
            stack: walked.places,
            reach: walked.reach,
            guess: walked.guess,
        };
        *self.tallies.entry(tally).or_default() += 1;
    }

    fn finish(mut self, status: Option<ExitStatus>, wall: Duration) -> Trace {
        // Detached first, so that nothing is added while it is read.
        self.programs.skel.links = Default::default();
        self.serve();
        self.add_tallies();
        let maps = &self.programs.skel.maps;
        let images = entries::<Number, layout::Image>(&maps.images);
        let images = images.into_iter().map(|(number, image)| (number.value, self.image(&image)));
        let images = images.collect();
        let unplaced = self.unplaced();
        let meters: Vec<Meter> = per_processor(&maps.meters, 0);
        let sum = |field: fn(&Meter) -> u64| meters.iter().map(field).sum::<u64>();
        let calls = sum(|meter| meter.calls);
        let timed = sum(|meter| meter.timed);
        let a_call = sum(|meter| meter.nanoseconds) as f64 / timed.max(1) as f64;
        let price = Price {
            calls,
            in_kernel: (timed > 0).then(|| Duration::from_nanos((a_call * calls as f64) as u64)),
            own: own_time().saturating_sub(self.started),
            copies: sum(|meter| meter.copies),
            copies_lost: sum(|meter| meter.copies_lost),
            foreign: sum(|meter| meter.foreign),
            records_lost: self.records_lost,
        };
        let left = self.alive();
        Trace {
            status,
            wall,
            tallies: self.tallies,
            images,
            unplaced,
            files: self.files,
            price,
            stacks: self.stacks,
            typed: self.programs.typed,
            unreadable: self.unreadable,
            left,
        }
    }

    /// What the kernel side counted by itself.
    fn add_tallies(&mut self) {
        let maps = &self.programs.skel.maps;
        let stacks: HashMap<u64, Vec<u64>> = maps
            .stacks
            .keys()
            .filter_map(|key| {
                let value = maps.stacks.lookup(&key, MapFlags::ANY).ok()??;
                Some((Number64::from_bytes(&key)?.value, places(&value)))
            })
            .collect();
        let last = self.last_images();
        let counted = entries::<TallyKey, Number64>(&maps.tallies);
        let counted = counted.into_iter().map(|(key, count)| (key, count.value));
        // One of them is in the tallies already.
        let meters = per_processor::<Meter>(&maps.meters, 0).into_iter();
        let pending = meters.map(|meter| (meter.last, meter.pending.saturating_sub(1)));
        for (key, count) in counted.chain(pending.filter(|(_, count)| *count > 0)) {
            let reach = Reach::of(key.reach);
            let mut stack = stacks.get(&key.stack).cloned().unwrap_or_default();
            if let Some(space) = last.get(&key.image).and_then(|process| self.spaces.of(*process)) {
                // Counted before the kernel side was told of the file.
                stack.iter_mut().for_each(|place| *place = space.place(*place).unwrap_or(*place));
            }
            let tally = Tally {
                image: key.image,
                call: self.names[usize::from(key.call)],
                kind: Kind::of(key.kind),
                reach: if stack.is_empty() { Reach::None } else { reach },
                stack,
                guess: key.guess != 0,
            };
            *self.tallies.entry(tally).or_default() += count;
        }
    }

    /// The images whose mappings are still those of their process.
    fn last_images(&self) -> HashMap<u32, u32> {
        let mut last: HashMap<u32, u32> = HashMap::new();
        for (number, image) in entries::<Number, layout::Image>(&self.programs.skel.maps.images) {
            let newest = last.entry(image.process).or_default();
            *newest = number.value.max(*newest);
        }
        last.into_iter().map(|(process, image)| (image, process)).collect()
    }

    fn unplaced(&self) -> HashMap<(&'static str, Kind), u64> {
        let overflow = &self.programs.skel.maps.overflow;
        let slots =
            (0..self.names.len()).flat_map(|call| (0..MAX_KINDS).map(move |kind| (call, kind)));
        let counted = slots.map(|(call, kind)| {
            let shares = per_processor::<Number64>(overflow, (call * MAX_KINDS + kind) as u32);
            let sum: u64 = shares.iter().map(|share| share.value).sum();
            ((self.names[call], Kind::of(kind as u8)), sum)
        });
        counted.filter(|(_, sum)| *sum > 0).collect()
    }

    fn image(&self, image: &layout::Image) -> Image {
        let key = FileKey { inode: image.inode, device: image.device };
        let path = self.files.number(key).and_then(|number| self.files.path(number));
        let length = image.name.iter().position(|byte| *byte == 0).unwrap_or(image.name.len());
        let name = String::from_utf8_lossy(&image.name[..length]).into_owned();
        Image {
            process: image.process,
            parent: image.parent,
            start_ns: image.start,
            executable: path.map_or(name, |path| path.display().to_string()),
        }
    }
}

#[repr(C)]
#[derive(Clone, Copy, Debug, Default)]
struct Number {
    value: u32,
}

#[repr(C)]
#[derive(Clone, Copy, Debug, Default)]
struct Number64 {
    value: u64,
}

// SAFETY: one integer each.
unsafe impl Plain for Number {}
unsafe impl Plain for Number64 {}

/// `struct stack` of bpf/layout.h.
fn places(bytes: &[u8]) -> Vec<u64> {
    let depth = Number::from_bytes(bytes).map_or(0, |depth| depth.value as usize).min(MAX_DEPTH);
    let words = bytes.get(8..).unwrap_or_default().chunks_exact(8);
    words.take(depth).filter_map(|word| Some(Number64::from_bytes(word)?.value)).collect()
}

/// The process that a thread belongs to; `None` if it is gone.
pub fn process_of(thread: i32) -> Option<u32> {
    let status = std::fs::read_to_string(format!("/proc/{thread}/status")).ok()?;
    status.lines().find_map(|line| line.strip_prefix("Tgid:"))?.trim().parse().ok()
}

pub fn pidfd(process: i32) -> Result<OwnedFd, Error> {
    // SAFETY: a fresh descriptor, owned by nobody else.
    unsafe {
        match libc::syscall(libc::SYS_pidfd_open, process, 0) {
            fd @ 0.. => Ok(OwnedFd::from_raw_fd(fd as i32)),
            _ => Err(std::io::Error::last_os_error().into()),
        }
    }
}

/// Processor time that this process has used.
pub fn own_time() -> Duration {
    // SAFETY: plain data that the call fills in.
    unsafe {
        let mut usage: libc::rusage = std::mem::zeroed();
        libc::getrusage(libc::RUSAGE_SELF, &mut usage);
        let seconds =
            |time: libc::timeval| Duration::new(time.tv_sec as u64, time.tv_usec as u32 * 1000);
        seconds(usage.ru_utime) + seconds(usage.ru_stime)
    }
}
