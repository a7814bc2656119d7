"""Scores of one asset's good ticks, from docs/spec/score.md."""

from bisect import bisect_left, insort
from fractions import Fraction

from market import half_away

PPM_LIMIT = 2_000_000_000
MAX = 2**53 - 1


def median(values):
    """Of sorted integers, rounded to an integer."""
    half = len(values) // 2
    if len(values) % 2:
        return values[half]
    return half_away(values[half - 1] + values[half], 2)


class Samples:
    """Returns at every so many ticks of the window before the present one."""

    def __init__(self, floor, rule):
        self.floor = floor
        self.rule = rule
        self.kept = []
        self.first = 0
        self.values = []
        self.spread = None

    def z(self, index, value):
        returns, scale = self.rule["returns"], self.rule["scale"]
        while self.first < len(self.kept) and self.kept[self.first][0] < index - returns["window"]:
            del self.values[bisect_left(self.values, self.kept[self.first][1])]
            self.first += 1
            self.spread = None
        found = None
        if value is not None and len(self.values) >= returns["min_samples"]:
            if self.spread is None:
                middle = median(self.values)
                apart = median(sorted(abs(each - middle) for each in self.values))
                wide = half_away(apart * scale["numerator"], scale["denominator"])
                self.spread = middle, max(wide, self.floor)
            middle, wide = self.spread
            found = half_away(1000 * abs(value - middle), wide)
        if value is not None and index % returns["sample"] == 0:
            self.kept.append((index, value))
            insort(self.values, value)
            self.spread = None
        return found


def scores(rule, ticks):
    """For each tick (score, move, vol_mult, z_long, z_short)."""
    returns, volume, parts = rule["returns"], rule["volume"], rule["parts"]
    prices, volumes = {}, {}
    long = Samples(rule["scale"]["floor_long"], rule)
    short = Samples(rule["scale"]["floor_short"], rule)

    def before(index, width):
        at = index - width
        tolerance = returns["tolerance"]
        places = [at - k for k in range(tolerance + 1)] + [at + k for k in range(1, tolerance + 1)]
        return next((prices[place] for place in places if place in prices), None)

    def returned(scale, then, now):
        return None if then is None else half_away(scale * (now - then), then)

    def clipped(ppm):
        return None if ppm is None else max(-PPM_LIMIT, min(PPM_LIMIT, ppm))

    def part(name, x):
        of = parts[name]
        width = of["to"] - of["from"]
        return of["weight"] * Fraction(max(0, min(width, x - of["from"])), width)

    for index, price, day in ticks:
        prices[index] = price
        if day is not None:
            volumes[index] = day
        then = before(index, returns["long"])
        z_long = long.z(index, clipped(returned(1_000_000, then, price)))
        z_short = short.z(
            index, clipped(returned(1_000_000, before(index, returns["short"]), price))
        )
        multiple = None
        if day is not None:
            past = [index - k * volume["day"] for k in range(1, volume["days"] + 1)]
            past = [volumes[each] for each in past if each in volumes]
            if len(past) >= volume["min_days"] and sum(past) > 0:
                multiple = min(MAX, half_away(100 * day * len(past), sum(past)))
        score = None
        if z_long is not None and multiple is not None and z_short is not None:
            whole = part("long", z_long) + part("volume", multiple) + part("short", z_short)
            score = half_away(whole.numerator, whole.denominator)
        yield score, returned(10_000, then, price), multiple, z_long, z_short
