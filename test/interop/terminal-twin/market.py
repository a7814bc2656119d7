"""Recorded closes: a file an asset, a row a quarter hour."""

import calendar
import csv
import glob
import gzip
import os
import time

DAY = 96
LEAST = 92


def decimals_of(text):
    return len(text.partition(".")[2])


def units(text, decimals):
    """A decimal in units of 10^-decimals."""
    whole, _, part = text.partition(".")
    return int(whole + part.ljust(decimals, "0"))


def half_away(numerator, denominator):
    """The nearest integer of a fraction, half away from zero; denominator above 0."""
    whole = (2 * abs(numerator) + denominator) // (2 * denominator)
    return whole if numerator >= 0 else -whole


def read(path):
    """Rows as (index of the grid, price in units, quote volume of the last day in whole units or None)."""
    with gzip.open(path, "rt", encoding="ascii") as file:
        rows = list(csv.reader(file))[1:]
    price_decimals = max(decimals_of(row[1]) for row in rows)
    volume_decimals = max(decimals_of(row[2]) for row in rows)
    unit = 10 ** (price_decimals + volume_decimals)
    ticks, day, total = [], [], 0
    first = 0
    for moment, close, volume in rows:
        index = calendar.timegm(time.strptime(moment, "%Y-%m-%dT%H:%M:%SZ")) // 900
        price = units(close, price_decimals)
        quote = price * units(volume, volume_decimals)
        day.append((index, quote))
        total += quote
        while day[first][0] <= index - DAY:
            total -= day[first][1]
            first += 1
        there = len(day) - first
        ticks.append((index, price, half_away(total, unit) if there >= LEAST else None))
    return ticks


def folder(path, symbols=None):
    """Ticks by symbol, `BTC` for `BTCUSDT.15m.csv.gz`; all of them, or those that are named."""
    found = {}
    for name in sorted(glob.glob(os.path.join(path, "*USDT.15m.csv.gz"))):
        symbol = os.path.basename(name)[: -len("USDT.15m.csv.gz")]
        if symbols is None or symbol in symbols:
            found[symbol] = read(name)
    return found
