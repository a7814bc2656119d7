"""Where a value stands among those before it: z and its band (docs/spec/report.md)."""

from __future__ import annotations

from fractions import Fraction
from typing import Sequence

from ..rule.numeral import middle, rounded


def standing(
    value: int, history: Sequence[int], window: int, least: int, bands: list[dict[str, str]]
) -> tuple[str | None, str | None]:
    before = [Fraction(each) for each in history[-window:]]
    if len(before) < least:
        return None, None
    center = middle(before)
    away = [abs(each - center) for each in before]
    spread = middle(away) * Fraction(7413, 5000)
    if spread == 0:
        spread = sum(away, Fraction(0)) / len(away) * Fraction(1253314, 1000000)
    if spread == 0:
        if value != center:
            return None, None
        tenths = 0
    else:
        tenths = rounded((value - center) / spread, 1, "half_away")
    tenths = max(-999, min(999, tenths))
    sign = "-" if tenths < 0 else ""
    z = f"{sign}{abs(tenths) // 10}.{abs(tenths) % 10}"
    return z, band_of(z, bands)


def band_of(z: str, bands: list[dict[str, str]]) -> str | None:
    """The last band whose `from_z` is at most z."""
    band = None
    for each in bands:
        if Fraction(each["from_z"]) <= Fraction(z):
            band = each["name"]
    return band
