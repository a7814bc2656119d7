"""The shape of each operation (docs/spec/rule.md, Operations)."""

from __future__ import annotations

from typing import Any

from ..fault import Malformed
from ..wire.schema import Check, decimal, integer, list_of, object_of, one_of, require, text
from .numeral import plain
from .request_shape import pointer
from .text import NO_BLANKS

style = one_of("plain", "us_grouped")
lag = integer(1, 1000)


def anchor(value: Any, place: str) -> None:
    text(1, 512)(value, place)
    require(not any(ord(char) in NO_BLANKS for char in value), place, "an anchor without a blank")


def divisor(value: Any, place: str) -> None:
    decimal(value, place)
    require(plain(value) != 0, place, "a decimal but 0")


MEMBERS: dict[str, dict[str, Check]] = {
    "utf8": {},
    "records": {"ptr": pointer},
    "squash": {},
    "after": {"text": text(1, 512)},
    "skip_to": {"text": anchor},
    "num": {"style": style, "take": one_of("all", "prefix")},
    "json": {},
    "at": {"ptr": pointer},
    "rows": {"ptr": pointer},
    "zip": {"key": pointer, "value": pointer},
    "csv": {"delimiter": one_of(",", "\t", ";")},
    "xml": {"rows": text(2, 256, "(/[A-Za-z_:][A-Za-z0-9_:.-]*)+")},
    "where": {
        "ptr": pointer,
        "test": one_of("in", "not_in", "prefix"),
        "values": list_of(text(0, 256), 1, 256),
    },
    "between": {
        "ptr": pointer,
        "style": one_of("text", "plain"),
        "from": text(0, 256),
        "to": text(0, 256),
    },
    "distinct": {"ptrs": list_of(pointer, 1, 4)},
    "choose": {
        "by": pointer,
        "cases": list_of(object_of(**{"is": text(0, 256), "ptr": pointer}), 1, 16),
        "into": text(1, 64),
    },
    "count": {},
    "sum": {"ptr": pointer, "style": style},
    "sum_product": {"ptrs": list_of(pointer, 2, 4), "style": style},
    "median": {"ptr": pointer, "style": style},
    "min": {"ptr": pointer, "style": style},
    "max": {"ptr": pointer, "style": style},
    "series": {
        "key": list_of(pointer, 1, 3),
        "key_style": one_of("iso_date", "us_date", "iso_prefix", "iso_month", "bls_month"),
        "value": pointer,
        "style": style,
        "missing": list_of(text(0, 64), 0, 16),
    },
    "diff": {"lag": lag},
    "pct_change": {"lag": lag},
    "scale": {"mul": decimal, "div": divisor},
    "pick": {"among": one_of("newest", "any")},
}
SHAPES = {name: object_of(op=one_of(name), **members) for name, members in MEMBERS.items()}


def step(value: Any, place: str) -> None:
    name = value.get("op") if isinstance(value, dict) else None
    if not isinstance(name, str) or name not in SHAPES:
        raise Malformed(place, "an operation")
    SHAPES[name](value, place)
    if name == "choose":
        named = [case["is"] for case in value["cases"]]
        require(len(set(named)) == len(named), place, "each case once")
