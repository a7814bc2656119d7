"""A served log, one number at a time, under a head that only grows."""

from __future__ import annotations

import time
from dataclasses import dataclass, field, replace
from typing import Callable, Iterator

from ..answer import Answer, Number, Refusal
from ..bundle.verify import proven_number
from ..fault import Fault, Malformed
from ..kind.entry import Entry, read_entry
from ..log.note import Checkpoint
from ..log.tree import consistency_roots, leaf_hash, require_inclusion
from ..policy import Policy
from ..rule.period import time_of
from ..trust import OpenCheckpoint, check_signatures, check_witnesses, open_checkpoint
from ..wire.canonical_json import canonical_bytes
from .gather import gather
from .pins import MemoryPins, Pins
from .server import Fetch, Server, timed_fetch
from .tiles import WIDTH, Tiles

MAX_LATER = 20_000
MAX_AGE_S = 172_800
# How often a number is read that a later report replaced: one may be published between two requests.
MAX_TRIES = 2


def open_log(
    url: str,
    policy: Policy,
    *,
    pins: Pins | None = None,
    fetch: Fetch | None = None,
    timeout_s: float = 30,
    max_age_s: int = MAX_AGE_S,
    now: Callable[[], int] = lambda: int(time.time()),
) -> Log:
    """Opens the log at `url`, an address without a path. Nothing is asked for yet.

    The newest head is kept in `pins`, in memory where none are given: a later head must continue it. `max_age_s` is how
    old the newest entry of a production log may be. `fetch` is the caller's own way to ask, and `now` its clock. Raises
    ValueError for an address that is none.
    """
    server = Server(url, fetch or timed_fetch(timeout_s))
    return Log(server, policy, MemoryPins() if pins is None else pins, max_age_s, now)


@dataclass
class Log:
    """A served log. Its server is not believed, and its key is the policy's."""

    server: Server
    policy: Policy
    pins: Pins
    max_age_s: int
    now: Callable[[], int]
    name: str = field(init=False)

    def __post_init__(self) -> None:
        self.name = f"assay-head/1 {self.policy.key}"

    def number(self, index: str, period: str) -> Answer:
        """The newest report of a period, proven under a head that continues the pinned one. Never raises because of what
        the server answers.

        `index` is a ticker in any case, and `period` is `YYYY-MM-DD`.
        """
        try:
            for _ in range(MAX_TRIES - 1):
                try:
                    return self._number(index, period)
                except Fault as fault:
                    if fault.code != "superseded":
                        raise
            return self._number(index, period)
        except Fault as fault:
            return Refusal(fault.code, str(fault))
        except (
            Exception
        ) as error:  # Whatever ends a verification before its end says nothing about the number.
            return Refusal(
                "incomplete", f"the verification did not end: {type(error).__name__}: {error}"
            )

    def _number(self, index: str, period: str) -> Number:
        pinned = self._pinned()
        server = Server(self.server.url, self.server.fetch)
        made = gather(server, index, period)
        head = self._accept(made.note, pinned, server)
        policy = replace(self.policy, now=self.now())
        try:
            data = canonical_bytes(made.bundle)
        except (ValueError, RecursionError):
            raise Fault("malformed", self.server.url, "the answers of a log") from None
        answer = proven_number(data, policy, index, period)
        if answer.superseded_in_index:
            raise Fault("superseded", "index entry", "no later report of the period", "one")
        at = answer.published_at
        # What is before an index entry, the entry shows.
        first = max(made.seq, *(each["seq"] for each in made.bundle["index_proofs"]), 0)
        for entry in self._later(server, head, first):
            at = entry.at
            if entry.seq != made.seq and is_report_of(entry, answer):
                raise Fault(
                    "superseded", f"entry {entry.seq}", "no later report of the period", "one"
                )
        if answer.network == "production" and time_of(at) < self.now() - self.max_age_s:
            raise Fault("head_stale", "checkpoint", f"an entry of the last {self.max_age_s} s", at)
        return answer

    def _pinned(self) -> Checkpoint | None:
        """The kept head, checked like any other: a damaged one is an error, and never a first visit."""
        text = self.pins.get(self.name)
        if text is None:
            return None
        try:
            return self._signed(text.encode("utf-8")).checkpoint
        except Fault as fault:
            raise Fault("bad_note", "pinned head", "a signed head of this log", fault) from None

    def _signed(self, note: bytes) -> OpenCheckpoint:
        opened = open_checkpoint(note)
        check_signatures(opened, self.policy)
        return opened

    def _accept(self, note: bytes, pinned: Checkpoint | None, server: Server) -> Checkpoint:
        """Pins a head, unless it does not continue the pinned one, or lacks the witnesses that the policy requires."""
        opened = self._signed(note)
        head = opened.checkpoint
        if pinned is not None:
            place = f"size {pinned.size}"
            if head.size < pinned.size:
                raise Fault(
                    "log_shrunk", "checkpoint", f"at least {pinned.size} entries, pinned", head.size
                )
            if head.size == pinned.size and head.root != pinned.root:
                raise Fault("history_changed", place, "the pinned head", "another root")
            if 0 < pinned.size < head.size:
                proof = Tiles(server, head.size).consistency(pinned.size)
                old, new = consistency_roots(pinned.size, pinned.root, head.size, proof)
                if new != head.root:
                    raise Fault("tile_differs", place, "tiles of the head", "others")
                if old != pinned.root:
                    raise Fault(
                        "history_changed",
                        place,
                        "a log that continues the pinned head",
                        "another history",
                    )
        check_witnesses(opened, replace(self.policy, now=self.now()))
        if pinned is None or pinned.size < head.size:
            self.pins.set(self.name, note.decode("utf-8"))
        return head

    def _later(self, server: Server, head: Checkpoint, first: int) -> Iterator[Entry]:
        """The entries from `first` to the end of the signed tree, each with its inclusion checked."""
        if head.size - first > MAX_LATER:
            raise Fault(
                "too_large",
                "log",
                f"at most {MAX_LATER} entries behind the number",
                head.size - first,
            )
        tiles = Tiles(server, head.size)
        for seq in range(first, head.size):
            data = tiles.entries(seq // WIDTH)[seq % WIDTH]
            proof = [each.hex() for each in tiles.inclusion(seq)]
            try:
                require_inclusion(leaf_hash(data), seq, head.size, proof, head.root)
                yield read_entry(data)
            except Malformed as error:
                raise Fault(
                    "bad_proof", f"entry {seq}", "an entry of the signed tree", error
                ) from None


def is_report_of(entry: Entry, answer: Number) -> bool:
    """Whether an entry has another report of the number's period."""
    if entry.kind != "report/1":
        return False
    report = entry.body["report"]
    return (report["ticker"], report["period"]) == (answer.ticker.upper(), answer.period)
