"""Recorded closes: a file an asset, a row a quarter hour."""

import calendar
import csv
import glob
import gzip
import os
import time

DAY = 96
LEAST = 92
MAX = 2**53 - 1
# How many counts of the grid a close may need to come back.
BACK_WITHIN = 3


def index_of(moment):
    return calendar.timegm(time.strptime(moment, "%Y-%m-%dT%H:%M:%SZ")) // 900


def exact(text):
    """A decimal as (digits, decimals): `1.20e-3` is (120, 5)."""
    mantissa, _, exponent = text.lower().partition("e")
    whole, _, part = mantissa.partition(".")
    decimals = len(part) - int(exponent or 0)
    return int(whole + part) * 10 ** max(0, -decimals), max(0, decimals)


def units(digits, own, decimals):
    """In units of 10^-decimals, rounded half away from zero."""
    return half_away(digits * 10**decimals, 10**own)


def half_away(numerator, denominator):
    """The nearest integer of a fraction, half away from zero; denominator above 0."""
    whole = (2 * abs(numerator) + denominator) // (2 * denominator)
    return whole if numerator >= 0 else -whole


def decimals_of(closes):
    """The most of any, at most 18, and with room for the highest."""
    most = min(18, max(own for _, own in closes))
    return next(each for each in range(most, -1, -1) if all(units(*close, each) <= MAX for close in closes))


def without_outliers(rows):
    """Of rows (index, close, volume), those that are not far from one before and one soon behind."""
    most = max(close[1] for _, close, _ in rows)
    prices = [digits * 10 ** (most - own) for _, (digits, own), _ in rows]
    kept, before = [], None
    for i, price in enumerate(prices):
        out = False
        j = i + 1
        while price and before is not None and j < len(rows) and rows[j][0] - rows[before][0] <= BACK_WITHIN:
            low, high = sorted((prices[before], prices[j]))
            out = out or (0 < low and high <= 2 * low and (price >= 5 * high or 5 * price <= low))
            j += 1
        if out:
            continue
        kept.append(rows[i])
        if price:
            before = i
    return kept


def read(path):
    """
    Rows as (index of the grid, price in units, quote volume of the last day in whole units or None). The price is None
    where it is of no unit: then there is a tick, which is not good.
    """
    with gzip.open(path, "rt", encoding="ascii") as file:
        lines = list(csv.reader(file))[1:]
    rows = without_outliers([(index_of(moment), exact(close), exact(volume)) for moment, close, volume in lines])
    decimals = decimals_of([close for _, close, _ in rows])
    longest = max(close[1] for _, close, _ in rows) + max(volume[1] for _, _, volume in rows)
    ticks, day, total = [], [], 0
    first = 0
    for index, close, volume in rows:
        quote = close[0] * volume[0] * 10 ** (longest - close[1] - volume[1])
        day.append((index, quote))
        total += quote
        while day[first][0] <= index - DAY:
            total -= day[first][1]
            first += 1
        summed = half_away(total, 10**longest) if len(day) - first >= LEAST else None
        volume_24h = summed if summed is not None and summed <= MAX else None
        ticks.append((index, units(*close, decimals) or None, volume_24h))
    return ticks


def folder(path, symbols=None):
    """Ticks by symbol, `BTC` for `BTCUSDT.15m.csv.gz`; all of them, or those that are named."""
    found = {}
    for name in sorted(glob.glob(os.path.join(path, "*USDT.15m.csv.gz"))):
        symbol = os.path.basename(name)[: -len("USDT.15m.csv.gz")]
        if symbols is None or symbol in symbols:
            found[symbol] = read(name)
    return found
