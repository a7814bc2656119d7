"""Compact bits, targets and retargets (docs/spec/bitcoin.md, Header; Bitcoin Core, arith_uint256.cpp and pow.cpp)."""

from __future__ import annotations

EPOCH_HEADERS = 2016
EPOCH_SECONDS = 1_209_600


def target_of(bits: int) -> int | None:
    """The target of compact bits, or None for zero, a negative one, and one over 256 bits."""
    size, word = bits >> 24, bits & 0x7FFFFF
    target = word >> 8 * (3 - size) if size <= 3 else word << 8 * (size - 3)
    return None if target == 0 or bits & 0x800000 or target >= 1 << 256 else target


def compact_of(target: int) -> int:
    """The compact form of a target, with everything after its first three bytes cut."""
    size = (target.bit_length() + 7) // 8
    word = target << 8 * (3 - size) if size <= 3 else target >> 8 * (size - 3)
    if word > 0x7FFFFF:
        word, size = word >> 8, size + 1
    return size << 24 | word


def retarget(bits: int, took: int, limit: int) -> int:
    """The bits of the next epoch, after one that took so many seconds; never easier than `limit`."""
    old, easiest = target_of(bits), target_of(limit)
    assert old is not None and easiest is not None
    clamped = min(max(took, EPOCH_SECONDS // 4), 4 * EPOCH_SECONDS)
    return compact_of(min(old * clamped // EPOCH_SECONDS, easiest))
