"""Whether a third party's copy is another document than the record (docs/spec/rule.md, Custody)."""

from __future__ import annotations

from typing import Any

Snapshot = dict[str, Any]


def is_sound(snapshot: Snapshot) -> bool:
    """Whether every page came with status 200."""
    return all(page["status"] == 200 for page in snapshot["pages"])


def copy_differs(record: Snapshot | None, copy: Snapshot) -> bool:
    if record is None or not (is_sound(record) and is_sound(copy)):
        return False
    texts = [each["extractor"] and each["extractor"]["text_sha256"] for each in (record, copy)]
    if all(texts):
        return texts[0] != texts[1]
    pages = [[page["sha256"] for page in each["pages"]] for each in (record, copy)]
    return pages[0] != pages[1]
