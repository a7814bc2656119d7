"""Whether the pages of an answer are one whole list (docs/spec/rule.md, Paging)."""

from __future__ import annotations

import re
from typing import Any

from .period import read_day
from .source_json import NOTHING, Room, list_at, point, read_json, text_at
from .stop import Stop, bad
from .text import decode, units
from .variable import fill


MAX_ANSWER = 67_108_864
UNIX = re.compile(r"(0|[1-9][0-9]{0,11})(?:\.[0-9]{1,9})?")
INSTANT = re.compile(r"([0-9-]{10})T([0-9]{2}):([0-9]{2}):([0-9]{2})(?:\.[0-9]{1,9})?(?:Z|\+00:00)")


def seconds_at(row: Any, until: dict[str, Any]) -> int:
    text = text_at(row, until["ptr"])
    if until["style"] == "unix":
        match = UNIX.fullmatch(text)
        if not match:
            raise bad()
        return int(match[1])
    match = INSTANT.fullmatch(text)
    day = read_day(match[1]) if match else None
    if day is None:
        raise bad()
    hours, minutes, seconds = (int(match[i]) for i in (2, 3, 4))
    if hours > 23 or minutes > 59 or seconds > 59:
        raise bad()
    return day * 86400 + hours * 3600 + minutes * 60 + seconds


def cursor_at(node: Any, pointer: str, counted: bool) -> str | None:
    """What names the next page; None where the list ends."""
    parts = [part.replace("~1", "/").replace("~0", "~") for part in pointer.split("/")[1:]]
    for left, part in zip(range(len(parts) - 1, -1, -1), parts):
        below = NOTHING
        if isinstance(node, dict):
            below = node.get(part, NOTHING)
            if below is NOTHING and counted and left == 0:
                return None
        elif isinstance(node, list):
            if part == "-" and not node:
                return None
            below = node[-1] if part == "-" else point(node, "/" + part)
        if below is NOTHING:
            raise bad()
        node = below
    if node is None or node == "":
        return None
    if not isinstance(node, str) or len(units(node)) > 2 * 4096:
        raise bad()
    if re.search("[\ud800-\udfff]", node):
        raise bad()
    return str(node)


def ends_here(
    paging: dict[str, Any], before: int | None, page: bytes
) -> tuple[bool, str | None, tuple[int, int] | None]:
    """Whether a page is the last of its list, the cursor that it names, and its total and rows."""
    node = read_json(decode(page), Room())
    past, until = False, paging["until"]
    if until is not None:
        rows = list_at(node, until["rows"])
        past = bool(rows) and seconds_at(rows[-1], until) < before
    if paging["kind"] == "link":
        return past, None, None
    cursor = None
    if paging["kind"] == "cursor":
        cursor = cursor_at(node, paging["ptr"], paging["total"] is not None)
        ends = cursor is None
    else:
        count = len(list_at(node, paging["rows"]))
        if count > paging["step"]:
            raise bad()
        ends = count < paging["step"]
    if ends and until is not None and not past:
        raise bad()
    total = paging["total"]
    if total is None:
        return past or ends, cursor, None
    said = text_at(node, total["ptr"])
    if not re.fullmatch("0|[1-9][0-9]{0,8}", said):
        raise bad()
    return past or ends, cursor, (int(said), len(list_at(node, total["rows"])))


def demand_whole(
    rule: dict[str, Any], provider: dict[str, Any], pages: list[bytes], day: int
) -> None:
    if sum(map(len, pages)) > MAX_ANSWER:
        raise Stop("too_large")
    paging = provider["request"]["paging"]
    none = paging["kind"] == "none"
    most = 1 if none else paging["max_pages"]
    if not 1 <= len(pages) <= most:
        raise bad()
    if none:
        return
    before = int(fill(paging["until"]["before"], rule, day)) if paging["until"] else None
    cursors, totals, rows = set(), set(), 0
    for i, page in enumerate(pages):
        last, cursor, counted = ends_here(paging, before, page)
        if counted is not None:
            totals.add(counted[0])
            rows += counted[1]
        if last != (i == len(pages) - 1):
            raise Stop("too_large" if not last and len(pages) == most else "malformed")
        if not last and cursor is not None:
            if cursor in cursors:
                raise bad()
            cursors.add(cursor)
    if totals - {rows}:
        raise bad()
