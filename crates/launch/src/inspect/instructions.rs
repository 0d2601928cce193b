// SPDX-License-Identifier: MIT
//! System call instructions for rt_sigprocmask and rt_sigaction in a program's own code.
//!
//! Compilers load the number by `mov $imm32, %eax` shortly before `syscall`. A number that
//! reaches the instruction another way is not found: this looks for what is common, and the
//! runtime's own checks stand behind it.

use std::fmt;

use iced_x86::{Decoder, DecoderOptions, FlowControl, Mnemonic, Register};
use memchr::memmem;
use serde::Serialize;

const RT_SIGACTION: u8 = 13;
const RT_SIGPROCMASK: u8 = 14;
/// Room between the two for the loading of the arguments.
const INSTRUCTIONS: usize = 8;
/// No instruction is longer.
const LONGEST: usize = 15;

/// How many such instructions were found.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
pub struct OwnCalls {
    pub rt_sigprocmask: usize,
    pub rt_sigaction: usize,
}

impl OwnCalls {
    pub fn any(self) -> bool {
        self.rt_sigprocmask + self.rt_sigaction > 0
    }

    /// Counts what is in `code` on top of what was found.
    pub fn search(&mut self, code: &[u8]) {
        self.rt_sigprocmask += count(code, RT_SIGPROCMASK);
        self.rt_sigaction += count(code, RT_SIGACTION);
    }
}

impl fmt::Display for OwnCalls {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let kinds = [(self.rt_sigprocmask, "rt_sigprocmask"), (self.rt_sigaction, "rt_sigaction")];
        let found: Vec<_> = kinds
            .iter()
            .filter(|(count, _)| *count > 0)
            .map(|(count, name)| format!("{count} system call instruction(s) for {name}"))
            .collect();
        f.write_str(&found.join(" and "))
    }
}

fn count(code: &[u8], number: u8) -> usize {
    let load = [0xb8, number, 0, 0, 0];
    let starts = memmem::find_iter(code, &load).map(|at| &code[at + load.len()..]);
    starts.filter(|after| leads_to_system_call(after)).count()
}

/// Whether execution that starts here comes to a system call, the number still in %eax.
fn leads_to_system_call(code: &[u8]) -> bool {
    let code = &code[..code.len().min(INSTRUCTIONS * LONGEST)];
    let decoder = Decoder::new(64, code, DecoderOptions::NONE);
    for instruction in decoder.into_iter().take(INSTRUCTIONS) {
        let loads_another = instruction.op0_register().full_register() == Register::RAX;
        match instruction.mnemonic() {
            Mnemonic::Syscall => return true,
            _ if loads_another || instruction.flow_control() != FlowControl::Next => return false,
            _ => {}
        }
    }
    false
}

#[cfg(test)]
mod tests {
    use super::*;

    fn found(code: &[u8]) -> OwnCalls {
        let mut calls = OwnCalls::default();
        calls.search(code);
        calls
    }

    #[test]
    fn finds_a_number_shortly_before_the_instruction() {
        // mov $8,%r10d; mov $14,%eax; mov %rsi,%rdx; syscall
        let code = b"\x41\xba\x08\0\0\0\xb8\x0e\0\0\0\x48\x89\xf2\x0f\x05\xc3";
        assert_eq!(found(code), OwnCalls { rt_sigprocmask: 1, rt_sigaction: 0 });
        let code = b"\xb8\x0d\0\0\0\x0f\x05";
        assert_eq!(found(code), OwnCalls { rt_sigprocmask: 0, rt_sigaction: 1 });
    }

    #[test]
    fn a_number_alone_is_no_call() {
        let mut code = b"\xb8\x0e\0\0\0".to_vec();
        assert!(!found(&code).any());
        code.extend([0x90; INSTRUCTIONS]);
        code.extend(b"\x0f\x05");
        assert!(!found(&code).any());
        assert!(!found(b"\xb8\x0f\0\0\0\x0f\x05").any());
        // ret; then xor %eax,%eax; then the bytes of `syscall` within another instruction.
        assert!(!found(b"\xb8\x0e\0\0\0\xc3\x0f\x05").any());
        assert!(!found(b"\xb8\x0e\0\0\0\x31\xc0\x0f\x05").any());
        assert!(!found(b"\xb8\x0e\0\0\0\x68\x00\x0f\x05\x00\xc3").any());
    }
}
