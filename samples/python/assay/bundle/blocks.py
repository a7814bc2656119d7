"""The blocks between which a report was written, as far as a bundle shows them (docs/spec/bundle.md, docs/spec/anchor.md).

That a block is Bitcoin's needs headers from elsewhere, which this module does not take: of a production log it is named as
not checked. A development log has blocks that cost nothing and prove nothing.
"""

from __future__ import annotations

import hashlib
from dataclasses import dataclass
from typing import Any

from ..answer import NotChecked
from ..bitcoin.run import AHEAD_S, BITCOIN, DEVELOPMENT, Block, is_judged, read_run
from ..fault import Fault, Malformed
from ..kind.entry import Entry
from ..log.note import Checkpoint, checkpoint_text
from ..log.tree import require_inclusion
from ..ots.proof import (
    APPEND,
    MAGIC,
    SHA256,
    Proof,
    Tree,
    applied,
    calendars_of,
    evaluate,
    read_proof,
)
from ..rule.period import time_of
from ..wire.base64_text import read_base64
from .contents import Contents
from .shown import place_of

MAX_REORGANISED = 6


@dataclass
class Blocks:
    """Checks what a bundle says of blocks. `judged` becomes False with a block that only the table of epochs can judge."""

    raw: dict[str, Any]
    contents: Contents
    origin: str
    network: str
    not_checked: list[NotChecked]
    judged: bool = True

    def check(self) -> bool:
        """Whether everything that the pages ask of the blocks was checked. Raises Fault where one does not hold."""
        before = self.before()
        blocks = self.stamp()
        report = self.contents.report
        for block in blocks:
            self.refute("recorded", report.at, block)
            self.refute("published", report.body["report"]["published_at"], block)
        if before is not None and blocks:
            self.require_order(before, blocks[0])
        if self.raw["ots"] is None:
            self.name("before which block the report was written", "no stamp is in the bundle")
        elif not blocks:
            self.name("that a block holds the stamp of the report", "calendars have promised one")
        if (before is not None or blocks) and self.network == "production":
            self.name(
                "that the blocks named are Bitcoin's",
                "headers would show it: assay verify --headers takes them",
            )
        return self.judged

    def name(self, subject: str, why: str) -> None:
        self.not_checked.append(NotChecked(subject, why))

    def block(self, height: int, headers: bytes, code: str, place: str) -> Block:
        network = BITCOIN if self.network == "production" else DEVELOPMENT
        if not is_judged(network, height):
            self.judged = False
            self.name(
                f"the work of block {height}",
                "this module does not have the table of epochs; assay verify does",
            )
        try:
            return read_run(network, height, headers)
        except Malformed as error:
            raise Fault(code, place, "linked headers with their work", error) from None

    def before(self) -> Block | None:
        """The block that the report names as the newest known, of the one beacon among the entries."""
        beacons, report = self.contents.of_kind("beacon/1"), self.contents.report.body["report"]
        after = report["after"]
        if not beacons:
            if after is not None:
                raise Fault(
                    "bundle_incomplete", "bundle", f"the beacon of block {after['hash']}", "none"
                )
            return None
        if after is None or len(beacons) > 1 or beacons[0].seq >= self.contents.report.seq:
            raise Fault(
                "bundle_malformed",
                "bundle",
                "the one beacon that the report names, before it",
                "another",
            )
        entry = beacons[0]
        header = bytes.fromhex(entry.body["header"])
        block = self.block(entry.body["height"], header, "beacon_invalid", place_of(entry))
        if after != {"height": block.height, "hash": block.id}:
            raise Fault(
                "report_not_reproduced", "report/after", f"{block.height} {block.id}", after
            )
        for how, at in (("recorded", entry.at), ("published", report["published_at"])):
            if self.network == "development" and time_of(at) < block.time - AHEAD_S:
                raise Fault(
                    "time_refuted",
                    place_of(entry),
                    f"{how} at most 2 hours before block {block.height}",
                    at,
                )
        return block

    def refute(self, how: str, at: str, block: Block) -> None:
        """A time may not be over two hours after a block that holds it, where something vouches for the block."""
        if self.network == "development" and time_of(at) > block.time + AHEAD_S:
            raise Fault(
                "time_refuted", "report", f"{how} at most 2 hours after block {block.height}", at
            )

    def require_order(self, before: Block, holds: Block) -> None:
        if holds.height <= before.height - MAX_REORGANISED:
            raise Fault(
                "anchor_proof_invalid",
                "bundle ots",
                f"a block above {before.height}",
                f"height {holds.height}",
            )
        if holds.height <= before.height:
            self.name("which of two blocks the chain has", "a reorganisation took one of them back")

    def stamp(self) -> list[Block]:
        """The blocks that hold the stamp of the batch which covers the report, lowest first."""
        ots, anchors = self.raw["ots"], self.contents.of_kind("anchor/1")
        if len(anchors) > (ots is not None):
            raise Fault(
                "bundle_malformed",
                place_of(anchors[-1]),
                "the one batch whose stamp it has",
                "another",
            )
        if ots is None:
            return []
        if not anchors:
            raise Fault("bundle_incomplete", "bundle", "the batch that covers its report", "none")
        entry, report = anchors[0], self.contents.report
        body = entry.body
        if (
            not body["from"] <= report.seq < body["to"] <= entry.seq
            or body["stamped_at"] < report.at
        ):
            expected = f"a batch of entry {report.seq}, stamped after {report.at}"
            raise Fault(
                "anchor_not_reproduced",
                place_of(entry),
                expected,
                f"{body['from']} to {body['to']}",
            )
        tree = self.tree(entry, ots)
        messages = self.attested(body, tree)
        headers = self.headers(body)
        blocks = []
        for each in body["bitcoin"]:
            place = f"bundle block {each['height']}"
            block = self.block(each["height"], headers[each["height"]], "header_invalid", place)
            if any(message != block.merkle_root for message in messages[block.height]):
                raise Fault(
                    "anchor_proof_invalid",
                    place,
                    f"Merkle root {block.merkle_root.hex()}",
                    "another",
                )
            self.refute("stamped", body["stamped_at"], block)
            blocks.append(block)
        return blocks

    def tree(self, entry: Entry, ots: dict[str, Any]) -> Tree:
        """The tree over the batch's tip: behind the path of its first leaf, and the one that the batch names."""
        body, report = entry.body, self.contents.report
        root = bytes.fromhex(body["root"])
        data = read_base64(ots["checkpoint"], "ots.checkpoint")
        digest = hashlib.sha256(
            checkpoint_text(Checkpoint(self.origin, body["to"], root)).encode("utf-8")
        ).digest()
        try:
            require_inclusion(report.leaf, report.seq, body["to"], ots["inclusion"], root)
            proof = read_proof(data)
            if proof.digest != digest:
                raise Malformed("proof", f"a proof of the checkpoint {digest.hex()}")
            tree, start = behind_path(
                proof, bytes.fromhex(body["salt"]), bytes.fromhex(body["tip"])
            )
        except Malformed as error:
            raise Fault(
                "anchor_proof_invalid",
                "bundle ots",
                "a proof from the report to the timestamp",
                error,
            ) from None
        if hashlib.sha256(data[start:]).hexdigest() != body["proof"]:
            raise Fault(
                "anchor_proof_invalid", "bundle ots", f"the timestamp {body['proof']}", "another"
            )
        return tree

    def attested(self, body: dict[str, Any], tree: Tree) -> dict[int, list[bytes]]:
        """The messages that are claimed to be a block's Merkle root, by height, as the batch lists them."""
        messages: dict[int, list[bytes]] = {}
        others = []
        for each, message in evaluate(tree, bytes.fromhex(body["tip"])):
            if each.kind == "bitcoin":
                messages.setdefault(each.height, []).append(message)
            elif each.kind != "pending":
                others.append(each.kind)
        listed = {each["uri"]: each["state"] == "attested" for each in body["calendars"]}
        heights = [each["height"] for each in body["bitcoin"]]
        if listed != calendars_of(tree) or heights != sorted(messages) or others:
            expected = "exactly the calendars and the blocks that the batch lists"
            raise Fault(
                "anchor_proof_invalid", "bundle ots", expected, f"blocks {sorted(messages)}"
            )
        return messages

    def headers(self, body: dict[str, Any]) -> dict[int, bytes]:
        """The seven headers of each block of the batch, no more and no less."""
        given = {each["height"]: bytes.fromhex(each["headers"]) for each in self.raw["headers"]}
        for each in body["bitcoin"]:
            place, found = f"bundle block {each['height']}", given.get(each["height"])
            if found is None:
                raise Fault(
                    "bundle_incomplete", place, "its header and the six that follow", "none"
                )
            if found[:80].hex() != each["header"]:
                raise Fault("anchor_proof_invalid", place, each["header"], found[:80].hex())
            if hashlib.sha256(found[80:]).hexdigest() != each["following"]:
                raise Fault("header_invalid", place, each["following"], "others")
        unlisted = given.keys() - {each["height"] for each in body["bitcoin"]}
        if unlisted:
            raise Fault(
                "bundle_malformed",
                f"bundle headers {min(unlisted)}",
                "a block that the batch names",
                "another",
            )
        return given


def behind_path(proof: Proof, salt: bytes, tip: bytes) -> tuple[Tree, int]:
    """The tree behind the path of a batch's first leaf, and the byte at which it begins. Raises Malformed.

    The path appends nonce 0 of the salt, and then 32 bytes in turn with SHA-256, without a fork, to the tip.
    """
    nonce = hashlib.sha256(b"assay/nonce/v1\x00" + salt + bytes(4)).digest()[:16]
    node, message, at, place = proof.tree, proof.digest, len(MAGIC) + 34, 0
    while True:
        if node.attestations or len(node.steps) != 1:
            raise Malformed("proof", "the path of the batch's first leaf to its tip")
        tag, argument, node = node.steps[0]
        hashed = place % 2 == 1
        fits = hashed or (argument == nonce if place == 0 else len(argument) == 32)
        if tag != (SHA256 if hashed else APPEND) or not fits:
            raise Malformed("proof", "the path of the batch's first leaf to its tip")
        message = applied(tag, argument, message)
        at += 1 if hashed else 2 + len(argument)
        place += 1
        if hashed and message == tip:
            return node, at
