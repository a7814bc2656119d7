"""Bundles of a publisher that holds every key and lies, with the code that each has to be refused with.

python -m tests.hostile     prints them, a line of JSON each: {"name", "key", "bundle": base64, "code"}
"""

from __future__ import annotations

import base64
import json
from typing import Any, Callable, Iterator

from assay.wire.canonical_json import canonical_bytes

from .forge import CHECKPOINT_PUBLIC, VKEY, Forge, salted
from .indexed import IndexedForge
from .stamped import APPEND, PREPEND, StampedForge

LITECOIN = bytes.fromhex("ff0006869a0d73d71b450105")
Lie = Callable[[Forge], Any]


def value(of: Forge, text: str) -> None:
    of.report["value"] = text
    for each in ("press", "table"):
        of.read(each)["value"] = text


def claims(of: Forge) -> None:
    """A number that no page has."""
    value(of, "219000")


def one_page(of: Forge) -> None:
    """The page of one source says something else, and the report does not."""
    of.page("table", lambda data: data.replace(b"218000", b"219000"))


def two_numbers(of: Forge) -> None:
    """The two sources differ, and the report says that they agree."""
    of.page("table", lambda data: data.replace(b"218000", b"219000"))
    of.read("table")["value"] = "219000"


def other_request(of: Forge) -> None:
    """A page of another address."""
    read = of.read("press")
    snapshot = json.loads(of.blobs.pop(read["snapshot"]))
    snapshot["request"]["url"] = "http://127.0.0.1:4610/another"
    read["snapshot"] = of.keep(canonical_bytes(snapshot))


def times(of: Forge, published: str, at: str) -> None:
    of.report["published_at"] = published
    of.entries[2]["at"] = at


def outcome(of: Forge) -> None:
    """One source is said to have failed, and a quorum of two is said to be there."""
    of.read("table").update(outcome="unreachable", value=None)


def withheld_page(of: Forge) -> None:
    del of.blobs[json.loads(of.blobs[of.read("press")["snapshot"]])["pages"][0]["sha256"]]


def rule(of: Forge, **change: Any) -> None:
    of.rule.update(change)


def quorum(of: Forge) -> None:
    """A rule with less than it should ask for, beside the hash of the honest one."""
    honest = of.report["rule"]["hash"]
    of.rule["aggregate"]["quorum"] = 1
    of.signed = lambda made=of.signed: {**made(), "report": salted(honest)}  # type: ignore[method-assign]


def slug(of: Forge) -> None:
    of.rule["slug"] = "cpi"


def late_version(of: IndexedForge) -> None:
    of.second["at"] = "2026-08-06T12:30:00Z"
    of.indexed_at = "2026-08-07T00:05:00Z"


def not_allowed(of: Forge) -> None:
    of.rule["rights"]["settlement"] = "no"


def extra(of: Forge) -> None:
    of.entries.append(
        {"v": 1, "at": of.entries[2]["at"], "kind": "note/1", "body": {"text": "and more"}}
    )


def beacon(of: Forge) -> None:
    of.report["after"] = {"height": 800_000, "hash": salted("a block")}


def genesis(of: Forge, **change: Any) -> None:
    of.entries[0]["body"].update(change)


def first_entry(of: Forge) -> None:
    of.entries[0].update(kind="note/1", body={"text": "there is no log"})


