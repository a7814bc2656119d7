"""The blob of a `study/2`, from its moments alone: docs/spec/base-rate.md."""

import hashlib
from collections import Counter

from edge import WEEK, Edge, clipped
from market import half_away
from moments import HORIZONS, month_of, month_start
from study import BREADTHS, BUCKETS, median

PARTS = ["whole", "chosen", "other_assets", "later"]
BOUNDS = ["last", "lost"]


def excess(returns, bound):
    if bound == "last":
        return clipped(returns["ret"] - returns["base"])
    return clipped((-10_000 if returns["gone"] else returns["ret"]) - returns["base_lost"])


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
    values = sorted(excess(row, "last") for row in rows)
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


def edges_of(moments):
    def rows(bound):
        return [(m["entered_at"] // WEEK, m["symbol"], excess(m["returns"]["7d"], bound)) for m in moments]

    return {bound: Edge(rows(bound)) for bound in BOUNDS}


def part_of(moments, edges):
    return {
        "n": len(moments),
        "n_weeks": len({m["entered_at"] // WEEK for m in moments}),
        "n_assets": len({m["symbol"] for m in moments}),
        **{bound: edges[bound].stated() for bound in BOUNDS},
    }


def divided(moments, asset_class, since):
    """The moments of each part."""
    return {
        "whole": moments,
        "chosen": [
            m
            for m in moments
            if is_chosen(asset_class, m["symbol"]) and m["entered_at"] + WEEK <= since
        ],
        "other_assets": [m for m in moments if not is_chosen(asset_class, m["symbol"])],
        "later": [m for m in moments if m["entered_at"] >= since],
    }


def withheld_of(parts, edges, number):
    sign = edges["whole"]["last"].sign()

    def stands(part, level):
        return all(edge.passes(level) and edge.sign() == sign for edge in edges[part].values())

    family = f"family/{min(len(format(number, 'b')), 10)}"
    found = {
        "few_weeks": parts["whole"]["n_weeks"] < 5,
        "few_assets": parts["whole"]["n_assets"] < 5,
        "family": not stands("whole", family),
        "not_chosen": not stands("chosen", "part"),
        "other_assets": not stands("other_assets", "part"),
        "later": not stands("later", "part"),
    }
    return [reason for reason, holds in found.items() if holds]


def group_for(moments, asset_class, number, since):
    dates = Counter(moment["opened_at"] // 86_400 for moment in moments)
    known = {
        name: [m["returns"][name] for m in moments if m["returns"][name] is not None] for name in HORIZONS
    }
    sets = divided(moments, asset_class, since)
    edges = {part: edges_of(sets[part]) for part in PARTS}
    parts = {part: part_of(sets[part], edges[part]) for part in PARTS}
    return {
        "n_dates": len(dates),
        "top_date_share": hundredths(max(dates.values()), len(moments)) if moments else 0,
        "horizons": {name: horizon_of(rows) for name, rows in known.items()},
        "ordinary": {name: ordinary_of(rows) for name, rows in known.items()},
        **parts,
        "withheld": withheld_of(parts, edges, number),
    }


def make_edge_study(data):
    """Of `class`, `rule`, `from`, `to`, `number`, `left_out` and `moments`, in any order."""
    moments = sorted(data["moments"], key=lambda m: (m["opened_at"], m["symbol"]))
    since = later_from(moments)
    groups = []
    for bucket in BUCKETS:
        for breadth in BREADTHS:
            own = [m for m in moments if (m["bucket"], m["breadth"]) == (bucket, breadth)]
            group = group_for(own, data["class"], data["number"], since)
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
