// SPDX-License-Identifier: MIT
//! Which run of a pair goes first.

use crate::behaviour::Side;

/// Random, but balanced: of each two pairs in a row, one begins with either side, so that neither
/// a drift of the machine nor a habit of its caches favours one.
pub fn first_sides(pairs: usize, mut coin: impl FnMut() -> bool) -> Vec<Side> {
    let mut sides = Vec::with_capacity(pairs + 1);
    while sides.len() < pairs {
        let two = [Side::Without, Side::With];
        let (a, b) = if coin() { (two[0], two[1]) } else { (two[1], two[0]) };
        sides.extend([a, b]);
    }
    sides.truncate(pairs);
    sides
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn both_sides_begin_equally_often() {
        let sides = first_sides(100, fastrand::bool);
        assert_eq!(sides.iter().filter(|s| **s == Side::With).count(), 50);
        assert_eq!(first_sides(7, || true).len(), 7);
    }

    #[test]
    fn the_order_is_the_coins() {
        assert_eq!(first_sides(2, || true), [Side::Without, Side::With]);
        assert_eq!(first_sides(2, || false), [Side::With, Side::Without]);
    }
}
