"""What a log says of the chain (docs/spec/print-entry.md)."""

from __future__ import annotations

from typing import Any

from ..wire.schema import (
    base58,
    date,
    hash_hex,
    hex_of,
    integer,
    list_of,
    nullable,
    object_of,
    one_of,
    require,
    text,
    ticker,
)
from .entry import MAX_SEQ

SHAPE = object_of(
    of=one_of("print", "close"),
    ticker=ticker,
    period=date,
    digest=hash_hex,
    feed=base58,
    account=base58,
    transaction=nullable(text(64, 88, "[1-9A-HJ-NP-Za-km-z]+")),
    slot=integer(0, MAX_SEQ),
    cosigners=list_of(hex_of(32), 0, 8),
)


def require_print_entry(body: Any, place: str) -> None:
    SHAPE(body, place)
    keys = body["cosigners"]
    require(keys == sorted(set(keys)), f"{place}.cosigners", "ascending keys")
    require(body["of"] == "print" or not keys, f"{place}.cosigners", "none of a Close")
