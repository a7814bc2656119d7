"""Variables in requests and steps, which stand for days (docs/spec/rule.md, Variables)."""

from __future__ import annotations

import json
import re
from math import fmod
from typing import Any

from .period import civil
from .release import release_day


MONTH_NAMES = (
    "January February March April May June July August September October November December"
).split()
BRACES = re.compile(r"\{([^{}]*)\}")
VARIABLE = re.compile(r"(period|release)(?:([+-])(0|[1-9][0-9]{0,2}))?:([A-Za-z-]+)")
SHORT = {
    "period": "{Y}-{M}-{D}",
    "Y": "{Y}",
    "Y-1": "{L}",
    "M": "{M}",
    "D": "{D}",
    "MMDDYY": "{M}{D}{y}",
}
LONG = {
    "YYYY": "{Y}",
    "MM": "{M}",
    "DD": "{D}",
    "MMDDYY": "{M}{D}{y}",
    "YYYYMMDD": "{Y}{M}{D}",
    "YYYY-MM-DD": "{Y}-{M}-{D}",
    "MM-DD-YYYY": "{M}-{D}-{Y}",
    "MonthD": "{N}{d}",
    "unix": "{s}",
}


def written(day: int, shape: str) -> str:
    year, month, dom = civil(day)
    return shape.format(
        Y=str(year).rjust(4, "0"),
        L=str(year - 1).rjust(4, "0"),
        y=str(int(fmod(year, 100))).rjust(2, "0"),
        M=f"{month:02d}",
        D=f"{dom:02d}",
        N=MONTH_NAMES[month - 1],
        d=dom,
        s=day * 86400,
    )


def variable(name: str, rule: dict[str, Any], day: int) -> str | None:
    """What the name between braces stands for, or None where it is no variable."""
    if name in SHORT:
        return written(day, SHORT[name])
    parts = VARIABLE.fullmatch(name)
    if not parts or parts[4] not in LONG or int(parts[3] or 0) > 400:
        return None
    base = day if parts[1] == "period" else release_day(rule, day)
    by = int(parts[3] or 0)
    return written(base - by if parts[2] == "-" else base + by, LONG[parts[4]])


def fill(text: str, rule: dict[str, Any], day: int) -> str:
    """`text` with its variables filled in for a period. Other braces stand for themselves."""

    def stands_for(match: re.Match[str]) -> str:
        found = variable(match[1], rule, day)
        return match[0] if found is None else found

    return BRACES.sub(stands_for, text)


def wrong_variable(value: Any) -> str | None:
    """The first text in a value that begins like a variable and is none, or None."""
    if isinstance(value, str):
        for name in BRACES.findall(value):
            parts = VARIABLE.fullmatch(name)
            known = name in SHORT or (parts and parts[4] in LONG and int(parts[3] or 0) <= 400)
            if name.startswith(("period", "release")) and not known:
                return name
        return None
    inside = value.values() if isinstance(value, dict) else value if isinstance(value, list) else ()
    return next((wrong for wrong in map(wrong_variable, inside) if wrong is not None), None)


def filled_request(rule: dict[str, Any], provider: dict[str, Any], day: int) -> dict[str, Any]:
    """The request of a rule with the variables of a period in their places."""
    request = json.loads(json.dumps(provider["request"]))
    request["url"] = fill(request["url"], rule, day)
    if request["body"] is not None:
        request["body"] = fill(request["body"], rule, day)
    for header in request["headers"]:
        header["value"] = fill(header["value"], rule, day)
    until = request["paging"].get("until")
    if until:
        until["before"] = fill(until["before"], rule, day)
    return request
