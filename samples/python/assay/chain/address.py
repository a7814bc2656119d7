"""Addresses of the accounts in which prints are on chain (docs/spec/chain.md)."""

from __future__ import annotations

import hashlib
from typing import Any

from ..ed25519 import is_on_curve
from ..rule.period import civil
from ..wire.base58_text import read_base58

MARK = b"ProgramDerivedAddress"
PERIODS_OF_PAGE = 32


def program_bytes(genesis: dict[str, Any]) -> bytes | None:
    """The log's program, or None where it names none or no address."""
    return None if genesis["program"] is None else read_base58(genesis["program"], 32)


def program_address(program: bytes, *seeds: bytes) -> bytes:
    """The first hash of the seeds, with a bump counted down from 255, that is no point of the curve."""
    for bump in range(255, -1, -1):
        found = hashlib.sha256(b"".join(seeds) + bytes([bump]) + program + MARK).digest()
        if not is_on_curve(found):
            return found
    raise ValueError("an address without a bump")


def feed_address(program: bytes, genesis_key: bytes, ticker: str) -> bytes:
    return program_address(
        program, b"series", genesis_key, ticker.encode("ascii").ljust(16, b"\x00")
    )


def page_address(program: bytes, feed: bytes, index: int) -> bytes:
    return program_address(program, b"page", feed, index.to_bytes(4, "little"))


def ordinal_of(kind: str, day: int) -> int:
    """The number of a period of its kind, without gaps, from 0 on."""
    if kind == "utc_day":
        return day
    if kind == "week_ending_saturday":
        return (day - 2) // 7
    year, month, _ = civil(day)
    return 12 * (year - 1970) + month - 1
