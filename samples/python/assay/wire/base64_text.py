"""Base64 with padding and no stray bits (RFC 4648, section 4)."""

from __future__ import annotations

import base64

from ..fault import Malformed


def read_base64(text: str, place: str) -> bytes:
    """The bytes of `text`. Raises Malformed unless it is their one encoding."""
    try:
        data = base64.b64decode(text.encode("ascii"), validate=True)
    except ValueError:
        raise Malformed(place, "base64") from None
    if base64.b64encode(data).decode("ascii") != text:
        raise Malformed(place, "base64 in its one form")
    return data
