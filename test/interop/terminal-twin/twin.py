"""A second implementation of Assay's Terminal, from the pages in docs/spec alone.

Python 3.8 or later, the standard library, nothing else. It shares no code with the first one.

    python3 twin.py market FOLDER RULE [SYMBOL...]   scores by asset and month, then every entry that they make due
    python3 twin.py edge FOLDER RULE [SYMBOL...]     the `study/2` of their replay
    python3 twin.py studies < LINES                  the data of a `study/1` a line; the study, a line each
    python3 twin.py edges < LINES                    a `study/2` without groups a line; the study, a line each
    python3 twin.py ranges < LINES                   ticks, events and splits of a class a line; its `study/2`, a line
"""

import hashlib
import json
import sys
import time

from edge_study import make_edge_study
from machine import entries
from market import folder
from moments import Readings, moments_of, study_number
from score import scores
from study import canonical, make_study


def text(value):
    return "-" if value is None else str(value)


def scored(path, rule, symbols):
    """(of each asset its rows with a price, each with score, move, vol_mult, z_long and z_short; all times of rows)."""
    files = sorted(folder(path, symbols or None).items())
    times = sorted({index * 900 for _, rows in files for index, _, _ in rows})
    priced = [(symbol, [row for row in rows if row[1] is not None]) for symbol, rows in files]
    return ((symbol, zip(rows, scores(rule, rows))) for symbol, rows in priced), times


def market(path, rule, symbols):
    """A line for each asset and month: ticks and the sha256 of `ts,score,move,vol_mult,z_long,z_short` lines."""
    ticks = {}
    assets, times = scored(path, rule, symbols)
    for symbol, rows in assets:
        kept, months = {}, {}
        for (index, price, _), each in rows:
            ts = index * 900
            kept[ts] = price, *each[:3]
            month = time.strftime("%Y-%m", time.gmtime(ts))
            count, digest = months.setdefault(month, [0, hashlib.sha256()])
            digest.update((",".join(map(text, (ts, *each))) + "\n").encode())
            months[month][0] = count + 1
        ticks[symbol] = kept
        for month, (count, digest) in months.items():
            print(symbol, month, count, digest.hexdigest())
    for kind, body in entries(rule, times, ticks):
        print(kind, json.dumps(body, sort_keys=True, separators=(",", ":")))


def edge(path, rule, symbols):
    """The study of a replay of crypto alone to the end of its files."""
    assets, times = scored(path, rule, symbols)
    ticks = {symbol: {index * 900: (price, *each[:3]) for (index, price, _), each in rows} for symbol, rows in assets}
    due = list(entries(rule, times, ticks))
    own = event_rule(rule)
    events = [{**body, "rule": own} for kind, body in due if kind == "open"]
    readings = Readings(ticks, times[-1])
    before = 2 + len(ticks) + len(times) + len(due)  # entry 0, the rule, assets, ticks and what they make due
    print(canonical(study_of(readings, events, rule, times[0], before)).decode())


def event_rule(rule):
    return {"study": rule.get("study", 1), "silent": rule["event"]["silent"], "close": rule["event"]["close"]}


def study_of(readings, events, rule, first, to):
    """`rule` is that of the newest tick, `first` the first tick of a rule with `study` 2."""
    moments, left_out = moments_of(readings, events)
    return make_edge_study(
        {
            "class": rule["class"],
            "rule": hashlib.sha256(canonical(rule)).hexdigest(),
            "from": 0,
            "to": to,
            "number": study_number(first, readings.newest),
            "left_out": left_out,
            "moments": moments,
        }
    )


def ranged(data):
    """
    Of `rules`, `ticks` as [ts, number of its rule, {symbol: [price, score]}] with what is good at it, `events` with
    `symbol`, `opened_at`, `move_24h` and `breadth`, and `splits` as {symbol: [[ts, numerator, denominator]]}.
    """
    rules, ticks = data["rules"], data["ticks"]
    named = {ts: rules[number] for ts, number, _ in ticks}
    good = {}
    for ts, _, leaves in ticks:
        for symbol, reading in leaves.items():
            good.setdefault(symbol, {})[ts] = reading
    newest = ticks[-1][0]
    events = [{**each, "rule": event_rule(named[each["opened_at"]])} for each in data["events"]]
    readings = Readings(good, newest, data["splits"])
    first = next(ts for ts, rule in named.items() if rule.get("study") == 2)
    return study_of(readings, events, named[newest], first, data["to"])


LINES = {"studies": make_study, "edges": make_edge_study, "ranges": ranged}


def main(arguments):
    if arguments[:1] == ["market"] and len(arguments) >= 3:
        market(arguments[1], json.loads(arguments[2]), arguments[3:])
    elif arguments[:1] == ["edge"] and len(arguments) >= 3:
        edge(arguments[1], json.loads(arguments[2]), arguments[3:])
    elif len(arguments) == 1 and arguments[0] in LINES:
        for line in sys.stdin:
            print(canonical(LINES[arguments[0]](json.loads(line))).decode())
    else:
        sys.exit(__doc__)


if __name__ == "__main__":
    main(sys.argv[1:])
