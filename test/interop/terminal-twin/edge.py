"""The mean of a set of excess returns, how far it can be trusted, and whether it passes: docs/spec/base-rate.md."""

from functools import lru_cache
from math import isqrt

from market import half_away
from quantiles import DEGREES, LEVELS, quantile

LEAST = 5
WEEK = 604_800
MILLION = 10**6
MAX = 2**53 - 1


@lru_cache(maxsize=None)
def student(level, degrees):
    return quantile(LEVELS[level], max(n for n in DEGREES if n <= degrees))


def clipped(value):
    return max(-MAX, min(value, MAX))


class Edge:
    """Of a set of (week, asset, excess)."""

    def __init__(self, rows):
        self.n = len(rows)
        self.total = sum(excess for _, _, excess in rows)
        self.weeks = len({week for week, _, _ in rows})
        self.assets = len({asset for _, asset, _ in rows})
        self.degrees = min(self.weeks, self.assets) - 1
        self.micro = half_away(MILLION * self.total, self.n) if rows else None
        self.spread = self.spread_of(rows) if self.degrees + 1 >= LEAST else 0

    def left_out(self, rows, key):
        """For each class of a sorting, by its key, how far the mean moves without it, in millionths."""
        sums = {}
        for row in rows:
            count, total = sums.get(key(row), (0, 0))
            sums[key(row)] = count + 1, total + row[2]
        moved = {}
        for each, (count, total) in sums.items():
            kept = self.n - count
            apart = (self.total - total) * self.n - self.total * kept
            moved[each] = half_away(MILLION * apart, self.n * kept)
        return moved

    def spread_of(self, rows):
        """`s`: the least integer whose square is not below the variance."""
        weeks = self.left_out(rows, lambda row: row[0])
        assets = self.left_out(rows, lambda row: row[1])
        both = self.left_out(rows, lambda row: row[:2])
        near = sum(moved * weeks[week + 1] for week, moved in weeks.items() if week + 1 in weeks)
        by_weeks = variance(weeks, max(2 * near, 0))
        by_assets = variance(assets, 0)
        most = max(by_weeks, by_assets, by_weeks + by_assets - variance(both, 0))
        root = isqrt(most)
        return root if root * root == most else root + 1

    def has_interval(self):
        return self.spread > 0

    def stated(self):
        if self.n == 0:
            return {"mean": None, "ci": None, "t": None}
        mean = half_away(self.micro, MILLION)
        if not self.has_interval():
            return {"mean": mean, "ci": None, "t": None}
        wide = student("interval", self.degrees) * self.spread
        low = (1000 * self.micro - wide) // 10**9
        high = -((-1000 * self.micro - wide) // 10**9)
        t = half_away(1000 * self.micro, self.spread)
        return {"mean": mean, "ci": [clipped(low), clipped(high)], "t": clipped(t)}

    def passes(self, level):
        return self.has_interval() and 1000 * abs(self.micro) >= student(level, self.degrees) * self.spread

    def sign(self):
        return 0 if self.micro is None else (self.micro > 0) - (self.micro < 0)


def variance(moved, near):
    count = len(moved)
    return half_away((count - 1) * (sum(each * each for each in moved.values()) + near), count)
