"""What a publisher with every key of its log cannot say."""

from __future__ import annotations

import unittest

import assay

from .forge import VKEY
from .hostile import all_lies, made, made_indexed, made_stamped


class HostileTest(unittest.TestCase):
    def test_honest(self) -> None:
        answer = assay.verify_bundle(made(lambda _: None), assay.Policy(key=VKEY))
        self.assertTrue(answer.ok, answer)

    def test_stamped(self) -> None:
        answer = assay.verify_bundle(made_stamped(lambda _: None), assay.Policy(key=VKEY))
        assert isinstance(answer, assay.Number), answer
        self.assertNotIn("blocks", answer.lacks)

    def test_indexed(self) -> None:
        answer = assay.verify_bundle(made_indexed(lambda _: None), assay.Policy(key=VKEY))
        assert isinstance(answer, assay.Number), answer
        self.assertEqual((answer.index_day, answer.governs), ("2026-07-30", "index"))
        self.assertEqual(answer.lacks, ("own_cosigners",))

    def test_superseded(self) -> None:
        data = made_indexed(lambda of: of.prints.append((3, 1, "00" * 32)))
        answer = assay.verify_bundle(data, assay.Policy(key=VKEY))
        assert isinstance(answer, assay.Number), answer
        self.assertEqual(
            (answer.lacks, answer.settleable), (("own_cosigners", "superseded"), False)
        )

    def test_lies(self) -> None:
        for name, data, code in all_lies():
            answer = assay.verify_bundle(data, assay.Policy(key=VKEY))
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
