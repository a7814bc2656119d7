"""What a log has to do with Bitcoin: the newest block, and batches of stamps (docs/spec/anchor.md)."""

from __future__ import annotations

from typing import Any

from ..wire.schema import hash_hex, hex_of, integer, list_of, object_of, one_of, require, text, time
from .entry import MAX_SEQ

MAX_HEIGHT = 2**32 - 1

require_beacon = object_of(height=integer(0, MAX_HEIGHT), header=hex_of(80))
SHAPE = object_of(
    batch=integer(0, MAX_SEQ),
    issue=integer(0, 65_535),
    **{"from": integer(0, MAX_SEQ)},
    to=integer(1, MAX_SEQ),
    root=hash_hex,
    salt=hex_of(32),
    tip=hash_hex,
    stamped_at=time,
    proof=hash_hex,
    calendars=list_of(
        object_of(
            uri=text(1, 1000, "[A-Za-z0-9._/:-]+"), state=one_of("pending", "attested", "expired")
        ),
        1,
        16,
    ),
    bitcoin=list_of(
        object_of(height=integer(0, MAX_HEIGHT), header=hex_of(80), following=hash_hex), 0, 16
    ),
)


def require_anchor(body: Any, place: str) -> None:
    SHAPE(body, place)
    uris = [each["uri"] for each in body["calendars"]]
    heights = [each["height"] for each in body["bitcoin"]]
    attested = any(each["state"] == "attested" for each in body["calendars"])
    require(body["from"] < body["to"], f"{place}.from", "less than to")
    require(uris == sorted(set(uris)), f"{place}.calendars", "ascending addresses")
    require(heights == sorted(set(heights)), f"{place}.bitcoin", "ascending heights")
    require(
        attested == bool(heights),
        f"{place}.bitcoin",
        "blocks exactly where a calendar has attested",
    )
    require(body["issue"] > 0 or not attested, f"{place}.issue", "a pending batch first")
