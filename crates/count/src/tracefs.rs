// SPDX-License-Identifier: MIT
//! The numbers of the kernel's system call tracepoints.

use std::ffi::CString;
use std::fs::File;
use std::io::{self, Read};
use std::os::fd::{AsRawFd, FromRawFd, OwnedFd};

use crate::calls::CALLS;

const MOUNT_POINTS: [&str; 2] = ["/sys/kernel/tracing", "/sys/kernel/debug/tracing"];

/// Tracepoint numbers in the order of [`CALLS`].
pub fn entry_tracepoints() -> io::Result<Vec<u64>> {
    let mut result = Err(io::ErrorKind::NotFound.into());
    for root in MOUNT_POINTS {
        result = CALLS.iter().map(|c| mounted_id(root, c.name)).collect();
        if result.is_ok() {
            return result;
        }
    }
    // tracefs is often not mounted. A detached mount reads it without changing what others see.
    match detached_mount() {
        Ok(root) => CALLS.iter().map(|c| detached_id(&root, c.name)).collect(),
        Err(_) => result,
    }
}

fn id_path(name: &str) -> String {
    format!("events/syscalls/sys_enter_{name}/id")
}

fn mounted_id(root: &str, name: &str) -> io::Result<u64> {
    parse_id(File::open(format!("{root}/{}", id_path(name)))?)
}

fn detached_id(root: &OwnedFd, name: &str) -> io::Result<u64> {
    let path = CString::new(id_path(name))?;
    let flags = libc::O_RDONLY | libc::O_CLOEXEC;
    // SAFETY: a live path.
    let fd = unsafe { libc::openat(root.as_raw_fd(), path.as_ptr(), flags) };
    parse_id(owned(i64::from(fd))?.into())
}

fn parse_id(mut file: File) -> io::Result<u64> {
    let mut text = String::new();
    file.read_to_string(&mut text)?;
    text.trim().parse().map_err(io::Error::other)
}

const FSCONFIG_CMD_CREATE: libc::c_uint = 6;

fn detached_mount() -> io::Result<OwnedFd> {
    let none = std::ptr::null::<u8>();
    // SAFETY: live strings and null pointers where the call takes none.
    unsafe {
        let context = owned(libc::syscall(libc::SYS_fsopen, c"tracefs".as_ptr(), 1))?;
        let fd = context.as_raw_fd();
        if libc::syscall(libc::SYS_fsconfig, fd, FSCONFIG_CMD_CREATE, none, none, 0) != 0 {
            return Err(io::Error::last_os_error());
        }
        owned(libc::syscall(libc::SYS_fsmount, fd, 1, 0))
    }
}

fn owned(fd: i64) -> io::Result<OwnedFd> {
    match fd {
        0.. => Ok(unsafe { OwnedFd::from_raw_fd(fd as i32) }),
        _ => Err(io::Error::last_os_error()),
    }
}
