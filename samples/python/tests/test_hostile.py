"""What a publisher with every key of its log cannot say."""

from __future__ import annotations

import unittest

import assay

from .forge import VKEY
from .hostile import HOSTILE, made


class HostileTest(unittest.TestCase):
    def test_honest(self) -> None:
        answer = assay.verify_bundle(made(lambda _: None), assay.Policy(key=VKEY))
        self.assertTrue(answer.ok, answer)

    def test_lies(self) -> None:
        for name, lie, code in HOSTILE:
            answer = assay.verify_bundle(made(lie), assay.Policy(key=VKEY))
            assert isinstance(answer, assay.Refusal), name
            self.assertEqual(answer.code, code, f"{name}: {answer.why}")

    def test_many_values(self) -> None:
        answer = assay.verify_bundle(
            b'{"account":[' + b"0," * 100_001 + b"0]}", assay.Policy(key=VKEY)
        )
        assert isinstance(answer, assay.Refusal)
        self.assertIn("commas", answer.why)


if __name__ == "__main__":
    unittest.main()
