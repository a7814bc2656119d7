"""A publisher that holds every key of the sample log, and signs what it likes.

The keys are those of RFC 8032, section 7.1, which everybody has: nothing of value may ever depend on them.
"""

from __future__ import annotations

import base64
import copy
import hashlib
import json
from typing import Any

from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey

from assay.kind.report import print_message
from assay.log.note import Checkpoint, checkpoint_text, read_note_key
from assay.log.tree import inclusion_ranges, leaf_hash, root_of
from assay.wire.canonical_json import address, canonical_bytes, sha256

from .vectors import load, vkey_of

REPORT_KEY = bytes.fromhex("9d61b19deffd5a60ba844af492ec2cc44449c5697b326919703bac031cae7f60")
CHECKPOINT_KEY = bytes.fromhex("f5e5767cf153319517630f226876b86c8160cc583bc013744c6bf255f5cc0ee5")
PLAIN: dict[str, Any] = load("bundle/bundles.json")[0]["bundle"]
VKEY = vkey_of(PLAIN)
CHECKPOINT_PUBLIC = read_note_key(VKEY).public_key.hex()


def sign(secret: bytes, message: bytes) -> bytes:
    return Ed25519PrivateKey.from_private_bytes(secret).sign(message)


class Forge:
    """The bundle of the vectors, taken apart. `made` puts it together again, hashed and signed as an honest one is."""

    def __init__(self) -> None:
        proven = [PLAIN["genesis"], *PLAIN["entries"]]
        self.entries = [json.loads(base64.b64decode(each["bytes"])) for each in proven]
        self.blobs = {each["sha256"]: base64.b64decode(each["bytes"]) for each in PLAIN["blobs"]}
        self.secret = REPORT_KEY
        self.changes: dict[str, Any] = {}

    @property
    def rule(self) -> dict[str, Any]:
        return self.entries[1]["body"]["rule"]

    @property
    def report(self) -> dict[str, Any]:
        return self.entries[2]["body"]["report"]

    def read(self, provider: str) -> dict[str, Any]:
        return next(each for each in self.report["reads"] if each["provider"] == provider)

    def keep(self, data: bytes) -> str:
        name = sha256(data)
        self.blobs[name] = data
        return name

    def page(self, provider: str, change: Any) -> None:
        """Changes the one page of a read, and the manifest with it."""
        read = self.read(provider)
        snapshot = json.loads(self.blobs.pop(read["snapshot"]))
        page = snapshot["pages"][0]
        data = change(self.blobs.pop(page["sha256"]))
        page["sha256"], page["length"] = self.keep(data), len(data)
        read["snapshot"] = self.keep(canonical_bytes(snapshot))

    def signed(self) -> dict[str, Any]:
        """The report as its rule and its log are now, signed."""
        self.report["rule"]["hash"] = address(self.rule)
        message = print_message(self.report)
        self.entries[2]["body"]["signature"] = sign(self.secret, message).hex()
        return {"print": message.hex(), "report": address(self.report)}

    def made(self) -> bytes:
        parts = self.signed()
        data = []
        prev = "0" * 64
        for seq, each in enumerate(self.entries):
            data.append(canonical_bytes({**each, "seq": seq, "prev": prev}))
            prev = leaf_hash(data[-1]).hex()
        leaves = [leaf_hash(each) for each in data]
        size = len(leaves)
        text = checkpoint_text(Checkpoint("development/vectors", size, root_of(leaves)))
        line = bytes.fromhex(read_note_key(VKEY).key_id) + sign(CHECKPOINT_KEY, text.encode())
        proven = [
            {
                "seq": seq,
                "bytes": base64.b64encode(each).decode(),
                "proof": [root_of(leaves[a:b]).hex() for a, b in inclusion_ranges(seq, size)],
            }
            for seq, each in enumerate(data)
        ]
        key = PLAIN["signatures"][0]["key"]
        bundle = {
            **copy.deepcopy(PLAIN),
            **parts,
            "genesis": proven[0],
            "entries": proven[1:],
            "signatures": [{"key": key, "signature": self.entries[2]["body"]["signature"]}],
            "blobs": [
                {"sha256": name, "bytes": base64.b64encode(self.blobs[name]).decode()}
                for name in sorted(self.blobs)
            ],
            "checkpoint": f"{text}\n\u2014 development/vectors {base64.b64encode(line).decode()}\n",
            **self.changes,
        }
        return canonical_bytes(bundle)


def salted(text: str) -> str:
    return hashlib.sha256(text.encode()).hexdigest()
