"""Recounts Assay logs and vectors with the rule language of samples/python, from the pages in docs/spec alone.

It shares no code with the first implementation: what it imports is a second one, plain Python and the standard library.

    python3 recount.py vectors FOLDER    recompute every vector of the repository's vectors folder
    python3 recount.py cases < LINES     one JSON case a line; value or reason, a line each
    python3 recount.py export FOLDER     recount every report of a log that `assay export` wrote
"""

import base64
import hashlib
import json
import os
import sys
from fractions import Fraction

sys.path.insert(
    0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..", "samples", "python")
)

from assay.log.tree import root_of
from assay.round.clocks import LoggedReport, LoggedStatement, clocks_at
from assay.round.decision import NEVER, decide
from assay.round.governing import governing, is_late
from assay.round.standing import standing
from assay.rule.machine import Json, Machine, Pages, read_number
from assay.rule.numeral import rounded
from assay.rule.period import date_text, day_of, time_of, time_text
from assay.rule.custody import copy_differs, is_sound
from assay.rule.reading import read_answer
from assay.rule.release import release_time
from assay.rule.rows import Rows
from assay.rule.source_json import Number
from assay.rule.stop import Stop
from assay.rule.variable import filled_request
from assay.wire.canonical_json import address, canonical, sha256


# ---------------------------------------------------------------- vectors


def load(*parts):
    with open(os.path.join(*parts), encoding="utf-8") as file:
        return json.load(file)


def fraction_text(number):
    return None if number is None else f"{number.numerator}/{number.denominator}"


def plain_json(node):
    if isinstance(node, Number):
        return {"number": str(node)}
    if isinstance(node, list):
        return [plain_json(each) for each in node]
    if isinstance(node, dict):
        return {name: plain_json(each) for name, each in node.items()}
    return node


def typed(value):
    """A value in the form of the vectors."""
    if isinstance(value, Pages):
        return {"pages": len(value)}
    if isinstance(value, str):
        return {"text": value}
    if isinstance(value, Json):
        return {"json": plain_json(value.node)}
    if isinstance(value, Rows):
        return {"rows": plain_json(value.records)}
    if isinstance(value, Fraction):
        return {"number": fraction_text(value)}
    return {"series": {date_text(day): fraction_text(each) for day, each in value.items()}}


def page_bytes(page):
    return page["text"].encode("utf-8") if "text" in page else bytes.fromhex(page["hex"])


def check_operation(vector, sample):
    rule = {**sample, "period": vector["kind"]}
    machine = Machine(rule, day_of(vector["period"]))
    try:
        value = machine.run(vector["steps"], map(page_bytes, vector["pages"]))
        return typed(value) == vector.get("gives")
    except Stop as stop:
        return stop.reason == vector.get("stops")


def check_rule(vector, _sample):
    data = canonical(vector["rule"]).encode("utf-8")
    return len(data) == vector["bytes"] and sha256(data) == vector["hash"]


def check_standing(vector, sample):
    found = standing(
        int(vector["value"]),
        [int(each) for each in vector["history"]],
        vector["window"],
        vector["min"],
        sample["bands"],
    )
    return found == (vector["z"], vector["band"])


def check_rounding(vector, _sample):
    number = Fraction(int(vector["n"]), int(vector["d"]))
    found = rounded(number, vector["decimals"], vector["rounding"])
    return found == int(vector["gives"])


def check_release(vector, _sample):
    rule = {"period": vector["kind"], "release": vector}
    when = release_time(rule, day_of(vector["period"]))
    return time_text(when) == vector["at"]


def check_governing(vector, _sample):
    versions, refused = [], []
    for number, each in enumerate(vector["versions"], 1):
        at = time_of(each["at"])
        rule = {"period": vector["kind"], **each}
        if versions and is_late(versions, at, rule):
            refused.append(number)
        versions.append((at, rule))
    if refused != vector["refused"]:
        return False
    for expected in vector["periods"]:
        day = day_of(expected["period"])
        place, given = governing(versions, day)
        found = {"period": expected["period"], "version": None}
        found.update(dict.fromkeys(("release", "earliest", "latest")))
        if place is not None:
            found["version"] = place + 1
            found["release"] = time_text(release_time(versions[place][1], day))
            found["earliest"], found["latest"] = time_text(min(given)), time_text(max(given))
        if found != expected:
            return False
    return True


