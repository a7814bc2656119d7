"""Lists of Solana transactions, and the text that is taken from them (docs/spec/rule.md, Text)."""

from __future__ import annotations

import json
import re
from typing import Any

from ..wire.canonical_json import canonical
from .period import months_later
from .source_json import Room, list_at, point, read_json, text_at
from .stop import Stop, bad


BASE58 = "[1-9A-HJ-NP-Za-km-z]"


def whole_at(node: Any, pointer: str) -> int:
    text = text_at(node, pointer)
    if not re.fullmatch("0|[1-9][0-9]{0,14}", text):
        raise bad()
    return int(text)


def listed_transactions(rule: dict[str, Any], pages: list[bytes], day: int) -> list[dict[str, Any]]:
    """The transactions of the period without an error, by slot and then signature."""
    start = day * 86400
    end = (months_later(day, 1) if rule["period"] == "month" else day + 1) * 86400
    times, found = [], {}
    for page in pages:
        try:
            node = read_json(page.decode("utf-8"), Room())
        except UnicodeDecodeError:
            raise bad() from None
        for row in list_at(node, "/result"):
            signature = text_at(row, "/signature")
            if not re.fullmatch(BASE58 + "{32,90}", signature):
                raise bad()
            slot, when = whole_at(row, "/slot"), whole_at(row, "/blockTime")
            times.append(when)
            if point(row, "/err") is None and start <= when < end:
                found[signature] = {"signature": signature, "slot": slot, "block_time": when}
    if not times or times[0] < end:
        raise Stop("not_published")
    if times[-1] >= start:
        raise bad()
    return sorted(found.values(), key=lambda each: (each["slot"], each["signature"]))


def demand_transactions(listed: list[dict[str, Any]], text: bytes) -> None:
    """Stops unless `text` is canonical and of exactly the listed transactions."""
    try:
        value = json.loads(text)
        same = canonical(value).encode("utf-8") == text
    except ValueError:
        raise bad() from None
    if not same or not isinstance(value, dict) or set(value) != {"transactions", "instructions"}:
        raise bad()
    if value["transactions"] != listed or not isinstance(value["instructions"], list):
        raise bad()
    last = 0
    for each in value["instructions"]:
        if not isinstance(each, dict) or set(each) != {"transaction", "program", "data"}:
            raise bad()
        at = each["transaction"]
        if type(at) is not int or not last <= at < len(listed):
            raise bad()
        for name, shape in (("program", BASE58 + "{32,44}"), ("data", "(?:[0-9a-f]{2}){0,8}")):
            if not isinstance(each[name], str) or not re.fullmatch(shape, each[name]):
                raise bad()
        last = at
