// SPDX-License-Identifier: MIT
//! Where and when: what a measurement is worth nothing without.

use std::ffi::CStr;
use std::fs;
use std::mem;

use serde::{Deserialize, Serialize};

#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct Machine {
    pub processor: String,
    pub processors: usize,
    pub kernel: String,
    pub system: String,
    pub libc: String,
}

impl Machine {
    pub fn here() -> Self {
        Machine {
            processor: processor().unwrap_or_else(|| std::env::consts::ARCH.into()),
            processors: std::thread::available_parallelism().map_or(1, |n| n.get()),
            kernel: kernel(),
            system: system().unwrap_or_else(|| "unknown".into()),
            libc: libc_version(),
        }
    }
}

/// Now, in UTC, to the second.
pub fn date() -> String {
    jiff::Timestamp::now().strftime("%Y-%m-%dT%H:%M:%SZ").to_string()
}

fn processor() -> Option<String> {
    let info = fs::read_to_string("/proc/cpuinfo").ok()?;
    let name = info.lines().find_map(|line| line.strip_prefix("model name"))?;
    Some(name.trim_start_matches([' ', '\t', ':']).to_owned())
}

fn kernel() -> String {
    // SAFETY: uname fills in the structure with terminated strings.
    unsafe {
        let mut names: libc::utsname = mem::zeroed();
        libc::uname(&mut names);
        let text =
            |field: &[libc::c_char]| CStr::from_ptr(field.as_ptr()).to_string_lossy().into_owned();
        format!("{} {} {}", text(&names.sysname), text(&names.release), text(&names.machine))
    }
}

fn system() -> Option<String> {
    let release = fs::read_to_string("/etc/os-release").ok()?;
    let name = release.lines().find_map(|line| line.strip_prefix("PRETTY_NAME="))?;
    Some(name.trim_matches('"').to_owned())
}

#[cfg(target_env = "gnu")]
fn libc_version() -> String {
    // SAFETY: a constant string of the C library.
    let version = unsafe { CStr::from_ptr(libc::gnu_get_libc_version()) };
    format!("glibc {}", version.to_string_lossy())
}

#[cfg(not(target_env = "gnu"))]
fn libc_version() -> String {
    "unknown".into()
}
