// SPDX-License-Identifier: MIT
//! Which instructions made the calls, per process image.

use std::collections::HashMap;
use std::fs;
use std::path::PathBuf;

use libc::pid_t;
use sigzero_maps::Mapping;

use crate::calls::CALLS;

/// What one process made between two `exec`s.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Image {
    pub pid: pid_t,
    pub exe: PathBuf,
    /// Most calls first.
    pub sites: Vec<Site>,
}

/// One instruction that made one kind of call.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Site {
    pub call: &'static str,
    /// The address behind the system call instruction.
    pub ip: u64,
    /// The mapped file as `/proc/PID/maps` names it; empty when the code is not in a file.
    pub module: PathBuf,
    /// Where `ip` is in that file.
    pub file_offset: u64,
    pub calls: u64,
}

/// The images of a running tree.
#[derive(Default)]
pub(crate) struct Images {
    /// A thread's process.
    process_of: HashMap<pid_t, pid_t>,
    live: HashMap<pid_t, Live>,
    done: Vec<Image>,
}

impl Images {
    pub fn called(&mut self, tid: pid_t, call: usize, ip: u64) {
        let pid = *self.process_of.entry(tid).or_insert_with(|| process_of(tid));
        let image = self.live.entry(pid).or_insert_with(|| Live::new(pid));
        image.called(call, ip);
    }

    /// The process execs: its addresses mean something else from here on.
    pub fn replaced(&mut self, pid: pid_t) {
        self.process_of.retain(|_, p| *p != pid);
        self.end(pid);
    }

    pub fn ended(&mut self, tid: pid_t) {
        self.process_of.remove(&tid);
        self.end(tid);
    }

    pub fn finish(mut self) -> Vec<Image> {
        let left: Vec<_> = self.live.keys().copied().collect();
        left.into_iter().for_each(|pid| self.end(pid));
        self.done
    }

    fn end(&mut self, pid: pid_t) {
        if let Some(image) = self.live.remove(&pid) {
            self.done.push(image.finish());
        }
    }
}

struct Live {
    pid: pid_t,
    exe: PathBuf,
    maps: Vec<Mapping>,
    calls: HashMap<(usize, u64), u64>,
}

impl Live {
    fn new(pid: pid_t) -> Self {
        Live {
            pid,
            exe: fs::read_link(format!("/proc/{pid}/exe")).unwrap_or_default(),
            maps: Vec::new(),
            calls: HashMap::new(),
        }
    }

    fn called(&mut self, call: usize, ip: u64) {
        let calls = self.calls.entry((call, ip)).or_insert(0);
        *calls += 1;
        if *calls == 1 && !self.maps.iter().any(|m| m.holds(ip)) {
            self.read_maps();
        }
    }

    /// What was seen before is kept: a library may be unmapped by the time the sites are reported.
    fn read_maps(&mut self) {
        let mappings = sigzero_maps::of_process(self.pid as u32).unwrap_or_default();
        for mapping in mappings {
            if mapping.executable && !self.maps.contains(&mapping) {
                self.maps.push(mapping);
            }
        }
    }

    fn finish(self) -> Image {
        let site = |(&(call, ip), &calls): (&(usize, u64), &u64)| {
            let mapping = self.maps.iter().rev().find(|m| m.holds(ip));
            Site {
                call: CALLS[call].name,
                ip,
                module: mapping.map(|m| PathBuf::from(&m.name)).unwrap_or_default(),
                file_offset: mapping.map_or(0, |m| m.offset_of(ip)),
                calls,
            }
        };
        let mut sites: Vec<Site> = self.calls.iter().map(site).collect();
        sites.sort_by_key(|s| (std::cmp::Reverse(s.calls), s.ip));
        Image { pid: self.pid, exe: self.exe, sites }
    }
}

fn process_of(tid: pid_t) -> pid_t {
    let status = fs::read_to_string(format!("/proc/{tid}/status")).unwrap_or_default();
    let tgid = status.lines().find_map(|l| l.strip_prefix("Tgid:"));
    tgid.and_then(|t| t.trim().parse().ok()).unwrap_or(tid)
}
