// SPDX-License-Identifier: MIT
//! Reads the memory of another process while it runs on. It is not stopped, and nothing
//! that is read is trusted.

use std::io;

/// How far the thread pointer may lie below the list of robust mutexes: both are in glibc's
/// record of the thread.
const THREAD_RECORD: u64 = 4096;

const PAGE: u64 = 4096;

#[derive(Clone, Copy, Debug)]
pub struct Memory {
    pid: i32,
}

impl Memory {
    /// That of any living thread's process.
    pub fn of(pid: i32) -> Self {
        Self { pid }
    }

    pub fn read(&self, address: u64, buffer: &mut [u8]) -> io::Result<()> {
        let local = libc::iovec { iov_base: buffer.as_mut_ptr().cast(), iov_len: buffer.len() };
        let remote = libc::iovec { iov_base: address as *mut _, iov_len: buffer.len() };
        // SAFETY: writes at most `iov_len` bytes to our own buffer; the other address is
        // checked by the kernel.
        let done = unsafe { libc::process_vm_readv(self.pid, &local, 1, &remote, 1, 0) };
        match usize::try_from(done) {
            Err(_) => Err(io::Error::last_os_error()),
            Ok(length) if length < buffer.len() => Err(io::ErrorKind::UnexpectedEof.into()),
            Ok(_) => Ok(()),
        }
    }

    pub fn bytes(&self, address: u64, size: usize) -> io::Result<Vec<u8>> {
        let mut buffer = vec![0; size];
        self.read(address, &mut buffer)?;
        Ok(buffer)
    }

    pub fn u32(&self, address: u64) -> io::Result<u32> {
        let mut buffer = [0; 4];
        self.read(address, &mut buffer)?;
        Ok(u32::from_ne_bytes(buffer))
    }

    /// A text that ends in a NUL, after `longest` bytes, or where memory ends.
    pub fn text(&self, address: u64, longest: usize) -> String {
        let mut text = Vec::new();
        while text.len() < longest && !text.contains(&0) {
            let at = address.wrapping_add(text.len() as u64);
            let rest_of_page = (PAGE - at % PAGE) as usize;
            let Ok(part) = self.bytes(at, rest_of_page.min(longest - text.len())) else { break };
            text.extend(part);
        }
        let end = text.iter().position(|byte| *byte == 0).unwrap_or(text.len());
        String::from_utf8_lossy(&text[..end]).into_owned()
    }
}

/// The thread pointer (`fs`) of a thread of glibc, for which the kernel has no file. glibc tells
/// the kernel where each thread's list of robust mutexes is; its record of the thread begins
/// somewhat below, at the thread pointer, and names its own address at 0 and at 16.
pub fn thread_pointer(memory: &Memory, thread: i32) -> io::Result<Option<u64>> {
    let list = robust_list(thread)?;
    let start = list.saturating_sub(THREAD_RECORD);
    if start == 0 || list % 8 != 0 {
        return Ok(None);
    }
    // The pages below may belong to somebody else, or to nobody.
    for low in [start, list / PAGE * PAGE] {
        let mut bytes = vec![0; (list - low) as usize];
        if memory.read(low, &mut bytes).is_err() {
            continue;
        }
        if let Some(found) = names_itself(&bytes, low) {
            return Ok(Some(found));
        }
    }
    Ok(None)
}

fn robust_list(thread: i32) -> io::Result<u64> {
    let (mut head, mut size) = (0u64, 0usize);
    // SAFETY: writes one word to each of two locals.
    let done = unsafe { libc::syscall(libc::SYS_get_robust_list, thread, &mut head, &mut size) };
    if done < 0 { Err(io::Error::last_os_error()) } else { Ok(head) }
}

/// The highest address in `bytes`, which lie at `low`, where that address stands at 0 and at 16.
fn names_itself(bytes: &[u8], low: u64) -> Option<u64> {
    let last = bytes.len().checked_sub(24)?;
    let word = |at: usize| u64::from_ne_bytes(bytes[at..at + 8].try_into().expect("eight bytes"));
    let aligned = (low.wrapping_neg() & 15) as usize;
    (aligned..last + 1)
        .step_by(16)
        .rev()
        .find(|at| word(*at) == low + *at as u64 && word(at + 16) == word(*at))
        .map(|at| low + at as u64)
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::process;

    #[test]
    fn our_own_memory_can_be_read() {
        let (memory, word) = (Memory::of(process::id() as i32), 0x1234_5678u32);
        assert_eq!(memory.u32(&raw const word as u64).unwrap(), word);
        assert!(memory.u32(8).is_err());
        let text = c"some text";
        assert_eq!(memory.text(text.as_ptr() as u64, 100), "some text");
        assert_eq!(memory.text(text.as_ptr() as u64, 4), "some");
    }

    #[cfg(all(target_arch = "x86_64", target_env = "gnu"))]
    #[test]
    fn our_own_thread_pointer_is_found() {
        let memory = Memory::of(process::id() as i32);
        let check = move || {
            // SAFETY: reads the thread pointer, which glibc keeps at fs:0.
            let (own, thread) = unsafe {
                let own: u64;
                std::arch::asm!("mov {}, fs:0", out(reg) own);
                (own, libc::gettid())
            };
            assert_eq!(thread_pointer(&memory, thread).unwrap(), Some(own));
        };
        check();
        std::thread::spawn(check).join().unwrap();
    }

    #[test]
    fn a_record_must_name_itself_twice() {
        let mut bytes = vec![0u8; 64];
        bytes[16..24].copy_from_slice(&0x1010u64.to_ne_bytes());
        assert_eq!(names_itself(&bytes, 0x1000), None);
        bytes[32..40].copy_from_slice(&0x1010u64.to_ne_bytes());
        assert_eq!(names_itself(&bytes, 0x1000), Some(0x1010));
        assert_eq!(names_itself(&bytes[..20], 0x1000), None);
    }
}
