// SPDX-License-Identifier: MIT

use std::os::unix::fs::MetadataExt;
use std::process::Command;

use super::*;
use crate::file::Damage;

/// Builds a counter file as `runtime/watch_format.h` lays it out.
#[derive(Clone, Default)]
struct Builder {
    functions: Vec<&'static str>,
    maps: String,
    sites: Vec<(u64, u32, u32, [u64; 20])>,
    extra: usize,
}

impl Builder {
    fn bytes(&self) -> Vec<u8> {
        let names: Vec<u8> =
            self.functions.iter().flat_map(|name| [name.as_bytes(), b"\0"].concat()).collect();
        let site_size = 192 + self.extra;
        let functions = 1120;
        let maps = functions + names.len() + 1;
        let sites = (maps + self.maps.len()).next_multiple_of(64);
        // One empty slot first: the table is a hash table.
        let capacity = self.sites.len() + 1;
        let mut file = vec![0; sites + capacity * site_size];
        let mut put = |at: usize, bytes: &[u8]| file[at..at + bytes.len()].copy_from_slice(bytes);
        put(0, b"SIGZERO1");
        let fields = [
            2,
            4711,
            1,
            site_size,
            sites,
            capacity,
            functions,
            names.len() + 1,
            maps,
            self.maps.len(),
            self.maps.len(),
        ];
        for (index, field) in fields.iter().enumerate() {
            put(8 + 4 * index, &(*field as u32).to_ne_bytes());
        }
        for (at, value) in [(56, 3u64), (64, 99), (72, 5), (1104, 6), (1112, 7)] {
            put(at, &value.to_ne_bytes());
        }
        put(80, b"/bin/x");
        put(592, b"a note");
        put(functions, &names);
        put(maps, self.maps.as_bytes());
        for (index, (caller, function, opaque, values)) in self.sites.iter().enumerate() {
            let at = sites + (index + 1) * site_size;
            put(at, &caller.to_ne_bytes());
            put(at + 8, &function.to_ne_bytes());
            put(at + 12, &opaque.to_ne_bytes());
            for (field, value) in values.iter().enumerate() {
                put(at + 16 + 8 * field, &value.to_ne_bytes());
            }
        }
        file
    }
}

fn sample() -> Builder {
    let values = std::array::from_fn(|index| index as u64 + 1);
    Builder {
        functions: vec!["sigprocmask", "sigaction"],
        maps: "1000-2000 r-xp 00000000 08:01 1 /gone\n".into(),
        sites: vec![(0x1010, 1, 0, values), (0x9000, 0, 1, values), (0x1011, 9, 0, values)],
        extra: 0,
    }
}

#[test]
fn every_field_lands_in_its_place() {
    let contents = file::parse(&sample().bytes()).unwrap();
    assert_eq!((contents.pid, contents.parent), (4711, 1));
    assert_eq!((contents.lost, contents.start_ns, contents.vfork_calls), (3, 99, 5));
    assert_eq!((contents.executable.as_str(), contents.note.as_str()), ("/bin/x", "a note"));
    assert_eq!((contents.added.rt_sigprocmask, contents.added.rt_sigaction), (6, 7));
    assert_eq!(contents.functions, ["sigprocmask", "sigaction"]);
    assert_eq!(contents.damage, "");
    let site = &contents.sites[0];
    assert_eq!((site.caller, site.function, site.opaque), (0x1010, 1, false));
    assert!(contents.sites[1].opaque);
    let (mask, action) = (site.counts.rt_sigprocmask, site.counts.rt_sigaction);
    assert_eq!((site.counts.calls, mask.total, action.total, site.counts.other), (1, 2, 3, 4));
    let classes = [mask.query, mask.same, mask.block, mask.unblock, mask.restore, mask.replace];
    assert_eq!(classes, [5, 6, 7, 8, 9, 10]);
    assert_eq!((mask.failed, mask.needless, mask.removable), (11, 16, 19));
    assert_eq!([action.query, action.same, action.set, action.failed], [12, 13, 14, 15]);
    assert_eq!((action.needless, action.removable), (17, 20));
}

