"""OpenTimestamps proofs: from a digest, operation by operation, to what is attested (docs/spec/ots.md)."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass, field
from typing import Iterator

from ..fault import Fault, Malformed

MAGIC = bytes.fromhex("004f70656e54696d657374616d7073000050726f6f6600bf89e2e884e89294")
APPEND, PREPEND, REVERSE, HEXLIFY = 0xF0, 0xF1, 0xF2, 0xF3
SHA256 = 0x08
HASHES = {
    0x02: ("sha1", 20),
    0x03: ("ripemd160", 20),
    SHA256: ("sha256", 32),
    0x67: ("keccak256", 32),
}
KINDS = {
    "0588960d73d71901": "bitcoin",
    "06869a0d73d71b45": "litecoin",
    "30fe8087b5c7ead7": "ethereum",
    "83dfe30d2ef90c8e": "pending",
}
URI = frozenset(b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-._/:")
MAX_BYTES = 1_048_576
MAX_NODES = 50_000
MAX_HANDLED = 16_777_216
MAX_MESSAGE = 4096
MAX_DEPTH = 255


@dataclass(frozen=True)
class Attestation:
    """Who says that a message existed: `bitcoin` and other chains at a height, a calendar that has `pending` work, or
    an `unknown` kind."""

    kind: str
    height: int = 0
    uri: str = ""


@dataclass
class Tree:
    """What is known about one message: who attests it, and where operations lead from it."""

    attestations: list[Attestation] = field(default_factory=list)
    steps: list[tuple[int, bytes, "Tree"]] = field(default_factory=list)


@dataclass(frozen=True)
class Proof:
    """A file's digest, and the tree over it."""

    digest: bytes
    tree: Tree


def read_proof(data: bytes) -> Proof:
    """The proof of a SHA-256 digest in an `.ots` file. Raises Malformed."""
    reader = Reader(data)
    if reader.take(len(MAGIC)) != MAGIC or reader.take(2) != bytes([1, SHA256]):
        raise Malformed("proof", "an OpenTimestamps file over a SHA-256")
    digest = reader.take(32)
    tree = reader.tree(len(digest), 0)
    if reader.at != len(data):
        raise Malformed("proof", "the end of the file")
    return Proof(digest, tree)


class Reader:
    """Reads a tree once. Each value has one form only."""

    def __init__(self, data: bytes):
        if len(data) > MAX_BYTES:
            raise Malformed("proof", f"at most {MAX_BYTES} bytes")
        self.data, self.at, self.nodes, self.handled = data, 0, 0, 0

    def require(self, holds: bool, expected: str) -> None:
        if not holds:
            raise Malformed(f"byte {self.at}", expected)

    def take(self, count: int) -> bytes:
        self.require(count <= len(self.data) - self.at, "more bytes")
        self.at += count
        return self.data[self.at - count : self.at]

    def varuint(self) -> int:
        value = shift = 0
        while True:
            byte = self.take(1)[0]
            value |= (byte & 0x7F) << shift
            self.require(value < 2**53 and shift < 56, "a number of at most 2^53 - 1")
            self.require(byte != 0 or shift == 0, "a number in as few bytes as it takes")
            if byte < 0x80:
                return value
            shift += 7

    def varbytes(self, least: int, most: int) -> bytes:
        count = self.varuint()
        self.require(least <= count <= most, f"a length of {least} to {most}")
        return self.take(count)

    def tree(self, length: int, depth: int) -> Tree:
        """The tree over a message of `length` bytes."""
        found = Tree()
        more = True
        while more:
            tag = self.take(1)[0]
            more = tag == 0xFF
            if more:
                tag = self.take(1)[0]
            self.nodes += 1
            self.require(self.nodes <= MAX_NODES, f"at most {MAX_NODES} items")
            if tag == 0x00:
                found.attestations.append(self.attestation())
            else:
                found.steps.append(self.step(tag, length, depth + 1))
        return found

    def step(self, tag: int, length: int, depth: int) -> tuple[int, bytes, Tree]:
        self.require(depth <= MAX_DEPTH, f"at most {MAX_DEPTH} operations within each other")
        argument = self.varbytes(1, MAX_MESSAGE) if tag in (APPEND, PREPEND) else b""
        if tag in HASHES:
            result = HASHES[tag][1]
        else:
            self.require(tag in (APPEND, PREPEND, REVERSE, HEXLIFY), "the tag of an operation")
            result = 2 * length if tag == HEXLIFY else length + len(argument)
            self.require(result <= MAX_MESSAGE, f"a message of at most {MAX_MESSAGE} bytes")
        self.handled += max(length, result)
        self.require(self.handled <= MAX_HANDLED, f"at most {MAX_HANDLED} bytes in all operations")
        return tag, argument, self.tree(result, depth)

    def attestation(self) -> Attestation:
        kind = KINDS.get(self.take(8).hex(), "unknown")
        payload = Reader(self.varbytes(0, 8192))
        if kind == "unknown":
            return Attestation(kind)
        if kind == "pending":
            uri = payload.varbytes(0, 1000)
            self.require(URI.issuperset(uri), "a letter, a digit or one of -._/:")
            found = Attestation(kind, uri=uri.decode("ascii"))
        else:
            found = Attestation(kind, height=payload.varuint())
        self.require(payload.at == len(payload.data), "the end of the payload")
        return found


def applied(tag: int, argument: bytes, message: bytes) -> bytes:
    """The next message. Raises Fault `incomplete` for a hash that this Python does not have."""
    if tag == APPEND:
        return message + argument
    if tag == PREPEND:
        return argument + message
    if tag == REVERSE:
        return message[::-1]
    if tag == HEXLIFY:
        return message.hex().encode("ascii")
    name = HASHES[tag][0]
    try:
        return hashlib.new(name, message).digest()
    except ValueError:
        raise Fault("incomplete", "proof", f"a Python that computes {name}") from None


def evaluate(tree: Tree, message: bytes) -> Iterator[tuple[Attestation, bytes]]:
    """Every attestation with the message that it is about. Whether it is true nothing here says."""
    for each in tree.attestations:
        yield each, message
    for tag, argument, below in tree.steps:
        yield from evaluate(below, applied(tag, argument, message))


def calendars_of(tree: Tree) -> dict[str, bool]:
    """The calendars of a tree, and whether every message that a calendar has leads to a Bitcoin attestation."""
    found: dict[str, bool] = {}

    def visit(node: Tree) -> bool:
        below = [visit(each) for _, _, each in node.steps]
        attested = any(below) or any(each.kind == "bitcoin" for each in node.attestations)
        for each in node.attestations:
            if each.kind == "pending":
                found[each.uri] = found.get(each.uri, True) and attested
        return attested

    visit(tree)
    return found
