"""Moments of a study, from docs/spec/base-rate.md: what became of events, and of what was quiet beside them."""

import calendar
import time

from machine import event_id
from market import half_away
from study import group_of

QUARTER = 900
HOUR = 3600
DAY = 86_400
LATE = 21_600
HORIZONS = {"1d": DAY, "7d": 604_800, "30d": 2_592_000}
LEAST_CONTROLS = 5
MAX = 2**53 - 1


def month_of(ts):
    """Months since the year 0."""
    date = time.gmtime(ts)
    return date.tm_year * 12 + date.tm_mon - 1


def month_start(month):
    return calendar.timegm((month // 12, month % 12 + 1, 1, 0, 0, 0))


def study_number(first, newest):
    """
    The number of a study that is of the month after its newest tick; `first` is the class's first tick whose rule
    has `study` 2.
    """
    month = month_of(first)
    while month_start(month) - first < 60 * DAY:
        month += 1
    return max(1, min(month_of(newest) + 1 - month + 1, 1023))


class Readings:
    """
    What a range has of a class with quarters of an hour: good ticks as symbol -> ts -> (price in units, score or
    None, ...), and splits as symbol -> [(ts, numerator, denominator)].
    """

    def __init__(self, good, newest, splits=None):
        self.good, self.newest = good, newest
        self.splits = splits or {}

    def over(self, entered_at, seconds):
        return entered_at + seconds + LATE <= self.newest

    def basis_points(self, symbol, since, until):
        """The return of a receipt."""
        then, now = self.good[symbol][since][0], self.good[symbol][until][0]
        for at, numerator, denominator in self.splits.get(symbol, []):
            if since < at <= until:
                then, now = then * denominator, now * numerator
        return min(half_away(10_000 * (now - then), then), MAX)

    def returned(self, symbol, entered_at, seconds):
        """(return, whether the asset is gone, whether it is without a price too) after a horizon that is over."""
        good = self.good[symbol]
        due = entered_at + seconds
        hour = -(-due // HOUR) * HOUR
        while hour <= due + LATE:
            if hour in good:
                return self.basis_points(symbol, entered_at, hour), False, False
            hour += HOUR
        hour = (due - 1) // HOUR * HOUR
        while hour > entered_at:
            if hour in good:
                return self.basis_points(symbol, entered_at, hour), True, False
            hour -= HOUR
        return 0, True, True


def mean(values):
    return half_away(sum(values), len(values))


def horizon_returns(readings, symbol, controls, entered_at, seconds):
    """None where the horizon is not over, or more than half of the controls are gone."""
    if not readings.over(entered_at, seconds):
        return None
    ret, gone, _ = readings.returned(symbol, entered_at, seconds)
    others = [readings.returned(other, entered_at, seconds) for other in controls]
    gone_controls = sum(1 for _, away, _ in others if away)
    if 2 * gone_controls > len(others):
        return None
    return {
        "ret": ret,
        "gone": gone,
        "base": mean([value for value, _, _ in others]),
        "base_lost": mean([-10_000 if away else value for value, away, _ in others]),
        "gone_controls": gone_controls,
        "unpriced_controls": sum(1 for _, _, unpriced in others if unpriced),
    }


def moment_of(readings, event):
    """The moment of an event that is of a group and of a rule with `study` 2, or why it is left out."""
    symbol, opened_at, rule = event["symbol"], event["opened_at"], event["rule"]
    good = readings.good
    following = [opened_at + QUARTER * k for k in range(1, rule["silent"] + 1)]
    entries = [ts for ts in following if ts <= readings.newest and ts in good[symbol]]
    if not entries:
        return "not_over" if readings.newest < following[-1] else "no_entry"
    entered_at = entries[0]
    if not readings.over(entered_at, HORIZONS["7d"]):
        return "not_over"
    controls = []
    for other, ticks in good.items():
        if other == symbol or opened_at not in ticks or entered_at not in ticks:
            continue
        score = ticks[opened_at][1]
        if score is not None and score < rule["close"]:
            controls.append(other)
    if len(controls) < LEAST_CONTROLS:
        return "few_controls"
    returns = {
        name: horizon_returns(readings, symbol, controls, entered_at, seconds)
        for name, seconds in HORIZONS.items()
    }
    if returns["7d"] is None:
        return "no_exit"
    bucket, breadth = group_of(event["move_24h"], event["breadth"])
    return {
        "id": event_id(symbol, opened_at),
        "symbol": symbol,
        "opened_at": opened_at,
        "entered_at": entered_at,
        "bucket": bucket,
        "breadth": breadth,
        "controls": len(controls),
        "returns": returns,
    }


def moments_of(readings, events):
    """
    (moments in their order, how many events each reason left out). An event has `symbol`, `opened_at` in unix
    seconds, `move_24h`, `breadth`, and of its rule `study` (1 or 2), `silent` and `close`.
    """
    left_out = {"few_controls": 0, "no_entry": 0, "no_exit": 0, "not_over": 0}
    moments = []
    for event in events:
        if event["rule"]["study"] != 2 or group_of(event["move_24h"], event["breadth"]) is None:
            continue
        found = moment_of(readings, event)
        if isinstance(found, str):
            left_out[found] += 1
        else:
            moments.append(found)
    return sorted(moments, key=lambda m: (m["opened_at"], m["symbol"])), left_out
