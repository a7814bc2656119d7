"""The one JSON form of what is signed or hashed (docs/spec/canonical-json.md)."""

from __future__ import annotations

import hashlib
import json
import re
from typing import Any

from ..fault import Malformed
from ..rule.text import units

MAX_DEPTH = 16
MAX_CONTAINERS = 4_000_000
MAX_INTEGER = 2**53 - 1
KEY = re.compile(r"[ !#-\[\]-~]*")


def canonical(value: Any) -> str:
    """RFC 8785 of objects, arrays, texts, integers, true, false and null. Raises ValueError for a number with a point."""
    if isinstance(value, dict):
        names = sorted(value, key=units)
        return "{" + ",".join(f"{canonical(n)}:{canonical(value[n])}" for n in names) + "}"
    if isinstance(value, list):
        return "[" + ",".join(map(canonical, value)) + "]"
    if isinstance(value, float):
        raise ValueError("a number with a point")
    return json.dumps(value, ensure_ascii=False)


def canonical_bytes(value: Any) -> bytes:
    return canonical(value).encode("utf-8")


def address(value: Any) -> str:
    """The sha256 of a value's canonical bytes, in hex."""
    return sha256(canonical_bytes(value))


def sha256(data: bytes) -> str:
    return hashlib.sha256(data).hexdigest()


def read_canonical(data: bytes, place: str) -> Any:
    """The value whose canonical form `data` is, byte for byte. Raises Malformed for anything else."""
    try:
        value = json.loads(data.decode("utf-8"), parse_float=_refuse, parse_constant=_refuse)
        _require_narrow(value)
        same = canonical_bytes(value) == data
    except (ValueError, RecursionError):
        raise Malformed(place, "canonical JSON") from None
    if not same:
        raise Malformed(place, "the canonical form of its JSON")
    return value


def _refuse(text: str) -> Any:
    raise ValueError(text)


def _require_narrow(value: Any) -> None:
    """Raises ValueError unless keys, integers, depth and number of containers are within the narrow form."""
    containers = 0
    waiting = [(value, 1)]
    while waiting:
        node, depth = waiting.pop()
        if isinstance(node, (dict, list)):
            containers += 1
            if depth > MAX_DEPTH or containers > MAX_CONTAINERS:
                raise ValueError("too many containers")
            if isinstance(node, dict) and not all(map(KEY.fullmatch, node)):
                raise ValueError("a key of other characters")
            inside = node.values() if isinstance(node, dict) else node
            waiting += [(each, depth + 1) for each in inside if not isinstance(each, str)]
        elif isinstance(node, int) and abs(node) > MAX_INTEGER:
            raise ValueError("too large an integer")
