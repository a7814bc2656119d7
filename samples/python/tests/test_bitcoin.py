"""Headers and OpenTimestamps files, by the vectors of the repository."""

from __future__ import annotations

import unittest

from assay.bitcoin.run import BITCOIN, DEVELOPMENT, is_judged, read_run
from assay.bitcoin.work import compact_of, retarget, target_of
from assay.fault import Fault, Malformed
from assay.ots.proof import Attestation, Reader, calendars_of, evaluate, read_proof

from .vectors import load

NETWORKS = {"bitcoin": BITCOIN, "development": DEVELOPMENT}
# What the first implementation refuses of a run by the table of epochs, which this module does not have.
BY_THE_TABLE = "as the table says"


class BitcoinTest(unittest.TestCase):
    def test_runs(self) -> None:
        for each in load("bitcoin/runs.json"):
            block = read_run(
                NETWORKS[each["network"]], each["height"], bytes.fromhex(each["headers"])
            )
            self.assertEqual(block.id, each["ids"][0], each["note"])

    def test_refused_runs(self) -> None:
        judged = 0
        for each in load("bitcoin/refused-runs.json"):
            network = NETWORKS[each["network"]]
            if BY_THE_TABLE in each["expected"] or "the table's block" in each["expected"]:
                self.assertFalse(is_judged(network, each["height"]), each["note"])
                continue
            judged += 1
            with self.assertRaises(Malformed, msg=each["note"]):
                read_run(network, each["height"], bytes.fromhex(each["headers"]))
        self.assertGreater(judged, 8)

    def test_compact_bits(self) -> None:
        vectors = load("bitcoin/compact.json")
        for each in vectors["exact"]:
            self.assertEqual(target_of(int(each["bits"], 16)), int(each["target"], 16))
            self.assertEqual(compact_of(int(each["target"], 16)), int(each["bits"], 16))
        for each in vectors["rounded"]:
            self.assertEqual(compact_of(int(each["target"], 16)), int(each["bits"], 16))
        for each in vectors["refused"]:
            self.assertIsNone(target_of(int(each["bits"], 16)), each["note"])

    def test_retargets(self) -> None:
        for each in load("bitcoin/retargets.json"):
            found = retarget(
                int(each["old"], 16), each["last_time"] - each["first_time"], int(each["limit"], 16)
            )
            self.assertEqual(found, int(each["bits"], 16), each)


class OtsTest(unittest.TestCase):
    def test_accepted(self) -> None:
        for each in load("ots/accepted.json"):
            if each["hash"] != "sha256":
                continue
            proof = read_proof(bytes.fromhex(each["hex"]))
            self.assertEqual(proof.digest.hex(), each["digest"], each["name"])
            try:
                found = [shown(one, message) for one, message in evaluate(proof.tree, proof.digest)]
            except Fault as fault:
                self.assertEqual(fault.code, "incomplete", each["name"])
                continue
            expected = [
                tuple(map(one.get, ("kind", "height", "uri", "message")))
                for one in each["attestations"]
            ]
            self.assertEqual(sorted(found, key=str), sorted(expected, key=str), each["name"])

    def test_refused(self) -> None:
        for each in load("ots/refused.json"):
            with self.assertRaises(Malformed, msg=each["name"]):
                read_proof(bytes.fromhex(each["hex"]))

    def test_batches(self) -> None:
        for each in load("ots/batch.json"):
            if "files" not in each:
                continue
            for digest, file in zip(each["digests"], each["files"]):
                proof = read_proof(bytes.fromhex(file))
                (found,) = [
                    message
                    for one, message in evaluate(proof.tree, proof.digest)
                    if one.kind == "pending"
                ]
                self.assertEqual(
                    (proof.digest.hex(), found.hex()), (digest, each["tip"]), each["name"]
                )
            tree = Reader(bytes.fromhex(each["timestamp"])).tree(32, 0)
            self.assertEqual(calendars_of(tree), {"http://calendar.example": False})


def shown(one: Attestation, message: bytes) -> tuple:
    height = one.height if one.kind in ("bitcoin", "litecoin", "ethereum") else None
    return one.kind, height, one.uri if one.kind == "pending" else None, message.hex()


if __name__ == "__main__":
    unittest.main()
