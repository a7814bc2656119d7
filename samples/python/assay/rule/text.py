"""The text of pages, and the characters that count as blanks (docs/spec/rule.md, Operations)."""

from __future__ import annotations

from .stop import bad


BLANK_CODES = [*range(0x09, 0x0E), 0x20, 0xA0, *range(0x2007, 0x200C), 0x202F, 0x3000, 0xFEFF]
BLANKS = "".join(map(chr, BLANK_CODES))
NO_BLANKS = {code: None for code in BLANK_CODES}


def decode(page: bytes) -> str:
    try:
        text = page.decode("utf-8")
    except UnicodeDecodeError:
        raise bad() from None
    return text[1:] if text[:1] == "\ufeff" else text


def units(text: str) -> bytes:
    """Bytes that sort as the UTF-16 code units of `text` do."""
    return text.encode("utf-16-be", "surrogatepass")


def joined_pairs(text: str) -> str:
    """`text` with each pair of surrogates as the one character that it stands for."""
    return units(text).decode("utf-16-be", "surrogatepass")
