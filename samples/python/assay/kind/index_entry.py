"""What a log holds in all at the end of a day (docs/spec/index.md)."""

from __future__ import annotations

from ..wire.schema import date, hash_hex, integer, object_of
from .entry import MAX_SEQ

root = object_of(count=integer(0, MAX_SEQ), root=hash_hex)
require_index_entry = object_of(
    day=date, size=integer(1, MAX_SEQ), prints=root, keys=root, rules=root, events=root
)
