"""A manifest of one read (docs/spec/snapshot.md)."""

from __future__ import annotations

from typing import Any

from ..rule.request_shape import request
from ..rule.shape import RETAINS
from ..wire.canonical_json import read_canonical
from ..wire.schema import hash_hex, integer, list_of, nullable, object_of, one_of, text

SHAPE = object_of(
    type=one_of("assay-snapshot/1"),
    provider=text(1, 64),
    request=request,
    pages=list_of(
        object_of(
            status=integer(100, 599),
            sha256=hash_hex,
            length=integer(0, 33_554_432),
            content_type=nullable(text(0, 256)),
        ),
        1,
        10_000,
    ),
    extractor=nullable(object_of(name=text(1, 64), version=text(1, 64), text_sha256=hash_hex)),
    retain=one_of(*RETAINS),
)


def read_snapshot(data: bytes) -> dict[str, Any]:
    """The snapshot in `data`. Raises Malformed."""
    value = read_canonical(data, "snapshot")
    SHAPE(value, "snapshot")
    return value
