// SPDX-License-Identifier: MIT
//! The environment variables through which the runtime is loaded and told what to do.

use std::env;
use std::ffi::{OsStr, OsString};
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};

use serde::Serialize;

use crate::filters::Filters;
use crate::{Error, library};

const MODE: &str = "SIGZERO_MODE";
const FOLLOW: &str = "SIGZERO_FOLLOW";
const OUT: &str = "SIGZERO_OUT";
const QUIET: &str = "SIGZERO_QUIET";
/// After how many real changes of the mask mode `lazy` begins: handed on, for tests.
const HOT: &str = "SIGZERO_HOT";

/// How many seccomp filters let the runtime work.
const FILTERS: &str = "SIGZERO_FILTERS";

/// Variables that tell the runtime what to do.
pub fn is_for_runtime(name: &OsStr) -> bool {
    [MODE, FOLLOW, OUT, QUIET, HOT, FILTERS].iter().any(|known| name == *known)
}

/// What the runtime does, as named by SIGZERO_MODE.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Mode {
    Watch,
    Shadow,
    Lazy,
    Check,
    Off,
}

impl Mode {
    pub const ALL: [Mode; 5] = [Mode::Lazy, Mode::Shadow, Mode::Check, Mode::Watch, Mode::Off];

    pub fn name(self) -> &'static str {
        match self {
            Mode::Watch => "watch",
            Mode::Shadow => "shadow",
            Mode::Lazy => "lazy",
            Mode::Check => "check",
            Mode::Off => "off",
        }
    }
}

/// How a program is to be preloaded.
#[derive(Clone, Debug)]
pub struct Preload {
    pub library: PathBuf,
    pub mode: Mode,
    /// Patterns of the executables of children to take along; empty: none.
    pub follow: Vec<String>,
    /// Where mode `watch` leaves its counter files.
    pub out: Option<PathBuf>,
    /// Keeps the runtime's notices off standard error.
    pub quiet: bool,
    pub hot: Option<OsString>,
    /// Seccomp filters that the program will be under.
    pub filters: Filters,
}

impl Preload {
    pub fn new(mode: Mode, follow: &[String]) -> Result<Self, Error> {
        if let Some(pattern) = follow.iter().find(|pattern| pattern.contains(':')) {
            return Err(Error::Pattern { pattern: pattern.clone() });
        }
        let library = library::find()?;
        let quiet = env::var_os(QUIET).is_some_and(|value| !value.is_empty());
        let hot = env::var_os(HOT).filter(|value| !value.is_empty());
        let (follow, filters) = (follow.to_vec(), Filters::tried());
        Ok(Self { library, mode, follow, out: None, quiet, hot, filters })
    }

    /// The variables to set for the program, and only for it.
    pub fn variables(&self) -> Vec<(OsString, OsString)> {
        let theirs = env::var_os("LD_PRELOAD");
        let mut variables = vec![
            ("LD_PRELOAD".into(), preload(&self.library, theirs.as_deref())),
            (MODE.into(), self.mode.name().into()),
        ];
        if !self.follow.is_empty() {
            variables.push((FOLLOW.into(), self.follow.join(":").into()));
        }
        if let Some(out) = &self.out {
            variables.push((OUT.into(), out.into()));
        }
        if self.quiet {
            variables.push((QUIET.into(), "1".into()));
        }
        if let Some(hot) = &self.hot {
            variables.push((HOT.into(), hot.into()));
        }
        if let Filters::Allow(filters) = self.filters {
            variables.push((FILTERS.into(), filters.to_string().into()));
        }
        variables
    }
}

/// The variables for running a program in `mode`, with the children that match `follow`.
pub fn prepare(mode: Mode, follow: &[String]) -> Result<Vec<(OsString, OsString)>, Error> {
    Ok(Preload::new(mode, follow)?.variables())
}

fn preload(ours: &Path, theirs: Option<&OsStr>) -> OsString {
    let mut value = OsString::from(ours);
    let entries = theirs.unwrap_or_default().as_bytes().split(|byte| b": ".contains(byte));
    // Under another sigzero ours is there already.
    for entry in entries.filter(|entry| !entry.is_empty() && *entry != ours.as_os_str().as_bytes())
    {
        value.push(":");
        value.push(OsStr::from_bytes(entry));
    }
    value
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_users_own_preload_is_kept_after_ours() {
        let ours = Path::new("/l/libsigzero.so");
        assert_eq!(preload(ours, None), "/l/libsigzero.so");
        assert_eq!(preload(ours, Some("".as_ref())), "/l/libsigzero.so");
        assert_eq!(preload(ours, Some("a.so:b.so".as_ref())), "/l/libsigzero.so:a.so:b.so");
        let twice = "/l/libsigzero.so:a.so";
        assert_eq!(preload(ours, Some(twice.as_ref())), twice);
    }

    #[test]
    fn only_what_is_asked_for_is_set() {
        let mut preload = Preload {
            library: "/l/libsigzero.so".into(),
            mode: Mode::Watch,
            follow: vec![],
            out: None,
            quiet: false,
            hot: None,
            filters: Filters::None,
        };
        let names = |preload: &Preload| -> Vec<_> {
            preload.variables().into_iter().map(|(name, _)| name).collect()
        };
        assert_eq!(names(&preload), ["LD_PRELOAD", "SIGZERO_MODE"]);
        preload.follow = vec!["a*".into(), "b".into()];
        preload.out = Some("/o".into());
        preload.quiet = true;
        preload.hot = Some("0".into());
        preload.filters = Filters::Allow(2);
        assert!(preload.variables().contains(&("SIGZERO_FOLLOW".into(), "a*:b".into())));
        assert!(preload.variables().contains(&("SIGZERO_OUT".into(), "/o".into())));
        assert!(preload.variables().contains(&("SIGZERO_QUIET".into(), "1".into())));
        assert!(preload.variables().contains(&("SIGZERO_HOT".into(), "0".into())));
        assert!(preload.variables().contains(&("SIGZERO_FILTERS".into(), "2".into())));
    }

    #[test]
    fn a_pattern_with_a_colon_is_refused() {
        let error = Preload::new(Mode::Shadow, &["a:b".into()]).unwrap_err();
        assert_eq!(error.exit_code(), 125);
    }
}