def check_clocks(vector, sample):
    release = {name: each for name, each in sample["release"].items() if name != "late"}
    if vector["late"] is not None:
        release["late"] = vector["late"]
    rule = dict(sample, release=release)
    sets = {name: (each["threshold"], each["members"]) for name, each in vector["sets"].items()}
    log = []
    for line in vector["log"]:
        if "report" in line:
            report = {
                "rule": {"hash": line["version"]},
                "published_at": line["published_at"],
                "status": line["status"],
                "reason": line["reason"],
                "cosigners": {"set": line["set"]},
            }
            log.append(LoggedReport(report, line["report"]))
            continue
        reads = [
            {
                "outcome": "not_published" if value is None else "ok",
                "value": value,
                "read_at": line["read_at"],
            }
            for value in (line["press"], line["table"], None)
        ]
        named = {"report": line["on"], "cosigner": line["statement"], "own": {"reads": reads}}
        log.append(LoggedStatement(named))
    day = day_of("2026-07-25")
    for ask in vector["asks"]:
        known = log if ask["before"] is None else log[: ask["before"]]
        found = clocks_at(rule, 1, day, time_of(ask["at"]), known, sets).clocks
        texts = {
            name: None if at in (None, NEVER) else time_text(at) for name, at in vars(found).items()
        }
        if any(texts[name] != ask[name] for name in texts):
            return False
    return True


CHECKED = {
    "rational/roundings.json": check_rounding,
    "rule/clocks.json": check_clocks,
    "rule/governing.json": check_governing,
    "rule/operations.json": check_operation,
    "rule/releases.json": check_release,
    "rule/rules.json": check_rule,
    "z/standings.json": check_standing,
}


def recount_vectors(folder):
    sample = load(folder, "rule", "rules.json")[0]["rule"]
    wrong = 0
    for name, check in CHECKED.items():
        vectors = load(folder, name)
        differ = [i for i, vector in enumerate(vectors) if not check(vector, sample)]
        wrong += len(differ)
        for i in differ:
            print(f"{name} differs at {i}: {vectors[i].get('name', '')}", file=sys.stderr)
        print(f"{name} {len(vectors) - len(differ)} of {len(vectors)}")
    return 1 if wrong else 0


def recount_cases(lines):
    for line in lines:
        case = json.loads(line)
        pages = [bytes.fromhex(page) for page in case["pages"]]
        rule, provider, day = case["rule"], case["provider"], day_of(case["period"])
        if case["answer"]:
            text = None if case["text"] is None else bytes.fromhex(case["text"])
            outcome, value = read_answer(rule, provider, case["statuses"], pages, text, day)
        else:
            outcome, value = read_number(rule, provider, pages, day)
        print(outcome if value is None else f"{outcome} {value}")
    return 0


# ---------------------------------------------------------------- a whole log


def read_file(*parts):
    with open(os.path.join(*parts), "rb") as file:
        return file.read()


def tile_path(index):
    groups = [f"{index % 1000:03d}"]
    while index >= 1000:
        index //= 1000
        groups.insert(0, f"x{index % 1000:03d}")
    return os.path.join(*groups)


def log_entries(folder):
    """Every entry that the checkpoint counts, held to its root. Signatures are for a verifier."""
    _, size, root = read_file(folder, "checkpoint").decode("utf-8").split("\n")[:3]
    entries, leaves = [], []
    while len(entries) < int(size):
        index = len(entries) // 256
        width = min(256, int(size) - len(entries))
        path = tile_path(index) + ("" if width == 256 else f".p/{width}")
        data, at = read_file(folder, "tile", "entries", path), 0
        for _ in range(width):
            end = at + 2 + int.from_bytes(data[at : at + 2], "big")
            leaves.append(hashlib.sha256(b"\x00" + data[at + 2 : end]).digest())
            entries.append(json.loads(data[at + 2 : end]))
            at = end
    if base64.b64encode(root_of(leaves)).decode() != root:
        raise SystemExit("the entries do not make the checkpoint's root")
    return entries


