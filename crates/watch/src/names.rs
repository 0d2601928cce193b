// SPDX-License-Identifier: MIT
//! Names of functions as they are written in C++ and Rust.

/// As it is if it is no name of theirs.
pub fn readable(symbol: &str) -> String {
    from_rust(symbol).or_else(|| from_cpp(symbol)).unwrap_or_else(|| symbol.into())
}

fn from_rust(symbol: &str) -> Option<String> {
    if !symbol.starts_with("_R") && !symbol.starts_with("_ZN") {
        return None;
    }
    // Without the hash.
    rustc_demangle::try_demangle(symbol).ok().map(|name| format!("{name:#}"))
}

/// The library would take a function `t` of C for a type.
fn from_cpp(symbol: &str) -> Option<String> {
    if !symbol.starts_with("_Z") {
        return None;
    }
    cpp_demangle::Symbol::new(symbol).ok()?.demangle().ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_as_in_the_source() {
        let cases = [
            ("_ZN4core3fmt5write17h0123456789abcdefE", "core::fmt::write"),
            ("_RNvC6_123foo3bar", "123foo::bar"),
            ("_ZN3foo3barEi", "foo::bar(int)"),
            ("_Z3addii", "add(int, int)"),
        ];
        cases.iter().for_each(|(symbol, name)| assert_eq!(readable(symbol), *name));
    }

    #[test]
    fn names_of_c_stay() {
        for name in ["t", "v", "main", "Rust", "_Zebra", ""] {
            assert_eq!(readable(name), name);
        }
    }
}
