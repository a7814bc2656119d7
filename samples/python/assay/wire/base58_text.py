"""Base58 as Solana writes addresses."""

from __future__ import annotations

ALPHABET = "123456789ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnopqrstuvwxyz"


def base58_text(data: bytes) -> str:
    number, text = int.from_bytes(data, "big"), ""
    while number:
        number, digit = divmod(number, 58)
        text = ALPHABET[digit] + text
    return "1" * (len(data) - len(data.lstrip(b"\x00"))) + text


def read_base58(text: str, length: int) -> bytes | None:
    """The `length` bytes of `text`, or None where it is not their encoding."""
    number = 0
    for char in text:
        digit = ALPHABET.find(char)
        if digit < 0:
            return None
        number = number * 58 + digit
    if number >= 256**length:
        return None
    data = number.to_bytes(length, "big")
    return data if base58_text(data) == text else None
