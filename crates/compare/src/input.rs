// SPDX-License-Identifier: MIT
//! The same standard input for every run.

use std::fs::{File, Metadata};
use std::io::{self, IsTerminal, Seek, SeekFrom};
use std::os::fd::{AsRawFd, BorrowedFd};
use std::os::unix::fs::FileTypeExt;

/// What can be opened as often as there are runs.
pub struct Input {
    file: File,
    start: u64,
}

impl Input {
    /// A file or device is kept, a pipe is read to its end, a terminal is replaced by /dev/null.
    pub fn from_stdin() -> io::Result<Self> {
        let stdin = io::stdin();
        if stdin.is_terminal() {
            return Self::empty();
        }
        let stdin: BorrowedFd = std::os::fd::AsFd::as_fd(&stdin);
        Self::from_file(stdin.try_clone_to_owned()?.into())
    }

    fn from_file(mut file: File) -> io::Result<Self> {
        if is_stream(&file.metadata()?) {
            return Self::from_stream(&mut file);
        }
        // A file may be handed over half read: each run starts where we were started.
        let start = file.stream_position().unwrap_or(0);
        Ok(Input { file, start })
    }

    fn from_stream(stream: &mut File) -> io::Result<Self> {
        let mut file = tempfile::tempfile()?;
        io::copy(stream, &mut file)?;
        Ok(Input { file, start: 0 })
    }

    fn empty() -> io::Result<Self> {
        Ok(Input { file: File::open("/dev/null")?, start: 0 })
    }

    /// Opened anew, so that no run moves the offset of another.
    pub fn open(&self) -> io::Result<File> {
        let own = File::open(format!("/proc/self/fd/{}", self.file.as_raw_fd()));
        // Refused when the file is another user's, handed to us already open.
        let mut file = own.or_else(|_| self.file.try_clone())?;
        match file.seek(SeekFrom::Start(self.start)) {
            Err(error) if error.raw_os_error() != Some(libc::ESPIPE) => Err(error),
            _ => Ok(file),
        }
    }
}

fn is_stream(data: &Metadata) -> bool {
    data.file_type().is_fifo() || data.file_type().is_socket()
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::io::{Read, Write};

    fn text(input: &Input) -> String {
        let mut text = String::new();
        input.open().unwrap().read_to_string(&mut text).unwrap();
        text
    }

    #[test]
    fn a_file_is_given_from_where_it_was() {
        let mut file = tempfile::tempfile().unwrap();
        file.write_all(b"one\ntwo\n").unwrap();
        file.seek(SeekFrom::Start(4)).unwrap();
        let input = Input::from_file(file).unwrap();
        assert_eq!(text(&input), "two\n");
        assert_eq!(text(&input), "two\n");
    }

    #[test]
    fn a_pipe_is_kept_for_every_run() {
        let (reader, mut writer) = io::pipe().unwrap();
        writer.write_all(b"once").unwrap();
        drop(writer);
        let input = Input::from_file(File::from(std::os::fd::OwnedFd::from(reader))).unwrap();
        assert_eq!(text(&input), "once");
        assert_eq!(text(&input), "once");
    }
}
