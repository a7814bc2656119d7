"""The Merkle tree of RFC 6962 over the bytes of entries (docs/spec/tree.md)."""

from __future__ import annotations

import hashlib
from typing import Sequence

from ..fault import Malformed


def leaf_hash(data: bytes) -> bytes:
    return hashlib.sha256(b"\x00" + data).digest()


def node_hash(left: bytes, right: bytes) -> bytes:
    return hashlib.sha256(b"\x01" + left + right).digest()


def root_of(leaves: Sequence[bytes]) -> bytes:
    """The root over leaf hashes: pairs from the left, and an odd one moves up."""
    level = list(leaves)
    while len(level) > 1:
        pairs = [node_hash(level[i], level[i + 1]) for i in range(0, len(level) - 1, 2)]
        level = pairs + (level[-1:] if len(level) % 2 else [])
    return level[0] if level else hashlib.sha256().digest()


def inclusion_root(leaf: bytes, index: int, size: int, proof: Sequence[bytes]) -> bytes:
    """The root that an inclusion proof leads to (RFC 9162, section 2.1.3.2). Raises Malformed for another length."""
    if not 0 <= index < size:
        raise Malformed("proof", f"a place below {size}")
    at, last, found = index, size - 1, leaf
    for each in proof:
        if last == 0:
            raise Malformed("proof", "fewer hashes")
        if at % 2 or at == last:
            found = node_hash(each, found)
            while at % 2 == 0 and at:
                at, last = at >> 1, last >> 1
        else:
            found = node_hash(found, each)
        at, last = at >> 1, last >> 1
    if last != 0:
        raise Malformed("proof", "more hashes")
    return found


def require_inclusion(
    leaf: bytes, index: int, size: int, proof: Sequence[str], root: bytes
) -> None:
    """Raises Malformed unless `proof`, hashes in hex, leads from the leaf at `index` to `root`."""
    if inclusion_root(leaf, index, size, [bytes.fromhex(each) for each in proof]) != root:
        raise Malformed("proof", "a proof to the root")


Range = tuple[int, int]


def split_point(count: int) -> int:
    """The largest power of two below `count`."""
    return 1 << ((count - 1).bit_length() - 1)


def inclusion_ranges(index: int, size: int) -> list[Range]:
    """The ranges of leaves beside the path from a leaf to the root, leaf side first (RFC 6962, section 2.1.1)."""
    start, end, path = 0, size, []
    while end - start > 1:
        middle = start + split_point(end - start)
        if index < middle:
            path.append((middle, end))
            end = middle
        else:
            path.append((start, middle))
            start = middle
    return path[::-1]


def consistency_ranges(old: int, new: int) -> list[Range]:
    """The ranges that show that the tree of `new` begins with that of `old` (RFC 6962, section 2.1.2)."""
    start, end, path, whole = 0, new, [], True
    while old != end:
        middle = start + split_point(end - start)
        if old <= middle:
            path.append((middle, end))
            end = middle
        else:
            path.append((start, middle))
            start, whole = middle, False
    return path[::-1] if whole else [(start, end), *path[::-1]]


def consistency_roots(
    old: int, old_root: bytes, new: int, proof: Sequence[bytes]
) -> tuple[bytes, bytes]:
    """The roots of both trees that a consistency proof leads to (RFC 9162, section 2.1.4.2), for 0 < old < new.

    Raises Malformed for a proof of another length.
    """
    at, last, rest = old - 1, new - 1, list(proof)
    while at % 2:
        at, last = at >> 1, last >> 1
    if at and not rest:
        raise Malformed("proof", "more hashes")
    first = rest.pop(0) if at else old_root
    found_old = found_new = first
    for each in rest:
        if last == 0:
            raise Malformed("proof", "fewer hashes")
        if at % 2 or at == last:
            found_old, found_new = node_hash(each, found_old), node_hash(each, found_new)
            while at % 2 == 0 and at:
                at, last = at >> 1, last >> 1
        else:
            found_new = node_hash(found_new, each)
        at, last = at >> 1, last >> 1
    if last != 0:
        raise Malformed("proof", "more hashes")
    return found_old, found_new
