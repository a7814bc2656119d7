"""What the pages of an answer say about a period."""

from __future__ import annotations

from typing import Any

from .machine import Outcome, read_number
from .paging import demand_whole
from .stop import Stop, bad
from .transactions import demand_transactions, listed_transactions


def read_answer(
    rule: dict[str, Any],
    provider: dict[str, Any],
    statuses: list[int],
    pages: list[bytes],
    text: bytes | None,
    day: int,
) -> Outcome:
    """What an answer says about a period: ("ok", integer) or (reason, None)."""
    if any(status != 200 for status in statuses):
        return "bad_status", None
    try:
        demand_whole(rule, provider, pages, day)
        if provider["text"] == "none":
            return read_number(rule, provider, pages, day)
        listed = None
        if provider["text"] == "solana_instructions":
            listed = listed_transactions(rule, pages, day)
        if text is None:
            raise bad()
        if listed is not None:
            demand_transactions(listed, text)
    except Stop as stop:
        return stop.reason, None
    return read_number(rule, provider, [text], day)
