"""The file of a bundle (docs/spec/bundle.md)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from ..fault import Malformed
from ..kind.anchor import MAX_HEIGHT
from ..kind.entry import MAX_SEQ
from ..log.index_proof import LEAF_BYTES
from ..wire.base64_text import read_base64
from ..wire.canonical_json import read_canonical
from ..wire.schema import (
    base58,
    hash_hex,
    hex_of,
    integer,
    list_of,
    nullable,
    object_of,
    one_of,
    require,
    text,
)

MAX_BYTES = 268_435_456
# Base64 and notes have no commas, so that they bound the values before any is built.
MAX_COMMAS = 100_000
base64_text = text(0, MAX_BYTES)
proof = list_of(hash_hex, 0, 53)
entry = object_of(seq=integer(0, MAX_SEQ), bytes=base64_text, proof=proof)
account = object_of(address=base58, owner=base58, slot=integer(0, MAX_SEQ), data=base64_text)


def index_proof(value: Any, place: str) -> None:
    of = "rules" if isinstance(value, dict) and value.get("of") == "rules" else "prints"
    leaf = object_of(leaf=hex_of(LEAF_BYTES[of]), proof=proof)
    object_of(
        of=one_of(of),
        seq=integer(1, MAX_SEQ),
        first=integer(0, MAX_SEQ),
        leaves=list_of(leaf, 1, 520),
    )(value, place)


SHAPE = object_of(
    type=one_of("assay-bundle/1"),
    genesis=entry,
    entries=list_of(entry, 1, 10_000),
    report=hash_hex,
    print=hex_of(128),
    signatures=list_of(object_of(key=hex_of(32), signature=hex_of(64)), 1, 64),
    statements=list_of(lambda value, place: require(False, place, "an empty section"), 0, 0),
    blobs=list_of(object_of(sha256=hash_hex, bytes=base64_text), 0, 10_000),
    index_proofs=list_of(index_proof, 0, 2),
    checkpoint=text(1, 65_536),
    ots=nullable(object_of(checkpoint=base64_text, inclusion=proof)),
    headers=list_of(object_of(height=integer(0, MAX_HEIGHT), headers=hex_of(7 * 80)), 0, 16),
    account=nullable(object_of(feed=account, page=account)),
)


@dataclass(frozen=True)
class ProvenEntry:
    """An entry's bytes, its place, and its inclusion proof, hashes in hex."""

    seq: int
    data: bytes
    proof: list[str]


@dataclass(frozen=True)
class Bundle:
    """A file of the right shape. Nothing in it is believed yet. `raw` is the whole of it as JSON."""

    raw: dict[str, Any]
    genesis: ProvenEntry
    entries: tuple[ProvenEntry, ...]
    blobs: dict[str, bytes]


def read_bundle(data: bytes) -> Bundle:
    """The bundle in `data`. Raises Malformed."""
    if len(data) > MAX_BYTES:
        raise Malformed("bundle", f"at most {MAX_BYTES} bytes")
    if data.count(b",") > MAX_COMMAS:
        raise Malformed("bundle", f"at most {MAX_COMMAS} commas")
    raw = read_canonical(data, "bundle")
    SHAPE(raw, "bundle")
    require(raw["genesis"]["seq"] == 0, "genesis.seq", "0")
    entries = tuple(_proven(each, f"entries[{i}]") for i, each in enumerate(raw["entries"]))
    seqs = [0, *(each.seq for each in entries)]
    heights = [each["height"] for each in raw["headers"]]
    names = [each["sha256"] for each in raw["blobs"]]
    kinds = [each["of"] for each in raw["index_proofs"]]
    require(seqs == sorted(set(seqs)), "entries", "ascending by seq")
    require(raw["ots"] is not None or not heights, "headers", "none without a proof")
    require(heights == sorted(set(heights)), "headers", "ascending by height")
    require(names == sorted(set(names)), "blobs", "ascending by hash")
    require(
        kinds == ["prints", "rules"][: len(kinds)], "index_proofs", "prints, and rules behind it"
    )
    blobs = {
        each["sha256"]: read_base64(each["bytes"], f"blobs[{i}].bytes")
        for i, each in enumerate(raw["blobs"])
    }
    if raw["ots"] is not None:
        read_base64(raw["ots"]["checkpoint"], "ots.checkpoint")
    for name, each in (raw["account"] or {}).items():
        read_base64(each["data"], f"account.{name}.data")
    return Bundle(raw, _proven(raw["genesis"], "genesis"), entries, blobs)


def _proven(value: dict[str, Any], place: str) -> ProvenEntry:
    return ProvenEntry(value["seq"], read_base64(value["bytes"], f"{place}.bytes"), value["proof"])
