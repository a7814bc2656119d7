"""Why a read gives no number, and the limits of a read (docs/spec/rule.md, Reasons)."""

from __future__ import annotations


class Stop(Exception):
    """Ends a read without a number. `reason` is one of the reasons of the specification."""

    def __init__(self, reason: str):
        super().__init__(reason)
        self.reason = reason


def bad() -> Stop:
    """The end of a read of bytes that are not what the rule reads."""
    return Stop("malformed")


MAX_WORK = 1 << 28
MAX_ROWS = 2_000_000
MAX_VALUES = 8_000_000
MAX_DEPTH = 64
MAX_PERIODS = 20_000
