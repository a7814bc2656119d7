"""Who recounted the number of a bundle (docs/spec/bundle.md, Recount and Clocks)."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from ..chain.address import PERIODS_OF_PAGE, feed_address, ordinal_of, page_address, program_bytes
from ..ed25519 import is_signature
from ..fault import Fault
from ..kind.entry import Entry
from ..kind.report import DISSENT, print_message
from ..kind.statement import statement_message
from ..round.clocks import Logged, LoggedReport, LoggedStatement, PeriodClocks, clocks_at, scheduled
from ..round.recount import Recounted, unfounded
from ..rule.period import day_of, is_period, time_of
from ..wire.base58_text import base58_text
from ..wire.canonical_json import address
from .contents import Contents
from .shown import Shown, place_of

CLOCKS_APART_S = 120
MAX_UNRECORDED_S = 3600


@dataclass
class Recount:
    """The reports and statements that a bundle shows, and what they make of its number."""

    contents: Contents
    shown: Shown
    log: list[Logged] = field(default_factory=list)
    stated: dict[tuple[str, str], Entry] = field(default_factory=dict)
    on_chain: set[str] = field(default_factory=set)

    @property
    def report(self) -> dict[str, Any]:
        return self.contents.report.body["report"]

    def walk(self) -> None:
        """Checks the entries in their order, each on top of those before it."""
        for entry in self.contents.entries[1:]:
            if entry.kind == "key/1":
                self.shown.add_key(entry)
            elif entry.kind == "cosigners/1":
                self.shown.add_set(entry)
            elif entry.kind == "report/1":
                report = entry.body["report"]
                self.log.append(LoggedReport(report, address(report), entry.seq))
            elif entry.kind in ("cosign/1", "dissent/1"):
                self.add_statement(entry)
            elif entry.kind == "print/1":
                self.add_print(entry)

    def reported(self, name: str) -> tuple[LoggedReport, Entry] | None:
        """A report of the number's period among the entries so far."""
        report = self.report
        for each in self.log:
            if not isinstance(each, LoggedReport) or each.hash != name:
                continue
            if (each.report["ticker"], each.report["period"]) == (
                report["ticker"],
                report["period"],
            ):
                return each, next(e for e in self.contents.entries if e.seq == each.seq)
        return None

    def clocks_of(self, row: LoggedReport) -> PeriodClocks:
        """The clocks of a report, by the entries before it."""
        version, sets = (
            self.contents.version,
            {each.hash: (each.threshold, each.members) for each in self.shown.sets},
        )
        before = [each for each in self.log if each.seq < row.seq]
        published = time_of(row.report["published_at"])
        return clocks_at(
            version.rule, version.hash, day_of(row.report["period"]), published, before, sets
        )

    def own_clocks(self) -> PeriodClocks:
        """The clocks of the number. Where nothing shown decides, a final is held to the schedule (Clocks)."""
        found = self.clocks_of(
            LoggedReport(self.report, self.contents.report_hash, self.contents.report.seq)
        )
        if not found.shown and self.report["status"] in ("final", "corrected"):
            usual = scheduled(self.contents.version.rule, day_of(self.report["period"]))
            return PeriodClocks(usual, shown=False)
        return found

    def add_statement(self, entry: Entry) -> None:
        """Checks an agreement or a dissent (docs/spec/statement.md, What must hold)."""
        said, place = entry.body["statement"], place_of(entry)

        def refuse(member: str, expected: str, found: object) -> Fault:
            return Fault("statement_differs", f"{place}/statement/{member}", expected, found)

        if said["head"]["size"] > entry.seq:
            raise refuse("head", f"a head of {entry.seq} entries at most", said["head"]["size"])
        known = self.reported(said["report"])
        if known is None:
            raise refuse("report", "a report before it that names a co-signer set", said["report"])
        row, reported = known
        report = row.report
        expected = {
            "log": self.shown.log,
            "print": print_message(report).hex(),
            "entry": {"seq": row.seq, "leaf": reported.leaf.hex()},
            "set": report["cosigners"]["set"],
        }
        for member, value in expected.items():
            if said[member] != value:
                raise refuse(member, str(value), said[member])
        members = self.shown.set_of(said["set"])
        if members is None or said["cosigner"] not in members.members:
            raise refuse("cosigner", f"a key of set {said['set']}", said["cosigner"])
        if report["withheld"]:
            raise refuse("verdict", "no statement on a withheld level", said["verdict"])
        if row.report["rule"]["hash"] == self.contents.version.hash:
            own = row.hash == self.contents.report_hash
            clocks = self.own_clocks() if own else self.clocks_of(row)
            fault = unfounded(said, Recounted(self.contents.version.rule, clocks.clocks, report))
            if fault is not None:
                raise refuse("own", fault, "another")
        signed = time_of(said["signed_at"])
        earliest, latest = (
            time_of(report["published_at"]) - CLOCKS_APART_S,
            time_of(entry.at) + CLOCKS_APART_S,
        )
        if not earliest <= signed <= latest:
            raise refuse("signed_at", "a time between publication and entry", said["signed_at"])
        self.require_once(entry, row)
        self.require_signed(entry, report)
        self.stated[row.hash, said["cosigner"]] = entry
        self.log.append(LoggedStatement(said, entry.seq))

    def require_once(self, entry: Entry, row: LoggedReport) -> None:
        """A co-signer makes one statement on a report, and signs one print in a place of a period."""
        said, place = entry.body["statement"], place_of(entry)
        if (row.hash, said["cosigner"]) in self.stated:
            raise Fault("cosigner_contradicts", place, "one statement on a report", "another")
        if entry.kind != "cosign/1":
            return
        for other in self.log:
            if not isinstance(other, LoggedReport) or other.hash == row.hash:
                continue
            before = self.stated.get((other.hash, said["cosigner"]))
            if (
                before is not None
                and before.kind == "cosign/1"
                and slot(other.report) == slot(row.report)
            ):
                raise Fault(
                    "cosigner_contradicts", place, "one print in a place of a period", "another"
                )

    def require_signed(self, entry: Entry, report: dict[str, Any]) -> None:
        """Demands both signatures: over the statement, and over what the chain checks."""
        said, key = entry.body["statement"], bytes.fromhex(entry.body["statement"]["cosigner"])
        agrees = entry.kind == "cosign/1"
        message = print_message(report) if agrees else print_message(report, DISSENT)
        over = entry.body["print_signature" if agrees else "dissent_signature"]
        for signed, signature in (
            (statement_message(said), entry.body["signature"]),
            (message, over),
        ):
            if not is_signature(key, signed, bytes.fromhex(signature)):
                raise Fault(
                    "statement_bad_signature", place_of(entry), f"a signature by {said['cosigner']}"
                )

    def add_print(self, entry: Entry) -> None:
        """Checks what an entry says of the chain (docs/spec/print-entry.md, What a verifier checks)."""
        body, genesis = entry.body, self.shown.genesis

        def refuse(member: str, expected: str, found: object) -> Fault:
            return Fault("feed_entry_wrong", f"{place_of(entry)}/{member}", expected, found)

        program = program_bytes(genesis)
        if program is None:
            raise refuse("feed", "nothing on chain of a log that names no chain", body["feed"])
        due = self.reported(body["digest"]) if body["of"] == "print" else None
        if due is None or due[0].report["cosigners"]["set"] is None or due[0].report["withheld"]:
            raise refuse("digest", "a report before it that belongs on chain", body["digest"])
        report = due[0].report
        if (body["ticker"], body["period"]) != (report["ticker"], report["period"]):
            raise refuse(
                "period",
                f"{report['ticker']} {report['period']}",
                f"{body['ticker']} {body['period']}",
            )
        if body["digest"] in self.on_chain:
            raise refuse("digest", "each once", "another")
        self.on_chain.add(body["digest"])
        feed = feed_address(program, bytes.fromhex(genesis["report_key"]), body["ticker"])
        day, kind = day_of(body["period"]), self.contents.versions[0].rule["period"]
        page = None
        if day >= 0 and is_period(kind, day):
            page = base58_text(
                page_address(program, feed, ordinal_of(kind, day) // PERIODS_OF_PAGE)
            )
        if base58_text(feed) != body["feed"] or page != body["account"]:
            raise refuse(
                "account",
                f"{base58_text(feed)} and {page}",
                f"{body['feed']} and {body['account']}",
            )
        self.require_print_quorum(entry, due[0], refuse)

    def require_print_quorum(self, entry: Entry, row: LoggedReport, refuse: Any) -> None:
        body, named = entry.body, row.report["cosigners"]
        signed = self.agreed(row)
        stranger = next((key for key in body["cosigners"] if key not in signed), None)
        if stranger is not None:
            raise refuse(
                "cosigners", "keys of the report's set that had signed it in the log", stranger
            )
        if row.report["status"] == "provisional":
            return
        # The chain asks its newest set, which may have come after the report's.
        newest = self.shown.set_at(entry.at)
        least = named["required"] if newest is not None and newest.hash == named["set"] else 1
        if len(signed) < named["required"] or len(body["cosigners"]) < least:
            raise refuse(
                "cosigners", f"{named['required']} co-signatures", f"{len(signed)} in the log"
            )

    def agreed(self, row: LoggedReport) -> list[str]:
        """Keys of a report's own set whose statement on it is an agreement, in the order of the log."""
        members = self.shown.set_of(row.report["cosigners"]["set"])
        return [
            each.body["statement"]["cosigner"]
            for (name, key), each in self.stated.items()
            if name == row.hash
            and each.kind == "cosign/1"
            and members is not None
            and key in members.members
        ]

    def require_sets(self) -> None:
        """Each report names the newest set that was in force when it was published, and still was when it was recorded."""
        own, sets = self.report["cosigners"], self.shown.sets
        if own["set"] is not None and self.shown.set_of(own["set"]) is None:
            raise Fault("bundle_incomplete", "bundle", f"the set {own['set']}", "none")
        if sets and sets[-1].seq > self.contents.report.seq:
            raise Fault(
                "bundle_malformed",
                f"bundle entry {sets[-1].seq}",
                "no set after the report",
                sets[-1].hash,
            )
        for entry in self.contents.of_kind("report/1"):
            report, place = entry.body["report"], f"report of bundle entry {entry.seq}"
            expected = self.shown.cosigners_at(report["published_at"])
            if report["cosigners"] != expected:
                raise Fault(
                    "report_not_reproduced",
                    f"{place}/cosigners",
                    str(expected),
                    report["cosigners"],
                )
            newest = self.shown.set_at(entry.at, entry.seq)
            if newest is not None and newest.effective_at > report["published_at"]:
                expected_time = f"published at {newest.effective_at} or later"
                raise Fault("report_times", place, expected_time, report["published_at"])

    def require_beside(self, needed: tuple[int, ...]) -> None:
        """No other report, and no statement about one, may be there than those that the clocks rest on."""
        for entry in self.contents.entries:
            is_other = entry.kind == "report/1" and entry.seq != self.contents.report.seq
            if entry.kind in ("cosign/1", "dissent/1"):
                is_other = entry.body["statement"]["report"] != self.contents.report_hash
            if is_other and entry.seq not in needed:
                expected = "the rule and the report, and what its clocks rest on"
                raise Fault("bundle_malformed", place_of(entry), expected, entry.kind)


def slot(report: dict[str, Any]) -> str:
    """Which of a period's prints a report is: a final and a void share one place."""
    status = report["status"]
    return "settled" if status in ("final", "void") else f"{status} {report['issue']}"