#[test]
fn larger_sites_of_a_later_version_are_read() {
    let file = Builder { extra: 64, ..sample() }.bytes();
    assert_eq!(file::parse(&file).unwrap().sites.len(), 3);
}

#[test]
fn a_file_cut_anywhere_gives_what_is_left() {
    let whole = sample().bytes();
    for length in 0..whole.len() {
        match file::parse(&whole[..length]) {
            Err(damage) => assert_eq!(damage, Damage::Short(length)),
            Ok(contents) => assert!(contents.damage.contains("cut short"), "{length}"),
        }
    }
    let last = file::parse(&whole[..whole.len() - 1]).unwrap();
    assert_eq!(last.sites.len(), 2);
}

#[test]
fn nonsense_is_refused_without_a_crash() {
    assert_eq!(file::parse(&[0xff; 2000]).unwrap_err(), Damage::Magic);
    let mut file = sample().bytes();
    file[8..56].fill(0xff);
    assert!(file::parse(&file).unwrap().damage.contains("cut short"));
    file[8..12].copy_from_slice(&1u32.to_ne_bytes());
    assert_eq!(file::parse(&file).unwrap_err(), Damage::Version(1));
    file[8] = 2;
    file[20..24].fill(0);
    assert_eq!(file::parse(&file).unwrap_err(), Damage::SiteSize(0));
}

#[test]
fn a_folder_is_read_whole_and_damage_is_told_apart() {
    let folder = tempfile::tempdir().unwrap();
    fs::write(folder.path().join("4711.99"), sample().bytes()).unwrap();
    fs::write(folder.path().join("4712.99"), "").unwrap();
    std::os::unix::fs::symlink("/dev/zero", folder.path().join("4713.99")).unwrap();
    let processes = collect(folder.path()).unwrap();
    assert_eq!(processes.len(), 2);
    assert_eq!((processes[0].pid, processes[0].damage.as_str()), (4711, ""));
    assert_eq!(processes[1].pid, 4712);
    assert!(processes[1].damage.contains("0 bytes"));
    let sites = &processes[0].sites;
    assert_eq!(sites[0].caller.module, "/gone");
    assert_eq!(sites[0].caller.offset, 0x10);
    assert_eq!(sites[1].caller.module, "[unknown]");
    assert_eq!(sites[2].function, "function 9");
    assert!(collect(&folder.path().join("missing")).is_err());
}

#[test]
fn callers_are_named_with_symbol_and_line() {
    let folder = tempfile::tempdir().unwrap();
    let (input, output) = (folder.path().join("p.cc"), folder.path().join("p"));
    let text = "namespace n { int\ninside(int x)\n{\n\treturn x + 1;\n} }\nint main() { return n::inside(0); }\n";
    fs::write(&input, text).unwrap();
    let mut compile = Command::new("g++");
    compile.args(["-g", "-O0", "-no-pie", "-o"]).arg(&output).arg(&input);
    match compile.status() {
        Ok(done) => assert!(done.success()),
        Err(_) => return println!("skipped: there is no C++ compiler"),
    }
    let listing = Command::new("nm").arg(&output).output().unwrap().stdout;
    let listing = String::from_utf8(listing).unwrap();
    let line = listing.lines().find(|line| line.contains("inside")).unwrap();
    let address = u64::from_str_radix(line.split(' ').next().unwrap(), 16).unwrap();
    // Linked at 0x400000, where gcc puts programs without -pie.
    let maps = format!(
        "400000-500000 r-xp 00000000 08:01 {} {}\n",
        output.metadata().unwrap().ino(),
        output.display()
    );
    let caller = caller(address + 8, &Maps::parse(&maps), &Symbols::new());
    assert_eq!(caller.place(), "n::inside(int)+0x8");
    assert!(caller.source().unwrap().contains("p.cc:"), "{caller:?}");
}
