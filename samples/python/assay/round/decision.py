"""How status, reason and value follow from reads (docs/spec/report.md, How status and value follow)."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from typing import Any, NamedTuple, Sequence

from ..rule.numeral import is_i64, middle, rounded
from ..rule.period import time_of

NEVER = float("inf")


@dataclass(frozen=True)
class Clocks:
    """The times of one period, in unix seconds. `frozen` is NEVER while no quorum saw a late number published."""

    release: int
    frozen: float
    first_print: int
    deadline: int
    seen: int | None = None


class Decision(NamedTuple):
    """`status` is `wait` where there is no report. Value and dispersion are scaled integers."""

    status: str
    reason: str | None
    value: int | None
    dispersion: int | None


WAIT = Decision("wait", None, None, None)


def void(reason: str) -> Decision:
    return Decision("void", reason, None, None)


class Counted(NamedTuple):
    """A read as far as it counts: its value is None where it gave none, or none in time."""

    role: str
    outcome: str
    value: int | None


def counted(
    rule: dict[str, Any], reads: Sequence[dict[str, Any]], in_time: float
) -> list[list[Counted]]:
    """The reads that count, by groups. A withheld value is taken as 0: only that there is one matters."""
    groups: dict[str, list[Counted]] = {}
    for provider, read in zip(rule["providers"], reads):
        group = groups.setdefault(provider["group"], [])
        if provider["role"] == "check":
            continue
        known = read["outcome"] == "ok" and time_of(read["read_at"]) <= in_time
        value = int(read["value"] or 0) if known else None
        group.append(Counted(provider["role"], read["outcome"], value))
    return list(groups.values())


def decide(
    rule: dict[str, Any],
    reads: Sequence[dict[str, Any]],
    now: int,
    clocks: Clocks,
    last: str | None,
    again: bool,
) -> Decision:
    """What these reads make at `now`. `last` is why the provisional before was not final, None without one.

    `again` is of a correction, for which late reads count.
    """
    early = not again and any(time_of(read["read_at"]) < clocks.release for read in reads)
    if now < clocks.release or early:
        return WAIT
    frozen, overdue = now >= clocks.frozen, now >= clocks.deadline
    groups = counted(rule, reads, NEVER if again else clocks.first_print)
    if overdue and clocks.frozen == NEVER:
        answered = any(
            each.outcome in ("ok", "not_published", "no_source") for g in groups for each in g
        )
        return void("late") if answered or last is not None else WAIT
    silent = [g for g in groups if all(each.value is None for each in g)]
    if silent:
        return without_values(rule, groups, silent, frozen, overdue, last)
    if overdue and last is None and not again:
        return WAIT
    return with_values(rule, groups, frozen, overdue)


def without_values(
    rule: dict[str, Any],
    groups: list[list[Counted]],
    silent: list[list[Counted]],
    frozen: bool,
    overdue: bool,
    last: str | None,
) -> Decision:
    """The decision where the groups of `silent` have no value."""
    most = {
        reason: max(sum(each.outcome == reason for each in g) for g in silent)
        for reason in ("out_of_range", "no_source", "not_published")
    }
    if overdue and last in ("no_quorum", "dispersion"):
        return void(last)
    if frozen and most["out_of_range"]:
        return void("out_of_range")
    if frozen and most["no_source"] >= rule["aggregate"]["quorum"]:
        return void("no_source")
    shown = any(each.outcome == "ok" for g in groups for each in g)
    missing = last is not None or (most["not_published"] and not shown)
    return void("late") if overdue and missing else WAIT


def with_values(
    rule: dict[str, Any], groups: list[list[Counted]], frozen: bool, overdue: bool
) -> Decision:
    """The decision where every group has a value."""
    aggregate = rule["aggregate"]
    total, widest, enough = 0, 0, True
    for group in groups:
        values = [each.value for each in group if each.value is not None]
        widest = max(widest, max(values) - min(values))
        enough = enough and len(values) >= aggregate["quorum"]
        if aggregate["within"] == "median":
            total += rounded(middle([Fraction(each) for each in values]), 0, aggregate["round"])
        else:
            records = [
                each.value for each in group if each.role == "record" and each.value is not None
            ]
            total += (records or values)[0]
    if not is_i64(widest):
        return void("dispersion") if overdue else WAIT
    if not is_i64(total):
        return void("out_of_range") if frozen else WAIT
    if widest > int(aggregate["max_dispersion"]):
        reason = "dispersion"
    elif not enough:
        reason = "no_quorum"
    elif frozen:
        return Decision("final", None, total, widest)
    else:
        return Decision("provisional", "freeze_window", total, widest)
    return void(reason) if overdue else Decision("provisional", reason, total, widest)


def as_claimed(
    reason: str | None,
    decision: Decision,
    rule: dict[str, Any],
    reads: Sequence[dict[str, Any]],
    now: int,
    clocks: Clocks,
) -> Decision:
    """A decision on withheld levels, with the reason that only the values would show, where it is possible at all."""
    if decision.value is None:
        return decision
    groups = counted(rule, reads, clocks.first_print)
    if reason == "dispersion" and any(
        sum(each.value is not None for each in g) > 1 for g in groups
    ):
        late = now >= clocks.deadline
        return (
            void("dispersion")
            if late
            else decision._replace(status="provisional", reason="dispersion")
        )
    if reason == "out_of_range" and len(groups) > 1 and now >= clocks.frozen:
        return void("out_of_range")
    return decision
