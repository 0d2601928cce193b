// SPDX-License-Identifier: MIT
//! Unwind rules from a file's .eh_frame, or its .debug_frame where that is all there is (Go).

use std::fs::File;
use std::ops::Range;

use gimli::{
    BaseAddresses, CfaRule, CieOrFde, DebugFrame, EhFrame, EhFrameHdr, EvaluationResult,
    Expression, FrameDescriptionEntry, LittleEndian, Location, Register, RegisterRule,
    UnwindContext, UnwindSection, UnwindTableRow, Value, X86_64,
};
use memmap2::Mmap;
use object::{Object, ObjectSection, ObjectSegment, ObjectSymbol};

use crate::layout::{
    BASE_BP, BASE_BX, BASE_SP, Rule, STEP_COPY, STEP_DEREF, STEP_END, STEP_FRAME, STEP_SIGNAL,
};

type Bytes<'a> = gimli::EndianSlice<'a, LittleEndian>;

/// How to get from a frame to its caller's, in full; the kernel's language may not have it.
#[derive(Clone, Debug, PartialEq)]
pub enum Step {
    Frame { cfa: Cfa, saved: Vec<(u16, i64)>, guess: bool },
    Signal,
    End,
}

#[derive(Clone, Debug, PartialEq)]
pub enum Cfa {
    Register(u16, i64),
    Expression(Vec<u8>),
}

pub struct Unwind {
    data: Mmap,
    eh_frame: Part,
    header: Part,
    debug_frame: Vec<u8>,
    bases: BaseAddresses,
    /// File offset, length and address of what is mapped.
    segments: Vec<(u64, u64, u64)>,
    /// Start, end and place in .debug_frame (or in .eh_frame without a header), sorted.
    index: Vec<(u64, u64, usize)>,
    /// Beyond main there is only what libc started it with: stacks end there.
    main: Range<u64>,
    context: UnwindContext<usize>,
}

#[derive(Clone, Default)]
struct Part {
    range: Range<usize>,
    address: u64,
}

impl Unwind {
    pub fn of(file: &File) -> Option<Self> {
        // SAFETY: a file that is changed under us can give wrong frames, as the kernel's own
        // mapping would; one that is cut short while we read it would end us, and is text in use.
        let data = unsafe { Mmap::map(file) }.ok()?;
        let object = object::File::parse(&*data).ok()?;
        let part = |name| {
            let section = object.section_by_name(name)?;
            let (start, length) = section.file_range()?;
            let range = start as usize..(start.checked_add(length)?) as usize;
            data.get(range.clone())?;
            Some(Part { range, address: section.address() })
        };
        let eh_frame = part(".eh_frame").unwrap_or_default();
        let header = part(".eh_frame_hdr").unwrap_or_default();
        let address = |name| object.section_by_name(name).map_or(0, |section| section.address());
        let bases = BaseAddresses::default()
            .set_eh_frame(eh_frame.address)
            .set_eh_frame_hdr(header.address)
            .set_text(address(".text"))
            .set_got(address(".got"));
        let debug_frame = object
            .section_by_name(".debug_frame")
            .and_then(|section| Some(section.uncompressed_data().ok()?.into_owned()))
            .unwrap_or_default();
        let mapped = |segment: object::Segment<'_, '_>| {
            let (start, length) = segment.file_range();
            (start, length, segment.address())
        };
        let segments = object.segments().map(mapped).collect();
        let main = main(&object);
        let context = UnwindContext::new();
        let index = Vec::new();
        let mut unwind =
            Self { eh_frame, header, debug_frame, bases, segments, index, main, context, data };
        unwind.index = unwind.indexed();
        Some(unwind)
    }

    /// The rule for the code at this offset of the file.
    pub fn step(&mut self, offset: u64) -> Step {
        if self.is_signal_return(offset) {
            return Step::Signal;
        }
        if self.address(offset).is_some_and(|address| self.main.contains(&address)) {
            return Step::End;
        }
        let mut context = std::mem::take(&mut self.context);
        let mut at = |address: u64| {
            self.by_eh_frame(address, &mut context)
                .or_else(|| self.by_debug_frame(address, &mut context))
        };
        let found = self.address(offset).and_then(|address| {
            // A function that is only returned to, such as the start of a context of makecontext,
            // is entered at its first byte, and nothing is said of the byte before.
            at(address).or_else(|| at(address + 1))
        });
        self.context = context;
        found.unwrap_or_else(by_frame_pointer)
    }

