//! Bounds-checked little-endian readers and writers. `None` is: not inside.

pub type Key = [u8; 32];

#[inline(always)]
pub fn array_at<const N: usize>(bytes: &[u8], at: usize) -> Option<&[u8; N]> {
    bytes.get(at..)?.first_chunk::<N>()
}

#[inline(always)]
pub fn array_at_mut<const N: usize>(bytes: &mut [u8], at: usize) -> Option<&mut [u8; N]> {
    bytes.get_mut(at..)?.first_chunk_mut::<N>()
}

#[inline(always)]
pub fn u16_at(bytes: &[u8], at: usize) -> Option<u16> {
    Some(u16::from_le_bytes(*array_at(bytes, at)?))
}

#[inline(always)]
pub fn u32_at(bytes: &[u8], at: usize) -> Option<u32> {
    Some(u32::from_le_bytes(*array_at(bytes, at)?))
}

#[inline(always)]
pub fn i32_at(bytes: &[u8], at: usize) -> Option<i32> {
    Some(i32::from_le_bytes(*array_at(bytes, at)?))
}

#[inline(always)]
pub fn u64_at(bytes: &[u8], at: usize) -> Option<u64> {
    Some(u64::from_le_bytes(*array_at(bytes, at)?))
}

#[inline(always)]
pub fn i64_at(bytes: &[u8], at: usize) -> Option<i64> {
    Some(i64::from_le_bytes(*array_at(bytes, at)?))
}

/// Writes `value` at `at`, whole or not at all.
#[inline(always)]
pub fn put<const N: usize>(bytes: &mut [u8], at: usize, value: &[u8; N]) -> Option<()> {
    *array_at_mut(bytes, at)? = *value;
    Some(())
}

/// Equality in four words: cheaper on this machine than a call of memcmp.
#[inline(always)]
pub fn equal(a: &Key, b: &Key) -> bool {
    let word = |key: &Key, at: usize| u64_at(key, at);
    word(a, 0) == word(b, 0)
        && word(a, 8) == word(b, 8)
        && word(a, 16) == word(b, 16)
        && word(a, 24) == word(b, 24)
}
