// SPDX-License-Identifier: MIT
//! Finds libsigzero in a process by its ELF note, in memory: the file may be gone, replaced,
//! stripped, or out of our sight, and the runtime may be linked into the program.

use std::ops::Range;

use sigzero_maps::Mapping;

use crate::memory::Memory;

const OWNER: &[u8] = b"sigzero\0";
const KIND: u32 = 1;

const HEADER: usize = 64;
const SEGMENT: usize = 56;
const LOAD: u32 = 1;
const NOTE: u32 = 4;

/// More than any file has; the numbers are not ours.
const MOST_SEGMENTS: usize = 128;
const MOST_NOTES: u64 = 1 << 16;

/// A file that is mapped into the process from its start.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Image {
    pub start: u64,
    pub path: String,
}

/// Where the note of a libsigzero in the process leads to, for each that there is.
pub fn blocks(maps: &str, memory: &Memory) -> Vec<(Image, u64)> {
    let found = images(maps).into_iter().filter_map(|image| {
        let block = block(&image, memory)?;
        Some((image, block))
    });
    found.collect()
}

/// What is mapped from the start of a file.
fn images(maps: &str) -> Vec<Image> {
    let starts = |mapping: &Mapping| {
        mapping.readable && mapping.offset == 0 && mapping.name.starts_with('/')
    };
    let image = |Mapping { start, name, .. }: Mapping| Image { start, path: name };
    sigzero_maps::parse(maps).filter(starts).map(image).collect()
}

fn block(image: &Image, memory: &Memory) -> Option<u64> {
    let header = memory.bytes(image.start, HEADER).ok()?;
    // 64 bits, in our byte order.
    let own_order = if cfg!(target_endian = "little") { 1 } else { 2 };
    if header[..6] != [0x7f, b'E', b'L', b'F', 2, own_order] {
        return None;
    }
    let (table, size, count) = (u64_at(&header, 32), u16_at(&header, 54), u16_at(&header, 56));
    if size as usize != SEGMENT || count as usize > MOST_SEGMENTS {
        return None;
    }
    let table = memory.bytes(image.start.checked_add(table)?, SEGMENT * count as usize).ok()?;
    let segments: Vec<_> = table.chunks_exact(SEGMENT).collect();
    let bias = bias(image, &segments)?;
    segments.iter().filter(|segment| u32_at(segment, 0) == NOTE).find_map(|segment| {
        let (address, size) = (u64_at(segment, 16).wrapping_add(bias), u64_at(segment, 40));
        let notes = memory.bytes(address, size.min(MOST_NOTES) as usize).ok()?;
        let alignment = if u64_at(segment, 48) == 8 { 8 } else { 4 };
        let at = address.wrapping_add(description(&notes, alignment)?.start as u64);
        let distance = memory.bytes(at, 8).ok()?;
        Some(at.wrapping_add(u64_at(&distance, 0)))
    })
}

/// What has to be added to the addresses in the file.
fn bias(image: &Image, segments: &[&[u8]]) -> Option<u64> {
    let first =
        segments.iter().find(|segment| u32_at(segment, 0) == LOAD && u64_at(segment, 8) == 0)?;
    Some(image.start.wrapping_sub(u64_at(first, 16)))
}

/// Where in `notes` ours says something.
fn description(notes: &[u8], alignment: usize) -> Option<Range<usize>> {
    let mut at = 0;
    while at + 12 <= notes.len() {
        let (name, size) = (u32_at(notes, at) as usize, u32_at(notes, at + 4) as usize);
        let kind = u32_at(notes, at + 8);
        let start = (at + 12).checked_add(name)?.checked_next_multiple_of(alignment)?;
        let end = start.checked_add(size)?;
        let owner = notes.get(at + 12..(at + 12).checked_add(name)?)?;
        if owner == OWNER && kind == KIND && size == 8 && end <= notes.len() {
            return Some(start..end);
        }
        at = end.checked_next_multiple_of(alignment)?;
    }
    None
}

fn u16_at(data: &[u8], at: usize) -> u16 {
    u16::from_ne_bytes(data[at..at + 2].try_into().expect("two bytes"))
}

fn u32_at(data: &[u8], at: usize) -> u32 {
    u32::from_ne_bytes(data[at..at + 4].try_into().expect("four bytes"))
}

fn u64_at(data: &[u8], at: usize) -> u64 {
    u64::from_ne_bytes(data[at..at + 8].try_into().expect("eight bytes"))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn note(owner: &[u8], kind: u32, text: &[u8]) -> Vec<u8> {
        let mut bytes: Vec<u8> = [owner.len() as u32, text.len() as u32, kind]
            .iter()
            .flat_map(|word| word.to_ne_bytes())
            .collect();
        for part in [owner, text] {
            bytes.extend_from_slice(part);
            bytes.resize(bytes.len().next_multiple_of(4), 0);
        }
        bytes
    }

    #[test]
    fn starts_of_files_are_found() {
        let maps = "55d0-55d1 r--p 00000000 08:01 3    /usr/bin/a b (deleted)\n\
                    55d1-55d2 r-xp 00001000 08:01 3    /usr/bin/a b (deleted)\n\
                    7f00-7f01 ---p 00000000 08:01 4    /lib/c\n\
                    7f10-7f11 rw-p 00000000 00:00 0 \n\
                    7ff0-7ff1 r-xp 00000000 00:00 0    [vdso]\nnonsense\n";
        let path = "/usr/bin/a b (deleted)".into();
        assert_eq!(images(maps), [Image { start: 0x55d0, path }]);
    }

    #[test]
    fn our_note_is_found_among_others() {
        let ours = note(OWNER, KIND, &[0; 8]);
        let others = [note(b"GNU\0", 3, &[1; 20]), note(OWNER, 7, &[0; 8])].concat();
        assert_eq!(description(&ours, 4), Some(20..28));
        let both = [others.clone(), ours].concat();
        let at = others.len() + 20;
        assert_eq!(description(&both, 4), Some(at..at + 8));
        assert_eq!(description(&others, 4), None);
    }

    #[test]
    fn broken_notes_are_harmless() {
        let ours = note(OWNER, KIND, &[0; 8]);
        (0..ours.len()).for_each(|length| assert_eq!(description(&ours[..length], 4), None));
        assert_eq!(description(&[0xff; 64], 4), None);
    }
}
