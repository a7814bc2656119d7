"""Days, periods, and the names that sources give them. A day is a number of days since 1970-01-01."""

import re
from datetime import date

from .stop import Stop, bad


EPOCH = date(1970, 1, 1).toordinal()
CYCLE = 146_097  # days of 400 years
DATE = re.compile("([0-9]{4})-([0-9]{2})-([0-9]{2})")
TIME = re.compile("[0-9-]{10}T(?:[01][0-9]|2[0-3]):[0-5][0-9]:[0-5][0-9]Z")


def day_of(text):
    """Days since 1970-01-01, or None for no date."""
    match = DATE.fullmatch(text)
    try:
        return date(*map(int, match.groups())).toordinal() - EPOCH if match else None
    except ValueError:
        return None


def civil(day):
    """Year, month, day; also for years that `date` does not have."""
    ordinal = day + EPOCH
    cycles = (ordinal - 1) // CYCLE
    inside = date.fromordinal(ordinal - cycles * CYCLE)
    return inside.year + 400 * cycles, inside.month, inside.day


def is_period(kind, day):
    if kind == "month":
        return civil(day)[2] == 1
    return kind == "utc_day" or (day + EPOCH) % 7 == 6


def months_later(day, count):
    year, month, _ = civil(day)
    years, month = divmod(year * 12 + month - 1 + count, 12)
    cycles, inside = divmod(years - 1, 400)
    return date(inside + 1, month + 1, 1).toordinal() + cycles * CYCLE - EPOCH


def shifted(kind, day, count):
    if kind == "month":
        return months_later(day, count)
    return day + count * (7 if kind == "week_ending_saturday" else 1)


def date_text(day):
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


def period_of_key(text, style, kind):
    match = KEYS[style].fullmatch(text)
    if not match:
        raise bad()
    if style == "us_date":
        parts = match["y"], match["m"], match["d"]
    else:
        parts = match.groups()
    if len(parts) == 2:
        if kind != "month":
            raise bad()
        parts = (*parts, "01")
    day = day_of("-".join(parts))
    if day is None or not is_period(kind, day):
        raise bad()
    return day


def time_text(seconds):
    """The time `YYYY-MM-DDTHH:MM:SSZ` of unix seconds."""
    day, rest = divmod(seconds, 86400)
    return f"{date_text(day)}T{rest // 3600:02d}:{rest // 60 % 60:02d}:{rest % 60:02d}Z"


def is_time(text):
    return TIME.fullmatch(text) is not None and day_of(text[:10]) is not None


def time_of(text):
    """Unix seconds of a time `YYYY-MM-DDTHH:MM:SSZ`."""
    hours, minutes, seconds = map(int, text[11:19].split(":"))
    return day_of(text[:10]) * 86400 + hours * 3600 + minutes * 60 + seconds
