// SPDX-License-Identifier: MIT
//! Names for places in files: the symbol, and the source line where there is debug
//! information in the file or beside it.

use std::path::Path;

use blazesym::symbolize::{Input, Sym, Symbolizer, source};

use crate::names::readable;

pub struct Symbols {
    symbolizer: Symbolizer,
}

#[derive(Debug, PartialEq, Eq)]
pub struct Symbol {
    pub name: String,
    /// From the start of the function.
    pub offset: u64,
    pub file: Option<String>,
    pub line: Option<u32>,
}

impl Symbols {
    pub fn new() -> Self {
        let builder = Symbolizer::builder().enable_auto_reload(false).enable_inlined_fns(false);
        Self { symbolizer: builder.enable_demangling(false).build() }
    }

    /// The symbol at `offset` from the start of the file.
    pub fn find(&self, path: &Path, offset: u64) -> Option<Symbol> {
        let source = source::Source::Elf(source::Elf::new(path));
        let found = self.symbolizer.symbolize_single(&source, Input::FileOffset(offset)).ok()?;
        found.into_sym().map(symbol)
    }
}

impl Default for Symbols {
    fn default() -> Self {
        Self::new()
    }
}

fn symbol(sym: Sym<'_>) -> Symbol {
    let code = sym.code_info.as_deref();
    Symbol {
        name: readable(&sym.name),
        offset: sym.offset as u64,
        file: code.map(|code| code.to_path().display().to_string()),
        line: code.and_then(|code| code.line),
    }
}
