// SPDX-License-Identifier: MIT
//! Counted calls as a profile for pprof and what reads its format.
//!
//! A sample is one kind of one system call from one stack in one process, with two values: its calls,
//! and the time that they took, estimated from the price of a call. Its innermost frame is the function
//! that was called; labels tell the process, the system call and what it asked for, and whether the
//! stack is not known to its end. Addresses are offsets in their files, since one place of a program
//! has many addresses.

pub mod message;

use std::collections::HashMap;
use std::io::Write;

use flate2::Compression;
use flate2::write::GzEncoder;
use prost::Message;
use sigzero_model::{Caller, Cost, Process, Site};

use message::{Function, Label, Line, Location, Mapping, Profile, Sample, ValueType};

/// What a profile is made of.
#[derive(Clone, Debug, Default)]
pub struct Input<'a> {
    pub processes: &'a [Process],
    pub cost: Cost,
    /// Of the start: nanoseconds since 1970.
    pub time_nanos: i64,
    pub duration_nanos: i64,
    /// What a reader has to know; `pprof -comments` shows it.
    pub comments: &'a [String],
}

/// The profile as pprof reads it: compressed by gzip.
pub fn encode(input: &Input) -> Vec<u8> {
    let bytes = profile(input).encode_to_vec();
    let mut gzip = GzEncoder::new(Vec::new(), Compression::default());
    gzip.write_all(&bytes).and_then(|()| gzip.finish()).expect("memory takes every byte")
}

/// The same, neither encoded nor compressed.
pub fn profile(input: &Input) -> Profile {
    let mut builder = Builder::new();
    let profile = &mut builder.profile;
    profile.time_nanos = input.time_nanos;
    profile.duration_nanos = input.duration_nanos;
    profile.period = 1;
    let calls = builder.value_type("calls", "count");
    let time = builder.value_type("time", "nanoseconds");
    builder.profile.sample_type = vec![calls, time];
    builder.profile.default_sample_type = calls.kind;
    builder.profile.period_type = Some(calls);
    builder.profile.comment = input.comments.iter().map(|text| builder.strings.of(text)).collect();
    // The first mapping is taken for the program.
    if let Some(process) = input.processes.first().filter(|p| !p.executable.is_empty()) {
        builder.mapping(&process.executable, 0);
    }
    for process in input.processes {
        for site in process.sites.iter().filter(|site| !site.opaque) {
            builder.add(process, site, &input.cost);
        }
    }
    builder.finish()
}

struct Builder {
    profile: Profile,
    strings: Strings,
    mappings: HashMap<String, u64>,
    functions: HashMap<(i64, i64, u64), u64>,
    locations: HashMap<Caller, u64>,
    called: HashMap<String, u64>,
}

impl Builder {
    fn new() -> Self {
        Self {
            profile: Profile::default(),
            strings: Strings::new(),
            mappings: HashMap::new(),
            functions: HashMap::new(),
            locations: HashMap::new(),
            called: HashMap::new(),
        }
    }

    fn value_type(&mut self, kind: &str, unit: &str) -> ValueType {
        ValueType { kind: self.strings.of(kind), unit: self.strings.of(unit) }
    }

    fn add(&mut self, process: &Process, site: &Site, cost: &Cost) {
        let mut locations = vec![self.called(&site.function)];
        locations.extend(site.frames().map(|frame| self.location(frame)));
        for class in site.counts.classes() {
            let nanoseconds = cost.of_class(&class).unwrap_or(0.0) * class.calls as f64;
            let call = if class.call == "other" { &site.function } else { class.call };
            let mut labels = vec![
                self.text("process", process.name()),
                self.number("pid", process.pid),
                self.text("call", call),
            ];
            if !class.kind.is_empty() {
                labels.push(self.text("kind", class.kind));
            }
            if site.is_estimate() {
                labels.push(self.text("stack", "incomplete"));
            }
            self.profile.sample.push(Sample {
                location_id: locations.clone(),
                value: vec![class.calls as i64, nanoseconds.round() as i64],
                label: labels,
            });
        }
    }

    fn text(&mut self, key: &str, text: &str) -> Label {
        Label { key: self.strings.of(key), text: self.strings.of(text), number: 0 }
    }

    fn number(&mut self, key: &str, number: u32) -> Label {
        Label { key: self.strings.of(key), text: 0, number: number.into() }
    }

    /// The function that was called: a name without an address.
    fn called(&mut self, name: &str) -> u64 {
        if let Some(id) = self.called.get(name) {
            return *id;
        }
        let name_index = self.strings.of(name);
        let function_id = self.function(name_index, 0, u64::MAX);
        let id = self.push(0, 0, vec![Line { function_id, line: 0 }]);
        self.called.insert(name.into(), id);
        id
    }

    fn location(&mut self, frame: &Caller) -> u64 {
        if let Some(id) = self.locations.get(frame) {
            return *id;
        }
        let mapping = self.mapping(&frame.module, frame.offset);
        let mut lines = Vec::new();
        if let Some(symbol) = &frame.symbol {
            let name = self.strings.of(symbol);
            let file = self.strings.of(frame.file.as_deref().unwrap_or(""));
            let function_id = self.function(name, file, mapping);
            lines.push(Line { function_id, line: frame.line.unwrap_or(0).into() });
            let mapping = &mut self.profile.mapping[mapping as usize - 1];
            mapping.has_functions = true;
            mapping.has_filenames |= frame.file.is_some();
            mapping.has_line_numbers |= frame.line.is_some();
        }
        let id = self.push(mapping, frame.offset, lines);
        self.locations.insert(frame.clone(), id);
        id
    }