HOSTILE: tuple[tuple[str, Lie, str], ...] = (
    ("a number that no page has", claims, "read_differs"),
    ("a page that says something else", one_page, "read_differs"),
    ("two sources that differ", two_numbers, "report_not_reproduced"),
    ("a page of another address", other_request, "request_differs"),
    (
        "a final inside the freeze window",
        lambda of: times(of, "2026-07-30T13:00:00Z", "2026-07-30T13:00:00Z"),
        "report_not_reproduced",
    ),
    (
        "a final that is dated back",
        lambda of: times(of, "2026-07-30T14:30:00Z", "2026-07-30T16:30:00Z"),
        "report_times",
    ),
    (
        "a report recorded before it was published",
        lambda of: times(of, "2026-07-30T14:30:00Z", "2026-07-30T14:29:00Z"),
        "report_times",
    ),
    ("a quorum with a source that failed", outcome, "report_not_reproduced"),
    ("a page that is not there", withheld_page, "blob_missing"),
    ("a page that nothing needs", lambda of: of.keep(b"more"), "bundle_malformed"),
    ("a rule with another quorum", quorum, "bundle_incomplete"),
    ("a rule with the name of another index", slug, "rule_not_allowed"),
    ("a settlement that the terms do not allow", not_allowed, "report_not_reproduced"),
    (
        "a production rule on a development log",
        lambda of: rule(of, network="production"),
        "rule_not_allowed",
    ),
    (
        "a rule that came after the release",
        lambda of: of.entries[1].update(at="2026-07-30T12:30:00Z"),
        "rule_mismatch",
    ),
    (
        "entries that go back in time",
        lambda of: of.entries[1].update(at="2026-07-29T00:00:00Z"),
        "time_decreases",
    ),
    (
        "a report of another log",
        lambda of: of.report.update(log=salted("another log")),
        "report_log",
    ),
    ("a report of another index", lambda of: of.report.update(ticker="CPI"), "rule_mismatch"),
    ("a day that is no period", lambda of: of.report.update(period="2026-07-26"), "rule_mismatch"),
    (
        "a band beside no z",
        lambda of: of.report.update(z="0.1", band="high"),
        "report_not_reproduced",
    ),
    (
        "a z without finals before",
        lambda of: of.report.update(z="0.1", band="normal"),
        "report_not_reproduced",
    ),
    ("a block without its beacon", beacon, "bundle_incomplete"),
    (
        "a co-signer set that is not there",
        lambda of: of.report.update(cosigners={"set": salted("a set"), "required": 1}),
        "bundle_incomplete",
    ),
    (
        "a quorum of nobody",
        lambda of: of.report.update(cosigners={"set": None, "required": 1}),
        "report_not_reproduced",
    ),
    ("a first entry that is none", first_entry, "genesis_misplaced"),
    (
        "a log of another name than its key",
        lambda of: genesis(of, origin="development/other"),
        "genesis_differs",
    ),
    (
        "one key for reports and checkpoints",
        lambda of: genesis(of, report_key=CHECKPOINT_PUBLIC),
        "genesis_differs",
    ),
    (
        "a chain without a program",
        lambda of: genesis(of, chain="solana:4uhcVJyU9pJkvQyS88uRDiswHXSCkY3z"),
        "genesis_differs",
    ),
    (
        "a program that is no address",
        lambda of: genesis(of, chain="solana:4uhcVJyU9pJkvQyS88uRDiswHXSCkY3z", program="z" * 44),
        "genesis_differs",
    ),
    ("an entry beside the number", extra, "bundle_malformed"),
    (
        "a signature of another key",
        lambda of: setattr(of, "secret", bytes(31) + b"\x01"),
        "report_bad_signature",
    ),
    (
        "an index proof without its entry",
        lambda of: of.changes.update(
            index_proofs=[
                {"of": "prints", "seq": 3, "first": 0, "leaves": [{"leaf": "00" * 70, "proof": []}]}
            ]
        ),
        "bundle_incomplete",
    ),
    (
        "headers without a stamp",
        lambda of: of.changes.update(headers=[{"height": 1, "headers": "00" * 560}]),
        "bundle_malformed",
    ),
    (
        "another print",
        lambda of: of.changes.update({"print": "6173736179505231" + "00" * 120}),
        "print_differs",
    ),
    (
        "another signature beside",
        lambda of: of.changes.update(signatures=[{"key": "00" * 32, "signature": "00" * 64}]),
        "report_bad_signature",
    ),
)

# The same of a report that a block of the development chain holds.
STAMPED: tuple[tuple[str, Callable[[StampedForge], Any], str], ...] = (
    (
        "a path with a fork",
        lambda of: setattr(of, "forked", True),
        "anchor_proof_invalid",
    ),
    (
        "a path that prepends",
        lambda of: of.path.__setitem__(2, (PREPEND, of.path[2][1])),
        "anchor_proof_invalid",
    ),
    (
        "a path of another nonce",
        lambda of: of.path.__setitem__(0, (APPEND, bytes(16))),
        "anchor_proof_invalid",
    ),
    (
        "a path with a shorter sibling",
        lambda of: of.path.__setitem__(2, (APPEND, bytes(31))),
        "anchor_proof_invalid",
    ),
    (
        "a block with another Merkle root",
        lambda of: setattr(of, "block_root", bytes(32)),
        "anchor_proof_invalid",
    ),
    (
        "a calendar that is not listed",
        lambda of: of.listed.append({"uri": "http://b", "state": "pending"}),
        "anchor_proof_invalid",
    ),
    (
        "an attestation of another chain",
        lambda of: setattr(of, "other_kind", LITECOIN),
        "anchor_proof_invalid",
    ),
    (
        "a stamp from after its block",
        lambda of: setattr(of, "block_time", of.block_time - 7801),
        "time_refuted",
    ),
    (
        "a batch that ends before the report",
        lambda of: of.anchor.update(to=2),
        "anchor_not_reproduced",
    ),
    (
        "a batch that was stamped before the report",
        lambda of: of.anchor.update(stamped_at="2026-07-30T14:29:00Z"),
        "anchor_not_reproduced",
    ),
    (
        "another tree than the batch names",
        lambda of: of.anchor.update(proof=salted("a tree")),
        "anchor_proof_invalid",
    ),
    (
        "an inclusion that leads elsewhere",
        lambda of: setattr(of, "inclusion", [salted("a node")]),
        "anchor_proof_invalid",
    ),
    (
        "a file of another checkpoint",
        lambda of: setattr(of, "of_size", 2),
        "anchor_proof_invalid",
    ),
    (
        "other headers than the batch names",
        lambda of: setattr(of, "following", salted("headers")),
        "header_invalid",
    ),
    (
        "no headers",
        lambda of: of.changes.update(headers=[]),
        "bundle_incomplete",
    ),
    (
        "an entry of a batch without its stamp",
        lambda of: of.changes.update(ots=None, headers=[]),
        "bundle_malformed",
    ),
)


