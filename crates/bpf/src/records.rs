// SPDX-License-Identifier: MIT
//! The kernel's records of what is mapped, forked and executed on the whole machine, by time. They
//! are written by the process itself as it happens: however short it lives, they are there.

use std::ffi::OsStr;
use std::fs::File;
use std::io;
use std::os::fd::{AsRawFd, FromRawFd};
use std::os::unix::ffi::OsStrExt;
use std::path::PathBuf;
use std::sync::atomic::{AtomicU64, Ordering};

use perf_event_open_sys::{self as sys, bindings::perf_event_attr};

use crate::layout::{FileKey, device};

/// Of each processor's ring; a power of two.
const RING: usize = 1 << 20;

const LOST: u32 = sys::bindings::PERF_RECORD_LOST;
const COMM: u32 = sys::bindings::PERF_RECORD_COMM;
const FORK: u32 = sys::bindings::PERF_RECORD_FORK;
const MMAP2: u32 = sys::bindings::PERF_RECORD_MMAP2;
const COMM_EXEC: u16 = 1 << 13;

#[derive(Debug, PartialEq, Eq)]
pub struct Record {
    pub time: u64,
    pub what: What,
}

#[derive(Debug, PartialEq, Eq)]
pub enum What {
    Forked { parent: u32, child: u32 },
    Executed { process: u32 },
    Mapped { process: u32, start: u64, end: u64, offset: u64, key: FileKey, path: PathBuf },
    Lost { records: u64 },
}

pub struct Records {
    rings: Vec<Ring>,
}

impl Records {
    pub fn open() -> io::Result<Self> {
        let mut rings = Vec::new();
        for cpu in online()? {
            match Ring::open(cpu) {
                // A processor can go offline at any time.
                Err(error) if error.raw_os_error() == Some(libc::ENODEV) => {}
                ring => rings.push(ring?),
            }
        }
        Ok(Self { rings })
    }

    /// What has been written since, by time.
    pub fn take(&mut self, into: &mut Vec<Record>) {
        self.rings.iter_mut().for_each(|ring| ring.take(into));
    }
}

struct Ring {
    _event: File,
    memory: *mut u8,
    page: usize,
}

impl Ring {
    fn open(cpu: i32) -> io::Result<Self> {
        let mut attr = perf_event_attr {
            type_: sys::bindings::PERF_TYPE_SOFTWARE,
            config: u64::from(sys::bindings::PERF_COUNT_SW_DUMMY),
            size: size_of::<perf_event_attr>() as u32,
            sample_type: u64::from(sys::bindings::PERF_SAMPLE_TIME),
            // The clock of bpf_ktime_get_ns.
            clockid: libc::CLOCK_MONOTONIC,
            ..Default::default()
        };
        attr.set_mmap(1);
        attr.set_mmap2(1);
        attr.set_comm(1);
        attr.set_comm_exec(1);
        attr.set_task(1);
        attr.set_sample_id_all(1);
        attr.set_use_clockid(1);
        let flags = u64::from(sys::bindings::PERF_FLAG_FD_CLOEXEC);
        // SAFETY: the attributes are live and of the size they say; a fresh descriptor and a fresh
        // mapping, each owned by the ring alone.
        unsafe {
            let fd = sys::perf_event_open(&mut attr, -1, cpu, -1, flags as _);
            if fd < 0 {
                return Err(io::Error::last_os_error());
            }
            let event = File::from_raw_fd(fd);
            let page = libc::sysconf(libc::_SC_PAGESIZE) as usize;
            let access = libc::PROT_READ | libc::PROT_WRITE;
            let length = page + RING;
            let fd = event.as_raw_fd();
            let memory = libc::mmap(std::ptr::null_mut(), length, access, libc::MAP_SHARED, fd, 0);
            if memory == libc::MAP_FAILED {
                return Err(io::Error::last_os_error());
            }
            Ok(Self { _event: event, memory: memory.cast(), page })
        }
    }

    fn take(&mut self, into: &mut Vec<Record>) {
        // Acquire: what the kernel wrote before it moved the head is seen.
        let head = self.position(HEAD).load(Ordering::Acquire);
        let mut tail = self.position(TAIL).load(Ordering::Relaxed);
        let mut bytes = Vec::new();
        while tail < head {
            self.copy(tail, 8, &mut bytes);
            let size = usize::from(u16::from_ne_bytes([bytes[6], bytes[7]])).max(8);
            self.copy(tail, size, &mut bytes);
            into.extend(parse(&bytes));
            tail += size as u64;
        }
        // Release: the kernel writes there only after we have read.
        self.position(TAIL).store(tail, Ordering::Release);
    }

