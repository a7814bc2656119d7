"""What a log's server answers. Nothing of it is believed."""

from __future__ import annotations

import json
import queue
import threading
import time
import urllib.error
import urllib.request
from dataclasses import dataclass, field
from typing import Any, Callable
from urllib.parse import urlsplit

from ..fault import Fault

MAX_BODY = 33_554_432
PIECE = 65_536

# Status and body of an address. Raises OSError where there is no answer.
Fetch = Callable[[str], tuple[int, bytes]]


class _NoRedirect(urllib.request.HTTPRedirectHandler):
    """Another address is another log."""

    def redirect_request(self, *_args: Any, **_named: Any) -> None:
        return None


def timed_fetch(timeout_s: float) -> Fetch:
    """Asks by HTTP, with at most `timeout_s` seconds for each answer and 32 MiB of its body."""
    opener = urllib.request.build_opener(_NoRedirect)

    def ask(url: str) -> tuple[int, bytes]:
        end = time.monotonic() + timeout_s
        try:
            response = opener.open(url, timeout=timeout_s)
        except urllib.error.HTTPError as error:
            response = error
        with response:
            parts, length = [], 0
            while piece := response.read1(PIECE):
                parts.append(piece)
                length += len(piece)
                if length > MAX_BODY:
                    raise Fault("too_large", url, f"at most {MAX_BODY} bytes")
                if time.monotonic() > end:
                    raise TimeoutError(f"no whole answer in {timeout_s} s")
            return response.status, b"".join(parts)

    def fetch(url: str) -> tuple[int, bytes]:
        answers: queue.SimpleQueue[tuple[int, bytes] | BaseException] = queue.SimpleQueue()

        def run() -> None:
            try:
                answers.put(ask(url))
            except BaseException as error:  # Raised where it is awaited.
                answers.put(error)

        # A time limit of a socket is one for each piece: a server that sends its headers letter by letter keeps within it.
        threading.Thread(target=run, daemon=True).start()
        try:
            found = answers.get(timeout=timeout_s)
        except queue.Empty:
            raise TimeoutError(f"no whole answer in {timeout_s} s") from None
        if isinstance(found, BaseException):
            raise found
        return found

    return fetch


@dataclass
class Server:
    """A log's server at an address without a path. What its paths name by a hash or a place is asked for once."""

    url: str
    fetch: Fetch
    kept: dict[str, bytes] = field(default_factory=dict)

    def __post_init__(self) -> None:
        if urlsplit(self.url).scheme not in ("http", "https"):
            raise ValueError(f"expected the address of a log, found {self.url}")

    def get(self, path: str) -> tuple[int, bytes]:
        """Status and body. Raises Fault `unreachable` where the server has no answer now, which says nothing of the log."""
        url = self.url.rstrip("/") + path
        try:
            status, body = self.fetch(url)
        except OSError as error:
            late = isinstance(error, TimeoutError) or isinstance(
                getattr(error, "reason", None), TimeoutError
            )
            raise Fault("timeout" if late else "unreachable", url, "an answer", error) from None
        if status == 429 or status >= 500:
            raise Fault("unreachable", url, "an answer", f"status {status}")
        return status, body

    def body(self, path: str) -> bytes:
        """The body of a path that must be there. Raises Fault `not_found`."""
        fixed = path.startswith(("/tile/", "/blob/"))
        if fixed and path in self.kept:
            return self.kept[path]
        status, body = self.get(path)
        if status != 200:
            raise Fault("not_found", path, "200", status)
        if fixed:
            self.kept[path] = body
        return body

    def json(self, path: str) -> Any:
        return read_json(self.body(path), path)


def read_json(data: bytes, path: str) -> Any:
    """An answer's JSON, whatever is in it. Raises Fault `malformed`."""
    try:
        return json.loads(data)
    except (ValueError, RecursionError):
        raise Fault("malformed", path, "JSON") from None
