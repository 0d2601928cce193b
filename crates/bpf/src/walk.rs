// SPDX-License-Identifier: MIT
//! Follows a copied stack, with all registers: what the kernel side does, in full.

use std::collections::HashMap;
use std::rc::Rc;

use crate::files::Files;
use crate::layout::{FILE_NONE, Known, MAX_DEPTH, Registers, file_of, offset_of, place};
use crate::spaces::Space;
use crate::trace::Reach;
use crate::unwind::{Cfa, Step, by_frame_pointer, evaluate};

const BP: usize = 6;
const SP: usize = 7;
const RA: u16 = 16;

/// In a signal frame, by DWARF's numbers: where the interrupted registers are.
const SIGNAL: [(usize, u64); 16] = [
    (0, 144),
    (1, 136),
    (2, 152),
    (3, 128),
    (4, 112),
    (5, 104),
    (6, 120),
    (7, 160),
    (8, 40),
    (9, 48),
    (10, 56),
    (11, 64),
    (12, 72),
    (13, 80),
    (14, 88),
    (15, 96),
];
const SIGNAL_IP: u64 = 168;

/// The rules that were needed, so that each is read once.
#[derive(Default)]
pub struct Rules {
    by_place: HashMap<u64, Rc<Step>>,
}

impl Rules {
    pub fn at(&mut self, place: u64, files: &Files) -> Rc<Step> {
        let read = || {
            let unwind = files.unwind(file_of(place));
            let step = unwind.map(|unwind| unwind.borrow_mut().step(offset_of(place)));
            Rc::new(step.unwrap_or_else(by_frame_pointer))
        };
        Rc::clone(self.by_place.entry(place).or_insert_with(read))
    }
}

/// A stack as far as it could be followed.
#[derive(Debug, Default)]
pub struct Walked {
    pub places: Vec<u64>,
    pub reach: Reach,
    pub guess: bool,
    /// What the kernel should know from now on, by address.
    pub known: Vec<(u64, Known)>,
}

pub struct Memory<'a> {
    pub start: u64,
    pub bytes: &'a [u8],
}

impl Memory<'_> {
    fn word(&self, address: u64) -> Option<u64> {
        let at = usize::try_from(address.checked_sub(self.start)?).ok()?;
        let bytes = self.bytes.get(at..at.checked_add(8)?)?;
        Some(u64::from_ne_bytes(bytes.try_into().ok()?))
    }
}

struct Frame {
    pc: u64,
    interrupted: bool,
    registers: [Option<u64>; 16],
}

impl Frame {
    fn new(r: &Registers) -> Self {
        let registers = [
            r.ax, r.dx, r.cx, r.bx, r.si, r.di, r.bp, r.sp, r.r8, r.r9, r.r10, r.r11, r.r12, r.r13,
            r.r14, r.r15,
        ];
        Self { pc: r.ip, interrupted: false, registers: registers.map(Some) }
    }

    fn address(&self) -> u64 {
        self.pc.wrapping_sub(u64::from(!self.interrupted))
    }

    /// False if the memory is not there.
    fn leave_signal(&mut self, memory: &Memory<'_>) -> Option<()> {
        let at = self.registers[SP]?;
        self.pc = memory.word(at.wrapping_add(SIGNAL_IP))?;
        for (register, offset) in SIGNAL {
            self.registers[register] = memory.word(at.wrapping_add(offset));
        }
        self.interrupted = true;
        Some(())
    }

    fn leave(&mut self, cfa: &Cfa, saved: &[(u16, i64)], memory: &Memory<'_>) -> Option<()> {
        let register = |number: u16| match number {
            RA => Some(self.pc),
            number => self.registers.get(usize::from(number)).copied().flatten(),
        };
        let cfa = match cfa {
            Cfa::Register(number, offset) => register(*number)?.wrapping_add_signed(*offset),
            Cfa::Expression(bytes) => evaluate(bytes, register, |address| memory.word(address))?,
        };
        if cfa <= self.registers[SP]? {
            return None;
        }
        let at = |offset: i64| memory.word(cfa.wrapping_add_signed(offset));
        let mut pc = None;
        for (number, offset) in saved {
            match usize::from(*number) {
                number if number < SP || (SP + 1..16).contains(&number) => {
                    self.registers[number] = at(*offset);
                }
                16 => pc = at(*offset),
                _ => {}
            }
        }
        self.pc = pc?;
        // What a call may change; r10 and r11 too, but for these nobody asks.
        self.registers[SP] = Some(cfa);
        self.interrupted = false;
        Some(())
    }
}

/// `place_of` says what is mapped at an address.
pub fn walk(
    registers: &Registers,
    memory: &Memory<'_>,
    space: &Space,
    files: &Files,
    rules: &mut Rules,
) -> Walked {
    let mut frame = Frame::new(registers);
    let mut walked = Walked { reach: Reach::Deep, ..Walked::default() };
    while walked.places.len() < MAX_DEPTH {
        let address = frame.address();
        let Some(here) = space.place(address) else {
            if walked.places.is_empty() {
                walked.places.push(place(FILE_NONE, address));
            }
            walked.reach = Reach::Cut;
            break;
        };
        let step = rules.at(here, files);
        walked.places.push(here);
        walked.known.push((address, Known { place: here, rule: step.rule() }));
        let left = match &*step {
            Step::End => {
                walked.reach = Reach::End;
                break;
            }
            Step::Signal => frame.leave_signal(memory),
            Step::Frame { cfa, saved, guess } => {
                walked.guess |= guess;
                if *guess && frame.registers[BP] == Some(0) {
                    walked.reach = Reach::End;
                    break;
                }
                frame.leave(cfa, saved, memory)
            }
        };
        if left.is_none() {
            walked.reach = Reach::Cut;
            break;
        }
        if frame.pc == 0 {
            walked.reach = Reach::End;
            break;
        }
    }
    walked
}
