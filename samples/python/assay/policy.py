"""What the caller trusts and demands."""

from __future__ import annotations

import re
import unicodedata
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
            witnesses = [read_note_key(each.vkey, COSIGNATURE) for each in self.witnesses]
        except Malformed as error:
            raise ValueError(str(error)) from None
        for one in self.cosigners:
            if len(one.key) != 64 or set(one.key) - set("0123456789abcdef"):
                raise ValueError(f"the key of {one.operator}: expected 64 lower-case hex digits")
        # A cosignature does not contain the name that it is under, so one key is one witness.
        signers = [each.public_key for each in (self.note_key, *witnesses)]
        cosigners = [one.key for one in self.cosigners]
        if len(set(signers)) < len(signers) or len(set(cosigners)) < len(cosigners):
            raise ValueError("a key that is listed twice")
        for required, listed in (
            (self.cosigners_required, self.cosigners),
            (self.witnesses_required, self.witnesses),
        ):
            operators = {each.operator for each in listed}
            if len({folded_name(each) for each in operators}) < len(operators):
                raise ValueError("an operator that is spelled in two ways")
            if not 0 <= required <= len(operators):
                raise ValueError(f"{required} operators required of {len(listed)} that are listed")


def folded_name(name: str) -> str:
    """What two spellings of one operator have in common: NFKC, without letter case and runs of spaces.

    Raises ValueError for what is no name: it has a control or format character or an equals sign, or begins or ends
    with a space.
    """
    hidden = any(c == "=" or unicodedata.category(c)[0] == "C" for c in name)
    if hidden or name != name.strip() or not 1 <= len(name) <= 64:
        raise ValueError(f"the operator {name!r}: expected a name of 1 to 64 characters")
    folded = unicodedata.normalize("NFKC", name).upper().lower()
    return re.sub(r"\s+", " ", unicodedata.normalize("NFKC", folded)).strip()
