"""A second implementation of Assay's Terminal, from the pages in docs/spec alone.

Python 3.8 or later, the standard library, nothing else. It shares no code with the first one.

    python3 twin.py market FOLDER RULE [SYMBOL...]   scores by asset and month, then every entry that they make due
    python3 twin.py studies < LINES                  base rates, version 1: the data of a study a line; the study, a line each
    python3 twin.py edges < LINES                    base rates, version 2: a study without groups a line; the study, a line each
"""

import hashlib
import json
import sys
import time

from edge_study import make_edge_study
from machine import entries
from market import folder
from score import scores
from study import canonical, make_study


def text(value):
    return "-" if value is None else str(value)


def market(path, rule, symbols):
    """A line for each asset and month: ticks and the sha256 of `ts,score,move,vol_mult,z_long,z_short` lines."""
    ticks = {}
    for symbol, rows in sorted(folder(path, symbols or None).items()):
        kept, months = {}, {}
        for (index, price, _), scored in zip(rows, scores(rule, rows)):
            ts = index * 900
            kept[ts] = price, *scored[:3]
            month = time.strftime("%Y-%m", time.gmtime(ts))
            count, digest = months.setdefault(month, [0, hashlib.sha256()])
            digest.update((",".join(map(text, (ts, *scored))) + "\n").encode())
            months[month][0] = count + 1
        ticks[symbol] = kept
        for month, (count, digest) in months.items():
            print(symbol, month, count, digest.hexdigest())
    times = sorted({ts for kept in ticks.values() for ts in kept})
    for kind, body in entries(rule, times, ticks):
        print(kind, json.dumps(body, sort_keys=True, separators=(",", ":")))


def main(arguments):
    if arguments[:1] == ["market"] and len(arguments) >= 3:
        market(arguments[1], json.loads(arguments[2]), arguments[3:])
    elif arguments in (["studies"], ["edges"]):
        make = make_study if arguments == ["studies"] else make_edge_study
        for line in sys.stdin:
            print(canonical(make(json.loads(line))).decode())
    else:
        sys.exit(__doc__)


if __name__ == "__main__":
    main(sys.argv[1:])
