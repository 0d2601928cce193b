// SPDX-License-Identifier: MIT
//! A command as it is started to be counted from outside.

use std::ffi::OsString;

use sigzero_count::Spec;
use sigzero_launch::child::stand_aside_for;
use sigzero_launch::{inherited, stopped};

/// It gets what we inherited, and we step aside for it while it runs.
pub fn spec(words: &[OsString]) -> Spec {
    let mut spec = Spec::new(&words[0]).args(&words[1..]);
    spec.on_start = Some(stand_aside_for);
    spec.on_stop = Some(stopped::along_with);
    spec.restore = Some(inherited::restore);
    spec
}
