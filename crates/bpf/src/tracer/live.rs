// SPDX-License-Identifier: MIT
//! A trace that is looked at while it goes on, for as long as the machine runs: what ended is
//! folded by program, so that neither the maps of the kernel nor our memory grow with time.

use std::collections::{HashMap, HashSet};
use std::time::{Duration, Instant};

use libbpf_rs::MapCore;
use sigzero_model::Process;

use super::{Number, Number64, Options, Target, Tracer, own_time, places};
use crate::Error;
use crate::calls::Kind;
use crate::layout::{Meter, Plain, TallyKey};
use crate::names::{Cache, View, named};
use crate::programs::{entries, per_processor};
use crate::trace::{Image, Price, Reach, Tally};

/// What ended is looked for that often.
const FOLD: Duration = Duration::from_secs(5);
/// Images from here on stand for all ended processes of one program.
const FOLDED: u32 = 1 << 31;

/// Counts of the same processes, each time from the beginning. They never go back.
pub struct Live {
    tracer: Tracer,
    start: Instant,
    folded: Instant,
    /// By executable.
    programs: HashMap<String, u32>,
    images: HashMap<u32, Image>,
    cache: Cache,
}

/// What was counted up to now.
#[derive(Clone, Debug, Default)]
pub struct Snapshot {
    pub tallies: HashMap<Tally, u64>,
    /// By number. Process 0 stands for all that ended and ran that program.
    pub images: HashMap<u32, Image>,
    /// Images that have not ended.
    pub running: HashSet<u32>,
    pub unplaced: HashMap<(&'static str, Kind), u64>,
    pub price: Price,
    pub age: Duration,
}

impl Snapshot {
    /// All processes that ran the same program as one: its counts do not fall when one of them ends.
    pub fn by_program(&self) -> Self {
        let mut numbers: HashMap<&str, u32> = HashMap::new();
        let mut merged = Self { unplaced: self.unplaced.clone(), ..Self::default() };
        (merged.price, merged.age) = (self.price, self.age);
        let mut sorted: Vec<_> = self.images.iter().collect();
        sorted.sort_by_key(|(number, _)| **number);
        for (_, image) in &sorted {
            let next = numbers.len() as u32;
            let number = *numbers.entry(&image.executable).or_insert(next);
            merged.images.entry(number).or_insert_with(|| Image {
                executable: image.executable.clone(),
                ..Image::default()
            });
        }
        for (tally, calls) in &self.tallies {
            let executable = self.images.get(&tally.image).map_or("", |image| &image.executable);
            let image = numbers.get(executable).copied().unwrap_or(u32::MAX);
            *merged.tallies.entry(Tally { image, ..tally.clone() }).or_default() += calls;
        }
        merged
    }
}

impl Live {
    pub fn start(target: &Target, options: &Options) -> Result<Self, Error> {
        let mut tracer = Tracer::new(target, options)?;
        match target {
            Target::Processes(processes) => {
                processes.iter().try_for_each(|process| tracer.add_running(*process))?;
            }
            // Without stacks too: programs are named by their files.
            _ => tracer.read_all_maps(),
        }
        let now = Instant::now();
        Ok(Self {
            tracer,
            start: now,
            folded: now,
            programs: HashMap::new(),
            images: HashMap::new(),
            cache: Cache::default(),
        })
    }

    /// Serves what comes within some fifty milliseconds.
    pub fn turn(&mut self) {
        self.tracer.turn(None);
        if self.folded.elapsed() >= FOLD {
            self.fold();
            self.folded = Instant::now();
        }
    }

    /// Of the processes that were given and their children.
    pub fn alive(&self) -> u32 {
        self.tracer.alive()
    }

    pub fn snapshot(&mut self) -> Snapshot {
        self.tracer.serve();
        let mut tallies = self.tracer.tallies.clone();
        let counted = self.counted();
        // After the counts: the stack of each is there by now.
        let stacks = if self.tracer.stacks { self.stacks() } else { HashMap::new() };
        let last = if self.tracer.stacks { self.tracer.last_images() } else { HashMap::new() };
        for (key, count) in counted {
            let mut tally = self.tally(&key, &stacks);
            if let Some(space) = last.get(&key.image).and_then(|p| self.tracer.spaces.of(*p)) {
                // Counted before the kernel side was told of the file.
                tally.stack.iter_mut().for_each(|at| *at = space.place(*at).unwrap_or(*at));
            }
            *tallies.entry(tally).or_default() += count;
        }
        let mut images = self.images.clone();
        for (number, image) in self.kernel_images() {
            images.insert(number, self.tracer.image(&image));
        }
        Snapshot {
            tallies,
            images,
            running: self.running(),
            unplaced: self.tracer.unplaced(),
            price: self.price(),
            age: self.start.elapsed(),
        }
    }

    /// With names for what `wanted` of the images called.
    pub fn processes(
        &mut self,
        snapshot: &Snapshot,
        wanted: impl Fn(u32, &Image) -> bool,
    ) -> Vec<Process> {
        let none = Image::default();
        let chosen = |image: u32| wanted(image, snapshot.images.get(&image).unwrap_or(&none));
        let tallies = snapshot.tallies.iter().filter(|(tally, _)| chosen(tally.image));
        let tallies = tallies.map(|(tally, calls)| (tally.clone(), *calls)).collect();
        let unplaced = HashMap::new();
        let view = View {
            tallies: &tallies,
            images: &snapshot.images,
            unplaced: &unplaced,
            files: &self.tracer.files,
        };
        named(&view, &mut self.cache)
    }