    /// `mov $15, %eax; syscall`, seen from the byte before it or from its last. Some libraries
    /// have no unwind information for it.
    fn is_signal_return(&self, offset: u64) -> bool {
        const LONG: [u8; 9] = [0x48, 0xc7, 0xc0, 15, 0, 0, 0, 0x0f, 0x05];
        let is = |start: Option<u64>, code: &[u8]| {
            let start = start.and_then(|start| usize::try_from(start).ok());
            let bytes =
                start.and_then(|start| self.data.get(start..start.checked_add(code.len())?));
            bytes == Some(code)
        };
        let short = [&[0xb8][..], &LONG[3..]].concat();
        [&LONG[..], &short].iter().any(|code| {
            is(offset.checked_add(1), code) || is(offset.checked_sub(code.len() as u64 - 1), code)
        })
    }

    fn address(&self, offset: u64) -> Option<u64> {
        let holds =
            |(start, length, _): &&(u64, u64, u64)| (*start..start + length).contains(&offset);
        self.segments.iter().find(holds).map(|(start, _, address)| offset - start + address)
    }

    fn eh_section(&self) -> EhFrame<Bytes<'_>> {
        let mut section = EhFrame::new(&self.data[self.eh_frame.range.clone()], LittleEndian);
        section.set_address_size(8);
        section
    }

    fn debug_section(&self) -> DebugFrame<Bytes<'_>> {
        let mut section = DebugFrame::new(&self.debug_frame, LittleEndian);
        section.set_address_size(8);
        section
    }

    fn by_eh_frame(&self, address: u64, context: &mut UnwindContext<usize>) -> Option<Step> {
        let section = self.eh_section();
        let fde = if self.header.range.is_empty() {
            let offset = self.indexed_at(address)?;
            section.fde_from_offset(&self.bases, offset.into(), EhFrame::cie_from_offset).ok()?
        } else {
            let bytes = &self.data[self.header.range.clone()];
            let header = EhFrameHdr::new(bytes, LittleEndian).parse(&self.bases, 8).ok()?;
            let table = header.table()?;
            table.fde_for_address(&section, &self.bases, address, EhFrame::cie_from_offset).ok()?
        };
        step(&fde, &section, &self.bases, context, address)
    }

    fn by_debug_frame(&self, address: u64, context: &mut UnwindContext<usize>) -> Option<Step> {
        if self.debug_frame.is_empty() {
            return None;
        }
        let section = self.debug_section();
        let offset = self.indexed_at(address)?;
        let get = DebugFrame::cie_from_offset;
        let fde = section.fde_from_offset(&self.bases, offset.into(), get).ok()?;
        step(&fde, &section, &self.bases, context, address)
    }

    fn indexed_at(&self, address: u64) -> Option<usize> {
        let after = self.index.partition_point(|(start, _, _)| *start <= address);
        let (_, end, offset) = self.index.get(after.checked_sub(1)?)?;
        (address < *end).then_some(*offset)
    }

    fn indexed(&self) -> Vec<(u64, u64, usize)> {
        let mut index = if !self.debug_frame.is_empty() {
            entries(&self.debug_section(), &self.bases)
        } else if self.header.range.is_empty() {
            entries(&self.eh_section(), &self.bases)
        } else {
            Vec::new()
        };
        index.sort_unstable();
        index
    }
}

fn main(object: &object::File<'_>) -> Range<u64> {
    let mut symbols = object.symbols().chain(object.dynamic_symbols());
    let found = symbols.find(|symbol| symbol.is_definition() && symbol.name_bytes() == Ok(b"main"));
    found.map_or(0..0, |symbol| symbol.address()..symbol.address().saturating_add(symbol.size()))
}

fn entries<'a, S>(section: &S, bases: &BaseAddresses) -> Vec<(u64, u64, usize)>
where
    S: UnwindSection<Bytes<'a>>,
    S::Offset: gimli::UnwindOffset<usize>,
{
    let mut found = Vec::new();
    let mut entries = section.entries(bases);
    while let Ok(Some(entry)) = entries.next() {
        if let CieOrFde::Fde(partial) = entry
            && let Ok(fde) = partial.parse(S::cie_from_offset)
        {
            found.push((fde.initial_address(), fde.end_address(), fde.offset()));
        }
    }
    found
}

