"""A second implementation of the Referee's questions, answers and scores, from docs/spec/referee.md alone.

Python 3.8 or later, the standard library, nothing else. It shares no code with the first one. It follows questions from
their events to the scores; what ticks decide it leaves to others.

    python3 referee.py vectors FOLDER    recompute the vectors of the repository's vectors folder
    python3 referee.py log < JSON        { "entries": [{ "kind", "body" }], "blobs": { hash: hex } }: compares every question
                                         and batch, and prints the scores and the calibration as one line of JSON
"""

import hashlib
import json
import os
import sys
import uuid
from datetime import datetime, timedelta
from fractions import Fraction

BUCKETS = [(-1500, "down_15"), (-500, "down_5"), (499, "within_5"), (1499, "up_5"), (2999, "up_15")]
NULLS = ["persistence", "always_under", "climatology"]


def sha256(*parts):
    return hashlib.sha256(b"".join(parts)).digest()


def canonical(value):
    return json.dumps(value, sort_keys=True, separators=(",", ":"), ensure_ascii=False).encode("utf-8")


def rounded(value, places=0):
    """A fraction times 10^places as a whole number, half away from zero."""
    size = (2 * abs(value.numerator) * 10**places + value.denominator) // (2 * value.denominator)
    return -size if value < 0 else size


def decimal(value, places):
    units = rounded(value, places)
    digits = str(abs(units)).rjust(places + 1, "0")
    return ("-" if units < 0 else "") + digits[:-places] + "." + digits[-places:]


def text(value):
    return "%d/%d" % (value.numerator, value.denominator)


# ---------------------------------------------------------------- leaves and trees


def leaf_of(question, ordinal, opening):
    answer = {"yes": b"\x01", "no": b"\x00"}[opening["answer"]]
    return sha256(
        b"assay/answer/v1\x00",
        uuid.UUID(question).bytes,
        ordinal.to_bytes(8, "little"),
        bytes.fromhex(opening["nonce"]),
        bytes.fromhex(opening["salt"]),
        answer,
    )


def root_of(leaves):
    """The RFC 6962 tree head over data entries."""
    if not leaves:
        return sha256()
    if len(leaves) == 1:
        return sha256(b"\x00", leaves[0])
    split = 1
    while 2 * split < len(leaves):
        split *= 2
    return sha256(b"\x01", root_of(leaves[:split]), root_of(leaves[split:]))


def question_id(event):
    data = bytearray(sha256(b"assay/question/v1\x00", uuid.UUID(event).bytes)[:16])
    data[6] = 0x80 | data[6] & 0x0F
    data[8] = 0x80 | data[8] & 0x3F
    return str(uuid.UUID(bytes=bytes(data)))


# ---------------------------------------------------------------- questions


def group_of(move, breadth):
    if move is None or breadth["of"] == 0:
        return None
    bucket = next((name for most, name in BUCKETS if move <= most), "up_30")
    up, down = breadth["up"], breadth["down"]
    same = Fraction(up if move > 0 else down if move < 0 else max(up, down), breadth["of"])
    name = "alone" if same < Fraction(1, 10) else "some" if same < Fraction(3, 10) else "broad"
    return {"bucket": bucket, "breadth": name}


def later(time, seconds):
    form = "%Y-%m-%dT%H:%M:%SZ"
    return (datetime.strptime(time, form) + timedelta(seconds=seconds)).strftime(form)


def share(results):
    return 50 if not results else rounded(Fraction(100 * sum(results), len(results)))


