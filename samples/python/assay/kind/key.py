"""A report key in the place of the one before it (docs/spec/key.md)."""

from __future__ import annotations

from typing import Any

from ..wire.canonical_json import canonical_bytes
from ..wire.schema import boolean, hash_hex, hex_of, integer, nullable, object_of, one_of, require

SHAPE = object_of(
    number=integer(1, 65_535),
    cause=one_of("rotation", "recovery"),
    replaces=hex_of(32),
    revoked=boolean,
    key=hex_of(32),
    next_key_sha256=hash_hex,
    recovery_key=nullable(hex_of(32)),
    next_recovery_key_sha256=hash_hex,
    signatures=object_of(old=nullable(hex_of(64)), new=hex_of(64), recovery=nullable(hex_of(64))),
)


def require_key(body: Any, place: str) -> None:
    SHAPE(body, place)
    recovers, signed = body["cause"] == "recovery", body["signatures"]
    require(
        (signed["old"] is None) == recovers, f"{place}.signatures.old", "one exactly of a rotation"
    )
    require(
        (signed["recovery"] is not None) == recovers,
        f"{place}.signatures.recovery",
        "one exactly of a recovery",
    )
    require(
        (body["recovery_key"] is not None) == recovers,
        f"{place}.recovery_key",
        "one exactly of a recovery",
    )


def key_message(log: str, body: dict[str, Any]) -> bytes:
    """What the signatures of a key entry are over."""
    unsigned = {name: each for name, each in body.items() if name != "signatures"}
    return b"assay/key/v1\x00" + bytes.fromhex(log) + canonical_bytes(unsigned)