fn step<'a, S: UnwindSection<Bytes<'a>>>(
    fde: &FrameDescriptionEntry<Bytes<'a>>,
    section: &S,
    bases: &BaseAddresses,
    context: &mut UnwindContext<usize>,
    address: u64,
) -> Option<Step> {
    if !fde.contains(address) {
        return None;
    }
    if fde.is_signal_trampoline() {
        return Some(Step::Signal);
    }
    let row = fde.unwind_info_for_address(section, bases, context, address).ok()?;
    if row.register(X86_64::RA) == Some(RegisterRule::Undefined) {
        return Some(Step::End);
    }
    let cfa = match row.cfa() {
        CfaRule::RegisterAndOffset { register, offset } => Cfa::Register(register.0, *offset),
        CfaRule::Expression(expression) => {
            Cfa::Expression(expression.get(section).ok()?.0.slice().to_vec())
        }
    };
    Some(Step::Frame { cfa, saved: saved(row), guess: false })
}

fn saved(row: &UnwindTableRow<usize>) -> Vec<(u16, i64)> {
    let mut saved = Vec::new();
    for &(register, ref rule) in row.registers() {
        if let RegisterRule::Offset(offset) = rule {
            saved.push((register.0, *offset));
        }
    }
    saved.sort_unstable();
    saved
}

/// What code without unwind information is taken for.
pub fn by_frame_pointer() -> Step {
    let saved = vec![(X86_64::RBP.0, -16), (X86_64::RA.0, -8)];
    Step::Frame { cfa: Cfa::Register(X86_64::RBP.0, 16), saved, guess: true }
}

impl Step {
    /// In the kernel's language, or STEP_COPY.
    pub fn rule(&self) -> Rule {
        match self {
            Step::Signal => Rule { step: STEP_SIGNAL, ..Rule::default() },
            Step::End => Rule { step: STEP_END, ..Rule::default() },
            Step::Frame { cfa, saved, guess } => frame_rule(cfa, saved, *guess)
                .unwrap_or(Rule { step: STEP_COPY, ..Rule::default() }),
        }
    }
}

fn frame_rule(cfa: &Cfa, saved: &[(u16, i64)], guess: bool) -> Option<Rule> {
    let at = |register: Register| {
        let found = saved.iter().find(|(number, _)| *number == register.0);
        found.map_or(Some(0), |(_, offset)| i16::try_from(*offset).ok())
    };
    if at(X86_64::RA)? != -8 {
        return None;
    }
    let (bp, bx) = (at(X86_64::RBP)?, at(X86_64::RBX)?);
    let mut rule = Rule { bp, bx, guess: guess.into(), step: STEP_FRAME, ..Rule::default() };
    let base = |register: u16| match Register(register) {
        X86_64::RSP => Some(BASE_SP),
        X86_64::RBP => Some(BASE_BP),
        X86_64::RBX => Some(BASE_BX),
        _ => None,
    };
    match cfa {
        Cfa::Register(register, offset) => {
            rule.base = base(*register)?;
            rule.cfa = i32::try_from(*offset).ok()?;
        }
        Cfa::Expression(bytes) => {
            let (register, offset, add) = dereference(bytes)?;
            rule.step = STEP_DEREF;
            rule.base = base(register)?;
            (rule.cfa, rule.add) = (i32::try_from(offset).ok()?, i32::try_from(add).ok()?);
        }
    }
    Some(rule)
}

/// `*(register + offset) + add`, as compilers write it for frames that they realign.
fn dereference(bytes: &[u8]) -> Option<(u16, i64, u64)> {
    use gimli::Operation;
    let encoding = encoding();
    let mut input = gimli::EndianSlice::new(bytes, LittleEndian);
    let mut next = || Operation::parse(&mut input, encoding);
    let Ok(Operation::RegisterOffset { register, offset, .. }) = next() else { return None };
    let Ok(Operation::Deref { size: 8, space: false, .. }) = next() else { return None };
    match next() {
        Ok(Operation::PlusConstant { value }) => {
            next().is_err().then_some((register.0, offset, value))
        }
        Err(_) => Some((register.0, offset, 0)),
        _ => None,
    }
}

