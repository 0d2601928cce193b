// SPDX-License-Identifier: MIT
//! What /proc tells about a process.

use std::fs;
use std::io;

use serde::Serialize;

use crate::Error;
use crate::calls::Call;
use crate::signals::Set;
use crate::status::Status;

/// A file descriptor from which signals can be read though they are blocked.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct SignalFile {
    pub descriptor: i32,
    pub signals: Set,
}

/// The number of the process: `pid` may be that of a thread.
pub fn process_of(pid: i32) -> Result<i32, Error> {
    match fs::read_to_string(format!("/proc/{pid}/status")) {
        Ok(text) => Ok(Status::parse(&text).process),
        Err(error) if error.kind() == io::ErrorKind::NotFound => Err(missing(pid)),
        Err(error) => Err(Error::of_proc(pid, error)),
    }
}

/// /proc may be mounted so that it hides what belongs to others.
fn missing(pid: i32) -> Error {
    // SAFETY: asks only whether there is such a process.
    let asked = unsafe { libc::kill(pid, 0) };
    let refused = io::Error::last_os_error().raw_os_error() == Some(libc::EPERM);
    if asked == 0 || refused { Error::Hidden(pid) } else { Error::NoSuchProcess(pid) }
}

pub fn status(pid: i32) -> Result<Status, Error> {
    let text = fs::read_to_string(format!("/proc/{pid}/status"));
    Ok(Status::parse(&text.map_err(|error| Error::of_proc(pid, error))?))
}

/// `None` if the thread has ended meanwhile.
pub fn thread_status(pid: i32, thread: i32) -> Option<Status> {
    let text = fs::read_to_string(format!("/proc/{pid}/task/{thread}/status")).ok()?;
    Some(Status::parse(&text))
}

pub fn threads(pid: i32) -> Result<Vec<i32>, Error> {
    let entries = fs::read_dir(format!("/proc/{pid}/task"));
    let entries = entries.map_err(|error| Error::of_proc(pid, error))?;
    let names = entries.filter_map(|entry| entry.ok()?.file_name().into_string().ok());
    let mut threads: Vec<i32> = names.filter_map(|name| name.parse().ok()).collect();
    threads.sort_unstable();
    Ok(threads)
}

/// The call in which a thread waits; `None` if it runs, or if we may not know.
pub fn call(pid: i32, thread: i32) -> Option<Call> {
    let text = fs::read_to_string(format!("/proc/{pid}/task/{thread}/syscall")).ok()?;
    let number = text.split_whitespace().next()?.parse().ok()?;
    (number >= 0).then_some(Call(number))
}

/// The function of the kernel in which a thread waits.
pub fn kernel_function(pid: i32, thread: i32) -> Option<String> {
    let text = fs::read_to_string(format!("/proc/{pid}/task/{thread}/wchan")).ok()?;
    (!text.is_empty() && text != "0").then_some(text)
}

/// The mappings, through a thread that lives: the first may have ended before the others.
pub fn maps(pid: i32, thread: i32) -> io::Result<String> {
    fs::read(format!("/proc/{pid}/task/{thread}/maps"))
        .map(|bytes| String::from_utf8_lossy(&bytes).into_owned())
}

/// The arguments, or the name in brackets where there are none, as ps(1) has it.
pub fn command(pid: i32, thread: i32, name: &str) -> Vec<String> {
    let bytes = fs::read(format!("/proc/{pid}/task/{thread}/cmdline")).unwrap_or_default();
    let text = String::from_utf8_lossy(&bytes);
    let words: Vec<_> = text.trim_end_matches('\0').split('\0').map(String::from).collect();
    if words.iter().all(String::is_empty) { vec![format!("[{name}]")] } else { words }
}

/// `None` if we may not know.
pub fn signal_files(pid: i32) -> Option<Vec<SignalFile>> {
    let entries = fs::read_dir(format!("/proc/{pid}/fdinfo")).ok()?;
    let mut files: Vec<_> = entries
        .filter_map(|entry| {
            let entry = entry.ok()?;
            let descriptor = entry.file_name().to_str()?.parse().ok()?;
            let signals = signal_mask(&fs::read_to_string(entry.path()).ok()?)?;
            Some(SignalFile { descriptor, signals })
        })
        .collect();
    files.sort_unstable_by_key(|file| file.descriptor);
    Some(files)
}

fn signal_mask(text: &str) -> Option<Set> {
    let digits = text.lines().find_map(|line| line.strip_prefix("sigmask:"))?;
    u64::from_str_radix(digits.trim(), 16).ok().map(Set)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn our_own_process_is_told() {
        let own = std::process::id() as i32;
        assert_eq!(process_of(own).unwrap(), own);
        assert!(threads(own).unwrap().contains(&own));
        assert!(status(own).unwrap().shared_pending.is_empty());
        assert!(maps(own, own).unwrap().contains("[stack]"));
    }

    #[test]
    fn no_such_process_is_an_error_of_its_own() {
        assert!(matches!(process_of(i32::MAX), Err(Error::NoSuchProcess(i32::MAX))));
    }

    #[test]
    fn files_of_signals_are_told_by_their_mask() {
        let text = "pos:\t0\nflags:\t02\nsigmask:\t0000000000004000\n";
        assert_eq!(signal_mask(text), Some(Set(0x4000)));
        assert_eq!(signal_mask("pos:\t0\n"), None);
    }
}
