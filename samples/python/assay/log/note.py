"""C2SP signed notes, verifier keys and checkpoints (docs/spec/tree.md)."""

from __future__ import annotations

import base64
import hashlib
import re
import unicodedata
from dataclasses import dataclass

from ..fault import Malformed
from ..wire.base64_text import read_base64

ED25519 = 0x01
COSIGNATURE = 0x04
MAX_NOTE_BYTES = 65_536
MAX_SIGNATURES = 64
START = "\u2014 "
CONTROLS = re.compile("[\x00-\x09\x0b-\x1f\x7f]")
SIZE = re.compile("0|[1-9][0-9]{0,15}")


@dataclass(frozen=True)
class NoteKey:
    """A verifier key, `<name>+<key id, hex>+<base64(type || public key)>`."""

    name: str
    key_id: str
    public_key: bytes


@dataclass(frozen=True)
class NoteLine:
    """A signature line. `signature` is what follows the key id."""

    name: str
    key_id: str
    signature: bytes


@dataclass(frozen=True)
class Note:
    """`text` is what is signed, with its final newline."""

    text: str
    lines: tuple[NoteLine, ...]


@dataclass(frozen=True)
class Checkpoint:
    """What a log's note says: that a tree of `size` entries has this root."""

    origin: str
    size: int
    root: bytes


def is_name(name: str) -> bool:
    """Whether a key may have this name: without white space, without `+`, and without control characters."""
    return name != "" and not any(
        c.isspace() or c in "+\ufeff" or unicodedata.category(c) == "Cc" for c in name
    )


def read_note_key(vkey: str, kind: int = ED25519) -> NoteKey:
    """The key in the text of a verifier key. Raises Malformed unless it is of `kind` and has its own id."""
    name, _, rest = vkey.partition("+")
    key_id, _, data = rest.partition("+")
    key = read_base64(data, "key")
    if not is_name(name) or len(key) != 33 or key[0] != kind:
        raise Malformed("key", f"name+keyid+base64 of an Ed25519 key of type {kind}")
    if hashlib.sha256(f"{name}\n".encode() + key).digest()[:4].hex() != key_id:
        raise Malformed("key", "the key id of this name and key")
    return NoteKey(name, key_id, key[1:])


def read_note(data: bytes) -> Note:
    """The note in `data`. Raises Malformed. No signature is checked here."""
    if len(data) > MAX_NOTE_BYTES:
        raise Malformed("note", f"at most {MAX_NOTE_BYTES} bytes")
    try:
        whole = data.decode("utf-8")
    except UnicodeDecodeError:
        raise Malformed("note", "UTF-8") from None
    if CONTROLS.search(whole):
        raise Malformed("note", "no control character but the newline")
    split = whole.rfind("\n\n")
    if split < 0 or not whole.endswith("\n"):
        raise Malformed("note", "text, an empty line and signature lines")
    lines = whole[split + 2 : -1].split("\n")
    if len(lines) > MAX_SIGNATURES:
        raise Malformed("note", f"at most {MAX_SIGNATURES} signature lines")
    return Note(whole[: split + 1], tuple(map(_read_line, lines)))


def _read_line(line: str) -> NoteLine:
    parts = line[len(START) :].split(" ")
    if not line.startswith(START) or len(parts) != 2 or not is_name(parts[0]):
        raise Malformed("note", "a signature line")
    data = read_base64(parts[1], "signature line")
    if len(data) < 5:
        raise Malformed("note", "a key id and a signature")
    return NoteLine(parts[0], data[:4].hex(), data[4:])


def read_checkpoint(text: str) -> Checkpoint:
    """The checkpoint in a note's text: three lines, and no extension lines. Raises Malformed."""
    lines = text.split("\n")
    if len(lines) != 4 or lines[0] == "" or lines[3] != "" or not SIZE.fullmatch(lines[1]):
        raise Malformed("checkpoint", "origin, size and root, a line each")
    size, root = int(lines[1]), read_base64(lines[2], "checkpoint root")
    if size >= 2**53 or len(root) != 32:
        raise Malformed("checkpoint", "a size below 2^53 and a root of 32 bytes")
    return Checkpoint(lines[0], size, root)


def checkpoint_text(checkpoint: Checkpoint) -> str:
    root = base64.b64encode(checkpoint.root).decode()
    return f"{checkpoint.origin}\n{checkpoint.size}\n{root}\n"
