"""A second implementation of the Arena's points, skill, arena number and standings, from docs/spec/arena.md alone.

Python 3.8 or later, the standard library, and timelock.py beside it, which opens what is sealed. It shares no code with the
first one. It follows rounds from their forecasts to the standings; calendars and signatures it leaves to others.

    python3 arena.py vectors FOLDER    recompute the vectors of the repository's vectors folder
    python3 arena.py cases < LINES     one JSON case a line: points, an order by skill, or an arena number; the result, a line each
"""

import hashlib
import importlib.util
import json
import os
import re
import sys
from functools import cmp_to_key

MAX_FORECAST = 10**15
HOUSE = ["house-last", "house-median"]


def load(name):
    path = os.path.join(os.path.dirname(os.path.abspath(__file__)), name + ".py")
    spec = importlib.util.spec_from_file_location(name, path)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def sha256(*parts):
    return hashlib.sha256(b"".join(parts)).digest()


def canonical(value):
    """The bytes of docs/spec/canonical-json.md, for values of ASCII text and whole numbers."""
    return json.dumps(value, sort_keys=True, separators=(",", ":"), ensure_ascii=False).encode("utf-8")


def rounded(n, d):
    """n / d as a whole number, half away from zero."""
    size = (2 * abs(n) + d) // (2 * d)
    return -size if n < 0 else size


def decimal(units, places):
    digits = str(abs(units)).rjust(places + 1, "0")
    return ("-" if units < 0 else "") + digits[:-places] + "." + digits[-places:]


# ---------------------------------------------------------------- points, skill, arena number


def points(f, p, zero_at):
    if p == 0:
        return 100 if f == p else 0
    whole = zero_at * abs(p)
    left = whole - 100 * abs(f - p)
    return rounded(100 * left, whole) if left > 0 else 0


def order(handles, shrink):
    """Handles (id, graded, excess), the best first."""

    def compare(a, b):
        left, right = a[2] * (b[1] + shrink), b[2] * (a[1] + shrink)
        if left != right:
            return -1 if left > right else 1
        if a[1] != b[1]:
            return b[1] - a[1]
        return (a[0] > b[0]) - (a[0] < b[0])

    return sorted(handles, key=cmp_to_key(compare))


def skill(graded, excess, shrink):
    return decimal(rounded(excess * 10**4, graded + shrink), 4) if graded else "0.0000"


def mean(total, graded):
    """In hundredths."""
    return rounded(100 * total, graded) if graded else 0


def arena_number(top, values):
    """The value and how many it is made of: top has pairs of a handle and its weight."""
    had = [(weight, values[handle]) for handle, weight in top if handle in values]
    weights = sum(weight for weight, _ in had)
    if weights == 0:
        return None, len(had)
    return rounded(sum(weight * value for weight, value in had), weights), len(had)


# ---------------------------------------------------------------- handles and forecasts


def handle_of(sort, *parts):
    return sha256(b"assay/handle/v1\0", bytes([sort]), *parts)[:16].hex()


RESERVED = (
    "admin administrator anonymous arena assay crowd false house moderator nobody null official operator referee root "
    "service support system true undefined"
).split()


def folded(name):
    """The name as it is compared, or None for what is no name."""
    low = "".join(chr(ord(c) + 32) if "A" <= c <= "Z" else c for c in name)
    if not re.fullmatch(r"[a-z0-9_-]{3,24}", low) or re.match(r"house[_-]", low):
        return None
    return None if re.sub(r"[_-]", "", low) in RESERVED else low


def subject(log, round_id, handle):
    return bytes.fromhex(log) + sha256(round_id.encode("ascii")) + bytes.fromhex(handle)


def sealed_message(log, round_id, handle, value):
    tie = sha256(b"assay/sealed-forecast/v1\0", subject(log, round_id, handle))[:24]
    return value.to_bytes(8, "big", signed=True) + tie


def commitment(log, round_id, handle, salt, value):
    units = value.to_bytes(8, "little", signed=True)
    return sha256(b"assay/plain-forecast/v1\0", salt, subject(log, round_id, handle), units).hex()