# The same of a number that an index entry lists.
INDEXED: tuple[tuple[str, Callable[[IndexedForge], Any], str], ...] = (
    (
        "another final of the period",
        lambda of: of.prints.append((2, 0, salted("another"))),
        "index_contradicts",
    ),
    (
        "a void of the period",
        lambda of: of.prints.append((4, 0, salted("a void"))),
        "index_contradicts",
    ),
    (
        "a provisional whose number is left out",
        lambda of: of.prints.append((1, 2, salted("the third"))),
        "index_contradicts",
    ),
    (
        "another print before it than it supersedes",
        lambda of: of.prints.append((1, 1, salted("the second"))),
        "index_contradicts",
    ),
    (
        "an index entry of a day that is not over",
        lambda of: of.body.update(day="2026-07-31"),
        "index_proof_invalid",
    ),
    (
        "an index entry of more than is before it",
        lambda of: of.body.update(size=5),
        "index_proof_invalid",
    ),
    (
        "an index entry with other keys",
        lambda of: of.body.update(keys={"count": 4, "root": salted("keys")}),
        "index_differs",
    ),
    (
        "an index entry with other prints",
        lambda of: of.body.update(prints={"count": 2, "root": salted("prints")}),
        "index_proof_invalid",
    ),
    (
        "an index entry with other rules",
        lambda of: of.body.update(rules={"count": 2, "root": salted("rules")}),
        "index_proof_invalid",
    ),
    (
        "a version that is left out",
        lambda of: of.hidden.add(3),
        "index_differs",
    ),
    (
        "a list of versions of another entry",
        lambda of: of.proofs.update(seq=3),
        "index_proof_invalid",
    ),
    (
        "one rule, and an index entry with another",
        lambda of: sole_rule(of, {"count": 1, "root": salted("a rule")}),
        "index_differs",
    ),
    (
        "a version with a gap before it",
        lambda of: of.second_rule.update(version=3),
        "rule_not_allowed",
    ),
    (
        "a version that comes after the release of a period that it covers",
        late_version,
        "rule_not_allowed",
    ),
    (
        "a version of other periods",
        lambda of: of.second_rule.update(applies_from="2026-07-25"),
        "rule_not_allowed",
    ),
)


def sole_rule(of: IndexedForge, rules: dict[str, Any]) -> None:
    of.rules_shown = False
    of.hidden.add(3)
    of.body.update(rules=rules)


def made(lie: Lie) -> bytes:
    forge = Forge()
    lie(forge)
    return forge.made()


def made_stamped(lie: Callable[[StampedForge], Any]) -> bytes:
    forge = StampedForge()
    lie(forge)
    return forge.made()


def made_indexed(lie: Callable[[IndexedForge], Any]) -> bytes:
    forge = IndexedForge()
    lie(forge)
    return forge.made()


def all_lies() -> Iterator[tuple[str, bytes, str]]:
    """Name, bundle and code of each."""
    for name, lie, code in HOSTILE:
        yield name, made(lie), code
    for name, stamped, code in STAMPED:
        yield name, made_stamped(stamped), code
    for name, indexed, code in INDEXED:
        yield name, made_indexed(indexed), code


if __name__ == "__main__":
    for name, data, code in all_lies():
        bundle = base64.b64encode(data).decode()
        print(json.dumps({"name": name, "key": VKEY, "bundle": bundle, "code": code}))
