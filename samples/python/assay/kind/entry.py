"""One record of a log (docs/spec/entry.md)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from ..fault import Malformed
from ..log.tree import leaf_hash
from ..wire.canonical_json import read_canonical
from ..wire.schema import hash_hex, integer, object_of, require, text, time

MAX_BYTES = 65_535
MAX_SEQ = 2**53 - 1


def _object(value: Any, place: str) -> None:
    require(isinstance(value, dict), place, "an object")


SHAPE = object_of(
    v=integer(1, 1),
    seq=integer(0, MAX_SEQ),
    prev=hash_hex,
    at=time,
    kind=text(3, 36, "[a-z][a-z-]{0,30}/[1-9][0-9]{0,3}"),
    body=_object,
)


@dataclass(frozen=True)
class Entry:
    """An entry, with the hash that its tree has of it. `at` is a time text; `body` is of the shape of its kind."""

    seq: int
    at: str
    kind: str
    body: dict[str, Any]
    leaf: bytes


def read_entry(data: bytes) -> Entry:
    """The entry in `data`, whose body is not judged here. Raises Malformed."""
    if len(data) > MAX_BYTES:
        raise Malformed("entry", f"at most {MAX_BYTES} bytes")
    value = read_canonical(data, "entry")
    SHAPE(value, "entry")
    return Entry(value["seq"], value["at"], value["kind"], value["body"], leaf_hash(data))
