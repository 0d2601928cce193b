// SPDX-License-Identifier: MIT
//! What is mapped where in a process, as /proc/PID/maps has it (proc_pid_maps(5)).

use std::fs;
use std::io;

/// One line.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Mapping {
    pub start: u64,
    pub end: u64,
    pub readable: bool,
    pub executable: bool,
    /// In the file.
    pub offset: u64,
    /// Major and minor number.
    pub device: (u32, u32),
    pub inode: u64,
    /// A path, with " (deleted)" behind it if that is so; a name like "[vdso]"; or nothing.
    pub name: String,
}

impl Mapping {
    /// `None` for what is no such line.
    pub fn parse(line: &str) -> Option<Self> {
        let hex = |text| u64::from_str_radix(text, 16).ok();
        let mut words = line.splitn(6, ' ');
        let (start, end) = words.next()?.split_once('-')?;
        let permissions = words.next()?;
        let offset = hex(words.next()?)?;
        let (major, minor) = words.next()?.split_once(':')?;
        Some(Self {
            start: hex(start)?,
            end: hex(end)?,
            readable: permissions.starts_with('r'),
            executable: permissions.contains('x'),
            offset,
            device: (hex(major)?.try_into().ok()?, hex(minor)?.try_into().ok()?),
            inode: words.next()?.parse().ok()?,
            name: words.next().unwrap_or_default().trim_start().into(),
        })
    }

    pub fn holds(&self, address: u64) -> bool {
        (self.start..self.end).contains(&address)
    }

    /// Where an address that it holds is in the file.
    pub fn offset_of(&self, address: u64) -> u64 {
        address - self.start + self.offset
    }

    /// The file's name, be it deleted or not.
    pub fn path(&self) -> &str {
        self.name.strip_suffix(" (deleted)").unwrap_or(&self.name)
    }
}

/// The lines of a text; what is none is passed over.
pub fn parse(text: &str) -> impl Iterator<Item = Mapping> {
    text.lines().filter_map(Mapping::parse)
}

pub fn of_process(process: u32) -> io::Result<Vec<Mapping>> {
    // A name may hold any byte but NUL and newline.
    let text = fs::read(format!("/proc/{process}/maps"))?;
    Ok(parse(&String::from_utf8_lossy(&text)).collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_is_read() {
        let mapping =
            Mapping::parse("1000-2000 r-xp 00003000 fe:10 42     /usr/bin/a b (deleted)").unwrap();
        assert_eq!((mapping.start, mapping.end, mapping.offset), (0x1000, 0x2000, 0x3000));
        assert_eq!((mapping.device, mapping.inode), ((0xfe, 0x10), 42));
        assert!(mapping.readable && mapping.executable);
        assert_eq!(mapping.name, "/usr/bin/a b (deleted)");
        assert_eq!(mapping.path(), "/usr/bin/a b");
        assert!(mapping.holds(0x1fff) && !mapping.holds(0x2000));
        assert_eq!(mapping.offset_of(0x1010), 0x3010);
    }

    #[test]
    fn memory_without_a_file_has_no_name() {
        let text = "1000-2000 ---p 00000000 00:00 0 \nnonsense\n";
        let mappings: Vec<_> = parse(text).collect();
        assert_eq!(mappings.len(), 1);
        assert_eq!(mappings[0].name, "");
        assert!(!mappings[0].readable && !mappings[0].executable);
    }

    #[test]
    fn our_own_code_is_found() {
        let here = our_own_code_is_found as *const () as u64;
        let mappings = of_process(std::process::id()).unwrap();
        let mapping = mappings.iter().find(|mapping| mapping.holds(here)).unwrap();
        assert!(mapping.executable);
        assert_eq!(mapping.path(), std::env::current_exe().unwrap().to_str().unwrap());
    }
}
