"""history.csv and settlement files a second time, from docs/spec/history.md, close.md and settlement.md.

What other pages define (releases, which version governs, prints, hashes) is taken from samples/python.
"""

from __future__ import annotations

import hashlib
import json
import sys
from fractions import Fraction
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "samples" / "python"))

from assay.kind.report import print_message  # noqa: E402
from assay.log.tree import leaf_hash  # noqa: E402
from assay.round.governing import governing  # noqa: E402
from assay.rule.numeral import rounded  # noqa: E402
from assay.rule.period import date_text, day_of, is_period, shifted, time_of, time_text  # noqa: E402
from assay.rule.release import release_time  # noqa: E402
from assay.wire.canonical_json import address  # noqa: E402

COLUMNS = "ticker,period,value,settlement_value,revised,revised_on,band,z,proof_day,bitcoin_height,proof_url"
FIELDS = "status value settlement_value revised revised_on z band report final commitment published_at cosigners"
CADENCES = {"week_ending_saturday": ("weekly", 7), "utc_day": ("daily", 1), "month": ("monthly", None)}
SAFE = 2**53 - 1

ON = (
    "settlement_value of {} for {}: the first final under rule version {}, signed by the publisher{}. Later revisions and "
    "corrections do not change it. It settles from when `settleable` of that period is true."
)
IF_VOID = (
    "Where the source publishes no number by its deadline the period is void: a signed report says so, and the market has "
    "no number to settle on."
)
LATE = "A number that the source publishes late settles as well, by clocks that run from when a quorum of co-signers saw it."


def decimal(value: str | None, decimals: int) -> str | None:
    if value is None or decimals == 0:
        return value
    digits = value.lstrip("-").rjust(decimals + 1, "0")
    return ("-" if value.startswith("-") else "") + digits[:-decimals] + "." + digits[-decimals:]


def plain(double: float) -> int | float:
    return int(double) if double.is_integer() else double


def number(value: str | None, decimals: int) -> int | float | None:
    if value is None or abs(int(value)) > SAFE:
        return None
    return plain(float(decimal(value, decimals) or 0))


