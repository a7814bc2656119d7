"""Entries and proofs from the tiles of a log (C2SP tlog-tiles; docs/spec/tree.md, Tiles)."""

from __future__ import annotations

from dataclasses import dataclass

from ..fault import Fault
from ..log.tree import Range, consistency_ranges, inclusion_ranges, node_hash, root_of, split_point
from .server import Server

WIDTH = 256


def tile_path(level: int | str, index: int, width: int) -> str:
    groups = [f"{index % 1000:03d}"]
    while index >= 1000:
        index //= 1000
        groups.insert(0, f"x{index % 1000:03d}")
    return f"/tile/{level}/{'/'.join(groups)}" + ("" if width == WIDTH else f".p/{width}")


@dataclass(frozen=True)
class Tiles:
    """The tiles of a tree of one size. What is made of them is worth nothing until it was held to a signed root."""

    server: Server
    size: int

    def entries(self, index: int) -> list[bytes]:
        """The entries of one tile."""
        width = min(WIDTH, self.size - index * WIDTH)
        path = tile_path("entries", index, width)
        data, at, found = self.server.body(path), 0, []
        for _ in range(width):
            end = at + 2 + int.from_bytes(data[at : at + 2], "big")
            found.append(data[at + 2 : end])
            at = end
        if at != len(data):
            raise Fault("bad_length", path, f"{width} entries")
        return found

    def entry(self, seq: int) -> bytes:
        if not 0 <= seq < self.size:
            raise Fault("not_found", f"entry {seq}", f"an entry below {self.size}")
        return self.entries(seq // WIDTH)[seq % WIDTH]

    def inclusion(self, seq: int) -> list[bytes]:
        """The proof from an entry to the root of the tree."""
        return [self.range_root(each) for each in inclusion_ranges(seq, self.size)]

    def consistency(self, old: int) -> list[bytes]:
        """The proof that the tree begins with its first `old` leaves."""
        return [self.range_root(each) for each in consistency_ranges(old, self.size)]

    def range_root(self, leaves: Range) -> bytes:
        start, count = leaves[0], leaves[1] - leaves[0]
        if count & (count - 1) == 0:
            return self.node(count.bit_length() - 1, start // count)
        middle = start + split_point(count)
        return node_hash(self.range_root((start, middle)), self.range_root((middle, leaves[1])))

    def node(self, level: int, index: int) -> bytes:
        """The root of the leaves from index * 2^level on, 2^level of them."""
        of, inside = divmod(level, 8)
        first = index << inside
        tile = first // WIDTH
        width = min(WIDTH, (self.size >> (8 * of)) - tile * WIDTH)
        path = tile_path(of, tile, width)
        data = self.server.body(path)
        if len(data) != 32 * width:
            raise Fault("bad_length", path, f"{width} hashes")
        at = first % WIDTH
        return root_of([data[32 * i : 32 * i + 32] for i in range(at, at + (1 << inside))])
