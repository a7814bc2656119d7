"""A bundle whose number is in an index entry, beside the provisional before it and two versions of its rule."""

from __future__ import annotations

import copy
import hashlib
import json
from typing import Any

from assay.bundle.shown import Shown
from assay.kind.report import series_of
from assay.log.index_proof import period_key, rule_leaf, tagged_leaf
from assay.log.tree import inclusion_ranges, root_of
from assay.rule.period import day_of
from assay.wire.canonical_json import address, canonical_bytes

from .forge import Forge

LATER = "2026-07-30T15:00:00Z"
INDEXED_AT = "2026-07-31T00:05:00Z"


def proof_of(name: str, leaves: list[str]) -> dict[str, Any]:
    """A proof that shows a whole list."""
    hashes = [tagged_leaf(name, each) for each in leaves]
    shown = [
        {
            "leaf": leaf,
            "proof": [root_of(hashes[a:b]).hex() for a, b in inclusion_ranges(i, len(leaves))],
        }
        for i, leaf in enumerate(leaves)
    ]
    return {"first": 0, "leaves": shown}


def root_and_count(name: str, leaves: list[str]) -> dict[str, Any]:
    return {
        "count": len(leaves),
        "root": root_of([tagged_leaf(name, each) for each in leaves]).hex(),
    }


class IndexedForge(Forge):
    """`prints` and `rules` change what the index entry lists, `body` what it says, `proofs` what is shown of it."""

    def __init__(self) -> None:
        super().__init__()
        second = copy.deepcopy(self.entries[1])
        second["at"] = LATER
        second["body"]["rule"].update(version=2, applies_from="2026-08-01")
        self.second: dict[str, Any] = second
        self.prints: list[tuple[int, int, str]] = []
        self.body: dict[str, Any] = {}
        self.proofs: dict[str, Any] = {}
        self.rules_shown = True
        self.indexed_at = INDEXED_AT
        self.hidden: set[int] = set()

    @property
    def second_rule(self) -> dict[str, Any]:
        return self.second["body"]["rule"]

    def made(self) -> bytes:
        named = self.signed()["report"]
        report, size = self.report, 4
        log = report["log"]
        series = series_of(log, report["ticker"])
        key = period_key(day_of(report["period"]), series)
        listed = [(1, 0, report["supersedes"]), (2, 0, named), *self.prints]
        prints = sorted(f"{key}{status:02x}{issue:02x}{name}" for status, issue, name in listed)
        rules = [
            rule_leaf(series, each["version"], address(each))
            for each in (self.rule, self.second_rule)
        ]
        body = {
            "day": "2026-07-30",
            "size": size,
            "prints": root_and_count("prints", prints),
            "rules": root_and_count("rules", rules),
            "keys": Shown(log, self.entries[0]["body"]).keys_root(size),
            "events": {"count": 0, "root": hashlib.sha256().hexdigest()},
            **self.body,
        }
        entry = {"v": 1, "at": self.indexed_at, "kind": "index/1", "body": body}
        self.entries[3:] = [self.second, entry]
        proofs = [
            {"of": "prints", "seq": size, **proof_of("prints", prints)},
            {"of": "rules", "seq": size, **proof_of("rules", rules), **self.proofs},
        ]
        self.changes = {"index_proofs": proofs if self.rules_shown else proofs[:1], **self.changes}
        made = super().made()
        if not self.hidden:
            return made
        bundle = json.loads(made)
        bundle["entries"] = [each for each in bundle["entries"] if each["seq"] not in self.hidden]
        return canonical_bytes(bundle)
