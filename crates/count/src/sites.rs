// SPDX-License-Identifier: MIT
//! Which instructions made the calls, per process image.

use std::collections::HashMap;
use std::fs;
use std::path::PathBuf;

use libc::pid_t;

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
        let text = fs::read_to_string(format!("/proc/{}/maps", self.pid)).unwrap_or_default();
        for mapping in text.lines().filter_map(Mapping::parse) {
            if !self.maps.contains(&mapping) {
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
                module: mapping.map(|m| m.path.clone()).unwrap_or_default(),
                file_offset: mapping.map_or(0, |m| ip - m.start + m.offset),
                calls,
            }
        };
        let mut sites: Vec<Site> = self.calls.iter().map(site).collect();
        sites.sort_by_key(|s| (std::cmp::Reverse(s.calls), s.ip));
        Image { pid: self.pid, exe: self.exe, sites }
    }
}

/// An executable line of `/proc/PID/maps`.
#[derive(Debug, PartialEq, Eq)]
struct Mapping {
    start: u64,
    end: u64,
    offset: u64,
    path: PathBuf,
}

impl Mapping {
    fn parse(line: &str) -> Option<Self> {
        let mut fields = line.splitn(6, ' ');
        let (start, end) = fields.next()?.split_once('-')?;
        if !fields.next()?.contains('x') {
            return None;
        }
        let hex = |text| u64::from_str_radix(text, 16).ok();
        Some(Mapping {
            start: hex(start)?,
            end: hex(end)?,
            offset: hex(fields.next()?)?,
            path: fields.nth(2).unwrap_or_default().trim_start().into(),
        })
    }

    fn holds(&self, address: u64) -> bool {
        (self.start..self.end).contains(&address)
    }
}

fn process_of(tid: pid_t) -> pid_t {
    let status = fs::read_to_string(format!("/proc/{tid}/status")).unwrap_or_default();
    let tgid = status.lines().find_map(|l| l.strip_prefix("Tgid:"));
    tgid.and_then(|t| t.trim().parse().ok()).unwrap_or(tid)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn executable_lines_are_read() {
        let line = "55d0c0000000-55d0c0002000 r-xp 00001000 08:01 42       /usr/bin/a b";
        let mapping = Mapping::parse(line).unwrap();
        assert_eq!(mapping.offset, 0x1000);
        assert_eq!(mapping.path, PathBuf::from("/usr/bin/a b"));
        assert!(mapping.holds(0x55d0_c000_1fff) && !mapping.holds(0x55d0_c000_2000));
    }

    #[test]
    fn anonymous_code_has_no_path_and_data_is_skipped() {
        let code = Mapping::parse("7f0000000000-7f0000001000 rwxp 00000000 00:00 0 ").unwrap();
        assert_eq!(code.path, PathBuf::new());
        assert_eq!(Mapping::parse("7f0000000000-7f0000001000 rw-p 00000000 00:00 0 "), None);
    }
}
