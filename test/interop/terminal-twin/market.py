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


def read(path):
    """Rows as (index of the grid, price in units, quote volume of the last day in whole units or None)."""
    with gzip.open(path, "rt", encoding="ascii") as file:
        rows = list(csv.reader(file))[1:]
    closes = [exact(row[1]) for row in rows]
    volumes = [exact(row[2]) for row in rows]
    decimals = decimals_of(closes)
    longest = max(own for _, own in closes) + max(own for _, own in volumes)
    ticks, day, total = [], [], 0
    first = 0
    for (moment, _, _), close, volume in zip(rows, closes, volumes):
        index = calendar.timegm(time.strptime(moment, "%Y-%m-%dT%H:%M:%SZ")) // 900
        quote = close[0] * volume[0] * 10 ** (longest - close[1] - volume[1])
        day.append((index, quote))
        total += quote
        while day[first][0] <= index - DAY:
            total -= day[first][1]
            first += 1
        summed = half_away(total, 10**longest) if len(day) - first >= LEAST else None
        volume_24h = summed if summed is not None and summed <= MAX else None
        # A price of no unit is no good tick.
        price = units(*close, decimals)
        if price > 0:
            ticks.append((index, price, volume_24h))
    return ticks


def folder(path, symbols=None):
    """Ticks by symbol, `BTC` for `BTCUSDT.15m.csv.gz`; all of them, or those that are named."""
    found = {}
    for name in sorted(glob.glob(os.path.join(path, "*USDT.15m.csv.gz"))):
        symbol = os.path.basename(name)[: -len("USDT.15m.csv.gz")]
        if symbols is None or symbol in symbols:
            found[symbol] = read(name)
    return found