    fn position(&self, offset: usize) -> &AtomicU64 {
        // SAFETY: a word of the mapped page, changed by atomic operations alone.
        unsafe { AtomicU64::from_ptr(self.memory.add(offset).cast()) }
    }

    fn copy(&self, at: u64, size: usize, into: &mut Vec<u8>) {
        let start = at as usize % RING;
        let first = size.min(RING - start);
        into.clear();
        // SAFETY: both parts lie in the ring, between tail and head, where the kernel does not write.
        unsafe {
            let data = self.memory.add(self.page);
            into.extend_from_slice(std::slice::from_raw_parts(data.add(start), first));
            into.extend_from_slice(std::slice::from_raw_parts(data, size - first));
        }
    }
}

impl Drop for Ring {
    fn drop(&mut self) {
        // SAFETY: mapped by `open` with this length.
        unsafe { libc::munmap(self.memory.cast(), self.page + RING) };
    }
}

const HEAD: usize = std::mem::offset_of!(sys::bindings::perf_event_mmap_page, data_head);
const TAIL: usize = std::mem::offset_of!(sys::bindings::perf_event_mmap_page, data_tail);

/// A record with its header; the time is its last word.
fn parse(bytes: &[u8]) -> Option<Record> {
    let u32_at = |at: usize| Some(u32::from_ne_bytes(bytes.get(at..at + 4)?.try_into().ok()?));
    let u64_at = |at: usize| Some(u64::from_ne_bytes(bytes.get(at..at + 8)?.try_into().ok()?));
    let misc = u16::from_ne_bytes([*bytes.get(4)?, *bytes.get(5)?]);
    let time = u64_at(bytes.len().checked_sub(8)?)?;
    let what = match u32_at(0)? {
        LOST => What::Lost { records: u64_at(16)? },
        COMM if misc & COMM_EXEC != 0 => What::Executed { process: u32_at(8)? },
        FORK => {
            let (child, parent) = (u32_at(8)?, u32_at(12)?);
            // Else it is a thread.
            (child != parent).then_some(What::Forked { parent, child })?
        }
        MMAP2 => {
            let (start, length) = (u64_at(16)?, u64_at(24)?);
            let key = FileKey { inode: u64_at(48)?, device: device(u32_at(40)?, u32_at(44)?) };
            let name = bytes.get(72..bytes.len() - 8)?;
            let name = &name[..name.iter().position(|byte| *byte == 0).unwrap_or(name.len())];
            let path = PathBuf::from(OsStr::from_bytes(name));
            let (process, offset) = (u32_at(8)?, u64_at(32)?);
            What::Mapped { process, start, end: start.wrapping_add(length), offset, key, path }
        }
        _ => return None,
    };
    Some(Record { time, what })
}

fn online() -> io::Result<Vec<i32>> {
    let text = std::fs::read_to_string("/sys/devices/system/cpu/online")?;
    Ok(numbers(text.trim()))
}

/// `0-2,5` as 0, 1, 2, 5.
fn numbers(text: &str) -> Vec<i32> {
    let range = |part: &str| {
        let (first, last) = part.split_once('-').unwrap_or((part, part));
        Some(first.parse().ok()?..=last.parse().ok()?)
    };
    text.split(',').filter_map(range).flatten().collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn processors_are_listed() {
        assert_eq!(numbers("0-2,5"), [0, 1, 2, 5]);
        assert_eq!(numbers("0"), [0]);
    }

    #[test]
    fn a_fork_is_told_from_a_new_thread() {
        let record = |child: u32, parent: u32| {
            let mut bytes = [FORK.to_ne_bytes(), [0, 0, 40, 0]].concat();
            [child, parent, child, parent].iter().for_each(|n| bytes.extend(n.to_ne_bytes()));
            [7u64, 9].iter().for_each(|n| bytes.extend(n.to_ne_bytes()));
            parse(&bytes)
        };
        let expected = Record { time: 9, what: What::Forked { parent: 3, child: 4 } };
        assert_eq!(record(4, 3), Some(expected));
        assert_eq!(record(4, 4), None);
    }
}
