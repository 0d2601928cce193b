// SPDX-License-Identifier: MIT
//! What the kernel side and this side have in common: bpf/queue_layout.h, in Rust.

use sigzero_bpf::plain;

pub const DEPTHS: usize = 16;

plain! {
    struct Sums {
        cache: u64, slab: u64, unsure: u64, real_cache: u64, real_slab: u64, kept: u64,
        dropped: u64, timer: u64, without: u64, ignored: u64, pending: u64, no_room: u64,
        refused: u64,
    }
    struct Slot {
        sums: Sums, start: u64, oldest: u64, live: u32, filled: u32, deepest: u32, process: u32,
        thread: u32, unused: u32, name: [u8; 16],
    }
    struct LinkKey { sender: [u8; 16], target: [u8; 16], signal: u32, origin: u32 }
    struct Link { signals: u64, cache: u64, slab: u64 }
    struct User { most: u64, limit: u64, nearest: u64, refused: u64 }
    struct Totals {
        sums: Sums, signals: u64, timed: u64, nanoseconds: u64, deep: u64, unplaced: u64,
        links_lost: u64, ended_lost: u64, depths: [u64; DEPTHS],
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn there_is_no_padding() {
        assert_eq!(size_of::<Sums>(), 13 * 8);
        assert_eq!(size_of::<Slot>(), 13 * 8 + 2 * 8 + 6 * 4 + 16);
        assert_eq!(size_of::<LinkKey>(), 16 + 16 + 8);
        assert_eq!(size_of::<Totals>(), (13 + 7 + DEPTHS) * 8);
    }
}
