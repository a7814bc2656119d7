//! Keys are checked once, when they are registered, so strictly that every reading of RFC 8032 agrees
//! on their signatures.

use crate::bytes::{Key, equal, u64_at};
use crate::error::{Error, Result, require};
use crate::syscall;

/// The group's prime order less one, little endian.
const ORDER_LESS_ONE: Key = [
    0xec, 0xd3, 0xf5, 0x5c, 0x1a, 0x63, 0x12, 0x58, 0xd6, 0x9c, 0xf7, 0xa2, 0xde, 0xf9, 0xde, 0x14,
    0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0x10,
];

const IDENTITY: Key = {
    let mut point = [0; 32];
    point[0] = 1;
    point
};

/// `BadKey` unless the bytes are the canonical encoding of a point of the prime-order group other than
/// the identity. `(L - 1) P + P` is the identity for no other point: a part of small order stays.
pub fn require_key(key: &Key) -> Result<()> {
    require(has_canonical_y(key) && syscall::is_point(key), Error::BadKey)?;
    let sum = syscall::multiply(&ORDER_LESS_ONE, key).and_then(|point| syscall::add(&point, key));
    require(sum.is_some_and(|sum| equal(&sum, &IDENTITY)), Error::BadKey)
}

/// Whether y, the low 255 bits, is 2 to p - 1, p = 2^255 - 19. The identity has y = 1, and the runtime
/// takes it with either sign; 0 is a point of order 4.
fn has_canonical_y(key: &Key) -> bool {
    let word = |at: usize| u64_at(key, at).unwrap_or(u64::MAX);
    let (low, middle, upper) = (word(0), word(8), word(16));
    let high = word(24) & (u64::MAX >> 1);
    let is_small = high | upper | middle == 0 && low <= 1;
    let is_large =
        high == u64::MAX >> 1 && upper & middle == u64::MAX && low >= u64::MAX - 18;
    !is_small && !is_large
}
