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


def require_inclusion(leaf: bytes, index: int, size: int, proof: Sequence[str], root: bytes) -> None:
    """Raises Malformed unless `proof`, hashes in hex, leads from the leaf at `index` to `root`."""
    if inclusion_root(leaf, index, size, [bytes.fromhex(each) for each in proof]) != root:
        raise Malformed("proof", "a proof to the root")
