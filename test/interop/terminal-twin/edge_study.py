"""The blob of a `study/2`, from its moments alone: docs/spec/base-rate.md."""

import hashlib
from collections import Counter

from edge import WEEK, Edge, clipped
from market import half_away
from moments import DAY, HORIZONS, LATE, month_of, month_start
from study import BREADTHS, BUCKETS, median

LOST = -10_000


def excess(returns):
    return clipped(returns["ret"] - returns["base"])


def low_excess(returns):
    return clipped((LOST if returns["gone"] else returns["ret"]) - returns["base"])


def high_excess(returns):
    return clipped(returns["ret"] - returns["base_lost"])


BOUNDS = {"low": low_excess, "high": high_excess}


def is_chosen(asset_class, symbol):
    text = f"assay-study/2:{asset_class}:{symbol}".encode("ascii")
    return hashlib.sha256(text).digest()[0] % 2 == 0


def later_from(moments):
    if not moments:
        return None
    months = [month_of(moment["entered_at"]) for moment in moments]
    first = min(months)
    return month_start(first + (max(months) - first + 1) // 2)


def hundredths(part, whole):
    return half_away(10_000 * part, whole)


def up_share(values):
    return hundredths(sum(1 for value in values if value > 0), len(values)) if values else None


def rank(values, quarters):
    """Of sorted values that of rank ceil(quarters * n / 4)."""
    return values[-(-quarters * len(values) // 4) - 1] if values else None


def horizon_of(rows):
    values = sorted(excess(row) for row in rows)
    rets = [row["ret"] for row in rows]
    return {
        "n": len(rows),
        "gone": sum(1 for row in rows if row["gone"]),
        "up_share": up_share(rets),
        "median_ret": median(rets),
        "mean_excess": half_away(sum(values), len(values)) if values else None,
        "quarter_excess": rank(values, 1),
        "median_excess": median(values),
        "three_quarter_excess": rank(values, 3),
    }


def ordinary_of(rows):
    bases = [row["base"] for row in rows]
    return {"up_share": up_share(bases), "median_ret": median(bases)}


def largest_excess(moments, bound):
    return max((abs(BOUNDS[bound](m["returns"]["7d"])) for m in moments), default=0)


def rows_of(moments, bound):
    return [(m["entered_at"] // WEEK, m["symbol"], BOUNDS[bound](m["returns"]["7d"])) for m in moments]


def with_two_against(rows, size, sign):
    """The rows, and two more of new assets and of weeks that are next to no other."""
    if not rows:
        return []
    newest = max(week for week, _, _ in rows)
    return [*rows, *((newest + 2 * k, k, -size if sign > 0 else size) for k in (1, 2))]


def part_of(edges):
    """`edges` are one at each bound."""
    low = edges["low"]
    return {
        "n": low.n,
        "n_weeks": low.weeks,
        "n_assets": low.assets,
        **{bound: edge.stated() for bound, edge in edges.items()},
    }


def divided(moments, asset_class, since):
    """The moments of each part that has none but those of the group."""
    chosen = {m["symbol"] for m in moments if is_chosen(asset_class, m["symbol"])}
    later = [m for m in moments if m["entered_at"] >= since]
    return {
        "whole": moments,
        "chosen": [
            m for m in moments if m["symbol"] in chosen and m["entered_at"] + WEEK + LATE <= since
        ],
        "later": later,
        "other_assets": [m for m in later if m["symbol"] not in chosen],
    }


def edges_of(moments, asset_class, since, largest):
    """Part -> bound -> edge; `largest` is the largest excess of the study at each bound."""
    edges = {
        part: {bound: Edge(rows_of(own, bound)) for bound in BOUNDS}
        for part, own in divided(moments, asset_class, since).items()
    }
    sign = edges["whole"]["low"].sign()
    edges["two_against"] = {
        bound: Edge(with_two_against(rows_of(moments, bound), largest[bound], sign)) for bound in BOUNDS
    }
    return edges


def withheld_of(edges, number):
    whole = edges["whole"]["low"]
    sign = whole.sign()

    def stands(part, level):
        return all(edge.passes(level) and edge.sign() == sign for edge in edges[part].values())

    family = f"family/{min(len(format(number, 'b')), 10)}"
    found = {
        "few_weeks": whole.weeks < 5,
        "few_assets": whole.assets < 5,
        "family": not stands("whole", family),
        "two_against": not stands("two_against", "part"),
        "not_chosen": not stands("chosen", "part"),
        "later": not stands("later", "part"),
        "other_assets": not stands("other_assets", "part"),
    }
    return [reason for reason, holds in found.items() if holds]


def group_for(moments, asset_class, number, since, largest):
    dates = Counter(moment["opened_at"] // DAY for moment in moments)
    known = {
        name: [m["returns"][name] for m in moments if m["returns"][name] is not None] for name in HORIZONS
    }
    edges = edges_of(moments, asset_class, since, largest)
    return {
        "n_dates": len(dates),
        "top_date_share": hundredths(max(dates.values()), len(moments)) if moments else 0,
        "horizons": {name: horizon_of(rows) for name, rows in known.items()},
        "ordinary": {name: ordinary_of(rows) for name, rows in known.items()},
        **{part: part_of(each) for part, each in edges.items()},
        "withheld": withheld_of(edges, number),
    }


def make_edge_study(data):
    """Of `class`, `rule`, `from`, `to`, `number`, `left_out` and `moments`, in any order."""
    moments = sorted(data["moments"], key=lambda m: (m["opened_at"], m["symbol"]))
    since = later_from(moments)
    largest = {bound: largest_excess(moments, bound) for bound in BOUNDS}
    groups = []
    for bucket in BUCKETS:
        for breadth in BREADTHS:
            own = [m for m in moments if (m["bucket"], m["breadth"]) == (bucket, breadth)]
            group = group_for(own, data["class"], data["number"], since, largest)
            groups.append({"bucket": bucket, "breadth": breadth, **group})
    return {
        "type": "assay-study/2",
        "class": data["class"],
        "rule": data["rule"],
        "from": data["from"],
        "to": data["to"],
        "number": data["number"],
        "later_from": since,
        "left_out": data["left_out"],
        "moments": moments,
        "groups": groups,
    }
