"""Bundles: the two of the vectors, and what was changed in them."""

from __future__ import annotations

import copy
import unittest
from typing import Any

import assay
from assay.wire.canonical_json import canonical_bytes

from .vectors import load, vkey_of

PLAIN, RECOUNTED = (each["bundle"] for each in load("bundle/bundles.json"))


def judge(bundle: dict[str, Any], **demands: Any) -> assay.Answer:
    return assay.verify_bundle(canonical_bytes(bundle), assay.Policy(key=vkey_of(PLAIN), **demands))


class BundleTest(unittest.TestCase):
    def test_number_with_its_verdict(self) -> None:
        answer = judge(PLAIN)
        assert isinstance(answer, assay.Number)
        self.assertEqual((answer.value, answer.unit, answer.status), ("218000", "claims", "final"))
        self.assertFalse(answer.settleable)
        self.assertEqual(answer.lacks, ("index", "governing_rule", "own_cosigners"))
        self.assertTrue(answer.not_checked)

    def test_recounted_number(self) -> None:
        answer = assay.verify_bundle(
            canonical_bytes(RECOUNTED), assay.Policy(key=vkey_of(RECOUNTED))
        )
        assert isinstance(answer, assay.Number)
        self.assertEqual(
            (answer.cosigners, answer.cosigners_required, answer.dissents), (("ada", "ben"), 2, 1)
        )

    def test_key_comes_from_the_caller(self) -> None:
        answer = assay.verify_bundle(canonical_bytes(PLAIN), assay.Policy(key=vkey_of(RECOUNTED)))
        assert isinstance(answer, assay.Refusal)
        self.assertEqual(answer.code, "key_not_trusted")
        self.assertFalse(hasattr(answer, "value"))

    def test_another_number_than_was_asked_for(self) -> None:
        policy = assay.Policy(key=vkey_of(PLAIN))
        data = canonical_bytes(PLAIN)
        self.assertTrue(assay.verify_bundle(data, policy, "layoffs", "2026-07-25").ok)
        for index, period in (("CPI", "2026-07-25"), ("LAYOFFS", "2026-08-01")):
            answer = assay.verify_bundle(data, policy, index, period)
            assert isinstance(answer, assay.Refusal)
            self.assertEqual(answer.code, "bundle_other")

    def test_own_cosigners(self) -> None:
        listed = (
            assay.Cosigner(
                "Example Recounts",
                "3b6a27bcceb6a42d62a3a8d02a6f0d73653215771de243a63ac048a18b59da29",
            ),
        )
        answer = judge(PLAIN, cosigners=listed, cosigners_required=1)
        assert isinstance(answer, assay.Refusal)
        self.assertEqual(answer.code, "quorum_below_policy")

    def test_every_member_changed_or_gone(self) -> None:
        for name in PLAIN:
            gone = copy.deepcopy(PLAIN)
            del gone[name]
            self.assertFalse(judge(gone).ok, name)
            for value in (None, 0, "", [], {}, "0" * 64, True):
                if PLAIN[name] == value:
                    continue
                changed = {**copy.deepcopy(PLAIN), name: value}
                key = assay.Policy(key=vkey_of(PLAIN))
                self.assertFalse(
                    assay.verify_bundle(canonical_bytes(changed), key).ok, f"{name} {value}"
                )

    def test_any_bytes_are_refused(self) -> None:
        policy = assay.Policy(key=vkey_of(PLAIN))
        good = canonical_bytes(PLAIN)
        hostile = (
            b"",
            b"{",
            b"[" * 100_000,
            b"\xff",
            b"NaN",
            b"1e999",
            b'{"a":1,"a":1}',
            b"9" * 5000,
            b'"\\ud800"',
            good[:-1],
            good + b"\n",
        )
        for data in hostile:
            answer = assay.verify_bundle(data, policy)
            assert isinstance(answer, assay.Refusal)
            self.assertEqual(answer.code, "bundle_malformed", data[:20])


if __name__ == "__main__":
    unittest.main()
