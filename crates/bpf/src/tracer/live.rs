// SPDX-License-Identifier: MIT
//! A trace that is looked at while it goes on, for as long as the machine runs: what ended is
//! folded by program, so that neither the maps of the kernel nor our memory grow with time.

use std::collections::{HashMap, HashSet};
use std::time::{Duration, Instant};

use libbpf_rs::MapCore;
use sigzero_model::Process;

use super::{Options, Target, Tracer};
use crate::Error;
use crate::calls::Kind;
use crate::follow::Follower;
use crate::layout::Plain;
use crate::names::{Cache, View, named};
use crate::trace::{Image, Price, Tally};

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
        let tracer = Tracer::started(target, options)?;
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
        self.tracer.add_counted(&mut tallies);
        let mut images = self.images.clone();
        for (number, image) in self.tracer.kernel_images() {
            images.insert(number, self.tracer.image(&image));
        }
        Snapshot {
            tallies,
            images,
            running: self.tracer.running(),
            unplaced: self.tracer.unplaced(),
            price: self.tracer.price(),
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

    /// Moves what images that are no longer current have counted out of the kernel; done by itself
    /// every few seconds.
    pub fn fold(&mut self) {
        self.tracer.serve();
        let maps = &self.tracer.programs.skel.maps;
        // The images before those that are current: one that is made meanwhile is not yet listed.
        let images = self.tracer.kernel_images();
        let current = self.tracer.running();
        // What a meter still holds goes to a tally that must be there.
        let held: HashSet<u32> =
            self.tracer.meters().iter().map(|meter| meter.last.image).collect();
        let ended = |number: &u32| !current.contains(number) && !held.contains(number);
        let gone: HashMap<u32, Image> = images
            .iter()
            .filter(|(number, _)| ended(number))
            .map(|(number, image)| (*number, self.tracer.image(image)))
            .collect();
        if gone.is_empty() {
            return;
        }
        let stacks = self.tracer.kernel_stacks();
        let mut used = HashSet::new();
        let mut moved = Vec::new();
        let tallied = self.tracer.tallied();
        let mut here = self.tracer.undisturbed();
        for (key, count) in tallied {
            if gone.contains_key(&key.image) {
                moved.push((self.tracer.tally(&key, &stacks), count));
                let _ = maps.tallies.delete(key.bytes());
                here.breathe();
            } else {
                used.insert(key.stack);
            }
        }
        for stack in stacks.keys().filter(|stack| !used.contains(stack)) {
            let _ = maps.stacks.delete(&stack.to_ne_bytes());
            here.breathe();
        }
        for number in gone.keys() {
            let _ = maps.images.delete(&number.to_ne_bytes());
            here.breathe();
        }
        drop(here);
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
