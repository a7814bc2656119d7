"""Who recounts: a set of co-signers (docs/spec/cosigners.md)."""

from __future__ import annotations

from typing import Any

from ..wire.schema import hex_of, integer, list_of, object_of, require, text

SHAPE = object_of(
    number=integer(0, 65_535),
    threshold=integer(1, 5),
    cosigners=list_of(
        object_of(name=text(1, 64, "[A-Za-z0-9][A-Za-z0-9 ._-]*"), key=hex_of(32)), 1, 8
    ),
)


def require_cosigners(body: Any, place: str) -> None:
    SHAPE(body, place)
    keys = [each["key"] for each in body["cosigners"]]
    names = {each["name"] for each in body["cosigners"]}
    least = body["threshold"]
    require(
        len(keys) < 2 * least and least <= len(keys),
        f"{place}.threshold",
        f"more than half of {len(keys)}",
    )
    require(keys == sorted(set(keys)), f"{place}.cosigners", "ascending keys")
    require(len(names) == len(keys), f"{place}.cosigners", "each name once")
