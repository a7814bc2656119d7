"""What an index entry shows of a number and of its rule (docs/spec/bundle.md, Index)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from ..fault import Fault, Malformed
from ..kind.entry import Entry
from ..kind.report import series_of
from ..log.index_proof import (
    IndexedPrint,
    list_root,
    period_key,
    read_print_leaf,
    rule_leaf,
    shown_leaves,
)
from ..round.governing import governing, is_late
from ..rule.period import day_of, time_of
from .contents import Contents
from .shown import Shown, place_of

PLACE = "bundle index_proofs"
# Each version is held against the calendars of all before it. A log has a few.
MAX_VERSIONS = 100


@dataclass(frozen=True)
class IndexFacts:
    """The day that an index entry ends, and whether it has a later print of the period."""

    entry: Entry
    day: str
    followed: bool


def check_index(raw: dict[str, Any], contents: Contents, shown: Shown) -> IndexFacts | None:
    """Demands that the index entry has this print once, and nothing against it. None where the bundle shows none."""
    proofs, entries = raw["index_proofs"], contents.of_kind("index/1")
    for each in entries[1:] if proofs else entries:
        raise Fault(
            "bundle_malformed", place_of(each), "the index entry of its proof alone", "index/1"
        )
    if not proofs:
        return None
    proof = proofs[0]
    if not entries or entries[0].seq != proof["seq"]:
        raise Fault(
            "bundle_incomplete", "bundle", f"the index entry {proof['seq']}", "another or none"
        )
    entry, body = entries[0], entries[0].body
    reported = contents.report
    if body["size"] != entry.seq or body["day"] >= entry.at[:10] or reported.seq >= entry.seq:
        expected = f"an index entry of what is before it, of a day that is over, after entry {reported.seq}"
        raise Fault(
            "index_proof_invalid",
            place_of(entry),
            expected,
            f"{body['day']}, {body['size']} entries",
        )
    keys = shown.keys_root(entry.seq)
    if keys != body["keys"]:
        raise Fault(
            "index_differs",
            f"{place_of(entry)}/keys",
            f"{keys}, as the bundle's keys make it",
            body["keys"],
        )
    report = reported.body["report"]
    prefix = period_key(day_of(report["period"]), series_of(report["log"], report["ticker"]))
    try:
        prints = [
            read_print_leaf(each) for each in shown_leaves("prints", body["prints"], prefix, proof)
        ]
    except Malformed as error:
        raise Fault(
            "index_proof_invalid", PLACE, f"what leads to the root of entry {entry.seq}", error
        ) from None
    require_alone(report, contents.report_hash, prints)
    rank = rank_of(report)
    return IndexFacts(entry, body["day"], any(each.rank > rank for each in prints))


def rank_of(report: dict[str, Any]) -> int:
    return IndexedPrint(report["status"], report["issue"], "").rank


def require_alone(report: dict[str, Any], name: str, prints: list[IndexedPrint]) -> None:
    """Demands the report's own print once, each in a place of its own, and no issue left out."""
    own = IndexedPrint(report["status"], report["issue"], name)
    places = {
        "settled" if each.status in ("final", "void") else (each.status, each.issue)
        for each in prints
    }
    numbered = all(
        sorted(each.issue for each in prints if each.status == status)
        == list(range(first, first + count))
        for status, first in (("provisional", 0), ("corrected", 1))
        for count in [sum(each.status == status for each in prints)]
    )
    if prints.count(own) != 1 or len(places) != len(prints) or not numbered:
        found = ", ".join(f"{each.status} {each.issue}" for each in prints) or "no print"
        raise Fault(
            "index_contradicts", PLACE, f"{own.status} {name}, and nothing against it", found
        )
    before = max(
        (each for each in prints if each.rank < own.rank), key=lambda each: each.rank, default=None
    )
    if report["supersedes"] != (before.report if before else None):
        raise Fault(
            "index_contradicts",
            PLACE,
            "a report that supersedes the print before it",
            report["supersedes"],
        )


def check_rules(raw: dict[str, Any], contents: Contents, index: IndexFacts | None) -> bool:
    """Demands that the report's version governs its period, of those shown. Whether these are all is the answer."""
    versions, report = contents.versions, contents.report.body["report"]
    if len(versions) > MAX_VERSIONS:
        raise Fault(
            "incomplete", "bundle", f"at most {MAX_VERSIONS} versions of a rule", len(versions)
        )
    whole = index is not None and is_all(raw, contents, index)
    if whole:
        for number, each in enumerate(versions, 1):
            if each.rule["version"] != number:
                raise Fault(
                    "rule_not_allowed",
                    place_of(each.entry),
                    f"version {number}",
                    each.rule["version"],
                )
    before: list[tuple[int, dict[str, Any]]] = []
    latest = 0
    for each in versions:
        at = max(latest, time_of(each.entry.at))
        if before and is_late(before, at, each.rule):
            expected = f"periods that no version has released by {each.entry.at}"
            raise Fault("rule_not_allowed", place_of(each.entry), expected, "one that is out")
        if before:
            last = before[-1][1]
            rises = all(each.rule[name] > last[name] for name in ("version", "applies_from"))
            if not rises or each.rule["period"] != last["period"]:
                expected = "a version whose number and first period rise"
                raise Fault(
                    "rule_not_allowed", place_of(each.entry), expected, each.rule["version"]
                )
        before.append((at, each.rule))
        latest = at
    place, _ = governing(before, day_of(report["period"]))
    if place is None or versions[place].hash != report["rule"]["hash"]:
        expected = f"the version that governs {report['period']}"
        raise Fault(
            "rule_mismatch", f"bundle report {report['period']}", expected, report["rule"]["hash"]
        )
    return whole


def is_all(raw: dict[str, Any], contents: Contents, index: IndexFacts) -> bool:
    """Whether these are all versions that the index entry lists."""
    entry, body = index.entry, index.entry.body
    report = contents.report.body["report"]
    series = series_of(report["log"], report["ticker"])
    leaves = [rule_leaf(series, each.rule["version"], each.hash) for each in contents.versions]
    if len(raw["index_proofs"]) < 2:
        if body["rules"]["count"] > 1:
            return False
        if list_root("rules", leaves[:1]) != body["rules"]:
            raise Fault(
                "index_differs",
                f"{place_of(entry)}/rules",
                "as the rule of the bundle makes it",
                body["rules"],
            )
        return True
    proof = raw["index_proofs"][1]
    if proof["seq"] != entry.seq:
        raise Fault(
            "index_proof_invalid", PLACE, f"rules of entry {entry.seq}", f"entry {proof['seq']}"
        )
    try:
        listed = shown_leaves("rules", body["rules"], series, proof)
    except Malformed as error:
        raise Fault(
            "index_proof_invalid", PLACE, f"what leads to the rules of entry {entry.seq}", error
        ) from None
    if listed != leaves or any(each.entry.seq >= entry.seq for each in contents.versions):
        raise Fault(
            "index_differs",
            f"{place_of(entry)}/rules",
            f"the {len(listed)} versions that it lists",
            len(leaves),
        )
    return True
