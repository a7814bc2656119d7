"""Signatures, canonical JSON, notes, trees and kinds of entries, by the vectors of the repository."""

from __future__ import annotations

import hashlib
import unittest
from typing import Any, Callable

from assay.chain.address import feed_address
from assay.ed25519 import is_signature
from assay.fault import Malformed
from assay.kind.cosigners import require_cosigners
from assay.kind.key import key_message, require_key
from assay.kind.print_entry import require_print_entry
from assay.kind.report import print_message, require_print, require_report
from assay.kind.snapshot import read_snapshot
from assay.kind.statement import (
    require_cosign,
    require_dissent,
    require_statement,
    statement_message,
)
from assay.log.index_proof import shown_leaves, tagged_leaf
from assay.log.note import read_checkpoint, read_note, read_note_key
from assay.log.tree import require_inclusion
from assay.round.decision import NEVER, Clocks, decide
from assay.rule.custody import copy_differs
from assay.rule.paging import demand_whole
from assay.rule.period import time_of
from assay.rule.shape import require_rule
from assay.rule.step_shape import step
from assay.rule.stop import Stop
from assay.wire.base58_text import base58_text, read_base58
from assay.wire.canonical_json import address, read_canonical

from .vectors import load


class VectorTest(unittest.TestCase):
    def refuses(self, check: Callable[..., Any], *given: Any) -> None:
        with self.assertRaises(Malformed, msg=str(given)[:200]):
            check(*given)

    def test_signatures(self) -> None:
        for each in load("ed25519/profile.json"):
            key, message, signature = (
                bytes.fromhex(each[name]) for name in ("public_key", "message", "signature")
            )
            self.assertEqual(is_signature(key, message, signature), each["accepted"], each["name"])

    def test_canonical_json(self) -> None:
        for each in load("wire/accepted.json"):
            read_canonical(bytes_of(each), "vector")
        for each in load("wire/refused.json"):
            self.refuses(read_canonical, bytes_of(each), each["name"])

    def test_kinds(self) -> None:
        cases: tuple[tuple[str, str, Any, int], ...] = (
            ("report/reports.json", "report", require_report, 1),
            ("key/keys.json", "body", require_key, 0),
            ("cosigners/sets.json", "set", require_cosigners, 0),
            ("statement/statements.json", "statement", require_statement, 0),
            ("print-entry/entries.json", "body", require_print_entry, 0),
        )
        for name, member, check, base in cases:
            good = load(name)
            for each in good:
                check(each[member], each["name"])
            for each in load(f"{name.split('/')[0]}/refused.json"):
                of = next((one for one in good if one["name"] == each.get("of")), good[base])
                self.refuses(check, {**of[member], **each["change"]}, each["name"])

    def test_statements_in_entries(self) -> None:
        checks = {"cosign/1": require_cosign, "dissent/1": require_dissent}
        for each in load("cosign/words.json"):
            checks[each["kind"]](each["body"], each["name"])
        for each in load("cosign/refused.json"):
            self.refuses(checks[each["kind"]], each["body"], each["name"])

    def test_rules_and_steps(self) -> None:
        for each in load("rule/rules.json"):
            require_rule(each["rule"], "rule")
        for each in load("rule/refused-steps.json"):
            self.refuses(step, each["step"], each["name"])

    def test_prints(self) -> None:
        for each in load("print/prints.json"):
            message = print_message(each["report"])
            self.assertEqual(message.hex(), each["print"], each["name"])
            self.assertEqual(require_print(message, "print")[0], address(each["report"]))
        for each in load("print/refused.json"):
            self.refuses(require_print, bytes.fromhex(each["hex"]), each["name"])

    def test_messages(self) -> None:
        for each in load("statement/statements.json"):
            digest = hashlib.sha256(statement_message(each["statement"])).hexdigest()
            self.assertEqual(digest, each["message_sha256"], each["name"])
        for each in load("key/keys.json"):
            self.assertEqual(
                key_message(each["log"], each["body"]).hex(), each["message"], each["name"]
            )

    def test_snapshots(self) -> None:
        for each in load("snapshot/snapshots.json"):
            self.assertEqual(
                read_snapshot(each["canonical"].encode()), each["snapshot"], each["name"]
            )

    def test_notes(self) -> None:
        keys = load("note/keys.json")
        for each in keys["accepted"]:
            self.assertEqual(read_note_key(each["vkey"]).public_key.hex(), each["public_key"])
        for each in keys["refused"]:
            self.refuses(read_note_key, each["vkey"])
        for each in load("note/signed.json"):
            key, note = read_note_key(each["vkey"]), read_note(each["note"].encode())
            good = is_signature(key.public_key, note.text.encode(), note.lines[0].signature)
            self.assertEqual((note.text, good), (each["text"], True))
        for each in load("note/refused.json"):
            self.refuses(read_note, bytes_of(each))

    def test_decisions(self) -> None:
        for each in load("decision/decisions.json"):
            clocks = each["clocks"]
            given = decide(
                {"providers": each["providers"], "aggregate": each["aggregate"]},
                each["reads"],
                time_of(each["published_at"]),
                Clocks(
                    release=time_of(clocks["release"]),
                    frozen=time_of(clocks["frozen"]) if clocks["frozen"] else NEVER,
                    first_print=time_of(clocks["first_print"]),
                    deadline=time_of(clocks["deadline"]),
                ),
                each["open"],
                False,
            )
            found = (given.status, given.reason, text(given.value), text(given.dispersion))
            gives = each["gives"] or {"status": "wait", "reason": None}
            expected = tuple(
                gives.get(name) for name in ("status", "reason", "value", "dispersion")
            )
            self.assertEqual(found, expected, each["name"])

    def test_lists_of_pages(self) -> None:
        for each in load("paging/lists.json"):
            provider = {"request": {"paging": each["paging"]}}
            pages = [page.encode() for page in each["pages"]]
            try:
                demand_whole({"period": "utc_day"}, provider, pages, 0)
                found = "ok"
            except Stop as stop:
                found = str(stop.reason)
            self.assertEqual(found, each["gives"], each["name"])

    def test_copies(self) -> None:
        for each in load("custody/copies.json"):
            found = copy_differs(each["record"], each["copy"])
            self.assertEqual(found, each["differs"], each["name"])

    def test_checkpoints(self) -> None:
        vectors = load("checkpoint/checkpoints.json")
        for each in vectors["accepted"]:
            found = read_checkpoint(each["text"])
            self.assertEqual(
                (found.origin, found.size, found.root.hex()),
                (each["origin"], each["size"], each["root"]),
            )
        for each in vectors["refused"]:
            self.refuses(read_checkpoint, each["text"])

    def test_inclusion(self) -> None:
        tree = load("tree/rfc6962.json")
        for each in tree["inclusion"]:
            leaf = bytes.fromhex(tree["leaf_hashes"][each["index"]])
            root = bytes.fromhex(tree["roots"][each["size"]])
            given = each["index"], each["size"]
            require_inclusion(leaf, *given, each["proof"], root)
            self.refuses(require_inclusion, leaf, *given, each["proof"] + ["0" * 64], root)
            self.refuses(require_inclusion, bytes(32), *given, each["proof"], root)
            if each["proof"]:
                self.refuses(require_inclusion, leaf, *given, each["proof"][:-1], root)
                self.refuses(
                    require_inclusion, leaf, *given, each["proof"][::-1][1:] + ["0" * 64], root
                )

    def test_index_proofs(self) -> None:
        vectors = load("index/index.json")
        for each in vectors["leaves"]:
            if each["list"] != "events":
                self.assertEqual(tagged_leaf(each["list"], each["leaf"]).hex(), each["hash"])
        for each in vectors["proofs"]:
            given = "prints", each["prints"], each["prefix"], each["proof"]
            if each["shows"] is None:
                self.refuses(shown_leaves, *given)
            else:
                self.assertEqual(shown_leaves(*given), each["shows"], each["name"])

    def test_addresses(self) -> None:
        for each in load("chain/addresses.json"):
            program = read_base58(each["program"], 32)
            assert program is not None
            if each["of"] == "feed":
                found = feed_address(program, bytes.fromhex(each["genesis"]), each["ticker"])
                self.assertEqual(base58_text(found), each["address"])


def text(value: int | None) -> str | None:
    return None if value is None else str(value)


def bytes_of(vector: dict[str, Any]) -> bytes:
    return bytes.fromhex(vector["hex"]) if "hex" in vector else vector["text"].encode("utf-8")


if __name__ == "__main__":
    unittest.main()