class Log:
    """The entries of a log, one after the other."""

    def __init__(self, blobs):
        self.blobs = blobs
        self.rule = None
        self.events = {}
        self.questions = {}
        self.leaves = {}
        self.crowds = {}
        self.graded = []
        self.void = 0
        self.compared = 0
        self.faults = []

    def same(self, what, expected, found):
        self.compared += 1
        if expected != found:
            self.faults.append("%s: %s, not %s" % (what, json.dumps(expected), json.dumps(found)))

    def results(self, group=None):
        return [yes for body, yes in self.graded if group is None or body["service"]["group"] == group]

    def take(self, kind, body):
        if kind == "arena-rule/1":
            self.rule = body["rule"]
        elif kind == "event/1":
            self.events[body["id"]] = body
        elif kind == "question/1":
            self.questions[body["id"]] = body
            self.leaves[body["id"]] = []
            self.same("question " + body["id"], self.asked(self.events[body["event"]]), body)
        elif kind == "answers/1" and body["type"] == "taken":
            leaves = self.leaves[body["question"]]
            self.same("first of " + body["question"], len(leaves), body["first"])
            leaves.extend(bytes.fromhex(leaf) for leaf in body["leaves"])
        elif kind == "answers/1":
            self.crowds[body["question"]] = body
            self.same("answers to " + body["question"], self.closed(body["question"], body["openings"]), body)
        elif kind == "outcome/1" and body["outcome"] == "void":
            self.void += 1
        elif kind == "outcome/1":
            question = self.questions[body["question"]]
            yes = body["score"] >= question["threshold"]
            self.same("outcome of " + body["question"], "yes" if yes else "no", body["outcome"])
            self.graded.append((question, yes))

    def asked(self, event):
        referee = self.rule["referee"]
        group = group_of(event["move_24h"], event["breadth"])
        every = self.results()
        own = [] if group is None else self.results(group)
        enough = group is not None and len(own) >= referee["least_group"]
        basis = "group" if enough else "all" if every else "none"
        used = own if enough else every
        opened = event["opened_at"]
        return {
            "id": question_id(event["id"]),
            "event": event["id"],
            "symbol": event["symbol"],
            "opened_at": opened,
            "closes_at": later(opened, referee["window_s"]),
            "resolves_at": later(opened, referee["horizon_s"]),
            "threshold": referee["threshold"],
            "tolerance_s": referee["tolerance_s"],
            "rule": sha256(canonical(self.rule)).hex(),
            "score_rule": event["rule"],
            "nulls": {"persistence": 100, "always_under": 0, "climatology": share(every)},
            "service": {"p": share(used), "basis": basis, "group": group, "yes": sum(used), "of": len(used)},
        }

    def closed(self, question, openings):
        leaves = self.leaves[question]
        answers = []
        if openings is not None:
            blob = bytes.fromhex(self.blobs[openings])
            self.same("blob of " + question, openings, sha256(blob).hex())
            answers = json.loads(blob)["answers"]
        opened = [leaf_of(question, i, each) for i, each in enumerate(answers)]
        self.same("leaves of " + question, [leaf.hex() for leaf in leaves], [leaf.hex() for leaf in opened])
        yes = sum(each["answer"] == "yes" for each in answers)
        return {
            "type": "closed",
            "question": question,
            "count": len(leaves),
            "yes": yes,
            "no": len(answers) - yes,
            "root": root_of(leaves).hex(),
            "openings": openings,
        }

    def scores(self):
        n = len(self.graded)
        mean = lambda of: sum(brier(Fraction(of(body), 100), yes) for body, yes in self.graded) / Fraction(n)
        crowd = []
        for body, yes in self.graded:
            batch = self.crowds.get(body["id"])
            if batch is not None and batch["count"] > 0:
                crowd.append(brier(Fraction(batch["yes"], batch["count"]), yes))
        service = mean(lambda body: body["service"]["p"]) if n else None
        nulls = {name: mean(lambda body, name=name: body["nulls"][name]) for name in NULLS} if n else None
        return {
            "resolved": n,
            "void": self.void,
            "service": text(service) if n else None,
            "nulls": {name: text(nulls[name]) for name in NULLS} if n else None,
            "skill": {name: skill(service, nulls[name]) for name in NULLS} if n else None,
            "crowd": {"n": len(crowd), "mean": decimal(sum(crowd) / len(crowd), 6)} if crowd else None,
        }

    def calibration(self):
        rows = []
        for bin in range(10):
            own = [(body["service"]["p"], yes) for body, yes in self.graded if min(body["service"]["p"] // 10, 9) == bin]
            n, yes = len(own), sum(each for _, each in own)
            low, high = wilson(yes, n) if n else (None, None)
            rows.append(
                {
                    "from": 10 * bin,
                    "to": 10 * bin + 10,
                    "n": n,
                    "yes": yes,
                    "mean_p": decimal(Fraction(sum(p for p, _ in own), n), 2) if n else None,
                    "yes_share": decimal(Fraction(yes, n), 4) if n else None,
                    "wilson": {"low": low, "high": high} if n else None,
                }
            )
        return rows


# ---------------------------------------------------------------- scores


def brier(p, yes):
    return (p - (1 if yes else 0)) ** 2


def skill(service, null):
    return None if null == 0 else decimal(1 - service / null, 4)


def root(value):
    """The largest whole number whose square is at most `value`, by bisection."""
    low, high = 0, value + 1
    while high - low > 1:
        middle = (low + high) // 2
        if middle * middle <= value:
            low = middle
        else:
            high = middle
    return low


def wilson(yes, n):
    z2 = Fraction(2401, 625)
    inner = Fraction(yes * (n - yes), n) + z2 / 4
    spread = Fraction(49, 25) * Fraction(root(inner * 10**16 // 1), 10**8)
    bounds = [(yes + z2 / 2 + sign * spread) / (n + z2) for sign in (-1, 1)]
    return tuple(decimal(min(max(bound, Fraction(0)), Fraction(1)), 4) for bound in bounds)


# ---------------------------------------------------------------- the program


def vectors(folder):
    compared, differ = 0, 0

    def same(expected, found):
        nonlocal compared, differ
        compared += 1
        if expected != found:
            differ += 1
            print("%s, not %s" % (expected, found))

    read = lambda name: json.load(open(os.path.join(folder, "referee", name + ".json"), encoding="utf-8"))
    for batch in read("batches"):
        leaves = [leaf_of(batch["question"], i, each) for i, each in enumerate(batch["answers"])]
        for expected, leaf in zip(batch["leaves"], leaves):
            same(expected, leaf.hex())
        same(batch["root"], root_of(leaves).hex())
    for each in read("wilson"):
        same((each["low"], each["high"]), wilson(each["yes"], each["n"]))
    for each in read("entries"):
        same(each["canonical"].encode("utf-8"), canonical(each["body"]))
        if each["kind"] == "question/1":
            same(each["body"]["id"], question_id(each["body"]["event"]))
    print("%d compared, %d differ" % (compared, differ))


def log():
    given = json.load(sys.stdin)
    followed = Log(given["blobs"])
    for entry in given["entries"]:
        followed.take(entry["kind"], entry["body"])
    for fault in followed.faults:
        print(fault)
    print("%d compared, %d differ" % (followed.compared, len(followed.faults)))
    print(json.dumps({"scores": followed.scores(), "calibration": followed.calibration()}))


if __name__ == "__main__":
    if sys.argv[1:2] == ["vectors"] and len(sys.argv) == 3:
        vectors(sys.argv[2])
    elif sys.argv[1:] == ["log"]:
        log()
    else:
        sys.exit(__doc__)
