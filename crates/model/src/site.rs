// SPDX-License-Identifier: MIT
//! One place in a program that calls one function.

use std::sync::Arc;

use serde::{Deserialize, Serialize};

use crate::Counts;

/// A function called from one place.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Site {
    /// The function of libc that was called.
    pub function: String,
    /// libc makes its signal calls inside, unseen: only `calls` is known.
    pub opaque: bool,
    pub caller: Caller,
    /// All frames, innermost first, up to main; empty if only the caller is known. Many stacks have
    /// most of them in common.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub stack: Vec<Arc<Caller>>,
    /// The stack was followed to its end, each frame by its unwind information.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub stack_whole: bool,
    #[serde(flatten)]
    pub counts: Counts,
}

impl Site {
    /// The stack, or the caller alone if only that is known.
    pub fn frames(&self) -> impl DoubleEndedIterator<Item = &Caller> {
        let alone = self.stack.is_empty().then_some(&self.caller);
        alone.into_iter().chain(self.stack.iter().map(Arc::as_ref))
    }

    /// It is counted, but who called is not known for sure.
    pub fn is_estimate(&self) -> bool {
        !self.stack.is_empty() && !self.stack_whole
    }
}

/// The place of a call, as well as it is known.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
pub struct Caller {
    /// Path of the executable or library, or a name such as `[vdso]`.
    pub module: String,
    /// Where the call returns to, as an offset in that file.
    pub offset: u64,
    /// The function that contains the call, demangled.
    pub symbol: Option<String>,
    /// From the start of that function to where the call returns to.
    pub symbol_offset: Option<u64>,
    /// Source file and line, where there is debug information.
    pub file: Option<String>,
    pub line: Option<u32>,
}

impl Caller {
    pub fn module_name(&self) -> &str {
        self.module.rsplit('/').next().unwrap_or(&self.module)
    }

    /// `symbol+0xoffset`, or the offset in the module if no symbol is known.
    pub fn place(&self) -> String {
        match (&self.symbol, self.symbol_offset) {
            (Some(symbol), Some(offset)) => format!("{symbol}+{offset:#x}"),
            (Some(symbol), None) => symbol.clone(),
            _ => format!("+{:#x}", self.offset),
        }
    }

    /// The function alone, or the offset in the module if it is not known.
    pub fn place_name(&self) -> String {
        self.symbol.clone().unwrap_or_else(|| format!("+{:#x}", self.offset))
    }

    /// `file:line`, if known.
    pub fn source(&self) -> Option<String> {
        let file = self.file.as_deref()?;
        Some(self.line.map_or_else(|| file.into(), |line| format!("{file}:{line}")))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_place_is_named_as_well_as_it_is_known() {
        let mut caller = Caller { module: "/bin/x".into(), offset: 0x1234, ..Caller::default() };
        assert_eq!((caller.module_name(), caller.place().as_str()), ("x", "+0x1234"));
        caller.symbol = Some("main".into());
        caller.symbol_offset = Some(0x1f);
        assert_eq!(caller.place(), "main+0x1f");
        assert_eq!(caller.source(), None);
        caller.file = Some("x.c".into());
        caller.line = Some(7);
        assert_eq!(caller.source().unwrap(), "x.c:7");
    }
}
