"""The entries of a bundle by what they are to its number."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from ..fault import Fault, Malformed
from ..kind.bodies import BODIES
from ..kind.entry import Entry, read_entry
from ..log.note import Checkpoint
from ..log.tree import leaf_hash, require_inclusion
from ..rule.period import time_text
from ..wire.canonical_json import address
from .file import Bundle, ProvenEntry
from .shown import place_of

MAX_AHEAD_S = 7200
BESIDE = {
    "rule/1",
    "report/1",
    "beacon/1",
    "anchor/1",
    "index/1",
    "key/1",
    "cosigners/1",
    "cosign/1",
    "dissent/1",
    "print/1",
}
# Kinds of a log that are about no number.
ELSEWHERE = {"close/1", "note/1", "revision/1", "statement/1"}


@dataclass(frozen=True)
class Version:
    """A version of the rule, and the entry that recorded it."""

    entry: Entry
    rule: dict[str, Any]
    hash: str


@dataclass(frozen=True)
class Contents:
    """`entries` begin with genesis and are in the order of the log. `report` is the entry that the bundle is about."""

    entries: tuple[Entry, ...]
    report: Entry
    report_hash: str
    versions: tuple[Version, ...]
    version: Version

    def of_kind(self, kind: str) -> list[Entry]:
        return [each for each in self.entries if each.kind == kind]


def prove(proven: ProvenEntry, checkpoint: Checkpoint) -> Entry:
    """An entry whose proof leads to the checkpoint's root, and whose body is of the shape of its kind."""
    place = f"bundle entry {proven.seq}"
    try:
        require_inclusion(
            leaf_hash(proven.data), proven.seq, checkpoint.size, proven.proof, checkpoint.root
        )
    except Malformed as error:
        raise Fault("proof_invalid", place, "a proof to the root", error) from None
    try:
        entry = read_entry(proven.data)
    except Malformed as error:
        raise Fault("entry_malformed", place, "a canonical entry", error) from None
    if entry.seq != proven.seq:
        raise Fault("entry_out_of_order", place, f"seq {proven.seq}", entry.seq)
    if entry.kind in ELSEWHERE:
        raise Fault("bundle_malformed", place, "the rule and the report", entry.kind)
    if entry.kind not in BODIES:
        raise Fault("not_understood", place, "a kind that a bundle can show", entry.kind)
    try:
        BODIES[entry.kind](entry.body, "body")
    except Malformed as error:
        raise Fault("entry_malformed", place, f"a body of {entry.kind}", error) from None
    return entry


def contents_of(bundle: Bundle, checkpoint: Checkpoint, network: str, now: int | None) -> Contents:
    """The entries of a bundle, each with its proof checked. Raises Fault where one is missing or one is too many."""
    entries = tuple(prove(each, checkpoint) for each in (bundle.genesis, *bundle.entries))
    for before, after in zip(entries, entries[1:]):
        if after.at < before.at:
            raise Fault("time_decreases", place_of(after), f"{before.at} or later", after.at)
    if network == "production" and now is not None:
        most = time_text(now + MAX_AHEAD_S)
        for each in entries:
            if each.at > most:
                raise Fault("time_ahead", place_of(each), f"{most} at most, by this clock", each.at)
    for each in entries[1:]:
        if each.kind not in BESIDE:
            raise Fault("bundle_malformed", place_of(each), "the rule and the report", each.kind)
    return _number(bundle, entries)


def _number(bundle: Bundle, entries: tuple[Entry, ...]) -> Contents:
    """Finds the report that a bundle names, and the versions of its rule."""
    named = bundle.raw["report"]
    reports = [each for each in entries if each.kind == "report/1"]
    rules = [
        Version(each, each.body["rule"], address(each.body["rule"]))
        for each in entries
        if each.kind == "rule/1"
    ]
    if not reports or not rules:
        raise Fault(
            "bundle_incomplete",
            "bundle",
            "genesis, rule and report",
            ", ".join(e.kind for e in entries),
        )
    own = next((each for each in reports if address(each.body["report"]) == named), None)
    if own is None:
        raise Fault(
            "bundle_incomplete", "bundle", f"the report {named}", address(reports[0].body["report"])
        )
    report = own.body["report"]
    listed = len(bundle.raw["index_proofs"]) > 1
    for each in rules:
        is_own = (
            each.rule["ticker"] == report["ticker"]
            if listed
            else each.hash == report["rule"]["hash"]
        )
        if not is_own and len(rules) > 1:
            expected = "the rule and the report, or a list of the versions of its rule"
            raise Fault("bundle_malformed", place_of(each.entry), expected, "rule/1")
    version = next((each for each in rules if each.hash == report["rule"]["hash"]), None)
    if version is None:
        raise Fault(
            "bundle_incomplete", "bundle", f"the rule {report['rule']['hash']}", rules[0].hash
        )
    return Contents(entries, own, named, tuple(rules), version)