class Evidence:
    """What a read rests on: a snapshot and, where they were kept, its bytes."""

    def __init__(self, folder, name):
        self.snapshot = json.loads(self.blob(folder, name))
        extractor = self.snapshot["extractor"]
        self.kept = self.snapshot["retain"] == "bytes"
        hashes = [page["sha256"] for page in self.snapshot["pages"]]
        self.pages = [self.blob(folder, each) for each in hashes] if self.kept else None
        self.text = self.blob(folder, extractor["text_sha256"]) if self.kept and extractor else None

    @staticmethod
    def blob(folder, name):
        data = read_file(folder, "blob", name)
        if sha256(data) != name:
            raise SystemExit(f"blob {name} holds other bytes")
        return data


class Recount:
    def __init__(self, folder):
        self.folder = folder
        self.rules = {}
        self.versions = {}  # ticker to the versions so far, as (at, rule)
        self.reports = {}  # (ticker, period) to the reports so far
        self.logs = {}  # (ticker, period) to what its clocks may rest on: reports and statements
        self.periods = {}  # the hash of a report to its ticker and period
        self.stated = set()  # (report, co-signer)
        self.sets = {}  # the hash of a co-signer set to its threshold and keys
        self.settled = {}  # ticker to period to the first final
        self.tally = {"reports": 0, "reads": 0, "unkept": 0, "unanswered": 0, "withheld": 0}
        self.wrong = []

    def say(self, place, expected, found):
        if expected != found:
            self.wrong.append(f"{place}: {found}, recounted {expected}")

    def entry(self, entry):
        if entry["kind"] == "rule/1":
            rule = entry["body"]["rule"]
            self.rules[address(rule)] = rule
            self.record(time_of(entry["at"]), rule)
        elif entry["kind"] == "report/1":
            self.report(entry["body"]["report"])
        elif entry["kind"] == "cosigners/1":
            body = entry["body"]
            keys = [each["key"] for each in body["cosigners"]]
            self.sets[address(body)] = body["threshold"], keys
        elif entry["kind"] in ("cosign/1", "dissent/1"):
            self.statement(entry["body"]["statement"])

    def statement(self, statement):
        """The first statement of a co-signer on a report counts, and no later one."""
        place = statement["report"], statement["cosigner"]
        about = self.periods.get(statement["report"])
        if place in self.stated or about is None:
            return
        self.stated.add(place)
        self.logs[about].append(LoggedStatement(statement))

    def record(self, at, rule):
        """A version is one whose number and first period rise; what is too late is none to publish."""
        versions = self.versions.setdefault(rule["ticker"], [])
        if versions:
            last = versions[-1][1]
            rises = (
                rule["version"] > last["version"] and rule["applies_from"] > last["applies_from"]
            )
            self.say(f"{rule['ticker']} version {rule['version']}, rises", True, rises)
            late = is_late(versions, at, rule)
            self.say(f"{rule['ticker']} version {rule['version']}, too late", False, late)
        versions.append((at, rule))

    def report(self, report):
        rule = self.rules[report["rule"]["hash"]]
        day = day_of(report["period"])
        place = f"{report['ticker']} {report['period']} {report['status']} {report['issue']}"
        versions = self.versions[report["ticker"]]
        found, _ = governing(versions, day)
        version = None if found is None else versions[found][1]["version"]
        self.say(f"{place}, version", version, rule["version"])
        self.tally["reports"] += 1
        evidence = {
            read["provider"]: Evidence(self.folder, read["snapshot"])
            for read in report["reads"]
            if read["snapshot"]
        }
        for provider, read in zip(rule["providers"], report["reads"]):
            self.read(rule, provider, read, evidence, day, f"{place}, {provider['id']}")
        before = self.reports.setdefault((report["ticker"], report["period"]), [])
        about = report["ticker"], report["period"]
        log = self.logs.setdefault(about, [])
        now = time_of(report["published_at"])
        found = clocks_at(rule, report["rule"]["hash"], day, now, log, self.sets)
        self.figures(rule, report, day, before, found.clocks, place)
        before.append(report)
        log.append(LoggedReport(report, address(report)))
        self.periods[address(report)] = about
        finals = self.settled.setdefault(report["ticker"], {})
        if report["status"] == "final" and not report["withheld"]:
            finals.setdefault(day, int(report["value"]))

    def read(self, rule, provider, read, evidence, day, place):
        found = evidence.get(provider["id"])
        if found is None:
            self.tally["unanswered"] += 1
            return
        asked = provider["id"], filled_request(rule, provider, day), provider["retain"]
        snapshot = found.snapshot
        self.say(place, asked, (snapshot["provider"], snapshot["request"], snapshot["retain"]))
        record = next(
            evidence.get(each["id"])
            for each in rule["providers"]
            if each["role"] == "record" and each["group"] == provider["group"]
        )
        said = read["outcome"], None if read["value"] is None else int(read["value"])
        if provider["role"] == "custody" and copy_differs(record and record.snapshot, snapshot):
            outcome = "copy_differs", None
        elif not is_sound(snapshot):
            outcome = "bad_status", None
        elif not found.kept:
            self.tally["unkept"] += 1
            return
        else:
            statuses = [page["status"] for page in found.snapshot["pages"]]
            outcome = read_answer(rule, provider, statuses, found.pages, found.text, day)
        self.tally["reads"] += 1
        self.say(place, outcome, said)

    def figures(self, rule, report, day, before, clocks, place):
        if report["withheld"]:
            self.tally["withheld"] += 1
            return
        corrected = report["status"] == "corrected"
        status, reason, value, spread = decide(
            rule,
            report["reads"],
            time_of(report["published_at"]),
            clocks,
            before[-1]["reason"] if before else None,
            corrected,
        )
        if corrected and status == "final":
            status = "corrected"
        written = [None if each is None else str(each) for each in (value, spread)]
        self.say(
            place,
            (status, reason, *written),
            (report["status"], report["reason"], report["value"], report["dispersion"]),
        )
        if corrected:
            final = next(each for each in before if each["status"] == "final")
            expected = final["z"], final["band"]
        elif value is None:
            expected = None, None
        elif any(each["value"] == str(value) for each in before):
            first = next(each for each in before if each["value"] == str(value))
            expected = first["z"], first["band"]
        else:
            finals = self.settled.get(report["ticker"], {})
            weekday = rule["baseline"]["split"] == "weekday"
            history = [
                finals[each]
                for each in sorted(finals)
                if each < day and not (weekday and (day - each) % 7)
            ]
            baseline = rule["baseline"]
            expected = standing(value, history, baseline["window"], baseline["min"], rule["bands"])
        self.say(f"{place}, z", expected, (report["z"], report["band"]))


def recount_export(folder):
    recount = Recount(folder)
    for entry in log_entries(folder):
        recount.entry(entry)
    for line in recount.wrong:
        print(line, file=sys.stderr)
    tally = recount.tally
    print(
        f"{tally['reports']} reports: {tally['reads']} reads recounted, "
        f"{tally['unkept']} without kept bytes, {tally['unanswered']} without an answer, "
        f"{tally['withheld']} withheld, {len(recount.wrong)} wrong"
    )
    return 1 if recount.wrong else 0


def main(arguments):
    if len(arguments) == 2 and arguments[0] == "vectors":
        return recount_vectors(arguments[1])
    if len(arguments) == 2 and arguments[0] == "export":
        return recount_export(arguments[1])
    if arguments == ["cases"]:
        return recount_cases(sys.stdin)
    print(__doc__, file=sys.stderr)
    return 2


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