def signed_message(log, forecast):
    held = forecast["sealed"] or forecast["commitment"]
    return b"".join(
        [
            b"assay/forecast-signature/v1\0",
            subject(log, forecast["round"], forecast["handle"]),
            forecast["counter"].to_bytes(8, "little"),
            bytes.fromhex(forecast["nonce"]),
            sha256(bytes.fromhex(held)),
        ]
    )


def leaf(forecast):
    return sha256(b"assay/forecast/v1\0", canonical(forecast))


def root_of(leaves):
    """The root of RFC 6962 over leaf hashes."""
    if not leaves:
        return sha256(b"")
    if len(leaves) == 1:
        return leaves[0]
    k = 1
    while k * 2 < len(leaves):
        k *= 2
    return sha256(b"\1", root_of(leaves[:k]), root_of(leaves[k:]))


# ---------------------------------------------------------------- rounds


class Arena:
    """Follows the entries of a log. `wrong` has what it finds to be another value than the log has."""

    def __init__(self, log, openings, open_sealed):
        self.log, self.openings, self.open_sealed = log, openings, open_sealed
        self.rule, self.rounds, self.prints, self.handles = None, {}, {}, {}
        self.wrong, self.compared = [], 0

    def same(self, place, expected, found):
        self.compared += 1
        if expected != found:
            self.wrong.append(f"{place}: {expected!r}, found {found!r}")

    def entry(self, kind, at, body):
        step = getattr(self, kind.split("/")[0].replace("-", "_"), None)
        if step is not None:
            step(at, body)

    def arena_rule(self, at, body):
        self.rule = body["rule"]["arena"]

    def report(self, at, body):
        report = body["report"]
        if report["status"] == "final" and report["value"] is not None:
            of = self.prints.setdefault(report["ticker"], {})
            of.setdefault(report["period"], int(report["value"]))

    def round(self, at, body):
        place = body["id"]
        before = sorted(
            ((p, v) for p, v in self.prints[body["ticker"]].items() if p < body["period"]), reverse=True
        )
        self.same(place + " id", f"{body['ticker'].lower()}-{body['period']}", body["id"])
        self.same(place + " reference", (before[0][0], str(before[0][1])), (body["ref_period"], body["ref_value"]))
        window = sorted(v for _, v in before[: self.rule["median_window"]])
        values = [before[0][1], window[(len(window) - 1) // 2]]
        house = [
            {"handle": handle_of(2, name.encode("ascii")), "value": str(value)}
            for name, value in zip(HOUSE, values)
        ]
        self.same(place + " house", house, body["house"])
        self.rounds[body["id"]] = {"body": body, "rule": self.rule, "forecasts": []}

    def forecast(self, at, body):
        of = self.rounds[body["round"]]
        self.same(f"{body['round']} ordinal", len(of["forecasts"]), body["ordinal"])
        handle = self.handle(body["handle"])
        if body["counter"] is not None:
            self.same(f"{body['round']} counter", True, body["counter"] > handle["counter"])
            handle["counter"] = body["counter"]
            if body["key"] is not None:
                self.same("id of a key", handle_of(1, bytes.fromhex(body["key"])), body["handle"])
                handle["secured_by"] = "key"
        of["forecasts"].append((at, body))

    def handle(self, handle):
        new = {"graded": 0, "total": 0, "excess": 0, "streak": 0, "best": 0, "counter": 0, "secured_by": "secret"}
        return self.handles.setdefault(handle, new)

    def counting(self, of):
        newest = {}
        for at, body in of["forecasts"]:
            if at < of["body"]["closes_at"]:
                newest[body["handle"]] = body
        return sorted(newest.values(), key=lambda body: body["ordinal"])

    def freeze(self, at, body):
        of, place = self.rounds[body["round"]], body["round"]
        forecasts = [forecast for _, forecast in of["forecasts"]]
        self.same(place + " count", len(forecasts), body["count"])
        self.same(place + " root", root_of([leaf(each) for each in forecasts]).hex(), body["root"])
        self.same(place + " handles", len({each["handle"] for each in forecasts}), body["handles"])
        rule = of["rule"]
        able = [
            (each["handle"], of_handle["graded"], of_handle["excess"])
            for each in self.counting(of)
            for of_handle in [self.handle(each["handle"])]
            if of_handle["graded"] >= rule["ranked_from"] and of_handle["excess"] > 0
        ]
        top = [
            {"handle": handle, "weight": mean(self.handles[handle]["total"], graded)}
            for handle, graded, _ in order(able, rule["shrink"])[: rule["top"]]
        ]
        self.same(place + " top", top, body["top"])
        of["top"] = top
        of["values"] = self.plain(place, forecasts, body["openings"])

    def plain(self, place, forecasts, openings):
        plain = {each["ordinal"]: each for each in forecasts if each["commitment"] is not None}
        if openings is None:
            self.same(place + " openings", 0, len(plain))
            return {}
        text = self.openings[place]
        self.same(place + " openings", sha256(text.encode("utf-8")).hex(), openings)
        values = {}
        for each in json.loads(text)["openings"]:
            ordinal, salt, value = each["ordinal"], bytes.fromhex(each["salt"]), int(each["value"])
            forecast = plain.pop(ordinal)
            made = commitment(self.log, place, forecast["handle"], salt, value)
            self.same(f"{place} commitment {ordinal}", made, forecast["commitment"])
            values[ordinal] = value
        self.same(place + " unopened", {}, plain)
        return values

    def unseal(self, at, body):
        self.rounds[body["round"]]["signature"] = body["signature"]

    def open(self, of):
        values = dict(of["values"])
        for body in self.counting(of):
            if body["sealed"] is None:
                continue
            message = self.open_sealed(bytes.fromhex(of["signature"]), bytes.fromhex(body["sealed"]))
            if message is None:
                continue
            value = int.from_bytes(message[:8], "big", signed=True)
            own = sealed_message(self.log, body["round"], body["handle"], value)
            if own == message and abs(value) <= MAX_FORECAST:
                values[body["ordinal"]] = value
        return values

    def grade(self, at, body):
        of, place = self.rounds[body["round"]], body["round"]
        rule, counting = of["rule"], self.counting(of)
        if body["void_reason"] is not None:
            self.same(place + " void", [], body["results"])
            return
        if body["part"] == 0:
            of["opened"] = self.open(of)
            of["print"] = self.prints[of["body"]["ticker"]][of["body"]["period"]]
            of["results"] = []
        values, print_value = of["opened"], of["print"]
        by_handle = {b["handle"]: values[b["ordinal"]] for b in counting if b["ordinal"] in values}
        value, n = arena_number([(each["handle"], each["weight"]) for each in of["top"]], by_handle)
        arena = {"value": None if value is None else str(value), "n": n}
        zero_at = rule["zero_points_at"]
        rows = [(b["handle"], values.get(b["ordinal"])) for b in counting]
        rows += [(each["handle"], int(each["value"])) for each in of["body"]["house"]]
        results = [
            {
                "handle": handle,
                "value": None if value is None else str(value),
                "points": 0 if value is None else points(value, print_value, zero_at),
            }
            for handle, value in rows
        ]
        from_row = len(of["results"])
        of["results"] += body["results"]
        self.same(place + " print", str(print_value), body["print"])
        self.same(place + " arena", arena, body["arena"])
        self.same(place + " count", len(counting), body["count"])
        self.same(place + " unopened", len([b for b in counting if b["ordinal"] not in values]), body["unopened"])
        self.same(place + " results", results[from_row : from_row + len(body["results"])], body["results"])
        if body["part"] + 1 == body["parts"]:
            self.same(place + " all results", results, of["results"])
        reference = points(int(of["body"]["ref_value"]), print_value, zero_at)
        for result in body["results"]:
            self.result(result, reference, rule)

    def result(self, result, reference, rule):
        handle = self.handle(result["handle"])
        handle["graded"] += 1
        handle["total"] += result["points"]
        handle["excess"] += result["points"] - reference
        handle["streak"] = handle["streak"] + 1 if result["points"] >= rule["streak_points"] else 0
        handle["best"] = max(handle["best"], handle["streak"])
        if result["handle"] in [handle_of(2, name.encode("ascii")) for name in HOUSE]:
            handle["secured_by"] = "house"

    def standings(self):
        rule = self.rule
        graded = [(handle, of["graded"], of["excess"]) for handle, of in self.handles.items() if of["graded"]]
        ranked = [row for row in graded if row[1] >= rule["ranked_from"]]
        rest = [row for row in graded if row[1] < rule["ranked_from"]]
        return [self.standing(handle) for handle, _, _ in order(ranked, rule["shrink"]) + order(rest, rule["shrink"])]

    def standing(self, handle):
        of, rule = self.handles[handle], self.rule
        return {
            "handle": handle,
            "graded": of["graded"],
            "total_points": of["total"],
            "mean_points": decimal(mean(of["total"], of["graded"]), 2),
            "streak": of["streak"],
            "best_streak": of["best"],
            "ranked": of["graded"] >= rule["ranked_from"],
            "skill": skill(of["graded"], of["excess"], rule["shrink"]),
            "secured_by": of["secured_by"],
        }


# ---------------------------------------------------------------- vectors and cases


def followed(example):
    arena = Arena(example["log"], example["openings"], load("timelock").open_sealed)
    for entry in example["entries"]:
        arena.entry(entry["kind"], entry["at"], entry["body"])
    for name, salt in example["salts"].items():
        handle = handle_of(0, bytes.fromhex(salt), name.encode("ascii"))
        arena.same(f"name {name}", name, folded(name))
        arena.same(f"handle of {name}", True, handle in arena.handles)
    return arena


def case(each):
    """The result of a case."""
    if each["type"] == "points":
        return points(int(each["forecast"]), int(each["print"]), each["zero_at"])
    if each["type"] == "order":
        rows = order([tuple(row) for row in each["handles"]], each["shrink"])
        return [[handle, skill(graded, excess, each["shrink"])] for handle, graded, excess in rows]
    if each["type"] == "mean":
        return mean(each["total"], each["graded"])
    if each["type"] == "name":
        return folded(each["name"])
    if each["type"] == "handle":
        return handle_of(each["sort"], *[bytes.fromhex(part) for part in each["parts"]])
    if each["type"] == "message":
        return message(each)
    value, n = arena_number(each["top"], {handle: int(value) for handle, value in each["values"].items()})
    return [None if value is None else str(value), n]


def message(each):
    log, forecast, salt = each["log"], each["forecast"], bytes.fromhex(each["salt"])
    of = (log, forecast["round"], forecast["handle"])
    return {
        "sealed": sealed_message(*of, int(each["value"])).hex(),
        "commitment": commitment(*of, salt, int(each["value"])),
        "signed": "" if forecast["counter"] is None else sha256(signed_message(log, forecast)).hex(),
        "leaf": leaf(forecast).hex(),
    }


def recompute(folder):
    read = lambda name: json.load(open(os.path.join(folder, "arena", name + ".json"), encoding="utf-8"))
    arena = followed(read("example"))
    arena.same("standings", arena.standings(), read("standings"))
    for i, each in enumerate(read("cases")):
        arena.same(f"case {i}", case(each["case"]), each["result"])
    return arena.compared, arena.wrong


def main(arguments):
    if len(arguments) == 2 and arguments[0] == "vectors":
        compared, wrong = recompute(arguments[1])
        print("\n".join([*wrong, f"{compared} compared, {len(wrong)} differ"]))
        return 1 if wrong else 0
    if arguments == ["cases"]:
        for text in sys.stdin:
            print(json.dumps(case(json.loads(text)), separators=(",", ":")))
        return 0
    print(__doc__, file=sys.stderr)
    return 2


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
