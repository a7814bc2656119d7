"""Events, receipts and benchmarks of a class, from docs/spec/event.md and docs/spec/receipt.md."""

import hashlib
import struct
import uuid

from market import half_away

HORIZONS = {"24h": 86_400, "7d": 604_800, "30d": 2_592_000}


def event_id(symbol, opened_at):
    text = b"assay/event/v1\0" + symbol.encode().ljust(16, b"\0") + struct.pack("<q", opened_at)
    number = int.from_bytes(hashlib.sha256(text).digest()[:16], "big")
    number = number & ~(0xF << 76) | 8 << 76
    number = number & ~(0x3 << 62) | 2 << 62
    return str(uuid.UUID(int=number))


class Machine:
    """The events of one asset."""

    def __init__(self, rule):
        self.rule = rule
        self.opened = None  # index of the newest opening
        self.event = None  # [opened_at, peak] of the open one
        self.armed = True
        self.low = 0
        self.last_good = None

    def step(self, index, ts, score, good):
        rule = self.rule
        if not good:
            score = None
        if not self.armed and self.event is None:
            self.armed = self.low >= rule["consecutive"] and index - self.opened >= rule["rearm"]
        if score is not None:
            self.low = self.low + 1 if score < rule["close"] else 0
        silence = 0 if self.last_good is None else index - self.last_good
        if good:
            self.last_good = index
        if self.event is None:
            if self.armed and score is not None and score >= rule["open"]:
                self.event, self.opened, self.armed = [ts, score], index, False
                return "open", score
            return None
        if score is not None:
            self.event[1] = max(self.event[1], score)
        if score is not None and self.low >= rule["consecutive"]:
            reason = "below"
        elif index - self.opened >= rule["max"]:
            reason = "age"
        elif silence >= rule["silent"]:
            reason = "silent"
        else:
            return None
        (opened_at, peak), self.event = self.event, None
        return "close", opened_at, reason, peak


def basis_points(then, now):
    return half_away(10_000 * (now - then), then)


class Receipts:
    """What is still to say of one event."""

    def __init__(self, symbol, ts, price):
        self.symbol, self.opened_at, self.price = symbol, ts, price
        self.id = event_id(symbol, ts)
        self.waiting = list(HORIZONS)
        self.measuring = {}
        self.start = None  # the benchmark's (ts, price), or "none"


def first_within(ts, since, tolerance, price):
    """The benchmark's first good tick from `since`: (ts, price), "none" once it is too late, or None."""
    if ts > since + tolerance:
        return "none"
    return None if price is None else (ts, price)


def entries(rule, grid_times, ticks):
    """
    `ticks`: symbol -> ts -> (price, score, move, vol_mult). What each time of the class makes due, in the order of
    entries: closes, receipts, benchmarks, opens.
    """
    receipts, benchmark = rule["receipts"], rule["receipts"]["benchmark"]
    tolerance = receipts["benchmark_tolerance_s"]
    symbols = sorted(ticks)
    first = {symbol: min(ticks[symbol]) for symbol in symbols}
    machines = {symbol: Machine(rule["event"]) for symbol in symbols}
    followed = {symbol: [] for symbol in symbols}
    for ts in grid_times:
        held = ticks.get(benchmark, {}).get(ts)
        held = None if held is None else held[0]
        closes, resolved, measured, opens = [], [], [], []
        moves = [ticks[symbol][ts][2] for symbol in symbols if ts in ticks[symbol]]
        moves = [move for move in moves if move is not None]
        breadth = {
            "up": sum(1 for move in moves if move >= 500),
            "down": sum(1 for move in moves if move <= -500),
            "of": len(moves),
        }
        for symbol in symbols:
            if ts < first[symbol]:
                continue
            tick = ticks[symbol].get(ts)
            for event in followed[symbol]:
                if event.start is None:
                    event.start = first_within(ts, event.opened_at, tolerance, held)
            for horizon, seconds in HORIZONS.items():
                for event in followed[symbol]:
                    due = event.opened_at + seconds
                    base = {"id": event.id, "horizon": horizon}
                    if horizon in event.waiting:
                        if ts > due + receipts["void_after_s"]:
                            event.waiting.remove(horizon)
                            resolved.append(["receipt", {**base, "status": "void", "resolved_at": None,
                                                         "ret": None, "reason": "no_data"}])
                        elif tick is not None and ts >= due:
                            event.waiting.remove(horizon)
                            event.measuring[horizon] = [ts, None]
                            resolved.append(["receipt", {**base, "status": "resolved", "resolved_at": ts,
                                                         "ret": basis_points(event.price, tick[0]), "reason": None}])
                    if horizon not in event.measuring:
                        continue
                    end = event.measuring[horizon]
                    if end[1] is None:
                        end[1] = first_within(ts, end[0], tolerance, held)
                    none = {**base, "symbol": benchmark, "from": None, "to": None, "ret": None}
                    if symbol == benchmark:
                        said = {**none, "reason": "own"}
                    elif "none" in (event.start, end[1]):
                        said = {**none, "reason": "no_data"}
                    elif event.start is None or end[1] is None:
                        continue
                    else:
                        said = {**none, "from": event.start[0], "to": end[1][0],
                                "ret": basis_points(event.start[1], end[1][1]), "reason": None}
                    del event.measuring[horizon]
                    measured.append(["benchmark", said])
            followed[symbol] = [e for e in followed[symbol] if e.waiting or e.measuring]
            price, score, move, multiple = tick or (None, None, None, None)
            step = machines[symbol].step(ts // 900, ts, score, tick is not None)
            if step is None:
                continue
            if step[0] == "close":
                _, opened_at, reason, peak = step
                closes.append(["close", {"id": event_id(symbol, opened_at), "closed_at": ts,
                                         "reason": reason, "peak_score": peak}])
                continue
            event = Receipts(symbol, ts, price)
            event.start = first_within(ts, ts, tolerance, held)
            followed[symbol].append(event)
            opens.append(["open", {"id": event.id, "symbol": symbol, "opened_at": ts, "score": score,
                                   "move_24h": move, "vol_mult": multiple, "breadth": breadth}])
        yield from closes + resolved + measured + opens
