"""Closed schemas: every member is there, and no other is (docs/spec/canonical-json.md, Types).

A check takes a value and its place, and raises Malformed where the value is not of its form.
"""

from __future__ import annotations

import re
from typing import Any, Callable

from ..fault import Malformed
from ..rule.period import is_time, read_day

Check = Callable[[Any, str], None]

I64 = re.compile("0|-?[1-9][0-9]{0,18}")
DECIMAL = re.compile(r"-?(?:0|[1-9][0-9]*)(?:\.[0-9]+)?")
TICKER = re.compile("[A-Z][A-Z0-9]{0,15}")


def fail(place: str, expected: str) -> None:
    raise Malformed(place, expected)


def require(holds: bool, place: str, expected: str) -> None:
    if not holds:
        raise Malformed(place, expected)


def object_of(**members: Check) -> Check:
    def check(value: Any, place: str) -> None:
        require(
            isinstance(value, dict) and value.keys() == members.keys(),
            place,
            f"exactly {', '.join(members)}",
        )
        for name, each in members.items():
            each(value[name], f"{place}.{name}")

    return check


def list_of(item: Check, least: int, most: int) -> Check:
    def check(value: Any, place: str) -> None:
        require(
            isinstance(value, list) and least <= len(value) <= most,
            place,
            f"{least} to {most} items",
        )
        for i, each in enumerate(value):
            item(each, f"{place}[{i}]")

    return check


def nullable(inner: Check) -> Check:
    def check(value: Any, place: str) -> None:
        if value is not None:
            inner(value, place)

    return check


def one_of(*options: str) -> Check:
    return lambda value, place: require(
        isinstance(value, str) and value in options, place, f"one of {', '.join(options)}"
    )


def integer(least: int, most: int) -> Check:
    return lambda value, place: require(
        type(value) is int and least <= value <= most, place, f"an integer from {least} to {most}"
    )


def boolean(value: Any, place: str) -> None:
    require(isinstance(value, bool), place, "true or false")


def text(least: int, most: int, pattern: str | None = None) -> Check:
    """Text of `least` to `most` UTF-16 code units; with `pattern`, all of it must match."""
    compiled = None if pattern is None else re.compile(pattern)

    def check(value: Any, place: str) -> None:
        fits = (
            isinstance(value, str)
            and least <= len(value) + sum(c > "\uffff" for c in value) <= most
        )
        require(fits, place, f"text of {least} to {most} characters")
        require(
            compiled is None or compiled.fullmatch(value) is not None, place, f"text like {pattern}"
        )

    return check


def hex_of(length: int) -> Check:
    return text(2 * length, 2 * length, "[0-9a-f]*")


hash_hex = hex_of(32)
base58 = text(32, 44, "[1-9A-HJ-NP-Za-km-z]+")


def date(value: Any, place: str) -> None:
    require(isinstance(value, str) and read_day(value) is not None, place, "a date YYYY-MM-DD")


def time(value: Any, place: str) -> None:
    require(isinstance(value, str) and is_time(value), place, "a time YYYY-MM-DDTHH:MM:SSZ")


def i64(value: Any, place: str) -> None:
    fits = (
        isinstance(value, str)
        and I64.fullmatch(value) is not None
        and -(2**63) <= int(value) < 2**63
    )
    require(fits, place, "a signed 64-bit integer as text")


def decimal(value: Any, place: str) -> None:
    fits = isinstance(value, str) and len(value) <= 100 and DECIMAL.fullmatch(value) is not None
    require(fits, place, "a plain decimal of at most 100 characters")


def ticker(value: Any, place: str) -> None:
    fits = isinstance(value, str) and TICKER.fullmatch(value) is not None and value != "CLOSE"
    require(fits, place, "a ticker")
