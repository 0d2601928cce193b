// SPDX-License-Identifier: MIT
//! What the kernel side has counted by itself.

use std::collections::{HashMap, HashSet};
use std::time::Duration;

use libbpf_rs::{MapCore, MapFlags};

use super::Tracer;
use crate::calls::Kind;
use crate::layout::{
    self, FileKey, MAX_DEPTH, MAX_KINDS, Meter, Number, Number64, Plain, TallyKey,
};
use crate::processes::own_time;
use crate::programs::per_processor;
use crate::trace::{Image, Price, Reach, Tally};

impl Tracer {
    /// Adds all that is counted up to now, each call at the places of its stack.
    pub fn add_counted(&self, tallies: &mut HashMap<Tally, u64>) {
        let counted = self.counted();
        // After the counts: the stack of each is there by now.
        let stacks = self.kernel_stacks();
        let last = if self.stacks { self.last_images() } else { HashMap::new() };
        for (key, count) in counted {
            let mut tally = self.tally(&key, &stacks);
            if let Some(space) = last.get(&key.image).and_then(|process| self.spaces.of(*process)) {
                // Counted before the kernel side was told of the file.
                tally.stack.iter_mut().for_each(|at| *at = space.place(*at).unwrap_or(*at));
            }
            *tallies.entry(tally).or_default() += count;
        }
    }

    /// What `take` makes of all of a map. What is added meanwhile may be missed.
    pub fn read<T>(&self, map: &impl MapCore, take: impl Fn(&[u8], &[u8]) -> Option<T>) -> Vec<T> {
        let mut here = self.undisturbed();
        let one = |key: Vec<u8>| {
            let value = map.lookup(&key, MapFlags::ANY).ok()?;
            here.breathe();
            take(&key, &value?)
        };
        map.keys().filter_map(one).collect()
    }

    /// Each processor's share of the only entry.
    pub fn meters(&self) -> Vec<Meter> {
        let _here = self.undisturbed();
        per_processor(&self.programs.skel.maps.meters, 0)
    }

    /// The tallies come first: what is moved from a meter to them meanwhile is missed once, not
    /// counted twice.
    fn counted(&self) -> Vec<(TallyKey, u64)> {
        let mut all = self.tallied();
        // One of them is in the tallies already.
        let pending =
            self.meters().into_iter().map(|meter| (meter.last, meter.pending.saturating_sub(1)));
        all.extend(pending.filter(|(_, count)| *count > 0));
        all
    }

    pub fn tallied(&self) -> Vec<(TallyKey, u64)> {
        let number = |value: &[u8]| Some(Number64::from_bytes(value)?.value);
        self.read(&self.programs.skel.maps.tallies, |key, value| {
            Some((TallyKey::from_bytes(key)?, number(value)?))
        })
    }

    pub fn tally(&self, key: &TallyKey, stacks: &HashMap<u64, Vec<u64>>) -> Tally {
        let stack = stacks.get(&key.stack).cloned().unwrap_or_default();
        Tally {
            image: key.image,
            call: self.names[usize::from(key.call)],
            kind: Kind::of(key.kind),
            reach: if stack.is_empty() { Reach::None } else { Reach::of(key.reach) },
            stack,
            guess: key.guess != 0,
        }
    }

    /// By number; none if none are wanted.
    pub fn kernel_stacks(&self) -> HashMap<u64, Vec<u64>> {
        if !self.stacks {
            return HashMap::new();
        }
        let stack =
            |key: &[u8], value: &[u8]| Some((Number64::from_bytes(key)?.value, places(value)));
        self.read(&self.programs.skel.maps.stacks, stack).into_iter().collect()
    }

    pub fn kernel_images(&self) -> Vec<(u32, layout::Image)> {
        self.read(&self.programs.skel.maps.images, |key, value| {
            Some((Number::from_bytes(key)?.value, layout::Image::from_bytes(value)?))
        })
    }

    /// The images that have not ended.
    pub fn running(&self) -> HashSet<u32> {
        let current = &self.programs.skel.maps.current_images;
        let image = |_: &[u8], value: &[u8]| Some(Number::from_bytes(value)?.value);
        self.read(current, image).into_iter().collect()
    }

    /// The images whose mappings are still those of their process.
    fn last_images(&self) -> HashMap<u32, u32> {
        let mut last: HashMap<u32, u32> = HashMap::new();
        for (number, image) in self.kernel_images() {
            let newest = last.entry(image.process).or_default();
            *newest = number.max(*newest);
        }
        last.into_iter().map(|(process, image)| (image, process)).collect()
    }

    pub fn image(&self, image: &layout::Image) -> Image {
        let key = FileKey { inode: image.inode, device: image.device };
        let path = self.files.number(key).and_then(|number| self.files.path(number));
        Image {
            process: image.process,
            parent: image.parent,
            start_ns: image.start,
            executable: path
                .map_or_else(|| layout::text(&image.name), |path| path.display().to_string()),
        }
    }

    pub fn unplaced(&self) -> HashMap<(&'static str, Kind), u64> {
        let mut here = self.undisturbed();
        let overflow = &self.programs.skel.maps.overflow;
        let slots =
            (0..self.names.len()).flat_map(|call| (0..MAX_KINDS).map(move |kind| (call, kind)));
        let counted = slots.map(|(call, kind)| {
            let shares = per_processor::<Number64>(overflow, (call * MAX_KINDS + kind) as u32);
            here.breathe();
            let sum: u64 = shares.iter().map(|share| share.value).sum();
            ((self.names[call], Kind::of(kind as u8)), sum)
        });
        counted.filter(|(_, sum)| *sum > 0).collect()
    }

    pub fn price(&self) -> Price {
        let meters = self.meters();
        let sum = |field: fn(&Meter) -> u64| meters.iter().map(field).sum::<u64>();
        let (calls, timed) = (sum(|meter| meter.calls), sum(|meter| meter.timed));
        let a_call = sum(|meter| meter.nanoseconds) as f64 / timed.max(1) as f64;
        Price {
            calls,
            in_kernel: (timed > 0).then(|| Duration::from_nanos((a_call * calls as f64) as u64)),
            own: own_time().saturating_sub(self.started),
            copies: sum(|meter| meter.copies),
            copies_lost: sum(|meter| meter.copies_lost),
            foreign: sum(|meter| meter.foreign),
            missed: self.programs.missed(),
            records_lost: self.records_lost,
        }
    }
}

/// `struct stack` of bpf/layout.h.
fn places(bytes: &[u8]) -> Vec<u64> {
    let depth = Number::from_bytes(bytes).map_or(0, |depth| depth.value as usize).min(MAX_DEPTH);
    let words = bytes.get(8..).unwrap_or_default().chunks_exact(8);
    words.take(depth).filter_map(|word| Some(Number64::from_bytes(word)?.value)).collect()
}
