"""Entry 0: the keys of a log, and what was promised before the first number (docs/spec/entry.md, genesis/1)."""

from __future__ import annotations

from typing import Any

from ..wire.schema import (
    base58,
    hash_hex,
    hex_of,
    integer,
    nullable,
    object_of,
    one_of,
    require,
    text,
)

SHAPE = object_of(
    origin=text(1, 128, "[a-z0-9][a-z0-9./-]*"),
    network=one_of("development", "production"),
    report_key=hex_of(32),
    checkpoint_vkey=text(1, 256),
    next_report_key_sha256=hash_hex,
    recovery_key_sha256=hash_hex,
    chain=nullable(text(1, 64, "[a-z0-9-]{3,8}:[A-Za-z0-9_-]{1,32}")),
    program=nullable(base58),
    policies=object_of(
        cosigners_required=integer(0, 64),
        witnesses_required=integer(0, 64),
        witness_max_age_s=integer(0, 31_622_400),
    ),
)


def require_genesis(body: Any, place: str) -> None:
    SHAPE(body, place)
    developed = body["origin"].startswith("development/")
    require(
        developed == (body["network"] == "development"),
        f"{place}.network",
        "the one that the origin says",
    )
