"""The two shapes of an answer."""

from __future__ import annotations

from dataclasses import dataclass
from decimal import Decimal
from typing import Union


@dataclass(frozen=True)
class NotChecked:
    """Something that no check of this answer covered, and why."""

    subject: str
    why: str


@dataclass(frozen=True)
class Number:
    """A number whose proof has no fault. What the proof does not show is in `lacks` and in `not_checked`.

    `value` is exact decimal text in `unit`; None for a void and for a withheld level. `settleable` is true only where
    `lacks` is empty. `grants` is what its rule allows of it, signed before anybody could recount it. `z` and `band` are as
    the report has them: a z rests on the finals before, which are not shown. `seq` is the report's entry, and `cosigners`
    are the names of those who agreed, whose keys are `cosigner_keys`.
    """

    ticker: str
    period: str
    value: str | None
    unit: str
    decimals: int
    status: str
    reason: str | None
    withheld: bool
    z: str | None
    band: str | None
    grants: bool
    settleable: bool
    lacks: tuple[str, ...]
    published_at: str
    report_hash: str
    rule_hash: str
    log_id: str
    origin: str
    network: str
    size: int
    seq: int
    cosigners: tuple[str, ...]
    cosigner_keys: tuple[str, ...]
    cosigners_required: int
    dissents: int
    governs: str
    clocks: str
    first_print: str
    index_day: str | None
    superseded_in_index: bool
    reads_rerun: int
    not_checked: tuple[NotChecked, ...]

    @property
    def ok(self) -> bool:
        return True

    def decimal(self) -> Decimal | None:
        """The value as an exact `decimal.Decimal`."""
        return None if self.value is None else Decimal(self.value)


@dataclass(frozen=True)
class Refusal:
    """Why there is no number. It has no value, so that it cannot be taken for one."""

    code: str
    why: str

    @property
    def ok(self) -> bool:
        return False


Answer = Union[Number, Refusal]
