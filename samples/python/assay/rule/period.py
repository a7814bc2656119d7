"""Days, periods, and the names that sources give them. A day is a number of days since 1970-01-01."""

from __future__ import annotations

import re
from datetime import date

from .stop import Stop, bad


EPOCH = date(1970, 1, 1).toordinal()
CYCLE = 146_097  # days of 400 years
DATE = re.compile("([0-9]{4})-([0-9]{2})-([0-9]{2})")
TIME = re.compile("[0-9-]{10}T(?:[01][0-9]|2[0-3]):[0-5][0-9]:[0-5][0-9]Z")


def read_day(text: str) -> int | None:
    """Days since 1970-01-01, or None for no date."""
    try:
        return day_of(text) if DATE.fullmatch(text) else None
    except ValueError:
        return None


def day_of(text: str) -> int:
    """Days since 1970-01-01 of a date `YYYY-MM-DD`. Raises ValueError for a day that there is not."""
    return date(int(text[:4]), int(text[5:7]), int(text[8:10])).toordinal() - EPOCH


def civil(day: int) -> tuple[int, int, int]:
    """Year, month, day; also for years that `date` does not have."""
    ordinal = day + EPOCH
    cycles = (ordinal - 1) // CYCLE
    inside = date.fromordinal(ordinal - cycles * CYCLE)
    return inside.year + 400 * cycles, inside.month, inside.day


def is_period(kind: str, day: int) -> bool:
    if kind == "month":
        return civil(day)[2] == 1
    return kind == "utc_day" or (day + EPOCH) % 7 == 6


def months_later(day: int, count: int) -> int:
    year, month, _ = civil(day)
    years, month = divmod(year * 12 + month - 1 + count, 12)
    cycles, inside = divmod(years - 1, 400)
    return date(inside + 1, month + 1, 1).toordinal() + cycles * CYCLE - EPOCH


def shifted(kind: str, day: int, count: int) -> int:
    if kind == "month":
        return months_later(day, count)
    return day + count * (7 if kind == "week_ending_saturday" else 1)


def date_text(day: int) -> str:
    year, month, dom = civil(day)
    if not 1 <= year <= 9999:
        raise Stop("out_of_range")
    return f"{year:04d}-{month:02d}-{dom:02d}"


KEYS = {
    "iso_date": re.compile("([0-9]{4})-([0-9]{2})-([0-9]{2})"),
    "iso_prefix": re.compile("([0-9]{4})-([0-9]{2})-([0-9]{2})(?:[T ].*)?", re.DOTALL),
    "us_date": re.compile("(?P<m>[0-9]{2})/(?P<d>[0-9]{2})/(?P<y>[0-9]{4})"),
    "iso_month": re.compile("([0-9]{4})-([0-9]{2})"),
    "bls_month": re.compile("([0-9]{4})-M([0-9]{2})"),
}


def period_of_key(text: str, style: str, kind: str) -> int:
    match = KEYS[style].fullmatch(text)
    if not match:
        raise bad()
    parts = [match["y"], match["m"], match["d"]] if style == "us_date" else list(match.groups())
    if len(parts) == 2:
        if kind != "month":
            raise bad()
        parts.append("01")
    day = read_day("-".join(parts))
    if day is None or not is_period(kind, day):
        raise bad()
    return day


def time_text(seconds: int) -> str:
    """The time `YYYY-MM-DDTHH:MM:SSZ` of unix seconds."""
    day, rest = divmod(seconds, 86400)
    return f"{date_text(day)}T{rest // 3600:02d}:{rest // 60 % 60:02d}:{rest % 60:02d}Z"


def is_time(text: str) -> bool:
    return TIME.fullmatch(text) is not None and read_day(text[:10]) is not None


def time_of(text: str) -> int:
    """Unix seconds of a time `YYYY-MM-DDTHH:MM:SSZ`."""
    hours, minutes, seconds = map(int, text[11:19].split(":"))
    return day_of(text[:10]) * 86400 + hours * 3600 + minutes * 60 + seconds
