"""A block's header and those that follow it, at a height that is claimed (docs/spec/bitcoin.md, A run).

The table of epochs, which says what the main chain asked for up to height 832,607, is not here. A run that begins there is
not judged: `is_judged` says so.
"""

from __future__ import annotations

import hashlib
import struct
from dataclasses import dataclass

from ..fault import Malformed
from .work import EPOCH_HEADERS, EPOCH_SECONDS, compact_of, retarget, target_of

HEADER_BYTES = 80
AHEAD_S = 7200


@dataclass(frozen=True)
class Network:
    """A chain of headers. `limit` are the easiest bits, for good where they do not change."""

    name: str
    genesis: str
    limit: int
    retargets: bool


@dataclass(frozen=True)
class TableEnd:
    """The last header that the table knows."""

    height: int
    id: str
    first_time: int
    last_time: int
    bits: int


ROOT = "3ba3edfd7a7b12b27ac72c3e67768f617fc81bc3888a51323a9fb8aa4b1e5e4a"
START = "01000000" + "00" * 32 + ROOT
BITCOIN = Network("bitcoin", START + "29ab5f49ffff001d1dac2b7c", 0x1D00FFFF, True)
DEVELOPMENT = Network("development", START + "dae5494dffff7f2002000000", 0x207FFFFF, False)
TABLE_END = TableEnd(
    height=832_607,
    id="000000000000000000010e2bc83838d1b9479b88341e4d0033dff524d16d5ef5",
    first_time=1_708_008_110,
    last_time=1_709_253_900,
    bits=0x170371B1,
)


@dataclass(frozen=True)
class Block:
    """A block whose headers hold together. `time` is in unix seconds; `id` as explorers show it."""

    height: int
    id: str
    time: int
    merkle_root: bytes


def header_hash(header: bytes) -> bytes:
    """In internal order."""
    return hashlib.sha256(hashlib.sha256(header).digest()).digest()


def is_judged(network: Network, height: int) -> bool:
    """Whether what follows says all of a run that the pages ask for."""
    return network.name != "bitcoin" or height > TABLE_END.height


def read_run(network: Network, height: int, headers: bytes) -> Block:
    """The first block of headers that claim to begin at `height`. Raises Malformed where they do not hold together."""
    if not headers or len(headers) % HEADER_BYTES:
        raise Malformed(f"height {height}", "headers of 80 bytes")
    walk = Walk(network, height)
    for at in range(0, len(headers), HEADER_BYTES):
        walk.step(headers[at : at + HEADER_BYTES])
    first = headers[:HEADER_BYTES]
    return Block(
        height, header_hash(first)[::-1].hex(), struct.unpack_from("<I", first, 68)[0], first[36:68]
    )


class Walk:
    """One pass over headers, each checked against those before it and the facts of the network."""

    def __init__(self, network: Network, height: int):
        self.network, self.height = network, height
        self.hash: bytes | None = bytes(32) if height == 0 else None
        self.bits: int | None = None
        self.first_time: int | None = None
        self.times: list[int] = []
        self.time = 0
        if network.retargets and height == TABLE_END.height + 1:
            self.hash = bytes.fromhex(TABLE_END.id)[::-1]
            self.bits, self.first_time, self.time = (
                TABLE_END.bits,
                TABLE_END.first_time,
                TABLE_END.last_time,
            )

    def require(self, holds: bool, expected: str) -> None:
        if not holds:
            raise Malformed(f"height {self.height}", expected)

    def step(self, header: bytes) -> None:
        time, bits = struct.unpack_from("<II", header, 68)
        if self.height == 0:
            self.require(
                header.hex() == self.network.genesis, f"the first header of {self.network.name}"
            )
        self.require(self.hash in (None, header[4:36]), "a link to the header before")
        if bits != self.bits or self.height % EPOCH_HEADERS == 0:
            self.require_bits(bits)
            self.bits = bits
            if self.height % EPOCH_HEADERS == 0:
                self.first_time = time
        self.require_time(time)
        target, hash_ = target_of(bits), header_hash(header)
        self.require(
            target is not None and int.from_bytes(hash_, "little") <= target,
            "an id that meets its target",
        )
        self.hash, self.time, self.height = hash_, time, self.height + 1

    def require_time(self, time: int) -> None:
        """After the median of the 11 before it; a median of fewer counts only right after the first header."""
        if self.network.retargets and self.height > TABLE_END.height:
            self.require(time >= TABLE_END.last_time - AHEAD_S, "a time after the end of the table")
        before = sorted(self.times[-11:])
        if before and (len(before) == 11 or len(before) == self.height):
            self.require(time > before[len(before) // 2], "a time after the median of those before")
        self.times.append(time)

    def require_bits(self, bits: int) -> None:
        limit, before = self.network.limit, self.bits
        if not self.network.retargets:
            self.require(bits == limit, "bits that never change")
        elif before is not None and self.height % EPOCH_HEADERS:
            self.require(bits == before, "the bits of its epoch")
        elif before is not None and self.first_time is not None:
            self.require(
                bits == retarget(before, self.time - self.first_time, limit),
                "bits as the epoch before took",
            )
        else:
            self.require_range(bits, before)

    def require_range(self, bits: int, before: int | None) -> None:
        """The header that the bits follow from is not known: at most four times easier or harder than those before."""
        limit, hardest = self.network.limit, 1
        if before is not None:
            easiest = retarget(before, 4 * EPOCH_SECONDS, limit)
            hardest = target_of(retarget(before, EPOCH_SECONDS // 4, limit)) or 1
        else:
            easiest = easiest_after_table(self.height, limit)
        target, most = target_of(bits), target_of(easiest) or 0
        self.require(
            target is not None and compact_of(target) == bits, "bits in the one form of a target"
        )
        self.require(
            target is not None and hardest <= target <= most, "bits that an epoch may have"
        )


def easiest_after_table(height: int, limit: int) -> int:
    """The easiest bits that an epoch after the table can have: every one before it took four times too long."""
    if height <= TABLE_END.height:
        return limit
    bits = TABLE_END.bits
    for _ in range((height - TABLE_END.height - 1) // EPOCH_HEADERS + 1):
        if bits == limit:
            break
        bits = retarget(bits, 4 * EPOCH_SECONDS, limit)
    return bits