class Log:
    """A log as its entries make it."""

    def __init__(self, entries: list[str]):
        self.id = leaf_hash(entries[0].encode()).hex()
        self.entries = [json.loads(each) for each in entries]
        self.genesis = self.entries[0]["body"]
        self.rules: dict[str, list[tuple[int, dict[str, Any]]]] = {}
        self.rows: dict[str, dict[str, dict[str, Any]]] = {}
        self.reports: dict[str, dict[str, Any]] = {}
        self.said: dict[str, list[dict[str, Any]]] = {}
        self.sets: list[tuple[int, dict[str, Any]]] = []
        self.batches: list[list[dict[str, Any]]] = []
        self.closes: list[dict[str, Any]] = []
        self.keys = [(0, self.genesis["report_key"])]
        for entry in self.entries:
            getattr(self, entry["kind"].replace("/", "_"), lambda _: None)(entry)

    def rule_1(self, entry: dict[str, Any]) -> None:
        rule = entry["body"]["rule"]
        self.rules.setdefault(rule["ticker"], []).append((time_of(entry["at"]), rule))

    def row(self, ticker: str, period: str) -> dict[str, Any]:
        rows = self.rows.setdefault(ticker, {})
        return rows.setdefault(period, dict.fromkeys(FIELDS.split()))

    def report_1(self, entry: dict[str, Any]) -> None:
        report, hashed = entry["body"]["report"], address(entry["body"]["report"])
        self.reports[hashed] = entry
        row = self.row(report["ticker"], report["period"])
        for name in "status value z band decimals withheld commitment published_at".split():
            row[name] = report[name]
        row["report"] = hashed
        if row["revised"] == report["value"]:
            row["revised"] = row["revised_on"] = None
        if row["final"] is None and report["status"] == "final":
            row.update(final=hashed, settlement_value=report["value"])

    def revision_1(self, entry: dict[str, Any]) -> None:
        body = entry["body"]
        versions = [rule for _, rule in self.rules[body["ticker"]] if address(rule) == body["rule"]]
        for each in body["rows"]:
            row = self.row(body["ticker"], each["period"])
            if row["report"] is None:
                row.update(value=each["value"], decimals=versions[0]["decimals"], withheld=False)
            elif each["value"] == row["value"]:
                row["revised"] = row["revised_on"] = None
            else:
                row.update(revised=each["value"], revised_on=body["read_at"][:10])

    def cosigners_1(self, entry: dict[str, Any]) -> None:
        self.sets.append((time_of(entry["at"]), entry["body"]))

    def cosign_1(self, entry: dict[str, Any]) -> None:
        statement = entry["body"]["statement"]
        said = self.said.setdefault(statement["report"], [])
        if all(each["body"]["statement"]["cosigner"] != statement["cosigner"] for each in said):
            said.append(entry)

    dissent_1 = cosign_1

    def anchor_1(self, entry: dict[str, Any]) -> None:
        if entry["body"]["issue"] == 0:
            self.batches.append([])
        self.batches[entry["body"]["batch"]].append(entry)

    def close_1(self, entry: dict[str, Any]) -> None:
        self.closes.append(entry["body"])

    def key_1(self, entry: dict[str, Any]) -> None:
        self.keys.append((entry["seq"], entry["body"]["key"]))

    def batch_of(self, report: str | None) -> dict[str, Any] | None:
        """The newest issue of the batch that holds a report."""
        if report is None:
            return None
        seq = self.reports[report]["seq"]
        for issues in self.batches:
            if issues[0]["body"]["from"] <= seq < issues[0]["body"]["to"]:
                return issues[-1]
        return None

    def members(self, named: dict[str, Any]) -> dict[str, str]:
        """Names by key of the set that a report names."""
        found = [each for _, each in self.sets if address(each) == named["set"]]
        return {each["key"]: each["name"] for each in found[0]["cosigners"]} if found else {}

    def agreed(self, report: str) -> list[dict[str, Any]]:
        keys = self.members(self.reports[report]["body"]["report"]["cosigners"])
        said = [each for each in self.said.get(report, []) if each["kind"] == "cosign/1"]
        return [each for each in said if each["body"]["statement"]["cosigner"] in keys]

    def governing(self, ticker: str, period: str) -> dict[str, Any] | None:
        place, _ = governing(self.rules[ticker], day_of(period))
        return None if place is None else self.rules[ticker][place][1]

    def current(self, ticker: str) -> dict[str, Any]:
        rows = self.rows.get(ticker, {})
        printed = [period for period, row in rows.items() if row["report"]]
        newest = max(printed or rows, default=None)
        found = None if newest is None else self.governing(ticker, newest)
        return found or self.rules[ticker][0][1]

    def complete(self, ticker: str) -> list[str]:
        rows = self.rows.get(ticker, {})
        return sorted(period for period, row in rows.items() if row["status"] != "provisional")

    def proof_fields(self, row: dict[str, Any]) -> tuple[str | None, int | None, str | None]:
        shown = row["final"] or row["report"]
        batch = self.batch_of(shown)
        if batch is None:
            return None, None, None
        height = min((each["height"] for each in batch["body"]["bitcoin"]), default=None)
        return batch["body"]["stamped_at"][:10], height, f"/proof/{shown}?format=ots"

    def csv(self, ticker: str, newest: int = 0) -> str:
        rule = self.current(ticker)
        monthly = rule["period"] == "month"
        lines = [COLUMNS + (",note" if monthly else "")]
        for period in self.complete(ticker)[-newest:]:
            row = self.rows[ticker][period]
            values = [
                decimal(row[name], row["decimals"]) for name in ("value", "settlement_value", "revised")
            ]
            fields = [rule["display"], period, *values, row["revised_on"], row["band"], row["z"]]
            fields += self.proof_fields(row)
            if monthly:
                fields.append(None if row["report"] else "loaded as history")
            lines.append(",".join("" if field is None else str(field) for field in fields))
        return "".join(line + "\n" for line in lines)

    def period(self, ticker: str, period: str) -> dict[str, Any]:
        row = self.rows[ticker][period]
        first = row["final"] and self.reports[row["final"]]["body"]["report"]
        quorum = None
        if first:
            required = first["cosigners"]["required"]
            quorum = {"required": required, "have": len(self.agreed(row["final"]))}
        found: dict[str, Any] = {"period": period, "status": row["status"] or "history"}
        for name in ("value", "settlement_value", "revised"):
            found[name] = number(row[name], row["decimals"])
            found[f"{name}_decimal"] = decimal(row[name], row["decimals"])
        found["revised_on"] = row["revised_on"]
        found["z"] = None if row["z"] is None else plain(float(row["z"]))
        found["band"] = row["band"]
        found["settleable"] = bool(
            first and quorum and first["settleable"] and quorum["have"] >= quorum["required"]
        )
        found["quorum"] = quorum
        found["withheld"], found["commitment"] = row["withheld"], row["commitment"]
        found["report_hash"], found["published_at"] = row["report"], row["published_at"]
        found["proof_day"], found["bitcoin_height"], found["proof_url"] = self.proof_fields(row)
        return found

    def next_period(self, ticker: str) -> str:
        rule = self.rules[ticker][0][1]
        first = day_of(rule["applies_from"])
        while not is_period(rule["period"], first):
            first += -1 if rule["period"] == "month" else 1
        newest = max(self.rows.get(ticker, {}), default=None)
        if newest is not None:
            first = max(first, shifted(rule["period"], day_of(newest), 1))
        return date_text(first)

    def index(self, ticker: str) -> dict[str, Any]:
        rule, rows = self.current(ticker), self.rows.get(ticker, {})
        cadence, step = CADENCES[rule["period"]]
        complete, following = self.complete(ticker), self.next_period(ticker)
        release = release_time(self.governing(ticker, following) or rule, day_of(following))
        return {
            "ticker": rule["display"],
            **{name: rule[name] for name in "slug title network unit format decimals".split()},
            "cadence": cadence,
            "step": step,
            "grade": rule["grade"],
            "source": {
                "name": rule["source"],
                **{name: rule["rights"][name] for name in ("terms_url", "clause", "attribution")},
                "providers": [
                    {**{name: each[name] for name in ("id", "name", "role")}, "url": each["request"]["url"]}
                    for each in rule["providers"]
                ],
            },
            "settlement": {
                "rule_version": rule["version"],
                "rule_hash": address(rule),
                "settles": rule["revision"]["settles"],
                "allowed": rule["rights"]["settlement"] == "yes",
                "quorum": rule["aggregate"]["quorum"],
                "freeze_after_s": rule["revision"]["freeze_after_s"],
                "tie": rule["tie"]["text"],
            },
            "newest_reading": self.period(ticker, max(rows)) if rows else None,
            "newest_complete": self.period(ticker, complete[-1]) if complete else None,
            "next_period": following,
            "next_release_at": time_text(release),
            "periods": [self.period(ticker, each) for each in complete[:-31:-1]],
        }

    def statements(self, report: str, kind: str) -> list[dict[str, Any]]:
        names = self.members(self.reports[report]["body"]["report"]["cosigners"])
        return [
            {
                "name": names.get(each["body"]["statement"]["cosigner"]),
                "key": each["body"]["statement"]["cosigner"],
                "signature": each["body"].get("print_signature") or each["body"]["dissent_signature"],
                "statement": each["body"]["statement"],
                "statement_signature": each["body"]["signature"],
                "seq": each["seq"],
            }
            for each in self.said.get(report, [])
            if each["kind"] == kind
        ]

    def beacon_before(self, seq: int) -> dict[str, Any] | None:
        found = [each for each in self.entries[:seq] if each["kind"] == "beacon/1"]
        return found[-1] if found else None

    def report(self, hashed: str) -> dict[str, Any]:
        entry = self.reports[hashed]
        report, seq = entry["body"]["report"], entry["seq"]
        beacon, agreed = self.beacon_before(seq), self.agreed(hashed)
        required = report["cosigners"]["required"]
        last = agreed[required - 1]["at"] if 0 < required <= len(agreed) else None
        return {
            "report": report,
            "hash": hashed,
            "print": print_message(report).hex(),
            "signature": entry["body"]["signature"],
            "public_key": [key for since, key in self.keys if since < seq][-1],
            "seq": seq,
            "after_seq": beacon and beacon["seq"],
            "cosignatures": self.statements(hashed, "cosign/1"),
            "dissents": self.statements(hashed, "dissent/1"),
            "quorum": {
                "required": required,
                "have": len(agreed),
                "reached_at": report["published_at"] if required == 0 else last,
            },
            "feed": self.feed(hashed),
            "proof": self.proof(hashed, entry),
        }

    def feed(self, hashed: str) -> dict[str, Any] | None:
        for entry in self.entries:
            body = entry["body"]
            if entry["kind"] == "print/1" and body["digest"] == hashed:
                return {
                    "chain": self.genesis["chain"],
                    "program": self.genesis["program"],
                    "transaction": body["transaction"],
                    "slot": body["slot"],
                    "seq": entry["seq"],
                    "account": body["feed"],
                    "page": body["account"],
                    "cosigners": body["cosigners"],
                }
        return None

    def proof(self, hashed: str, entry: dict[str, Any]) -> dict[str, Any] | None:
        batch = self.batch_of(hashed)
        if batch is None:
            return None
        body, beacon = batch["body"], self.beacon_before(entry["seq"])
        block = min(body["bitcoin"], key=lambda each: each["height"], default=None)
        return {
            "digest": hashed,
            "stamps": {"of": "report", "seq": entry["seq"], "size": None, "recorded_at": entry["at"]},
            "state": "attested" if block else "pending",
            "stamped_at": body["stamped_at"],
            "bitcoin_height": block and block["height"],
            "before": block and shown_block(block),
            "after": beacon and shown_block(beacon["body"]),
            "calendars": body["calendars"],
            "batch": body["batch"],
            "anchor_seq": batch["seq"],
            "proof_url": f"/proof/{hashed}?format=ots",
        }

    def strikes(self, rule: dict[str, Any], value: int) -> list[str | None]:
        listing, decimals = rule["listing"], rule["decimals"]
        step = rounded(Fraction(listing["strike_step"]), decimals, "half_away")
        near = rounded(Fraction(value, step), 0, "half_away")
        span = range(near - listing["strikes"], near + listing["strikes"] + 1)
        kept = [each * step for each in span if rule["format"] == "percent" or each >= 0]
        return [decimal(str(each), decimals) for each in kept]

    def terms(self, rule: dict[str, Any], period: str) -> dict[str, Any]:
        release, times = release_time(rule, day_of(period)), rule["release"]
        late = times.get("late", {"kind": "void"})
        end, if_void = times["deadline_s"], IF_VOID
        if late["kind"] == "from_publication":
            end = max(late["within_s"], late["within_s"] - 86400 + times["deadline_s"])
            if_void = f"{IF_VOID} {LATE}"
        sets = [each for i, (at, each) in enumerate(self.sets) if at + (604_800 if i else 0) <= release]
        required = sets[-1]["threshold"] if sets else self.genesis["policies"]["cosigners_required"]
        by = f" and by {required} of its co-signers" if required else ""
        return {
            "release_at": time_text(release),
            "final_from": time_text(release + rule["revision"]["freeze_after_s"]),
            "void_after": time_text(release + end),
            "on": ON.format(rule["display"], period, rule["version"], by),
            "if_void": if_void,
        }

    def kit(self, ticker: str) -> tuple[dict[str, Any] | None, str | None]:
        period = self.next_period(ticker)
        rule = self.governing(ticker, period) or self.current(ticker)
        listing = rule["listing"]
        if listing["no_kit"] is not None:
            return None, listing["no_kit"]
        rows = self.rows.get(ticker, {})
        settled = [each for each in self.complete(ticker) if rows[each]["settlement_value"] is not None]
        strikes: list[str | None] = []
        reference = None
        if settled:
            row = rows[settled[-1]]
            strikes = self.strikes(rule, int(row["settlement_value"]))
            value = decimal(row["settlement_value"], row["decimals"])
            reference = {"period": settled[-1], "settlement_value": value}
        kit = {
            "ticker": rule["display"],
            "title": rule["title"],
            "network": rule["network"],
            "question": listing["question"].replace("{period}", period),
            "period": period,
            "unit": rule["unit"],
            "decimals": rule["decimals"],
            "strikes": strikes,
            "strike_step": listing["strike_step"],
            "tie": {"op": rule["tie"]["op"], "text": rule["tie"]["text"]},
            "settlement": self.terms(rule, period),
            "reference": reference,
            "rule": {"version": rule["version"], "hash": address(rule)},
            "source": {"name": rule["source"], "attribution": rule["rights"]["attribution"]},
        }
        return kit, None

    def frozen(self, ticker: str, day: str, before: list[dict[str, Any]]) -> str | None:
        """The period of an index that the next Close of a day freezes; None where there is none."""
        if before:
            items = before[-1]["content"]["items"]
            periods = [each["period"] for each in items if each["ticker"] == ticker]
        else:
            reports = [each["body"]["report"] for each in self.reports.values()]
            periods = [
                each["period"]
                for each in reports
                if each["ticker"] == ticker
                and each["status"] in ("final", "void")
                and each["published_at"][:10] <= day
            ]
        return max(periods, default=None)

    def files(self, day: str) -> tuple[int, list[dict[str, str]]]:
        """The version of the Close that comes next, and its files."""
        before = [each for each in self.closes if each["content"]["day"] == day]
        version = before[-1]["version"] + 1 if before else 0
        folder = day if version == 0 else f"{day}/v{version}"
        files = []
        for ticker in sorted(self.rules):
            period = self.frozen(ticker, day, before)
            if period is None:
                continue
            kit, no_kit = self.kit(ticker)
            payload = {
                "type": "assay-settlement/1",
                "day": day,
                "log": self.id,
                "index": self.index(ticker),
                "report": self.report(self.rows[ticker][period]["report"]),
                "kit": kit,
                "no_kit": no_kit,
            }
            name = f"{folder}/{self.current(ticker)['display']}"
            files.append({"path": f"{name}.csv", "text": self.csv(ticker, 30)})
            text = json.dumps(payload, ensure_ascii=False, indent=1) + "\n"
            files.append({"path": f"{name}.json", "text": text})
        return version, files


