// SPDX-License-Identifier: MIT
//! What the kernel side and this side have in common: bpf/layout.h, in Rust.

pub const MAX_DEPTH: usize = 128;
pub const MAX_KINDS: usize = 16;
pub const FILE_SHIFT: u32 = 48;
pub const FILE_NONE: u32 = 0;
pub const FILE_VDSO: u32 = 1;
/// File numbers have 16 bits.
pub const FILES: usize = 1 << 16;
pub const CODE_CHANGES: u8 = 127;
pub const FOREIGN: u8 = 128;

pub const STEP_FRAME: u8 = 0;
pub const STEP_DEREF: u8 = 1;
pub const STEP_SIGNAL: u8 = 2;
pub const STEP_END: u8 = 3;
pub const STEP_COPY: u8 = 4;

pub const BASE_SP: u8 = 0;
pub const BASE_BP: u8 = 1;
pub const BASE_BX: u8 = 2;

/// Structures that the kernel reads and writes as bytes.
///
/// # Safety
/// Every pattern of bits must be a value, and there must be no padding.
pub unsafe trait Plain: Copy + Default {
    fn bytes(&self) -> &[u8] {
        // SAFETY: without padding all bytes are initialized.
        unsafe { std::slice::from_raw_parts(std::ptr::from_ref(self).cast(), size_of::<Self>()) }
    }

    /// `None` if there are too few bytes.
    fn from_bytes(bytes: &[u8]) -> Option<Self> {
        // SAFETY: the read is in bounds, and every pattern of bits is a value.
        (bytes.len() >= size_of::<Self>())
            .then(|| unsafe { std::ptr::read_unaligned(bytes.as_ptr().cast()) })
    }
}

/// Structures of integers without padding, each [`Plain`].
#[macro_export]
macro_rules! plain {
    ($($(#[$doc:meta])* struct $name:ident { $($field:ident: $type:ty),* $(,)? })*) => {$(
        $(#[$doc])*
        #[repr(C)]
        #[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
        pub struct $name { $(pub $field: $type),* }
        // SAFETY: integers only; a test compares the size with the sum of the fields.
        unsafe impl $crate::layout::Plain for $name {}
    )*};
}

plain! {
    /// How to get from a frame to its caller's.
    struct Rule { cfa: i32, add: i32, bp: i16, bx: i16, step: u8, base: u8, guess: u8, unused: u8 }
    struct FileKey { inode: u64, device: u64 }
    struct AddressKey { at: u64, image: u32, generation: u32 }
    struct Known { place: u64, rule: Rule }
    struct TallyKey { stack: u64, image: u32, call: u8, kind: u8, reach: u8, guess: u8 }
    struct Image {
        inode: u64, device: u64, start: u64, process: u32, parent: u32, name: [u8; 16],
    }
    struct Registers {
        r15: u64, r14: u64, r13: u64, r12: u64, bp: u64, bx: u64, r11: u64, r10: u64, r9: u64,
        r8: u64, ax: u64, cx: u64, dx: u64, si: u64, di: u64, orig_ax: u64, ip: u64, cs: u64,
        flags: u64, sp: u64, ss: u64,
    }
    /// The start of a sample; `length` bytes of the stack follow.
    struct SampleHead {
        time: u64, process: u32, image: u32, generation: u32, length: u32, call: u8, kind: u8,
        unused: [u8; 6], registers: Registers,
    }
    struct Meter {
        calls: u64, timed: u64, nanoseconds: u64, foreign: u64, copies: u64, copies_lost: u64,
        last: TallyKey, pending: u64,
    }
    struct Number { value: u32 }
    struct Number64 { value: u64 }
}

/// A text as the kernel keeps it: up to the first NUL.
pub fn text(bytes: &[u8]) -> String {
    let length = bytes.iter().position(|byte| *byte == 0).unwrap_or(bytes.len());
    String::from_utf8_lossy(&bytes[..length]).into_owned()
}

/// A place in code: which file, and where in it.
pub fn place(file: u32, offset: u64) -> u64 {
    (u64::from(file) << FILE_SHIFT) | (offset & ((1 << FILE_SHIFT) - 1))
}

pub fn file_of(place: u64) -> u32 {
    (place >> FILE_SHIFT) as u32
}

pub fn offset_of(place: u64) -> u64 {
    place & ((1 << FILE_SHIFT) - 1)
}

/// The kernel's number of a device.
pub fn device(major: u32, minor: u32) -> u64 {
    (u64::from(major) << 20) | u64::from(minor)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn there_is_no_padding() {
        assert_eq!(size_of::<Rule>(), 4 + 4 + 2 + 2 + 4);
        assert_eq!(size_of::<Known>(), 24);
        assert_eq!(size_of::<TallyKey>(), 16);
        assert_eq!(size_of::<Image>(), 48);
        assert_eq!(size_of::<Meter>(), 9 * 8);
        assert_eq!(size_of::<SampleHead>(), 8 + 16 + 8 + 21 * 8);
    }

    #[test]
    fn a_place_gives_back_what_it_was_made_of() {
        let made = place(77, 0x1234_5678);
        assert_eq!((file_of(made), offset_of(made)), (77, 0x1234_5678));
    }
}
