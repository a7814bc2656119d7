"""Base rates, from docs/spec/base-rate-1.md."""

import hashlib
import json
from fractions import Fraction

DRAWS = 2000
BUCKETS = ["down_15", "down_5", "within_5", "up_5", "up_15", "up_30"]
BREADTHS = ["alone", "some", "broad"]
HORIZONS = ["1d", "7d", "30d"]
MAX = 2**53 - 1


def rounded(value):
    """To the nearest integer, half away from zero."""
    value = Fraction(value)
    whole = (2 * abs(value.numerator) + value.denominator) // (2 * value.denominator)
    return whole if value >= 0 else -whole


def group_of(move, breadth):
    if move is None or breadth["of"] == 0:
        return None
    percent = Fraction(move, 100)
    if percent <= -15:
        bucket = "down_15"
    elif percent <= -5:
        bucket = "down_5"
    elif percent < 5:
        bucket = "within_5"
    elif percent < 15:
        bucket = "up_5"
    elif percent < 30:
        bucket = "up_15"
    else:
        bucket = "up_30"
    same = {1: breadth["up"], -1: breadth["down"], 0: max(breadth["up"], breadth["down"])}
    share = Fraction(same[(move > 0) - (move < 0)], breadth["of"])
    if share < Fraction(1, 10):
        return bucket, "alone"
    return bucket, "some" if share < Fraction(3, 10) else "broad"


def excess(row):
    if row["ret"] is None or row["benchmark"] is None:
        return None
    return max(-MAX, min(row["ret"] - row["benchmark"], MAX))


def median(values):
    values = sorted(values)
    half = len(values) // 2
    if not values:
        return None
    return values[half] if len(values) % 2 else rounded(Fraction(values[half - 1] + values[half], 2))


def statistics(rows):
    returns = [row["ret"] for row in rows if row["ret"] is not None]
    up = sum(1 for value in returns if value > 0)
    return {
        "n": len(returns),
        "up_share": rounded(Fraction(10_000 * up, len(returns))) if returns else None,
        "median_ret": median(returns),
        "median_excess": median([e for e in map(excess, rows) if e is not None]),
    }


def horizons(rows):
    return {horizon: statistics([row[horizon] for row in rows]) for horizon in HORIZONS}


def ordinary_of(rows):
    values = [e for e in (excess(row["7d"]) for row in rows) if e is not None]
    return {"horizons": horizons(rows), "excess_7d": {"n": len(values), "sum": str(sum(values))}}


def numbers(seed):
    """A function that draws numbers below n."""

    def words():
        counter = 0
        while True:
            digest = hashlib.sha256(f"{seed}:{counter}".encode("ascii")).digest()
            for at in range(0, 32, 4):
                yield int.from_bytes(digest[at : at + 4], "big")
            counter += 1

    stream = words()

    def below(n):
        while True:
            word = next(stream)
            if word < 2**32 // n * n:
                return word % n

    return below


def bootstrap(seed, clusters, mark):
    """Ends of the interval, and draws at most and at least `mark`; clusters are (sum, count)."""
    below = numbers(seed)
    means = []
    for _ in range(DRAWS):
        drawn = [clusters[below(len(clusters))] for _ in clusters]
        means.append(Fraction(sum(s for s, _ in drawn), sum(c for _, c in drawn)))
    means.sort()
    at_most = sum(1 for mean in means if mean <= mark)
    at_least = sum(1 for mean in means if mean >= mark)
    return means[50 - 1], means[1950 - 1], at_most, at_least


def discoveries(shares, rate):
    ranked = sorted(shares)
    passing = [p for k, p in enumerate(ranked, 1) if p <= rate * k / len(ranked)]
    return [bool(passing) and p <= max(passing) for p in shares]


def canonical(value):
    return json.dumps(value, sort_keys=True, separators=(",", ":"), ensure_ascii=False).encode()


def sign(value):
    return (value > 0) - (value < 0)


def mean(clusters):
    return Fraction(sum(s for s, _ in clusters), sum(c for _, c in clusters))


def measure(seed, members, ordinary):
    dates = {}
    for event in members:
        dates.setdefault(event["opened_at"] // 86_400, []).append(excess(event["returns"]["7d"]))
    clusters = [(sum(values), len(values)) for _, values in sorted(dates.items())]
    n, d = len(members), len(clusters)
    top = max((count for _, count in clusters), default=0)
    reasons = []
    if n < 50:
        reasons.append("few_events")
    if d < 20:
        reasons.append("few_dates")
    if n and Fraction(top, n) > Fraction(1, 5):
        reasons.append("one_date")
    edge = interval = draws = None
    if ordinary is None:
        reasons.append("no_ordinary")
    halves = [clusters[: d // 2], clusters[d // 2 :]]
    known = ordinary is not None and all(halves)
    signs = {sign(mean(half) - ordinary) for half in halves} if known else {0}
    if signs not in ({1}, {-1}):
        reasons.append("halves_differ")
    if ordinary is not None and clusters:
        low, high, at_most, at_least = bootstrap(seed, clusters, ordinary)
        edge = rounded((mean(clusters) - ordinary) / 10)
        interval = [rounded((end - ordinary) / 10) for end in (low, high)]
        draws = min(DRAWS + 1, 2 * (min(at_most, at_least) + 1))
        if low <= ordinary <= high:
            reasons.append("interval")
    else:
        reasons.append("interval")
    return {
        "n": n,
        "n_dates": d,
        "top_date_share": rounded(Fraction(10_000 * top, n)) if n else 0,
        "horizons": horizons([event["returns"] for event in members]),
        "edge_7d": edge,
        "edge_7d_ci": interval,
        "p_draws": draws,
        "withheld": reasons,
    }


def make_study(data):
    events = sorted(data["events"], key=lambda e: (e["opened_at"], e["symbol"]))
    frozen = hashlib.sha256(canonical({"type": "assay-study-data/1", **data, "events": events})).hexdigest()
    found = data["ordinary"]["excess_7d"]
    ordinary = Fraction(int(found["sum"]), found["n"]) if found["n"] else None
    groups = []
    for bucket in BUCKETS:
        for breadth in BREADTHS:
            members = [
                event
                for event in events
                if group_of(event["move_24h"], event["breadth"]) == (bucket, breadth)
                and excess(event["returns"]["7d"]) is not None
            ]
            seed = f"assay-study-draws/1:{data['class']}/{bucket}/{breadth}"
            measured = measure(seed, members, ordinary)
            groups.append({"bucket": bucket, "breadth": breadth, **measured})
    small = [bool({"few_events", "few_dates", "one_date"} & set(g["withheld"])) for g in groups]
    draws = [
        DRAWS + 1 if g["p_draws"] is None or few else g["p_draws"] for g, few in zip(groups, small)
    ]
    found = discoveries([Fraction(each, DRAWS + 1) for each in draws], Fraction(1, 10))
    for group, real, few in zip(groups, found, small):
        if not real and not few:
            group["withheld"].append("false_discovery")
    return {
        "type": "assay-study/1",
        "class": data["class"],
        "rule": data["rule"],
        "from": data["from"],
        "to": data["to"],
        "data": frozen,
        "symbols": sorted({event["symbol"] for event in events}),
        "ordinary": data["ordinary"],
        "groups": groups,
    }
