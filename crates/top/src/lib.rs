// SPDX-License-Identifier: MIT
//! Signal system calls as they are made, on a terminal: a table of processes, and the callers of one.

pub mod batch;
mod draw;
pub mod rows;
mod screen;
pub mod state;

pub use screen::run;

use std::time::Duration;

use sigzero_model::Cost;

/// What is shown, and how often it is looked at.
#[derive(Clone, Debug)]
pub struct Setup {
    /// In words: the whole machine, or which processes.
    pub target: String,
    /// Ends with the processes that were given.
    pub until_gone: bool,
    pub delay: Duration,
    pub sort: rows::Sort,
    pub cost: Cost,
    /// Callers can be told.
    pub stacks: bool,
}
