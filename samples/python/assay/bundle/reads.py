"""Runs the rule of a number again on the bytes that its bundle keeps."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from ..answer import NotChecked
from ..fault import Fault, Malformed
from ..kind.snapshot import read_snapshot
from ..rule.custody import copy_differs
from ..rule.period import day_of
from ..rule.reading import read_answer
from ..rule.variable import filled_request
from ..wire.canonical_json import sha256

MAX_READ_BYTES = 67_108_864
# Outcomes about the way to a source, which no bytes can prove.
CLAIMS = {"unreachable", "timeout", "too_large", "redirect_refused"}


@dataclass(frozen=True)
class Evidence:
    """A manifest, with its pages and their text where they are kept."""

    snapshot: dict[str, Any]
    pages: list[bytes] | None
    text: bytes | None


@dataclass
class Blobs:
    """The stored bytes of a bundle, each held to its hash, and which of them were asked for."""

    blobs: dict[str, bytes]
    asked: set[str] = field(default_factory=set)

    def read(self, name: str, place: str) -> bytes:
        self.asked.add(name)
        if name not in self.blobs:
            raise Fault("blob_missing", place, f"the bytes of {name}", "none")
        if sha256(self.blobs[name]) != name:
            raise Fault("blob_differs", f"blob {name}", name, sha256(self.blobs[name]))
        return self.blobs[name]

    def evidence(self, name: str) -> Evidence:
        place = f"blob {name}"
        try:
            snapshot = read_snapshot(self.read(name, f"snapshot {name}"))
        except Malformed as error:
            raise Fault("snapshot_malformed", place, "a snapshot", error) from None
        if snapshot["retain"] != "bytes":
            return Evidence(snapshot, None, None)
        pages = []
        for page in snapshot["pages"]:
            data = self.read(page["sha256"], f"page of snapshot {name}")
            if len(data) != page["length"]:
                raise Fault(
                    "blob_differs", f"blob {page['sha256']}", f"{page['length']} bytes", len(data)
                )
            pages.append(data)
        extractor = snapshot["extractor"]
        text = (
            None
            if extractor is None
            else self.read(extractor["text_sha256"], f"text of snapshot {name}")
        )
        total = sum(map(len, pages)) + len(text or b"")
        if total > MAX_READ_BYTES:
            raise Fault(
                "snapshot_malformed",
                place,
                f"pages and text of at most {MAX_READ_BYTES} bytes",
                total,
            )
        return Evidence(snapshot, pages, text)

    def require_used(self) -> None:
        for name in self.blobs.keys() - self.asked:
            raise Fault(
                "bundle_malformed", f"bundle blob {name}", "a blob that it needs", "another"
            )


def check_reads(
    report: dict[str, Any], rule: dict[str, Any], blobs: Blobs, not_checked: list[NotChecked]
) -> int:
    """Demands of each read what the rule gives on its bytes. Returns how many were run again."""
    listed = [(each["id"], each["role"], each["retain"]) for each in rule["providers"]]
    found = [(each["provider"], each["role"], each["retain"]) for each in report["reads"]]
    if listed != found:
        raise Fault("read_unlisted", "report", str(listed), found)
    rerun = 0
    for provider, read in zip(rule["providers"], report["reads"]):
        record = record_of(report, rule, provider, blobs)
        rerun += check_read(report, rule, provider, read, record, blobs, not_checked)
    return rerun


def record_of(
    report: dict[str, Any], rule: dict[str, Any], provider: dict[str, Any], blobs: Blobs
) -> dict[str, Any] | None:
    """The manifest of the record that a custody copy is of."""
    if provider["role"] != "custody":
        return None
    for each, read in zip(rule["providers"], report["reads"]):
        if (
            each["role"] == "record"
            and each["group"] == provider["group"]
            and read["snapshot"] is not None
        ):
            return blobs.evidence(read["snapshot"]).snapshot
    return None


def check_read(
    report: dict[str, Any],
    rule: dict[str, Any],
    provider: dict[str, Any],
    read: dict[str, Any],
    record: dict[str, Any] | None,
    blobs: Blobs,
    not_checked: list[NotChecked],
) -> bool:
    """Checks one read. Returns whether the rule was run on its bytes."""
    name, place = provider["id"], f"read of {provider['id']}"
    if read["snapshot"] is None:
        if read["outcome"] not in CLAIMS:
            raise Fault(
                "read_unfounded", place, f"a snapshot for the outcome {read['outcome']}", "none"
            )
        not_checked.append(
            NotChecked(f"that {name} failed ({read['outcome']})", "it leaves no bytes to check")
        )
        return False
    evidence, day = blobs.evidence(read["snapshot"]), day_of(report["period"])
    snapshot = evidence.snapshot
    require_request(snapshot, rule, provider, day, place)
    stated = read["outcome"], None if read["value"] is None else int(read["value"])
    differs = copy_differs(record, snapshot)
    if differs or read["outcome"] == "copy_differs":
        if not differs or stated != ("copy_differs", None):
            raise Fault(
                "read_differs",
                place,
                "copy_differs" if differs else "the content of the record",
                stated,
            )
        return False
    if evidence.pages is None:
        why = f"the source's terms let the log keep no bytes (retain: {snapshot['retain']})"
        not_checked.append(NotChecked(f"the read of {name}", why))
        return False
    statuses = [page["status"] for page in snapshot["pages"]]
    if provider["text"] != "none" and all(status == 200 for status in statuses):
        not_checked.append(
            NotChecked(f"the text in the pages of {name}", "it was not taken from them again")
        )
    made = read_answer(rule, provider, statuses, evidence.pages, evidence.text, day)
    if made != stated:
        raise Fault("read_differs", place, str(made), stated)
    if made[0] != "ok":
        why = "the kept answer says so, and only the publisher says that the source gave it"
        not_checked.append(NotChecked(f"that {name} gave no number ({made[0]})", why))
    return True


def require_request(
    snapshot: dict[str, Any], rule: dict[str, Any], provider: dict[str, Any], day: int, place: str
) -> None:
    """Demands that a snapshot is of the request that the rule makes for the period."""
    expected = {
        "provider": provider["id"],
        "request": filled_request(rule, provider, day),
        "retain": provider["retain"],
        "extractor": None if provider["text"] == "none" else snapshot["extractor"],
    }
    for member, value in expected.items():
        if snapshot[member] != value:
            raise Fault("request_differs", f"{place}/{member}", str(value), snapshot[member])
