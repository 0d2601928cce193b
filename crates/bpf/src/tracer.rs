// SPDX-License-Identifier: MIT
//! Traces a command, running processes or the whole machine.

mod counted;
mod live;

use std::cell::RefCell;
use std::collections::HashMap;
use std::io::ErrorKind;
use std::os::fd::OwnedFd;
use std::path::Path;
use std::process::ExitStatus;
use std::rc::Rc;
use std::sync::atomic::{AtomicI32, Ordering};
use std::time::Duration;

use libbpf_rs::{MapCore, MapFlags, RingBuffer, RingBufferBuilder};
use sigzero_count::Spec;
use sigzero_maps::Mapping;

use crate::calls::{self, Kind};
use crate::files::Files;
use crate::follow::{self, Follower};
use crate::layout::{self, AddressKey, FileKey, Plain, SampleHead};
use crate::processes::own_time;
use crate::programs::Programs;
use crate::records::{Record, Records, What};
use crate::spaces::{Mapped, Spaces, special};
use crate::trace::{Tally, Trace};
use crate::undisturbed::Undisturbed;
use crate::walk::{Memory, Rules, walk};
use crate::{Attach, Error, permit};

pub use live::{Live, Snapshot};

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
    /// Where the programs shall stand; else at the best place.
    pub attach: Option<Attach>,
}

impl Default for Options {
    fn default() -> Self {
        Self { stacks: true, attach: None }
    }
}

/// Runs the command to its end. It is not started if it cannot be traced.
pub fn run(spec: &Spec, options: &Options) -> Result<Trace, Error> {
    let mut tracer = Tracer::new(&Target::Command, options)?;
    let (status, wall) = follow::command(spec, &mut tracer)?;
    Ok(tracer.finish(Some(status), wall))
}

/// Traces until `stop` says so; it is asked some twenty times a second, and told how many of the
/// processes are left.
pub fn watch(
    target: &Target,
    options: &Options,
    stop: impl FnMut(Duration, u32) -> bool,
) -> Result<Trace, Error> {
    let mut tracer = Tracer::started(target, options)?;
    let wall = follow::until(&mut tracer, stop);
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

    /// Traces what the target names from now on; a command is added when it is started.
    fn started(target: &Target, options: &Options) -> Result<Self, Error> {
        let mut tracer = Self::new(target, options)?;
        match target {
            Target::Processes(processes) => {
                processes.iter().try_for_each(|process| tracer.add_running(*process))?;
            }
            _ => tracer.read_all_maps(),
        }
        Ok(tracer)
    }

    fn add(&mut self, process: u32, state: u32) -> Result<(), Error> {
        let _here = self.undisturbed();
        follow::add(&self.programs.skel.maps.tree, self.living(), process, state)
    }

    fn add_running(&mut self, process: i32) -> Result<(), Error> {
        follow::running(process, |leader| {
            // Without stacks too: programs are named by their files.
            if !self.read_maps(leader) && self.stacks {
                return Err(Error::Foreign { process, program: permit::program() });
            }
            self.add(leader, TREE_COUNTED)
        })
    }

    /// How many processes of the tree live; the kernel side counts too.
    fn living(&self) -> &AtomicI32 {
        let variables = self.programs.skel.maps.bss_data.as_deref().expect("it has variables");
        // SAFETY: an aligned integer in a mapping that can be written, changed by atomic operations
        // alone; the mapping lives as long as the programs.
        unsafe { AtomicI32::from_ptr((&raw const variables.alive).cast_mut()) }
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
        let _here = self.undisturbed();
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
        let mut here = self.undisturbed();
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
            here.breathe();
        }
        drop(here);
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

    /// For as long as a map is read or written.
    fn undisturbed(&self) -> Undisturbed {
        Undisturbed::if_needed(self.programs.attach.at_functions())
    }

    fn finish(mut self, status: Option<ExitStatus>, wall: Duration) -> Trace {
        // Detached first, so that nothing is added while it is read.
        self.programs.detach();
        self.serve();
        let mut tallies = std::mem::take(&mut self.tallies);
        self.add_counted(&mut tallies);
        let images = self.kernel_images().into_iter();
        let images = images.map(|(number, image)| (number, self.image(&image))).collect();
        Trace {
            status,
            wall,
            tallies,
            images,
            unplaced: self.unplaced(),
            price: self.price(),
            stacks: self.stacks,
            attach: self.programs.attach,
            unreadable: self.unreadable,
            left: self.alive(),
            files: self.files,
        }
    }
}

impl Follower for Tracer {
    fn add_command(&mut self, process: u32) -> Result<(), Error> {
        self.add(process, TREE_AFTER_EXEC)
    }

    fn turn(&mut self, process: Option<&OwnedFd>) -> bool {
        let ended = follow::wait_for(self.ring.epoll_fd(), process);
        self.serve();
        ended
    }

    fn alive(&self) -> u32 {
        self.living().load(Ordering::Relaxed).max(0) as u32
    }
}