    /// What the kernel side has added up. The tallies come first: what is moved from a meter to
    /// them meanwhile is missed once, not counted twice.
    fn counted(&self) -> Vec<(TallyKey, u64)> {
        let maps = &self.tracer.programs.skel.maps;
        let counted = entries::<TallyKey, Number64>(&maps.tallies);
        let mut all: Vec<_> = counted.into_iter().map(|(key, count)| (key, count.value)).collect();
        let meters = per_processor::<Meter>(&maps.meters, 0).into_iter();
        // One of them is in the tallies already.
        let pending = meters.map(|meter| (meter.last, meter.pending.saturating_sub(1)));
        all.extend(pending.filter(|(_, count)| *count > 0));
        all
    }

    fn stacks(&self) -> HashMap<u64, Vec<u64>> {
        let stacks = &self.tracer.programs.skel.maps.stacks;
        let read = |key: Vec<u8>| {
            let value = stacks.lookup(&key, libbpf_rs::MapFlags::ANY).ok()??;
            Some((Number64::from_bytes(&key)?.value, places(&value)))
        };
        stacks.keys().filter_map(read).collect()
    }

    fn kernel_images(&self) -> Vec<(u32, crate::layout::Image)> {
        let images = &self.tracer.programs.skel.maps.images;
        entries::<Number, _>(images).into_iter().map(|(key, image)| (key.value, image)).collect()
    }

    fn running(&self) -> HashSet<u32> {
        let current = &self.tracer.programs.skel.maps.current_images;
        let read = |key: Vec<u8>| {
            let value = current.lookup(&key, libbpf_rs::MapFlags::ANY).ok()??;
            Some(Number::from_bytes(&value)?.value)
        };
        current.keys().filter_map(read).collect()
    }

    fn tally(&self, key: &TallyKey, stacks: &HashMap<u64, Vec<u64>>) -> Tally {
        let stack = stacks.get(&key.stack).cloned().unwrap_or_default();
        Tally {
            image: key.image,
            call: self.tracer.names[usize::from(key.call)],
            kind: Kind::of(key.kind),
            reach: if stack.is_empty() { Reach::None } else { Reach::of(key.reach) },
            stack,
            guess: key.guess != 0,
        }
    }

    fn price(&self) -> Price {
        let meters: Vec<Meter> = per_processor(&self.tracer.programs.skel.maps.meters, 0);
        let sum = |field: fn(&Meter) -> u64| meters.iter().map(field).sum::<u64>();
        let (calls, timed) = (sum(|meter| meter.calls), sum(|meter| meter.timed));
        let a_call = sum(|meter| meter.nanoseconds) as f64 / timed.max(1) as f64;
        Price {
            calls,
            in_kernel: (timed > 0).then(|| Duration::from_nanos((a_call * calls as f64) as u64)),
            own: own_time().saturating_sub(self.tracer.started),
            copies: sum(|meter| meter.copies),
            copies_lost: sum(|meter| meter.copies_lost),
            foreign: sum(|meter| meter.foreign),
            records_lost: self.tracer.records_lost,
        }
    }

    /// Moves what images that are no longer current have counted out of the kernel; done by itself
    /// every few seconds.
    pub fn fold(&mut self) {
        self.tracer.serve();
        let maps = &self.tracer.programs.skel.maps;
        // The images before those that are current: one that is made meanwhile is not yet listed.
        let images = self.kernel_images();
        let current = self.running();
        // What a meter still holds goes to a tally that must be there.
        let held: HashSet<u32> =
            per_processor::<Meter>(&maps.meters, 0).iter().map(|meter| meter.last.image).collect();
        let ended = |number: &u32| !current.contains(number) && !held.contains(number);
        let gone: HashMap<u32, Image> = images
            .iter()
            .filter(|(number, _)| ended(number))
            .map(|(number, image)| (*number, self.tracer.image(image)))
            .collect();
        if gone.is_empty() {
            return;
        }
        let stacks = if self.tracer.stacks { self.stacks() } else { HashMap::new() };
        let mut used = HashSet::new();
        let mut moved = Vec::new();
        for (key, count) in entries::<TallyKey, Number64>(&maps.tallies) {
            if gone.contains_key(&key.image) {
                moved.push((self.tally(&key, &stacks), count.value));
                let _ = maps.tallies.delete(key.bytes());
            } else {
                used.insert(key.stack);
            }
        }
        for stack in stacks.keys().filter(|stack| !used.contains(stack)) {
            let _ = maps.stacks.delete(&stack.to_ne_bytes());
        }
        for number in gone.keys() {
            let _ = maps.images.delete(&number.to_ne_bytes());
        }
        let ours = std::mem::take(&mut self.tracer.tallies);
        for (tally, count) in moved.into_iter().chain(ours) {
            let image = match gone.get(&tally.image) {
                Some(image) => self.program(image),
                None => tally.image,
            };
            *self.tracer.tallies.entry(Tally { image, ..tally }).or_default() += count;
        }
    }

    /// The image that stands for all ended processes of the program.
    fn program(&mut self, image: &Image) -> u32 {
        let next = FOLDED + self.programs.len() as u32;
        let number = *self.programs.entry(image.executable.clone()).or_insert(next);
        self.images
            .entry(number)
            .or_insert_with(|| Image { executable: image.executable.clone(), ..Image::default() });
        number
    }
}
