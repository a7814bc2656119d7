"""Numbers that sources write, exact fractions, and how they become integers."""

from __future__ import annotations

import re
from fractions import Fraction
from typing import Sequence

from .stop import Stop, bad


TEN_TO_100 = 10**100


PLAIN = re.compile(r"-?(?:0|[1-9][0-9]*)(?:\.[0-9]+)?")
GROUPED = re.compile(r"-?[1-9][0-9]{0,2}(?:,[0-9]{3})+(?:\.[0-9]+)?")
GOES_ON = re.compile("[0-9eE]|[.,][0-9]")


def numeral(text: str, style: str, take: str) -> Fraction:
    patterns = [PLAIN] if style == "plain" else [PLAIN, GROUPED]
    matches = [match[0] for match in (p.match(text) for p in patterns) if match]
    if not matches:
        raise bad()
    longest = max(matches, key=len)
    rest = text[len(longest) :]
    if GOES_ON.match(rest) or len(longest) > 100 or (take == "all" and rest):
        raise bad()
    return Fraction(longest.replace(",", ""))


def sized(number: Fraction) -> Fraction:
    if abs(number.numerator) >= TEN_TO_100 or number.denominator >= TEN_TO_100:
        raise Stop("out_of_range")
    return number


def rounded(number: Fraction, decimals: int, how: str) -> int:
    """`number` times 10^decimals as an integer."""
    scaled = number * 10**decimals
    below, rest = divmod(scaled.numerator, scaled.denominator)
    twice = 2 * rest
    if how == "floor":
        up = False
    elif how == "ceil":
        up = rest > 0
    elif how == "trunc":
        up = rest > 0 and scaled < 0
    elif twice != scaled.denominator:
        up = twice > scaled.denominator
    elif how == "half_even":
        up = below % 2 == 1
    elif how == "half_away":
        up = scaled > 0
    else:
        raise ValueError(how)
    return below + up


def is_i64(value: int) -> bool:
    return -(2**63) <= value < 2**63


def middle(values: Sequence[Fraction]) -> Fraction:
    ordered = sorted(values)
    half = len(ordered) // 2
    return ordered[half] if len(ordered) % 2 else (ordered[half - 1] + ordered[half]) / 2


def plain(text: str) -> Fraction:
    """A plain decimal as an exact fraction."""
    return Fraction(text)
