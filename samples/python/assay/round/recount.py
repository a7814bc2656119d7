"""What the reads that a co-signer states make of a report (docs/spec/statement.md, What must hold)."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any, NamedTuple, Sequence

from ..rule.period import time_of, time_text
from .decision import NEVER, Clocks, Decision, decide

Reads = Sequence[dict[str, Any]]


class Result(NamedTuple):
    """Status, and scaled value as text."""

    status: str
    value: str | None


@dataclass(frozen=True)
class Recounted:
    """A report, its rule and its clocks, for whoever counts it again."""

    rule: dict[str, Any]
    clocks: Clocks
    report: dict[str, Any]

    def result(self, reads: Reads) -> Result | None:
        """What these reads give at the time of the report; None where they give nothing."""
        again = self.report["status"] == "corrected"
        decision = (
            self._decide(reads, "freeze_window", True) if again else self._against_void(reads)
        )
        if decision.status == "wait":
            return None
        status = "corrected" if again and decision.status == "final" else decision.status
        return Result(status, None if decision.value is None else str(decision.value))

    def kept(self, reads: Reads) -> tuple[bool, Result | None]:
        """Whether the stored bytes show anything, and what they give."""
        if any(read["snapshot"] is not None and read["retain"] != "bytes" for read in reads):
            return False, None
        # A read without an answer cannot have had a value.
        sound = [
            {**read, "outcome": "malformed", "value": None}
            if read["snapshot"] is None and read["outcome"] == "ok"
            else read
            for read in reads
        ]
        return True, self.result(sound)

    def _decide(
        self, reads: Reads, last: str | None, again: bool, clocks: Clocks | None = None
    ) -> Decision:
        published = time_of(self.report["published_at"])
        return decide(self.rule, reads, published, clocks or self.clocks, last, again)

    def _against_void(self, reads: Reads) -> Decision:
        """A publisher that was silent until the deadline has no void by that against a number that others read."""
        decision = self._decide(reads, open_before(self.report), False)
        unseen = self.clocks.frozen == NEVER
        if self.report["status"] != "void" or (decision.status != "wait" and not unseen):
            return decision
        seen = replace(self.clocks, frozen=self.clocks.release) if unseen else self.clocks
        printed = self._decide(reads, "freeze_window", False, seen)
        return printed if printed.status == "final" else decision


def open_before(report: dict[str, Any]) -> str | None:
    """Why the report before was not final, as far as a report itself shows it; None where there was none."""
    if report["supersedes"] is None:
        return None
    told = report["status"] == "void" and report["reason"] in ("no_quorum", "dispersion")
    return report["reason"] if told else "freeze_window"


def unfounded(statement: dict[str, Any], of: Recounted) -> str | None:
    """Why a statement's own members do not carry its verdict; None where they do."""
    own, kept, verdict = statement["own"], statement["kept"], statement["verdict"]
    if own is not None:
        fault = own_fault(own, of, statement["signed_at"])
        if fault is not None:
            return fault
    known, stored = of.kept(of.report["reads"])
    if kept is not None and known and shown(kept) != stored:
        return "kept: what the rule gives on the stored bytes"
    printed = Result(of.report["status"], of.report["value"])
    for name, each in (("own", own), ("kept", kept)):
        is_basis = (name == "own") == (statement["basis"] == "own_read")
        agrees = each is not None and shown(each) == printed
        if verdict == "agree" and (is_basis if each is None else not agrees):
            return f"{name}: the report's status and value"
        if verdict == "dissent" and is_basis and (each is None or agrees):
            return f"{name}: another status or value than the report's"
    if (
        verdict == "agree"
        and own is not None
        and all(read["snapshot"] is None for read in own["reads"])
    ):
        return "own.reads: something from one source at least"
    return None


def own_fault(own: dict[str, Any], of: Recounted, signed_at: str) -> str | None:
    """Why own reads do not carry the number that is stated beside them."""
    listed = [(each["id"], each["role"], each["retain"]) for each in of.rule["providers"]]
    if listed != [(each["provider"], each["role"], each["retain"]) for each in own["reads"]]:
        return "own.reads: one of each provider of the rule, in its order"
    since = time_text(of.clocks.release)
    for read in own["reads"]:
        if not since <= read["read_at"] <= signed_at:
            return f"own.reads: read from {since} to {signed_at}"
        good = read["outcome"] == "ok"
        if good != (read["value"] is not None) or (good and read["snapshot"] is None):
            return (
                "own.reads: a value and a snapshot of a read that is ok, and no value of any other"
            )
    return (
        None if of.result(own["reads"]) == shown(own) else "own: what the rule gives on its reads"
    )


def shown(result: dict[str, Any]) -> Result:
    return Result(result["status"], result["value"])
