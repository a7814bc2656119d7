"""The sorted lists of an index entry, and what shows a part of one (docs/spec/index.md)."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass
from typing import Any, Sequence

from ..kind.report import STATUSES
from ..wire.schema import require
from .tree import leaf_hash, require_inclusion, root_of

LEAF_BYTES = {"prints": 70, "rules": 68, "keys": 37}
TAGS = {
    "prints": b"assay/index/print/v1\x00",
    "rules": b"assay/index/rule/v1\x00",
    "keys": b"assay/index/key/v1\x00",
}


@dataclass(frozen=True)
class IndexedPrint:
    """A print as an index entry lists it."""

    status: str
    issue: int
    report: str

    @property
    def rank(self) -> int:
        """Its place among the prints of its period."""
        return {"provisional": 0, "corrected": 512}.get(self.status, 256) + self.issue


def period_key(day: int, series: str) -> str:
    """What every leaf of one period of a series begins with, in hex."""
    return (day + 2**31).to_bytes(4, "big").hex() + series


def read_print_leaf(leaf: str) -> IndexedPrint:
    """Raises Malformed for a leaf of no print."""
    status, issue = bytes.fromhex(leaf)[36:38]
    require(1 <= status <= 4, "index leaf", "the leaf of a print")
    return IndexedPrint(STATUSES[status - 1], issue, leaf[76:])


def rule_leaf(series: str, version: int, rule_hash: str) -> str:
    return series + version.to_bytes(4, "big").hex() + rule_hash


def key_leaf(purpose: int, number: int, held: str) -> str:
    return bytes([purpose]).hex() + number.to_bytes(4, "big").hex() + held


def list_root(name: str, leaves: Sequence[str]) -> dict[str, Any]:
    """How many leaves a list has, and its root."""
    hashes = [tagged_leaf(name, each) for each in sorted(leaves)]
    return {"count": len(leaves), "root": root_of(hashes).hex()}


def tagged_leaf(name: str, leaf: str) -> bytes:
    return leaf_hash(TAGS[name] + bytes.fromhex(leaf))


def shown_leaves(name: str, held: dict[str, Any], prefix: str, proof: dict[str, Any]) -> list[str]:
    """All leaves of a list that begin with `prefix`, in their order. Raises Malformed where `proof` does not show them.

    That the list is sorted and whole rests on who made its root.
    """
    count, root = held["count"], bytes.fromhex(held["root"])
    if count == 0:
        empty = proof["first"] == 0 and not proof["leaves"] and root == hashlib.sha256().digest()
        require(empty, "index proof", "no leaf of an empty list")
        return []
    leaves = [each["leaf"] for each in proof["leaves"]]
    for place, each in enumerate(proof["leaves"], proof["first"]):
        require_inclusion(tagged_leaf(name, each["leaf"]), place, count, each["proof"], root)
    found = [each for each in leaves if each.startswith(prefix)]
    below = sum(each < prefix for each in leaves)
    above = len(leaves) - len(found) - below
    require(leaves == sorted(leaves), "index proof", "leaves in their order")
    require(below <= 1 and above <= 1, "index proof", "one neighbour on each side")
    require(
        below == 1 or proof["first"] == 0,
        "index proof",
        "the leaf before, or the first of the list",
    )
    last = proof["first"] + len(leaves) == count
    require(above == 1 or last, "index proof", "the leaf after, or the last of the list")
    return found
