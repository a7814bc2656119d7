"""A server whose headers never end, and a head that is not to be pinned."""

from __future__ import annotations

import socket
import threading
import time
import unittest

import assay
from assay.fault import Fault
from assay.served.client import open_log
from assay.served.pins import MemoryPins
from assay.served.server import timed_fetch

from .forge import VKEY
from .test_policy import NOW, OWN, TEXT, note, policy, witness_line


class ServedTest(unittest.TestCase):
    def test_headers_that_never_end_are_late(self) -> None:
        listener = socket.create_server(("127.0.0.1", 0))
        over = threading.Event()

        def drip() -> None:
            connection, _ = listener.accept()
            with connection:
                connection.sendall(b"HTTP/1.1 200 OK\r\nx: ")
                while not over.wait(0.05):
                    connection.sendall(b"a")

        thread = threading.Thread(target=drip, daemon=True)
        thread.start()
        begun = time.monotonic()
        try:
            with self.assertRaises(TimeoutError):
                timed_fetch(0.5)(f"http://127.0.0.1:{listener.getsockname()[1]}/checkpoint")
            self.assertLess(time.monotonic() - begun, 5)
        finally:
            over.set()
            thread.join(5)
            listener.close()

    def test_only_a_witnessed_head_is_pinned(self) -> None:
        pins = MemoryPins()
        log = open_log(
            "http://log", policy(), pins=pins, fetch=lambda _url: (404, b""), now=lambda: NOW
        )
        with self.assertRaises(Fault) as caught:
            log._accept(note(OWN), None, log.server)
        self.assertEqual(caught.exception.code, "witnesses_missing")
        self.assertEqual(pins.kept, {})
        log._accept(note(OWN, witness_line(TEXT, NOW)), None, log.server)
        self.assertEqual(len(pins.kept), 1)

    def test_an_address_that_is_none(self) -> None:
        with self.assertRaises(ValueError):
            open_log("file:///etc/passwd", assay.Policy(key=VKEY))


if __name__ == "__main__":
    unittest.main()
