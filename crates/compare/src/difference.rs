// SPDX-License-Identifier: MIT
//! Where two streams of bytes part.

use std::fs::File;
use std::io;
use std::os::unix::fs::FileExt;

use serde::Serialize;

/// The first byte at which two outputs differ, with the lines around it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Difference {
    /// Counted from 0.
    pub byte: u64,
    /// Counted from 1.
    pub line: u64,
    /// The text there in the first and in the second output, cut to a readable length.
    pub first: String,
    pub second: String,
}

const CHUNK: usize = 64 * 1024;
const BEFORE: u64 = 24;
const EXCERPT: usize = 64;

/// `None` when both hold the same bytes.
pub fn first_difference(a: &File, b: &File) -> io::Result<Option<Difference>> {
    let mut at = 0;
    let (mut left, mut right) = (vec![0; CHUNK], vec![0; CHUNK]);
    loop {
        let (l, r) = (fill(a, &mut left, at)?, fill(b, &mut right, at)?);
        let (left, right) = (&left[..l], &right[..r]);
        if left != right {
            return difference(a, b, at + common_prefix(left, right) as u64).map(Some);
        }
        if l < CHUNK {
            return Ok(None);
        }
        at += l as u64;
    }
}

fn difference(a: &File, b: &File, byte: u64) -> io::Result<Difference> {
    let (first, second) = (excerpt(a, byte)?, excerpt(b, byte)?);
    Ok(Difference { byte, line: 1 + newlines(a, byte)?, first, second })
}

fn newlines(file: &File, end: u64) -> io::Result<u64> {
    let (mut at, mut count) = (0, 0);
    let mut buffer = vec![0; CHUNK];
    while at < end {
        let wanted = (end - at).min(CHUNK as u64) as usize;
        let length = fill(file, &mut buffer[..wanted], at)?;
        count += buffer[..length].iter().filter(|&&byte| byte == b'\n').count() as u64;
        if length < wanted {
            break;
        }
        at += length as u64;
    }
    Ok(count)
}

fn common_prefix(a: &[u8], b: &[u8]) -> usize {
    a.iter().zip(b).take_while(|(x, y)| x == y).count()
}

/// Reads until the buffer is full or the file ends.
fn fill(file: &File, buffer: &mut [u8], at: u64) -> io::Result<usize> {
    let mut filled = 0;
    while filled < buffer.len() {
        match file.read_at(&mut buffer[filled..], at + filled as u64)? {
            0 => break,
            n => filled += n,
        }
    }
    Ok(filled)
}

fn excerpt(file: &File, at: u64) -> io::Result<String> {
    let start = at.saturating_sub(BEFORE);
    let mut bytes = [0; EXCERPT];
    let length = fill(file, &mut bytes, start)?;
    let bytes = &bytes[..length];
    let here = ((at - start) as usize).min(length);
    let line_start = bytes[..here].iter().rposition(|&b| b == b'\n').map_or(0, |i| i + 1);
    let rest = bytes[here..].iter().position(|&b| b == b'\n').map_or(length, |i| here + i);
    if here == length {
        return Ok(format!("{}⏹", bytes[line_start..].escape_ascii()));
    }
    Ok(bytes[line_start..rest].escape_ascii().to_string())
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::io::Write;

    fn file(bytes: &[u8]) -> File {
        let mut file = tempfile::tempfile().unwrap();
        file.write_all(bytes).unwrap();
        file
    }

    fn between(a: &[u8], b: &[u8]) -> Option<Difference> {
        first_difference(&file(a), &file(b)).unwrap()
    }

    #[test]
    fn equal_outputs_do_not_differ() {
        assert_eq!(between(b"", b""), None);
        let long = vec![b'x'; 3 * CHUNK + 1];
        assert_eq!(between(&long, &long), None);
    }

    #[test]
    fn the_first_differing_byte_and_its_line_are_named() {
        let d = between(b"one\ntwo\nthree\n", b"one\ntwx\nthree\n").unwrap();
        assert_eq!((d.byte, d.line), (6, 2));
        assert_eq!((d.first.as_str(), d.second.as_str()), ("two", "twx"));
    }

    #[test]
    fn a_shorter_output_differs_where_it_ends() {
        let d = between(b"one\n", b"one\ntwo").unwrap();
        assert_eq!((d.byte, d.line), (4, 2));
        assert_eq!((d.first.as_str(), d.second.as_str()), ("⏹", "two"));
    }

    #[test]
    fn a_difference_behind_the_first_chunk_is_found() {
        let mut a = vec![b'\n'; 2 * CHUNK + 5];
        let b = a.clone();
        a[2 * CHUNK + 3] = b'!';
        let d = between(&a, &b).unwrap();
        assert_eq!((d.byte, d.line), (2 * CHUNK as u64 + 3, 2 * CHUNK as u64 + 4));
    }
}