def shown_block(block: dict[str, Any]) -> dict[str, Any]:
    header = bytes.fromhex(block["header"])
    name = hashlib.sha256(hashlib.sha256(header).digest()).digest()[::-1].hex()
    seconds = int.from_bytes(header[68:72], "little")
    return {"height": block["height"], "hash": name, "time": time_text(seconds)}


def first_difference(found: str, expected: str) -> str:
    for a, b in zip(found.split("\n"), expected.split("\n")):
        if a != b:
            return f"{a!r} is {b!r}"
    return "another length"


def main() -> None:
    vectors, compared = Path(sys.argv[1]), 0
    for case in json.loads((vectors / "history/logs.json").read_text(encoding="utf-8")):
        for each in case["shows"]:
            compared += 1
            found = Log(case["entries"][: each["size"]]).csv(each["ticker"])
            if found != each["csv"]:
                sys.exit(f"{each['name']}: {first_difference(found, each['csv'])}")
    for case in json.loads((vectors / "settlement/files.json").read_text(encoding="utf-8")):
        version, files = Log(case["entries"]).files(case["day"])
        if (version, len(files)) != (case["version"], len(case["files"])):
            sys.exit(f"{case['name']}: another version, or other files")
        for found, expected in zip(files, case["files"]):
            compared += 1
            if found != expected:
                where = first_difference(found["text"], expected["text"])
                sys.exit(f"{case['name']}, {found['path']}: {where}")
    print(f"{compared} compared, 0 differ")


if __name__ == "__main__":
    main()
