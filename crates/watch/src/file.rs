// SPDX-License-Identifier: MIT
//! The bytes of a counter file. Nothing in them is trusted: a program may have been
//! killed while it made the file, or may have written over it.

use sigzero_model::Counts;
use sigzero_model::counts::{ActionCounts, Added, MaskCounts};

const MAGIC: u64 = 0x314f_5245_5a47_4953;
const VERSION: u32 = 2;
const HEADER: usize = 1120;
const SITE: usize = 192;
const NAME: usize = 512;

#[derive(Debug, PartialEq, Eq, thiserror::Error)]
pub enum Damage {
    #[error(
        "the counter file has {0} bytes and its header needs {HEADER}: the process ended before it could count, or there was no room (set TMPDIR to another place)"
    )]
    Short(usize),
    #[error("not a counter file of sigzero")]
    Magic,
    #[error(
        "the counter file is of version {0}, and {VERSION} is needed: use the sigzero and libsigzero of one version"
    )]
    Version(u32),
    #[error(
        "the counter file says that a caller takes {0} bytes, and at least {SITE} are needed: use the sigzero and libsigzero of one version"
    )]
    SiteSize(usize),
}

/// What a counter file says, names still to be found.
#[derive(Debug, Default)]
pub struct Contents {
    pub pid: u32,
    pub parent: u32,
    pub executable: String,
    pub note: String,
    pub start_ns: u64,
    pub lost: u64,
    pub vfork_calls: u64,
    pub added: Added,
    pub functions: Vec<String>,
    pub maps: String,
    pub sites: Vec<RawSite>,
    /// What of the file is missing; empty if it is whole.
    pub damage: String,
}

#[derive(Debug, PartialEq, Eq)]
pub struct RawSite {
    /// Return address.
    pub caller: u64,
    pub function: u32,
    pub opaque: bool,
    pub counts: Counts,
}

/// The header's fields that say where things are.
struct Layout {
    site_size: usize,
    sites: usize,
    capacity: usize,
    functions: usize,
    functions_size: usize,
    maps: usize,
    maps_used: usize,
}

pub fn parse(data: &[u8]) -> Result<Contents, Damage> {
    if data.len() < HEADER {
        return Err(Damage::Short(data.len()));
    }
    if u64_at(data, 0) != MAGIC {
        return Err(Damage::Magic);
    }
    // Later versions only add.
    if u32_at(data, 8) < VERSION {
        return Err(Damage::Version(u32_at(data, 8)));
    }
    let layout = Layout::read(data);
    if layout.site_size < SITE {
        return Err(Damage::SiteSize(layout.site_size));
    }
    let functions = part(data, layout.functions, layout.functions_size);
    let maps = part(data, layout.maps, layout.maps_used);
    let table = part(data, layout.sites, layout.capacity.saturating_mul(layout.site_size));
    Ok(Contents {
        pid: u32_at(data, 12),
        parent: u32_at(data, 16),
        lost: u64_at(data, 56),
        start_ns: u64_at(data, 64),
        vfork_calls: u64_at(data, 72),
        added: Added { rt_sigprocmask: u64_at(data, 1104), rt_sigaction: u64_at(data, 1112) },
        executable: text(&data[80..80 + NAME]),
        note: text(&data[80 + NAME..80 + 2 * NAME]),
        functions: names(functions),
        maps: String::from_utf8_lossy(maps).into_owned(),
        sites: table.chunks_exact(layout.site_size).filter_map(site).collect(),
        damage: layout.missing(data.len()),
    })
}

impl Layout {
    fn read(data: &[u8]) -> Self {
        let field = |at| u32_at(data, at) as usize;
        Self {
            site_size: field(20),
            sites: field(24),
            capacity: field(28),
            functions: field(32),
            functions_size: field(36),
            maps: field(40),
            maps_used: field(48),
        }
    }

    fn missing(&self, length: usize) -> String {
        let table = self.capacity.saturating_mul(self.site_size);
        let parts = [
            (self.sites, table),
            (self.functions, self.functions_size),
            (self.maps, self.maps_used),
        ];
        let end = parts.iter().map(|(at, size)| at.saturating_add(*size)).max().unwrap_or(0);
        if end <= length {
            return String::new();
        }
        format!("the counter file is cut short at {length} of {end} bytes: calls may be missing")
    }
}

fn site(bytes: &[u8]) -> Option<RawSite> {
    let field = |index: usize| u64_at(bytes, 16 + 8 * index);
    let caller = u64_at(bytes, 0);
    if caller == 0 {
        return None;
    }
    let counts = Counts {
        calls: field(0),
        rt_sigprocmask: mask(&field),
        rt_sigaction: action(&field),
        other: field(3),
    };
    Some(RawSite { caller, function: u32_at(bytes, 8), opaque: u32_at(bytes, 12) != 0, counts })
}

fn mask(field: &impl Fn(usize) -> u64) -> MaskCounts {
    MaskCounts {
        total: field(1),
        query: field(4),
        same: field(5),
        block: field(6),
        unblock: field(7),
        restore: field(8),
        replace: field(9),
        failed: field(10),
        needless: field(15),
        removable: field(18),
    }
}

fn action(field: &impl Fn(usize) -> u64) -> ActionCounts {
    ActionCounts {
        total: field(2),
        query: field(11),
        same: field(12),
        set: field(13),
        failed: field(14),
        needless: field(16),
        removable: field(19),
    }
}

/// As much of the part as the file has.
fn part(data: &[u8], at: usize, size: usize) -> &[u8] {
    let start = at.min(data.len());
    let end = at.saturating_add(size).min(data.len());
    &data[start..end]
}

fn names(bytes: &[u8]) -> Vec<String> {
    bytes.split(|byte| *byte == 0).take_while(|name| !name.is_empty()).map(text).collect()
}

fn text(bytes: &[u8]) -> String {
    let end = bytes.iter().position(|byte| *byte == 0).unwrap_or(bytes.len());
    String::from_utf8_lossy(&bytes[..end]).into_owned()
}

fn u32_at(data: &[u8], at: usize) -> u32 {
    u32::from_ne_bytes(data[at..at + 4].try_into().expect("four bytes"))
}

fn u64_at(data: &[u8], at: usize) -> u64 {
    u64::from_ne_bytes(data[at..at + 8].try_into().expect("eight bytes"))
}
