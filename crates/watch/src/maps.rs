// SPDX-License-Identifier: MIT
//! From an address to the file that was mapped there.

use std::fs;
use std::os::unix::fs::MetadataExt;
use std::path::Path;

use sigzero_maps::Mapping;

/// Executable mappings of a process, in the form of /proc/PID/maps.
pub struct Maps {
    regions: Vec<Region>,
}

struct Region {
    mapping: Mapping,
    // The file as it was; false if another stands in its place now.
    present: bool,
}

/// Where in which file an address lies.
#[derive(Debug, PartialEq, Eq)]
pub struct Module<'a> {
    pub name: &'a str,
    /// The file to look for symbols in, if it is still the one that was mapped.
    pub path: Option<&'a Path>,
    pub offset: u64,
}

impl Maps {
    pub fn parse(text: &str) -> Self {
        Self { regions: sigzero_maps::parse(text).map(region).collect() }
    }

    /// A later line overrides an earlier one at the same address.
    pub fn find(&self, address: u64) -> Option<Module<'_>> {
        let region = self.regions.iter().rfind(|region| region.mapping.holds(address))?;
        let name = region.mapping.name.as_str();
        Some(Module {
            name: if name.is_empty() { "[no file]" } else { name },
            path: region.present.then(|| Path::new(name)),
            offset: region.mapping.offset_of(address),
        })
    }
}

fn region(mapping: Mapping) -> Region {
    let present = is_same_file(&mapping.name, mapping.inode);
    Region { mapping, present }
}

/// A program that was rebuilt since has its symbols elsewhere: wrong names are worse
/// than none. The device is not compared, since some file systems report it differently.
fn is_same_file(name: &str, inode: u64) -> bool {
    name.starts_with('/') && fs::metadata(name).is_ok_and(|data| data.ino() == inode)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_later_line_overrides_an_earlier_one() {
        let maps = Maps::parse(
            "1000-3000 r-xp 00000000 08:01 1                  /old file\n\
             2000-3000 r-xp 00005000 08:01 2                  /new (deleted)\n\
             7000-8000 r-xp 00000000 00:00 0 \n\
             nonsense\n",
        );
        assert_eq!(
            maps.find(0x1fff),
            Some(Module { name: "/old file", path: None, offset: 0xfff })
        );
        assert_eq!(maps.find(0x2010).unwrap().name, "/new (deleted)");
        assert_eq!(maps.find(0x2010).unwrap().offset, 0x5010);
        assert_eq!(maps.find(0x7000).unwrap().name, "[no file]");
        assert_eq!(maps.find(0x3000), None);
    }

    #[test]
    fn symbols_are_looked_for_only_in_the_file_that_was_mapped() {
        let file = tempfile::NamedTempFile::new().unwrap();
        let (path, inode) = (file.path().display(), file.path().metadata().unwrap().ino());
        let same = format!("1000-2000 r-xp 00000000 08:01 {inode} {path}");
        let other = format!("1000-2000 r-xp 00000000 08:01 {} {path}", inode + 1);
        assert_eq!(Maps::parse(&same).find(0x1000).unwrap().path, Some(file.path()));
        assert_eq!(Maps::parse(&other).find(0x1000).unwrap().path, None);
    }
}
