// SPDX-License-Identifier: MIT
//! Starts a program with `libsigzero.so` preloaded: find it, look whether it can be
//! treated, set its environment, run it, and hand on how it ended.

pub mod child;
pub mod environment;
pub mod error;
pub mod filters;
pub mod image;
pub mod inherited;
pub mod inspect;
pub mod library;
pub mod lookup;
pub mod status;
pub mod stopped;

pub use child::{Outcome, supervise};
pub use environment::{Mode, Preload, prepare};
pub use error::Error;
pub use image::Image;
pub use inspect::{Inspection, Obstacle, System, inspect};
pub use status::hand_on;
