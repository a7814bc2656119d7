"""What a publisher says about one period (docs/spec/report.md), and its print message (docs/spec/print.md)."""

from __future__ import annotations

import hashlib
import struct
from typing import Any

from ..fault import Malformed
from ..rule.period import day_of, time_of
from ..rule.shape import GRADES, RETAINS, ROLES, band_name
from ..wire.canonical_json import address
from ..wire.schema import (
    boolean,
    date,
    hash_hex,
    hex_of,
    i64,
    integer,
    list_of,
    nullable,
    object_of,
    one_of,
    require,
    text,
    ticker,
    time,
)

STATUSES = ("provisional", "final", "corrected", "void")
REASONS = ("freeze_window", "no_quorum", "dispersion", "no_source", "late", "out_of_range")
OUTCOMES = (
    "ok",
    "malformed",
    "not_published",
    "no_source",
    "superseded",
    "copy_differs",
    "check_failed",
    "out_of_range",
    "bad_status",
    "unreachable",
    "timeout",
    "too_large",
    "redirect_refused",
)
PRINT = b"assayPR1"
DISSENT = b"assayDS1"

read = object_of(
    provider=text(1, 64),
    role=one_of(*ROLES),
    outcome=one_of(*OUTCOMES),
    value=nullable(i64),
    snapshot=nullable(hash_hex),
    retain=one_of(*RETAINS),
    read_at=time,
)
after = nullable(object_of(height=integer(0, 2**32 - 1), hash=hash_hex))
SHAPE = object_of(
    type=one_of("assay-report/1"),
    log=hash_hex,
    ticker=ticker,
    rule=object_of(hash=hash_hex, version=integer(1, 1_000_000)),
    period=date,
    issue=integer(0, 255),
    status=one_of(*STATUSES),
    reason=nullable(one_of(*REASONS)),
    value=nullable(i64),
    decimals=integer(0, 18),
    withheld=boolean,
    commitment=nullable(hash_hex),
    settleable=boolean,
    grade=one_of(*GRADES),
    z=nullable(text(3, 5, r"0\.[0-9]|-0\.[1-9]|-?[1-9][0-9]?\.[0-9]")),
    band=nullable(band_name),
    dispersion=nullable(i64),
    reads=list_of(read, 0, 16),
    cosigners=object_of(set=nullable(hash_hex), required=integer(0, 64)),
    supersedes=nullable(hash_hex),
    after=after,
    published_at=time,
)


def require_report(report: Any, place: str) -> None:
    """Raises Malformed unless `report` is a report whose members do not contradict each other."""
    SHAPE(report, place)
    status, withheld = report["status"], report["withheld"]
    is_void = status == "void"
    empty = is_void or withheld
    providers = [each["provider"] for each in report["reads"]]
    corrects = report["issue"] >= 1 and report["supersedes"] is not None
    demands = (
        ("value", (report["value"] is None) == empty),
        ("commitment", (report["commitment"] is not None) == (withheld and not is_void)),
        ("dispersion", not empty or report["dispersion"] is None),
        ("dispersion", not (report["dispersion"] or "").startswith("-")),
        ("reason", report["reason"] is not None if status in ("void", "provisional") else True),
        ("reason", status != "final" or report["reason"] is None),
        ("settleable", not report["settleable"] or (status == "final" and not withheld)),
        ("issue", status not in ("void", "final") or report["issue"] == 0),
        ("issue", status != "corrected" or corrects),
        ("band", (report["z"] is None) == (report["band"] is None)),
        ("z", not is_void or report["z"] is None),
        ("reads", len(set(providers)) == len(providers)),
        (
            "reads",
            all(
                (r["value"] is not None) == (r["outcome"] == "ok" and not withheld)
                for r in report["reads"]
            ),
        ),
    )
    for member, holds in demands:
        require(holds, f"{place}.{member}", "what the other members make of it")


require_report_entry = object_of(report=require_report, signature=hex_of(64))


def series_of(log: str, name: str) -> str:
    """What names an index of one log for good, in hex."""
    padded = name.encode("ascii").ljust(16, b"\x00")
    return hashlib.sha256(b"assay/series/v1\x00" + bytes.fromhex(log) + padded).hexdigest()


def print_message(report: dict[str, Any], magic: bytes = PRINT) -> bytes:
    """The 128 bytes that publisher and co-signers sign; with `DISSENT` those of a dissent."""
    return magic + struct.pack(
        "<32s32s32sqqiBBBB",
        bytes.fromhex(series_of(report["log"], report["ticker"])),
        bytes.fromhex(report["rule"]["hash"]),
        bytes.fromhex(address(report)),
        int(report["value"] or 0),
        time_of(report["published_at"]),
        day_of(report["period"]),
        STATUSES.index(report["status"]) + 1,
        report["decimals"],
        report["settleable"] | report["withheld"] << 1,
        report["issue"],
    )


def require_print(data: bytes, place: str) -> tuple[str, int | None]:
    """The report hash and the scaled value, None of a void or withheld level, of a print message. Raises Malformed."""
    if len(data) != 128 or data[:8] != PRINT:
        raise Malformed(place, "the 128 bytes of a print")
    value, (status, decimals, flags, issue) = struct.unpack_from("<q", data, 104)[0], data[124:128]
    name = STATUSES[status - 1] if 1 <= status <= 4 else ""
    settleable, withheld = bool(flags & 1), bool(flags & 2)
    empty = name == "void" or withheld
    sound = (
        name != ""
        and decimals <= 18
        and flags < 4
        and (value == 0 or not empty)
        and (not settleable or (name == "final" and not withheld))
        and (issue == 0 if name in ("final", "void") else issue > 0 or name != "corrected")
    )
    require(sound, place, "a print that a report can have")
    return data[72:104].hex(), None if empty else value