fn encoding() -> gimli::Encoding {
    gimli::Encoding { address_size: 8, format: gimli::Format::Dwarf32, version: 4 }
}

/// The value of an expression, with registers and memory of the frame.
pub fn evaluate(
    bytes: &[u8],
    register: impl Fn(u16) -> Option<u64>,
    memory: impl Fn(u64) -> Option<u64>,
) -> Option<u64> {
    let expression = Expression(gimli::EndianSlice::new(bytes, LittleEndian));
    let mut evaluation = expression.evaluation(encoding());
    evaluation.set_max_iterations(1000);
    let mut result = evaluation.evaluate().ok()?;
    loop {
        result = match result {
            EvaluationResult::RequiresRegister { register: wanted, .. } => {
                evaluation.resume_with_register(Value::Generic(register(wanted.0)?)).ok()?
            }
            EvaluationResult::RequiresMemory { address, size: 8, .. } => {
                evaluation.resume_with_memory(Value::Generic(memory(address)?)).ok()?
            }
            EvaluationResult::Complete => break,
            _ => return None,
        };
    }
    match evaluation.result().first()?.location {
        Location::Address { address } => Some(address),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn frame(cfa: Cfa, saved: &[(u16, i64)]) -> Rule {
        Step::Frame { cfa, saved: saved.to_vec(), guess: false }.rule()
    }

    #[test]
    fn common_frames_fit_the_kernel() {
        let rule = frame(Cfa::Register(7, 48), &[(3, -24), (6, -16), (12, -32), (16, -8)]);
        let expected = Rule { cfa: 48, bp: -16, bx: -24, step: STEP_FRAME, ..Rule::default() };
        assert_eq!(rule, expected);
        assert_eq!(frame(Cfa::Register(3, 16), &[(16, -8)]).base, BASE_BX);
    }

    #[test]
    fn a_realigned_frame_is_read_through_its_pointer() {
        // DW_OP_breg6 -8, DW_OP_deref
        let rule = frame(Cfa::Expression(vec![0x76, 0x78, 0x06]), &[(6, 0), (16, -8)]);
        assert_eq!((rule.step, rule.base, rule.cfa, rule.add), (STEP_DEREF, BASE_BP, -8, 0));
    }

    #[test]
    fn what_the_kernel_cannot_do_is_copied() {
        assert_eq!(frame(Cfa::Register(13, 16), &[(16, -8)]).step, STEP_COPY);
        assert_eq!(frame(Cfa::Register(7, 16), &[(16, -16)]).step, STEP_COPY);
        // DW_OP_breg7 8, DW_OP_breg16 0, DW_OP_plus
        let lazy_binding = vec![0x77, 8, 0x80, 0, 0x22];
        assert_eq!(frame(Cfa::Expression(lazy_binding.clone()), &[(16, -8)]).step, STEP_COPY);
        let value = evaluate(&lazy_binding, |r| Some(if r == 7 { 100 } else { 5 }), |_| None);
        assert_eq!(value, Some(113));
    }

    #[test]
    fn our_own_code_has_rules() {
        let file = File::open("/proc/self/exe").unwrap();
        let mut unwind = Unwind::of(&file).unwrap();
        let (start, _, address) = unwind.segments[0];
        let code = our_own_code_has_rules as fn() as usize as u64;
        let base = code_base();
        let offset = unwind
            .segments
            .iter()
            .find(|(_, length, at)| (*at..at + length).contains(&(code - base)))
            .map(|(from, _, at)| code - base - at + from)
            .unwrap_or(start + code - base - address);
        match unwind.step(offset) {
            Step::Frame { cfa: Cfa::Register(7, 8), guess: false, .. } => {}
            other => panic!("{other:?}"),
        }
    }

    fn code_base() -> u64 {
        let maps = std::fs::read_to_string("/proc/self/maps").unwrap();
        let exe = std::fs::read_link("/proc/self/exe").unwrap();
        let line = maps.lines().find(|line| line.ends_with(exe.to_str().unwrap())).unwrap();
        u64::from_str_radix(line.split('-').next().unwrap(), 16).unwrap()
    }
}
