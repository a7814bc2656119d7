"""Which version of a rule governs a period (docs/spec/rule.md, Which version governs)."""

from __future__ import annotations

from typing import Any, Sequence

from ..rule.period import day_of, is_period
from ..rule.release import release_time

Version = tuple[int, dict[str, Any]]


def governing(versions: Sequence[Version], day: int) -> tuple[int | None, list[int]]:
    """The place of the version that governs a period, and the releases that it and those before it gave.

    Versions are (at, rule) in the order in which they were recorded, `at` in unix seconds.
    """
    earliest, found, given = None, None, []
    for place, (at, rule) in enumerate(versions):
        if day_of(rule["applies_from"]) > day:
            continue
        release = release_time(rule, day)
        if at < release and (earliest is None or at < earliest):
            found = place
            given.append(release)
        earliest = release if earliest is None else min(earliest, release)
    return found, given


def is_late(versions: Sequence[Version], at: int, rule: dict[str, Any]) -> bool:
    """Whether a version that comes next covers a period whose number may be known at `at`."""
    rules = [each for _, each in versions] + [rule]
    first, today = day_of(rule["applies_from"]), at // 86400
    days = set(range(max(first, today - 200), today + 1))
    days |= {day_of(each["period"]) for one in rules for each in one["release"]["exceptions"]}
    return any(
        day_of(each["applies_from"]) <= day and release_time(each, day) <= at
        for day in days
        if day >= first and is_period(rule["period"], day)
        for each in rules
    )
