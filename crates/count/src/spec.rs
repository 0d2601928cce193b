// SPDX-License-Identifier: MIT
//! What to run.

use std::ffi::{CString, OsStr, OsString};
use std::io;
use std::os::fd::OwnedFd;
use std::os::unix::ffi::OsStrExt;

/// A command with the changes to its environment and its standard streams.
#[derive(Debug, Default)]
pub struct Spec {
    /// Looked up in `PATH` when it has no slash.
    pub program: OsString,
    /// What the program is told its name is; `program` when `None`.
    pub name: Option<OsString>,
    pub args: Vec<OsString>,
    /// Set to the value, or removed when there is none.
    pub env: Vec<(OsString, Option<OsString>)>,
    /// Inherited when `None`.
    pub stdin: Option<OwnedFd>,
    pub stdout: Option<OwnedFd>,
    pub stderr: Option<OwnedFd>,
    /// Told the command's pid before it starts, to pass signals on to it.
    pub on_start: Option<fn(libc::pid_t)>,
    /// Told the command's pid when it has stopped, where that is seen.
    pub on_stop: Option<fn(libc::pid_t)>,
    /// Gives back in the child what our process changed of what it inherited: async-signal-safe.
    /// The default is SIGPIPE, which is no more ignored.
    pub restore: Option<fn()>,
}

impl Spec {
    pub fn new(program: impl Into<OsString>) -> Self {
        Spec { program: program.into(), ..Spec::default() }
    }

    pub fn args<A: Into<OsString>>(mut self, args: impl IntoIterator<Item = A>) -> Self {
        self.args.extend(args.into_iter().map(Into::into));
        self
    }

    pub fn env(mut self, changes: impl IntoIterator<Item = (OsString, Option<OsString>)>) -> Self {
        self.env.extend(changes);
        self
    }

    pub(crate) fn started(&self, pid: libc::pid_t) {
        if let Some(tell) = self.on_start {
            tell(pid);
        }
    }

    pub(crate) fn file(&self) -> io::Result<CString> {
        c_string(&self.program)
    }

    pub(crate) fn argv(&self) -> io::Result<Vec<CString>> {
        let name = self.name.as_ref().unwrap_or(&self.program);
        std::iter::once(name).chain(&self.args).map(|a| c_string(a)).collect()
    }

    pub(crate) fn envp(&self) -> io::Result<Vec<CString>> {
        let changed = |name: &OsStr| self.env.iter().any(|(n, _)| n == name);
        let kept = std::env::vars_os().filter(|(n, _)| !changed(n));
        let set = self.env.iter().filter_map(|(n, v)| Some((n.clone(), v.clone()?)));
        kept.chain(set).map(|(n, v)| c_variable(&n, &v)).collect()
    }
}

fn c_variable(name: &OsStr, value: &OsStr) -> io::Result<CString> {
    let mut variable = name.to_owned();
    variable.push("=");
    variable.push(value);
    c_string(&variable)
}

fn c_string(s: &OsStr) -> io::Result<CString> {
    CString::new(s.as_bytes()).map_err(|_| io::ErrorKind::InvalidInput.into())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn environment_is_changed_as_told() {
        // SAFETY: no other thread of this test reads the environment while it is set.
        unsafe { std::env::set_var("SIGZERO_TEST_KEPT", "1") };
        let spec = Spec::new("true")
            .env([("PATH".into(), None), ("SIGZERO_TEST_SET".into(), Some("a=b".into()))]);
        let envp = spec.envp().unwrap();
        assert!(envp.contains(&c"SIGZERO_TEST_KEPT=1".to_owned()));
        assert!(envp.contains(&c"SIGZERO_TEST_SET=a=b".to_owned()));
        assert!(!envp.iter().any(|v| v.as_bytes().starts_with(b"PATH=")));
    }

    #[test]
    fn a_zero_byte_is_refused() {
        let spec = Spec::new("true").args(["a\0b"]);
        assert_eq!(spec.argv().unwrap_err().kind(), io::ErrorKind::InvalidInput);
    }
}
