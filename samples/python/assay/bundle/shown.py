"""What a bundle shows of a log: its entries in their order, its keys and its co-signer sets."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass, field
from typing import Any

from ..ed25519 import is_signature, is_torsion_free
from ..fault import Fault
from ..kind.entry import Entry
from ..kind.key import key_message
from ..log.index_proof import key_leaf, list_root
from ..log.note import read_note_key
from ..rule.period import time_of, time_text
from ..wire.canonical_json import address

SET_DELAY_S = 604_800


def place_of(entry: Entry) -> str:
    return f"bundle entry {entry.seq}"


def hash_of_key(key: str) -> str:
    return hashlib.sha256(bytes.fromhex(key)).hexdigest()


@dataclass(frozen=True)
class ReportKey:
    """A report key of the log. It signs what comes after entry `seq`, up to the entry that ends it."""

    number: int
    key: str
    seq: int
    revokes: bool
    next_sha256: str
    recovery_sha256: str
    recovery_key: str | None


@dataclass(frozen=True)
class CosignerSet:
    """A set of co-signers. `members` maps a key to its operator's name; `effective_at` is a time text."""

    number: int
    threshold: int
    members: dict[str, str]
    seq: int
    effective_at: str
    hash: str


@dataclass
class Shown:
    """The keys and sets that the entries so far have brought, each checked against those before it."""

    log: str
    genesis: dict[str, Any]
    keys: list[ReportKey] = field(default_factory=list)
    sets: list[CosignerSet] = field(default_factory=list)

    def __post_init__(self) -> None:
        genesis = self.genesis
        first = ReportKey(
            number=0,
            key=genesis["report_key"],
            seq=0,
            revokes=False,
            next_sha256=genesis["next_report_key_sha256"],
            recovery_sha256=genesis["recovery_key_sha256"],
            recovery_key=None,
        )
        self.keys.append(first)
        self.checkpoint_key = read_note_key(genesis["checkpoint_vkey"]).public_key.hex()

    def key_before(self, seq: int) -> ReportKey:
        """The report key that signs entry `seq`."""
        return [each for each in self.keys if each.number == 0 or each.seq < seq][-1]

    def add_key(self, entry: Entry) -> None:
        """Checks a `key/1` entry (docs/spec/key.md, What must hold)."""
        body, now, place = entry.body, self.keys[-1], place_of(entry)
        rotates = body["cause"] == "rotation"
        key, next_key, after = (
            hash_of_key(body["key"]),
            body["next_key_sha256"],
            body["next_recovery_key_sha256"],
        )
        named = {hash_of_key(each) for each in self._named()}
        if body["recovery_key"] is not None:
            named.add(hash_of_key(body["recovery_key"]))
        committed = {each.recovery_sha256 for each in self.keys}
        taken = named | committed
        shown = None if rotates else hash_of_key(body["recovery_key"])
        demands = (
            ("number", body["number"] == now.number + 1),
            ("replaces", body["replaces"] == now.key),
            ("key", not rotates or key == now.next_sha256),
            ("recovery_key", rotates or shown == now.recovery_sha256),
            (
                "next_recovery_key_sha256",
                after == now.recovery_sha256 if rotates else after not in taken,
            ),
            ("key", key not in taken and key != after),
            ("next_key_sha256", next_key not in taken and next_key not in (key, after)),
        )
        for member, holds in demands:
            if not holds:
                raise Fault(
                    "key_not_allowed", f"{place}/{member}", "a key that may come next", body[member]
                )
        signers = {"old": body["replaces"], "new": body["key"], "recovery": body["recovery_key"]}
        for each in (body["key"], body["recovery_key"]):
            if each is not None and not is_torsion_free(bytes.fromhex(each)):
                raise Fault(
                    "key_not_allowed", place, "an Ed25519 key of the prime-order group", each
                )
        message = key_message(self.log, body)
        for name, signature in body["signatures"].items():
            if signature is None:
                continue
            if not is_signature(bytes.fromhex(signers[name]), message, bytes.fromhex(signature)):
                raise Fault(
                    "key_bad_signature",
                    f"{place}/signatures/{name}",
                    f"a signature by {signers[name]}",
                )
        self.keys.append(
            ReportKey(
                body["number"],
                body["key"],
                entry.seq,
                body["revoked"],
                next_key,
                after,
                body["recovery_key"],
            )
        )

    def _named(self) -> list[str]:
        """Every key with a role of its own so far: the publisher's, and those of all co-signers."""
        return [*self._publisher(), *(key for each in self.sets for key in each.members)]

    def _publisher(self) -> list[str]:
        shown = [each.recovery_key for each in self.keys if each.recovery_key is not None]
        return [*(each.key for each in self.keys), *shown, self.checkpoint_key]

    def add_set(self, entry: Entry) -> None:
        """Checks a `cosigners/1` entry (docs/spec/cosigners.md, Set)."""
        body, place = entry.body, place_of(entry)
        last = self.sets[-1] if self.sets else None
        number = 0 if last is None else last.number + 1
        promised = {
            hash_ for each in self.keys for hash_ in (each.next_sha256, each.recovery_sha256)
        }
        own = set(self._publisher())
        keys = [each["key"] for each in body["cosigners"]]

        def refuse(expected: str, found: object) -> Fault:
            return Fault("cosigners_not_allowed", place, expected, found)

        if body["number"] != number:
            raise refuse(f"set {number}", body["number"])
        if last is not None and entry.at < last.effective_at:
            raise refuse(f"set {last.number} in force first", last.effective_at)
        if any(key in own or hash_of_key(key) in promised for key in keys):
            raise refuse("co-signers other than the publisher", "one of its keys")
        if body["threshold"] < self.genesis["policies"]["cosigners_required"]:
            raise refuse("a threshold of the policy's at least", body["threshold"])
        for key in keys:
            if not is_torsion_free(bytes.fromhex(key)):
                raise refuse("an Ed25519 key of the prime-order group", key)
        effective = entry.at if number == 0 else time_text(time_of(entry.at) + SET_DELAY_S)
        members = {each["key"]: each["name"] for each in body["cosigners"]}
        self.sets.append(
            CosignerSet(number, body["threshold"], members, entry.seq, effective, address(body))
        )

    def set_at(self, at: str, before: float = float("inf")) -> CosignerSet | None:
        """The newest set that is in force at a time, of those in entries before `before`."""
        fits = [each for each in self.sets if each.seq < before and each.effective_at <= at]
        return fits[-1] if fits else None

    def set_of(self, name: str | None) -> CosignerSet | None:
        return next((each for each in self.sets if each.hash == name), None)

    def cosigners_at(self, at: str) -> dict[str, Any]:
        """What a report that is published at a time names as its co-signers."""
        found = self.set_at(at)
        if found is not None:
            return {"set": found.hash, "required": found.threshold}
        return {"set": None, "required": self.genesis["policies"]["cosigners_required"]}

    def keys_root(self, size: int) -> dict[str, Any]:
        """The list of keys of the first `size` entries, as an index entry has it."""
        vkey = self.genesis["checkpoint_vkey"].encode("utf-8")
        leaves = [key_leaf(2, 0, hashlib.sha256(vkey).hexdigest())]
        for place, each in enumerate(self.keys):
            if each.seq >= size:
                break
            held = {1: each.key, 3: each.next_sha256, 4: each.recovery_sha256}
            leaves += [key_leaf(purpose, each.number, value) for purpose, value in held.items()]
            after = self.keys[place + 1] if place + 1 < len(self.keys) else None
            if after is not None and after.revokes and after.seq < size:
                leaves.append(key_leaf(5, each.number, each.key))
        return list_root("keys", leaves)
