// SPDX-License-Identifier: MIT
//! Shows what was recorded. No input or output here: every form is a function from a [`View`], or
//! from two, to text or bytes.

pub mod advice;
pub mod clean;
pub mod diff;
pub mod folded;
pub mod html;
pub mod json;
pub mod pprof;
mod tree;
mod view;

#[cfg(test)]
mod samples;

pub use diff::Diff;
pub use view::{Row, View, listed, of_estimated, quoted};

/// By what stacks are weighed.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Weight {
    #[default]
    Calls,
    /// Nanoseconds, estimated.
    Time,
}
