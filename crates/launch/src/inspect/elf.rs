// SPDX-License-Identifier: MIT
//! Reads an ELF file as the kernel does, from its program headers; section headers are
//! used where they are there and never relied on.

use std::ffi::OsStr;
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};

use object::elf::{self, FileHeader32, FileHeader64};
use object::read::elf::{Dyn, FileHeader, NoteIterator, ProgramHeader, SectionTable, Sym};
use object::{Endianness, FileKind};
use serde::Serialize;

use super::{Imported, OwnCalls, Program};

/// GNU_PROPERTY_X86_FEATURE_1_SHSTK
const SHADOW_STACK: u32 = 1 << 1;

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
pub enum Bits {
    #[serde(rename = "32")]
    Thirtytwo,
    #[serde(rename = "64")]
    Sixtyfour,
}

impl Bits {
    pub fn count(self) -> u32 {
        match self {
            Bits::Thirtytwo => 32,
            Bits::Sixtyfour => 64,
        }
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Linking {
    Dynamic,
    Static,
    /// No program, though executable by its form.
    Library,
}

/// `None` if the file is no program that the kernel could start.
pub fn read(path: &Path, data: &[u8]) -> Option<Program> {
    match FileKind::parse(data).ok()? {
        FileKind::Elf32 => program::<FileHeader32<Endianness>>(path, data),
        FileKind::Elf64 => program::<FileHeader64<Endianness>>(path, data),
        _ => None,
    }
}

fn program<Elf>(path: &Path, data: &[u8]) -> Option<Program>
where
    Elf: FileHeader<Endian = Endianness>,
{
    let header = Elf::parse(data).ok()?;
    let endian = header.endian().ok()?;
    let segments = header.program_headers(endian, data).ok()?;
    if !matches!(header.e_type(endian), elf::ET_EXEC | elf::ET_DYN) || segments.is_empty() {
        return None;
    }
    let sections = header.sections(endian, data).unwrap_or_default();
    let interpreter = interpreter::<Elf>(endian, data, segments);
    let notes = Notes::gather::<Elf>(endian, data, segments);
    Some(Program {
        path: path.into(),
        machine: machine(header.e_machine(endian)),
        bits: if header.is_class_64() { Bits::Sixtyfour } else { Bits::Thirtytwo },
        linking: match &interpreter {
            Some(_) => Linking::Dynamic,
            None if is_library::<Elf>(endian, data, segments) => Linking::Library,
            None => Linking::Static,
        },
        interpreter,
        go: notes.go || sections.section_by_name(endian, b".go.buildinfo").is_some(),
        shadow_stack_marked: notes.shadow_stack,
        own_calls: own_calls::<Elf>(endian, data, segments),
        imported: imported::<Elf>(endian, data, &sections),
        sanitizer: sanitizer::<Elf>(endian, data, &sections),
    })
}

fn machine(number: elf::Machine) -> String {
    match number {
        elf::EM_X86_64 => "x86-64".into(),
        elf::EM_386 => "x86".into(),
        elf::EM_AARCH64 => "AArch64".into(),
        elf::EM_ARM => "Arm".into(),
        elf::EM_RISCV => "RISC-V".into(),
        elf::EM_PPC64 => "POWER".into(),
        elf::EM_S390 => "IBM Z".into(),
        other => format!("processor number {}", other.0),
    }
}

fn interpreter<Elf>(
    endian: Endianness,
    data: &[u8],
    segments: &[Elf::ProgramHeader],
) -> Option<PathBuf>
where
    Elf: FileHeader<Endian = Endianness>,
{
    segments
        .iter()
        .find_map(|segment| segment.interpreter(endian, data).ok().flatten())
        .map(|name| OsStr::from_bytes(name).into())
}

/// Libraries have a name for others to ask for; static programs that move do not.
fn is_library<Elf>(endian: Endianness, data: &[u8], segments: &[Elf::ProgramHeader]) -> bool
where
    Elf: FileHeader<Endian = Endianness>,
{
    segments
        .iter()
        .filter_map(|segment| segment.dynamic(endian, data).ok().flatten())
        .flatten()
        .any(|entry| entry.tag(endian) == elf::DT_SONAME)
}

fn own_calls<Elf>(endian: Endianness, data: &[u8], segments: &[Elf::ProgramHeader]) -> OwnCalls
where
    Elf: FileHeader<Endian = Endianness>,
{
    let mut calls = OwnCalls::default();
    segments
        .iter()
        .filter(|segment| segment.p_type(endian) == elf::PT_LOAD)
        .filter(|segment| segment.p_flags(endian).contains(elf::PF_X))
        .filter_map(|segment| segment.data(endian, data).ok())
        .for_each(|code| calls.search(code));
    calls
}

fn imported<Elf>(endian: Endianness, data: &[u8], sections: &SectionTable<Elf>) -> Imported
where
    Elf: FileHeader<Endian = Endianness>,
{
    let mut imported = Imported::default();
    for name in wanted_names(endian, data, sections) {
        imported.add(&String::from_utf8_lossy(name));
    }
    imported
}

/// The sanitizers that cannot be preloaded in front of, by the function that starts them.
fn sanitizer<Elf>(
    endian: Endianness,
    data: &[u8],
    sections: &SectionTable<Elf>,
) -> Option<&'static str>
where
    Elf: FileHeader<Endian = Endianness>,
{
    wanted_names(endian, data, sections).into_iter().find_map(|name| match name {
        b"__asan_init" => Some("AddressSanitizer"),
        b"__tsan_init" => Some("ThreadSanitizer"),
        _ => None,
    })
}

/// What the file wants from others.
fn wanted_names<'data, Elf>(
    endian: Endianness,
    data: &'data [u8],
    sections: &SectionTable<'data, Elf>,
) -> Vec<&'data [u8]>
where
    Elf: FileHeader<Endian = Endianness>,
{
    let Ok(symbols) = sections.symbols(endian, data, elf::SHT_DYNSYM) else { return Vec::new() };
    symbols
        .iter()
        .filter(|symbol| symbol.is_undefined(endian))
        .filter_map(|symbol| symbol.name(endian, symbols.strings()).ok())
        .collect()
}

/// What the note segments say.
#[derive(Default)]
struct Notes {
    go: bool,
    shadow_stack: bool,
}

impl Notes {
    fn gather<Elf>(endian: Endianness, data: &[u8], segments: &[Elf::ProgramHeader]) -> Self
    where
        Elf: FileHeader<Endian = Endianness>,
    {
        let mut found = Self::default();
        let lists =
            segments.iter().filter_map(|segment| segment.notes(endian, data).ok().flatten());
        lists.for_each(|list| found.read(endian, list));
        found
    }

    fn read<Elf>(&mut self, endian: Endianness, mut list: NoteIterator<Elf>)
    where
        Elf: FileHeader<Endian = Endianness>,
    {
        while let Ok(Some(note)) = list.next() {
            self.go |= note.name() == b"Go";
            let Some(mut properties) = note.gnu_properties(endian) else { continue };
            while let Ok(Some(property)) = properties.next() {
                let features = property.data_u32(endian).unwrap_or(0);
                self.shadow_stack |= property.pr_type() == elf::GNU_PROPERTY_X86_FEATURE_1_AND
                    && features & SHADOW_STACK != 0;
            }
        }
    }
}
