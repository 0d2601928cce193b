// SPDX-License-Identifier: MIT
//! The event model of sigzero: which function was called from where, which signal system
//! calls that made, and which of those were needless. No input or output here.

pub mod class;
pub mod cost;
pub mod counts;
pub mod hidden;
pub mod process;
pub mod report;
pub mod site;

pub use class::{Class, Spent};
pub use cost::Cost;
pub use counts::Counts;
pub use hidden::Hidden;
pub use process::{Process, program_name};
pub use report::{Ending, Report, Source};
pub use site::{Caller, Site};
