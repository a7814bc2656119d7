"""When the number of a period is released, by the calendar of a rule."""

from __future__ import annotations

from datetime import date
from typing import Any

from .period import EPOCH, civil, date_text, day_of, months_later


def release_day(rule: dict[str, Any], day: int) -> int:
    name = date_text(day)
    for moved in rule["release"]["exceptions"]:
        if moved["period"] == name:
            return day_of(moved["date"])
    after = months_later(day, 1) if rule["period"] == "month" else day + 1
    return after + rule["release"]["days_after"]


def sunday(year: int, month: int, nth: int) -> int:
    first = date(year, month, 1).toordinal()
    return first + (-first) % 7 + 7 * (nth - 1) - EPOCH


def release_time(rule: dict[str, Any], day: int) -> int:
    """Unix seconds of the scheduled release."""
    release = rule["release"]
    hours, minutes = map(int, release["local"].split(":"))
    on = release_day(rule, day)
    wall = on * 86400 + hours * 3600 + minutes * 60
    if release["zone"] == "UTC":
        return wall
    # A wall time that is skipped or comes twice takes the offset from before the change.
    year = civil(on)[0]
    summer = sunday(year, 3, 2) * 86400 + 3 * 3600 <= wall < sunday(year, 11, 1) * 86400 + 2 * 3600
    return wall + (4 if summer else 5) * 3600