    fn push(&mut self, mapping_id: u64, address: u64, line: Vec<Line>) -> u64 {
        let id = self.profile.location.len() as u64 + 1;
        self.profile.location.push(Location { id, mapping_id, address, line });
        id
    }

    fn mapping(&mut self, module: &str, offset: u64) -> u64 {
        let id = match self.mappings.get(module) {
            Some(id) => *id,
            None => {
                let id = self.profile.mapping.len() as u64 + 1;
                let filename = self.strings.of(module);
                self.profile.mapping.push(Mapping { id, filename, ..Mapping::default() });
                self.mappings.insert(module.into(), id);
                id
            }
        };
        let mapping = &mut self.profile.mapping[id as usize - 1];
        mapping.memory_limit = mapping.memory_limit.max(offset.saturating_add(1));
        id
    }

    fn function(&mut self, name: i64, filename: i64, mapping: u64) -> u64 {
        if let Some(id) = self.functions.get(&(name, filename, mapping)) {
            return *id;
        }
        let id = self.profile.function.len() as u64 + 1;
        let function = Function { id, name, system_name: name, filename, start_line: 0 };
        self.profile.function.push(function);
        self.functions.insert((name, filename, mapping), id);
        id
    }

    fn finish(mut self) -> Profile {
        self.profile.string_table = self.strings.table;
        self.profile
    }
}

/// Each string once, the empty one first.
struct Strings {
    table: Vec<String>,
    indices: HashMap<String, i64>,
}

impl Strings {
    fn new() -> Self {
        let mut strings = Self { table: Vec::new(), indices: HashMap::new() };
        strings.of("");
        strings
    }

    fn of(&mut self, text: &str) -> i64 {
        if let Some(index) = self.indices.get(text) {
            return *index;
        }
        let index = self.table.len() as i64;
        self.table.push(text.into());
        self.indices.insert(text.into(), index);
        index
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use sigzero_model::Counts;
    use sigzero_model::counts::MaskCounts;

    fn frame(symbol: Option<&str>, offset: u64) -> Caller {
        Caller {
            module: "/bin/x".into(),
            offset,
            symbol: symbol.map(String::from),
            line: symbol.map(|_| 7),
            file: symbol.map(|_| "x.c".into()),
            ..Caller::default()
        }
    }

    fn process() -> Process {
        let mask = MaskCounts { total: 5, query: 3, block: 2, ..Default::default() };
        let site = Site {
            function: "rt_sigprocmask".into(),
            opaque: false,
            caller: frame(Some("work"), 0x20),
            stack: vec![frame(Some("work"), 0x20).into(), frame(None, 0x40).into()],
            stack_whole: true,
            counts: Counts { calls: 5, rt_sigprocmask: mask, ..Counts::default() },
        };
        let unseen = Site { opaque: true, ..site.clone() };
        Process {
            pid: 9,
            executable: "/bin/x".into(),
            sites: vec![site, unseen],
            ..Process::default()
        }
    }

    #[test]
    fn kinds_are_samples_of_their_own_and_frames_are_shared() {
        let processes = [process()];
        let cost = Cost { mask_query_ns: 100.0, mask_change_ns: 150.0, ..Cost::default() };
        let profile = profile(&Input { processes: &processes, cost, ..Input::default() });
        let text = |index: i64| profile.string_table[index as usize].as_str();
        assert_eq!(profile.string_table[0], "");
        let values: Vec<_> = profile.sample.iter().map(|sample| sample.value.clone()).collect();
        assert_eq!(values, [[3, 300], [2, 300]]);
        assert_eq!(profile.sample[0].location_id, profile.sample[1].location_id);
        assert_eq!(profile.location.len(), 3);
        assert_eq!(profile.mapping.len(), 1);
        assert_eq!(profile.mapping[0].memory_limit, 0x41);
        let names: Vec<_> = profile.function.iter().map(|function| text(function.name)).collect();
        assert_eq!(names, ["rt_sigprocmask", "work"]);
        let labels: Vec<_> =
            profile.sample[1].label.iter().map(|l| (text(l.key), text(l.text), l.number)).collect();
        let expected = [
            ("process", "x", 0),
            ("pid", "", 9),
            ("call", "rt_sigprocmask", 0),
            ("kind", "block", 0),
        ];
        assert_eq!(labels, expected);
    }

    #[test]
    fn a_stack_that_was_not_followed_to_its_end_is_labelled() {
        let mut processes = [process()];
        processes[0].sites[0].stack_whole = false;
        let profile = profile(&Input { processes: &processes, ..Input::default() });
        let text = |index: i64| profile.string_table[index as usize].as_str();
        let last = profile.sample[0].label.last().unwrap();
        assert_eq!((text(last.key), text(last.text)), ("stack", "incomplete"));
    }

    #[test]
    fn what_is_encoded_comes_back() {
        let processes = [process()];
        let comments = ["a note".to_string()];
        let input =
            Input { processes: &processes, comments: &comments, time_nanos: 5, ..Input::default() };
        let bytes = encode(&input);
        let mut plain = Vec::new();
        std::io::copy(&mut flate2::read::GzDecoder::new(&bytes[..]), &mut plain).unwrap();
        assert_eq!(Profile::decode(&plain[..]).unwrap(), profile(&input));
    }

    #[test]
    fn nothing_counted_is_a_profile_too() {
        let profile = profile(&Input::default());
        assert!(profile.sample.is_empty() && profile.sample_type.len() == 2);
    }
}
