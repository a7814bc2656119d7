"""The clocks of a period, which a late publication may move (docs/spec/rule.md, Late publications)."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any, Iterable, Mapping

from ..rule.period import time_of
from ..rule.release import release_time
from .decision import NEVER, Clocks, decide

DAY = 86400


@dataclass(frozen=True)
class LoggedReport:
    """A report of the period, the hash of its bytes, and its place in the log."""

    report: dict[str, Any]
    hash: str
    seq: int = 0


@dataclass(frozen=True)
class LoggedStatement:
    """A co-signer's first statement on a report, and its place in the log."""

    statement: dict[str, Any]
    seq: int = 0


Logged = LoggedReport | LoggedStatement
Sets = Mapping[str, tuple[int, Iterable[str]]]


@dataclass(frozen=True)
class PeriodClocks:
    """The clocks of a report and the entries that they rest on. `shown` is False where the log has none that decide."""

    clocks: Clocks
    rests_on: tuple[int, ...] = ()
    shown: bool = True


def scheduled(rule: dict[str, Any], day: int, start: int | None = None) -> Clocks:
    """The clocks that run from the release of a period, or from `start` where that is given."""
    release, times = release_time(rule, day), rule["release"]
    seen, start = start, release if start is None else start
    return Clocks(
        release=release,
        frozen=start + rule["revision"]["freeze_after_s"],
        first_print=start + min(times["first_print_within_s"], times["deadline_s"] - 1),
        deadline=start + times["deadline_s"],
        seen=seen,
    )


def unseen(rule: dict[str, Any], day: int) -> Clocks | None:
    """The clocks of a late number that no quorum saw; None under a rule by which a late number is void."""
    late = rule["release"].get("late", {"kind": "void"})
    if late["kind"] == "void":
        return None
    usual = scheduled(rule, day)
    end = usual.release + late["within_s"]
    return replace(usual, frozen=NEVER, first_print=end - DAY, deadline=end)


def clocks_at(
    rule: dict[str, Any], rule_hash: str, day: int, now: int, log: Iterable[Logged], sets: Sets
) -> PeriodClocks:
    """The clocks of a report that is published at `now` on top of the entries of `log`, which are of its period.

    `sets` maps the hash of a set to its threshold and keys.
    """
    usual, late = scheduled(rule, day), unseen(rule, day)
    if late is None or now <= usual.first_print:
        return PeriodClocks(usual)
    provisionals: dict[str, LoggedReport] = {}
    seen: dict[str, dict[str, tuple[int, LoggedReport, LoggedStatement]]] = {}
    for each in log:
        if isinstance(each, LoggedReport):
            report = each.report
            if report["rule"]["hash"] != rule_hash:
                continue
            in_time = time_of(report["published_at"]) <= usual.first_print
            if in_time and (
                report["status"] != "provisional" or report["reason"] == "freeze_window"
            ):
                return PeriodClocks(usual, (each.seq,))
            if report["status"] == "provisional":
                provisionals[each.hash] = each
    for each in log:
        about = (
            provisionals.get(each.statement["report"])
            if isinstance(each, LoggedStatement)
            else None
        )
        if about is None or not isinstance(each, LoggedStatement):
            continue
        who, of = each.statement["cosigner"], about.report["cosigners"]["set"]
        threshold, keys = sets.get(of, (0, ()))
        sightings = seen.setdefault(of, {})
        if who not in keys or who in sightings:
            continue
        at = seen_at(rule, about.report, each.statement["own"], late)
        if at is None:
            continue
        sightings[who] = at, about, each
        if len(sightings) == threshold:
            last = max(at for at, _, _ in sightings.values())
            rests_on = {seq for _, one, two in sightings.values() for seq in (one.seq, two.seq)}
            in_time = last <= usual.first_print
            clocks = (
                usual if in_time else replace(scheduled(rule, day, last), release=usual.release)
            )
            return PeriodClocks(clocks, tuple(sorted(rests_on)))
    return PeriodClocks(late, shown=False)


def seen_at(
    rule: dict[str, Any], report: dict[str, Any], own: dict[str, Any] | None, late: Clocks
) -> int | None:
    """When a statement's own reads showed a number with its quorum, None where they did not, or not in time."""
    if not own or not own["reads"]:
        return None
    at = max(time_of(read["read_at"]) for read in own["reads"])
    given = decide(rule, own["reads"], time_of(report["published_at"]), late, None, False)
    is_seen = given.status == "provisional" and given.reason == "freeze_window"
    return at if is_seen and at <= late.first_print else None
