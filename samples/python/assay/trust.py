"""Which key a log's checkpoint is checked with, and what its note shows (docs/spec/tree.md, docs/spec/witness.md)."""

from __future__ import annotations

from dataclasses import dataclass

from .answer import NotChecked
from .chain.address import program_bytes
from .ed25519 import is_signature
from .fault import Fault, Malformed
from .kind.entry import Entry, read_entry
from .kind.genesis import require_genesis
from .log.note import (
    COSIGNATURE,
    Checkpoint,
    Note,
    NoteKey,
    checkpoint_text,
    read_checkpoint,
    read_note,
    read_note_key,
)
from .policy import Policy

MAX_WITNESS_AHEAD_S = 120


@dataclass(frozen=True)
class OpenCheckpoint:
    """A note that was read, before any key is believed."""

    note: Note
    checkpoint: Checkpoint


def open_checkpoint(data: bytes) -> OpenCheckpoint:
    try:
        note = read_note(data)
        checkpoint = read_checkpoint(note.text)
    except Malformed as error:
        raise Fault(
            "checkpoint_malformed", "checkpoint", "a signed tlog-checkpoint", error
        ) from None
    if checkpoint_text(checkpoint) != note.text:
        raise Fault(
            "checkpoint_malformed", "checkpoint", "a signed tlog-checkpoint", "another spelling"
        )
    return OpenCheckpoint(note, checkpoint)


def read_trusted_genesis(data: bytes, policy: Policy) -> Entry:
    """Entry 0, which has to name the key that the caller trusts."""
    try:
        entry = read_entry(data)
        if entry.kind != "genesis/1":
            raise Malformed("kind", "genesis/1")
        require_genesis(entry.body, "body")
        key = read_note_key(entry.body["checkpoint_vkey"])
    except Malformed as error:
        raise Fault("genesis_misplaced", "entry 0", "a genesis entry", error) from None
    genesis = entry.body
    if genesis["checkpoint_vkey"] != policy.key:
        raise Fault("key_not_trusted", "entry 0", policy.key, genesis["checkpoint_vkey"])
    if policy.log_id not in (None, entry.leaf.hex()):
        raise Fault("log_id_differs", "entry 0", str(policy.log_id), entry.leaf.hex())
    if key.name != genesis["origin"]:
        raise Fault(
            "genesis_differs", "entry 0", f"a checkpoint key of {genesis['origin']}", key.name
        )
    if key.public_key.hex() == genesis["report_key"]:
        raise Fault(
            "genesis_differs", "entry 0", "separate keys for reports and checkpoints", "one"
        )
    if (genesis["chain"] is None) != (genesis["program"] is None):
        raise Fault("genesis_differs", "entry 0", "a chain and a program, or neither")
    if genesis["program"] is not None and program_bytes(genesis) is None:
        raise Fault("genesis_differs", "entry 0", "the address of a program", genesis["program"])
    return entry


def check_signatures(opened: OpenCheckpoint, policy: Policy) -> list[NotChecked]:
    """Demands a good line of the log's key, and that no line of it is bad. Returns the lines of other keys."""
    key, text = policy.note_key, opened.note.text.encode("utf-8")
    if opened.checkpoint.origin != key.name:
        raise Fault("checkpoint_origin", "checkpoint", key.name, opened.checkpoint.origin)
    witnesses = {_line_of(read_note_key(each.vkey, COSIGNATURE)) for each in policy.witnesses}
    seen: set[tuple[str, str]] = set()
    unlisted: list[NotChecked] = []
    good = 0
    for line in opened.note.lines:
        name = line.name, line.key_id
        if policy.strict and name in seen:
            raise Fault(
                "checkpoint_unlisted_signature", "checkpoint", "each key once", f"{line.name} again"
            )
        seen.add(name)
        if name in witnesses:
            continue
        if name != _line_of(key):
            if policy.strict:
                raise Fault(
                    "checkpoint_unlisted_signature", "checkpoint", "only listed keys", line.name
                )
            subject = f"checkpoint signature of {line.name}+{line.key_id}"
            unlisted.append(NotChecked(subject, "the policy does not list this key"))
        elif not is_signature(key.public_key, text, line.signature):
            raise Fault(
                "checkpoint_bad_signature",
                "checkpoint",
                f"a signature by {key.name}",
                "one that does not verify",
            )
        else:
            good += 1
    if good == 0:
        raise Fault(
            "checkpoint_unsigned", "checkpoint", f"a signature by {key.name}+{key.key_id}", "none"
        )
    return unlisted


def check_witnesses(opened: OpenCheckpoint, policy: Policy) -> None:
    """Demands lines of as many operators as the policy requires. Each line of a listed witness must verify."""
    operators = set()
    for witness in policy.witnesses:
        key = read_note_key(witness.vkey, COSIGNATURE)
        for line in opened.note.lines:
            if (line.name, line.key_id) != _line_of(key):
                continue
            at = witness_time(line.signature, opened.note, key, policy)
            oldest = (
                None
                if policy.witness_max_age_s is None or policy.now is None
                else policy.now - policy.witness_max_age_s
            )
            unknown_age = policy.witness_max_age_s is not None and policy.now is None
            if not unknown_age and (oldest is None or at >= oldest):
                operators.add(witness.operator)
    if len(operators) < policy.witnesses_required:
        expected = f"cosignatures of {policy.witnesses_required} operators that the policy lists"
        raise Fault(
            "witnesses_missing",
            "checkpoint",
            expected,
            f"of {', '.join(sorted(operators)) or 'none'}",
        )


def witness_time(signature: bytes, note: Note, key: NoteKey, policy: Policy) -> int:
    """When a witness saw the checkpoint, by its own clock, in unix seconds."""
    at = int.from_bytes(signature[:8], "big")
    message = f"cosignature/v1\ntime {at}\n{note.text}".encode("utf-8")
    good = (
        len(signature) == 72 and at < 2**53 and is_signature(key.public_key, message, signature[8:])
    )
    ahead = policy.now is not None and at > policy.now + MAX_WITNESS_AHEAD_S
    if not good or ahead:
        raise Fault(
            "witness_bad_line",
            "checkpoint",
            f"a cosignature by {key.name}",
            "a time in the future" if good else None,
        )
    return at


def _line_of(key: NoteKey) -> tuple[str, str]:
    return key.name, key.key_id
