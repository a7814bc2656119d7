"""A bundle whose report is stamped: a batch, its OpenTimestamps file, and a block of the development chain."""

from __future__ import annotations

import base64
import hashlib
import struct
from typing import Any

from assay.log.note import Checkpoint, checkpoint_text
from assay.log.tree import inclusion_ranges, leaf_hash, root_of
from assay.ots.proof import MAGIC
from assay.rule.period import time_of
from assay.wire.canonical_json import canonical_bytes

from .forge import Forge

SALT = bytes(range(32))
URI = "http://127.0.0.1:4620"
HEIGHT = 5
STAMPED_AT = "2026-07-30T14:40:00Z"
BIT = bytes.fromhex("0588960d73d71901")
PENDING = bytes.fromhex("83dfe30d2ef90c8e")
APPEND, PREPEND, SHA256 = 0xF0, 0xF1, 0x08


def sha(data: bytes) -> bytes:
    return hashlib.sha256(data).digest()


def varbytes(data: bytes) -> bytes:
    assert len(data) < 0x80
    return bytes([len(data)]) + data


class StampedForge(Forge):
    """`path`, `calendars`, `tree_of` and `merkle_root` are what a dishonest publisher would change."""

    def __init__(self) -> None:
        super().__init__()
        nonce = sha(b"assay/nonce/v1\x00" + SALT + bytes(4))[:16]
        self.path = [(APPEND, nonce), (SHA256, b""), (APPEND, b"\x11" * 32), (SHA256, b"")]
        self.forked = False
        self.listed = [{"uri": URI, "state": "attested"}]
        self.other_kind = b""
        self.block_root: bytes | None = None
        self.block_time = time_of(STAMPED_AT) + 600
        self.anchor: dict[str, Any] = {}
        self.inclusion: list[str] | None = None
        self.following: str | None = None
        self.of_size = 3

    def leaves(self) -> list[bytes]:
        prev, leaves = "0" * 64, []
        for seq, each in enumerate(self.entries[:3]):
            leaves.append(leaf_hash(canonical_bytes({**each, "seq": seq, "prev": prev})))
            prev = leaves[-1].hex()
        return leaves

    def made(self) -> bytes:
        self.signed()
        leaves = self.leaves()
        root = root_of(leaves)
        digest = sha(
            checkpoint_text(Checkpoint("development/vectors", self.of_size, root)).encode()
        )
        tip, path = digest, b""
        for tag, argument in self.path:
            fork = b"\xff\x00" + PENDING + varbytes(varbytes(b"http://a")) if self.forked else b""
            path += fork + bytes([tag]) + (varbytes(argument) if argument else b"")
            tip = sha(tip) if tag == SHA256 else tip + argument if tag == APPEND else argument + tip
            self.forked = False
        salt = b"\x22" * 32
        below = (
            bytes([APPEND])
            + varbytes(salt)
            + bytes([SHA256])
            + b"\x00"
            + BIT
            + varbytes(bytes([HEIGHT]))
        )
        tree = b"\xff\x00" + PENDING + varbytes(varbytes(URI.encode())) + self.other_kind + below
        headers = self.headers(self.block_root or sha(tip + salt))
        body = {
            "batch": 0,
            "issue": 1,
            "from": 0,
            "to": 3,
            "root": root.hex(),
            "salt": SALT.hex(),
            "tip": tip.hex(),
            "stamped_at": STAMPED_AT,
            "proof": sha(tree).hex(),
            "calendars": self.listed,
            "bitcoin": [
                {
                    "height": HEIGHT,
                    "header": headers[:80].hex(),
                    "following": self.following or sha(headers[80:]).hex(),
                }
            ],
            **self.anchor,
        }
        at = "2026-07-30T18:00:00Z"
        self.entries[3:] = [{"v": 1, "at": at, "kind": "anchor/1", "body": body}]
        file = MAGIC + b"\x01\x08" + digest + path + tree
        inclusion = [root_of(leaves[a:b]).hex() for a, b in inclusion_ranges(2, 3)]
        ots = {
            "checkpoint": base64.b64encode(file).decode(),
            "inclusion": self.inclusion or inclusion,
        }
        given = [{"height": HEIGHT, "headers": headers.hex()}]
        self.changes = {"ots": ots, "headers": given, **self.changes}
        return super().made()

    def headers(self, merkle_root: bytes) -> bytes:
        """Seven linked headers with their work, of which every second try is one."""
        prev, found = bytes(32), b""
        for step in range(7):
            root = merkle_root if step == 0 else bytes([step]) * 32
            for nonce in range(1000):
                time = self.block_time + 600 * step
                header = struct.pack("<i32s32sIII", 1, prev, root, time, 0x207FFFFF, nonce)
                hash_ = sha(sha(header))
                if int.from_bytes(hash_, "little") <= 0x7FFFFF << 232:
                    break
            prev, found = hash_, found + header
        return found
