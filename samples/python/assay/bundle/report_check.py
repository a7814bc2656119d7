"""What must hold of a report by its rule, its reads and its times alone."""

from __future__ import annotations

from typing import Any

from ..ed25519 import is_signature
from ..fault import Fault, Malformed
from ..kind.entry import Entry
from ..kind.report import print_message
from ..round.decision import Clocks, Decision, as_claimed, decide
from ..round.recount import open_before
from ..round.standing import band_of
from ..rule.period import day_of, is_period, shifted, time_of, time_text
from ..rule.release import release_time
from ..rule.shape import require_alone, withheld
from .contents import Version
from .recount import MAX_UNRECORDED_S, Recount
from .shown import place_of


def check_signature(entry: Entry, recount: Recount) -> None:
    """The print is signed by the report key that is in force at the entry."""
    report, key = entry.body["report"], recount.shown.key_before(entry.seq).key
    if not is_signature(
        bytes.fromhex(key), print_message(report), bytes.fromhex(entry.body["signature"])
    ):
        raise Fault("report_bad_signature", f"report of {place_of(entry)}", f"a signature by {key}")
    if report["log"] != recount.shown.log:
        raise Fault("report_log", f"report of {place_of(entry)}", recount.shown.log, report["log"])


def check_times(entry: Entry, version: Version) -> None:
    """The rule was recorded before the release; reads, publication and recording follow in this order."""
    report, place = entry.body["report"], f"report of {place_of(entry)}"
    release = release_time(version.rule, day_of(report["period"]))
    if time_of(version.entry.at) >= release:
        expected = f"a rule recorded before the release of its period, {time_text(release)}"
        raise Fault("rule_mismatch", place, expected, f"recorded {version.entry.at}")
    published = report["published_at"]
    late = any(read["read_at"] > published for read in report["reads"])
    if late or published > entry.at or time_of(published) < time_of(entry.at) - MAX_UNRECORDED_S:
        expected = "read, then published, then recorded within an hour"
        raise Fault("report_times", place, expected, f"published {published}, recorded {entry.at}")


def check_version(report: dict[str, Any], version: Version, network: str) -> None:
    """The report is of its rule, and the rule is one that the log may have."""
    rule, named = version.rule, report["rule"]
    fits = (
        is_period(rule["period"], day_of(report["period"]))
        and report["period"] >= rule["applies_from"]
        and rule["ticker"] == report["ticker"]
        and rule["version"] == named["version"]
    )
    if not fits:
        expected = f"a {rule['period']} of {rule['ticker']} from {rule['applies_from']} on"
        raise Fault("rule_mismatch", "report", expected, f"{report['ticker']} {report['period']}")
    try:
        require_alone(rule, network)
    except Malformed as error:
        raise Fault(
            "rule_not_allowed", place_of(version.entry), "a rule that the log may have", error
        ) from None


def check_decision(report: dict[str, Any], rule: dict[str, Any], clocks: Clocks) -> None:
    """The report's members are what its reads make at its time."""
    if report["band"] != (None if report["z"] is None else band_of(report["z"], rule["bands"])):
        raise Fault("report_not_reproduced", "report/band", "the band of its z", report["band"])
    corrected, decision = report["status"] == "corrected", decided(report, rule, clocks)
    if decision.status == "wait" or (corrected and decision.status != "final"):
        raise Fault(
            "report_not_due",
            "report",
            "no such report, by the rule",
            f"a {report['status']} report",
        )
    hidden = withheld(rule)
    value = None if hidden or decision.value is None else str(decision.value)
    spread = None if hidden or decision.dispersion is None else str(decision.dispersion)
    expected = {
        "status": "corrected" if corrected else decision.status,
        "reason": decision.reason,
        "settleable": report["status"] == "final" and rule["rights"]["settlement"] == "yes",
        "value": value,
        "dispersion": spread,
        "decimals": rule["decimals"],
        "withheld": hidden,
        "grade": rule["grade"],
    }
    if hidden and decision.value is None:
        expected["commitment"] = None
    elif not hidden:
        expected["commitment"] = None
    for member, each in expected.items():
        if report[member] != each:
            raise Fault("report_not_reproduced", f"report/{member}", str(each), report[member])


def decided(report: dict[str, Any], rule: dict[str, Any], clocks: Clocks) -> Decision:
    """What the reads of a report decide, with what only withheld values would show taken as it says."""
    now, reads = time_of(report["published_at"]), report["reads"]
    if report["status"] == "corrected":
        return decide(rule, reads, now, clocks, "freeze_window", True)
    decision = decide(rule, reads, now, clocks, open_before(report), False)
    return (
        as_claimed(report["reason"], decision, rule, reads, now, clocks)
        if withheld(rule)
        else decision
    )


def check_early_z(
    report: dict[str, Any], rule: dict[str, Any], first: dict[str, Any] | None
) -> None:
    """There is no z where the index has had too few periods since the first version of its rule."""
    if report["z"] is None or first is None:
        return
    baseline = rule["baseline"]
    count = baseline["min"] * (7 if baseline["split"] == "weekday" else 1)
    if shifted(rule["period"], day_of(report["period"]), -count) < day_of(first["applies_from"]):
        expected = f"null with under {baseline['min']} finals before"
        raise Fault("report_not_reproduced", "report/z", expected, report["z"])
