"""What the caller trusts and demands."""

from __future__ import annotations

from dataclasses import dataclass, field

from .fault import Malformed
from .log.note import COSIGNATURE, NoteKey, read_note_key


@dataclass(frozen=True)
class Witness:
    """Somebody who has seen the log grow. `vkey` is a verifier key of type 4."""

    operator: str
    vkey: str


@dataclass(frozen=True)
class Cosigner:
    """Somebody who recounts numbers. `key` is an Ed25519 key, 64 lower-case hex digits."""

    operator: str
    key: str


@dataclass(frozen=True)
class Policy:
    """The key of the log, and the caller's further demands. Operators are counted, and not keys.

    `key` is the verifier key of the log (`<name>+<id>+<base64>`), from somebody other than its server; with `log_id`, the
    leaf hash of its entry 0, that log alone will do. `now` is the caller's clock in unix seconds; without one the times of
    a production log are not held against a clock.
    Raises ValueError for a policy that cannot be met or is not of this form.
    """

    key: str
    cosigners: tuple[Cosigner, ...] = ()
    cosigners_required: int = 0
    witnesses: tuple[Witness, ...] = ()
    witnesses_required: int = 0
    witness_max_age_s: int | None = None
    strict: bool = False
    log_id: str | None = None
    now: int | None = None
    note_key: NoteKey = field(init=False)

    def __post_init__(self) -> None:
        try:
            object.__setattr__(self, "note_key", read_note_key(self.key))
            for each in self.witnesses:
                read_note_key(each.vkey, COSIGNATURE)
        except Malformed as error:
            raise ValueError(str(error)) from None
        for one in self.cosigners:
            if len(one.key) != 64 or set(one.key) - set("0123456789abcdef"):
                raise ValueError(f"the key of {one.operator}: expected 64 lower-case hex digits")
        keys = [one.key for one in self.cosigners], [each.vkey for each in self.witnesses]
        if any(len(set(some)) != len(some) for some in keys):
            raise ValueError("a key that is listed twice")
        for required, listed in (
            (self.cosigners_required, self.cosigners),
            (self.witnesses_required, self.witnesses),
        ):
            if not 0 <= required <= len({each.operator for each in listed}):
                raise ValueError(f"{required} operators required of {len(listed)} that are listed")
