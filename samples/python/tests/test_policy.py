"""What a caller demands: keys, witnesses and co-signers."""

from __future__ import annotations

import base64
import hashlib
import unittest

import assay
from assay.fault import Fault
from assay.log.note import read_note_key
from assay.trust import check_signatures, check_witnesses, open_checkpoint

from .forge import CHECKPOINT_KEY, VKEY, sign
from .vectors import load

WITNESS_SECRET = bytes(range(32))
NOW = 1_800_000_000


def witness_vkey(name: str) -> str:
    from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey

    public = Ed25519PrivateKey.from_private_bytes(WITNESS_SECRET).public_key().public_bytes_raw()
    key_id = hashlib.sha256(f"{name}\n".encode() + b"\x04" + public).digest()[:4].hex()
    return f"{name}+{key_id}+{base64.b64encode(bytes([4]) + public).decode()}"


def note(*lines: tuple[str, bytes], text: str = f"development/vectors\n1\n{'A' * 43}=\n") -> bytes:
    shown = "".join(f"\u2014 {name} {base64.b64encode(data).decode()}\n" for name, data in lines)
    return f"{text}\n{shown}".encode()


def witness_line(text: str, at: int, name: str = "w.example") -> tuple[str, bytes]:
    key = read_note_key(witness_vkey(name), 4)
    signature = sign(WITNESS_SECRET, f"cosignature/v1\ntime {at}\n{text}".encode())
    return name, bytes.fromhex(key.key_id) + at.to_bytes(8, "big") + signature


TEXT = f"development/vectors\n1\n{'A' * 43}=\n"
OWN = (
    "development/vectors",
    bytes.fromhex(read_note_key(VKEY).key_id) + sign(CHECKPOINT_KEY, TEXT.encode()),
)


def policy(**demands: object) -> assay.Policy:
    listed = (assay.Witness("Example", witness_vkey("w.example")),)
    return assay.Policy(
        **{"key": VKEY, "witnesses": listed, "witnesses_required": 1, "now": NOW, **demands}
    )  # type: ignore[arg-type]


class PolicyTest(unittest.TestCase):
    def refused(self, code: str, run: object, *given: object) -> None:
        with self.assertRaises(Fault) as caught:
            run(*given)  # type: ignore[operator]
        self.assertEqual(caught.exception.code, code)

    def test_wrong_policies(self) -> None:
        key = "3b6a27bcceb6a42d62a3a8d02a6f0d73653215771de243a63ac048a18b59da29"
        one = assay.Cosigner("Example", key)
        for wrong in (
            {"key": ""},
            {"key": VKEY[:-4]},
            {"key": witness_vkey("w.example")},
            {"cosigners": (assay.Cosigner("Example", key.upper()),)},
            {"cosigners": (one, assay.Cosigner("Another", key)), "cosigners_required": 2},
            {"cosigners": (one,), "cosigners_required": 2},
            {"cosigners": (one, assay.Cosigner("Example", "00" * 32)), "cosigners_required": 2},
            {"cosigners_required": -1},
            {"witnesses": (assay.Witness("Example", VKEY),)},
            {"witnesses": (), "witnesses_required": 1},
        ):
            with self.assertRaises(ValueError, msg=str(wrong)):
                policy(**wrong)

    def test_one_operator_in_two_spellings(self) -> None:
        one, two = "3b" * 32, "6a" * 32
        for first, second in (
            ("Example Recounts", "EXAMPLE  recounts"),
            ("Ada", "\uff21da"),
            ("Ren\u00e9", "Rene\u0301"),
        ):
            listed = (assay.Cosigner(first, one), assay.Cosigner(second, two))
            with self.assertRaises(ValueError, msg=second):
                policy(cosigners=listed, cosigners_required=2)
        for name in ("", " ", "Ada ", "A=B", "A\u200bda"):
            with self.assertRaises(ValueError, msg=repr(name)):
                policy(cosigners=(assay.Cosigner(name, one),))
        listed = (assay.Cosigner("Ada", one), assay.Cosigner("Ben", two))
        self.assertEqual(policy(cosigners=listed, cosigners_required=2).cosigners, listed)

    def test_one_witness_key_under_two_names(self) -> None:
        again = assay.Witness("Another", witness_vkey("v.example"))
        both = (assay.Witness("Example", witness_vkey("w.example")), again)
        with self.assertRaises(ValueError):
            policy(witnesses=both, witnesses_required=2)

    def test_witnesses(self) -> None:
        seen = open_checkpoint(note(OWN, witness_line(TEXT, NOW)))
        check_witnesses(seen, policy())
        check_witnesses(seen, policy(witness_max_age_s=60))
        self.refused("witnesses_missing", check_witnesses, open_checkpoint(note(OWN)), policy())
        old = open_checkpoint(note(OWN, witness_line(TEXT, NOW - 61)))
        self.refused("witnesses_missing", check_witnesses, old, policy(witness_max_age_s=60))
        self.refused(
            "witnesses_missing", check_witnesses, seen, policy(witness_max_age_s=60, now=None)
        )
        ahead = open_checkpoint(note(OWN, witness_line(TEXT, NOW + 121)))
        self.refused("witness_bad_line", check_witnesses, ahead, policy())
        other = open_checkpoint(note(OWN, witness_line(TEXT.replace("1", "2"), NOW)))
        self.refused("witness_bad_line", check_witnesses, other, policy())
        short = open_checkpoint(note(OWN, ("w.example", witness_line(TEXT, NOW)[1][:-1])))
        self.refused("witness_bad_line", check_witnesses, short, policy())

    def test_checkpoint_lines(self) -> None:
        self.assertEqual(check_signatures(open_checkpoint(note(OWN)), policy(strict=True)), [])
        stranger = ("s.example", bytes(68))
        named = check_signatures(open_checkpoint(note(OWN, stranger)), policy())
        self.assertEqual(len(named), 1)
        for lines in ((OWN, stranger), (OWN, OWN)):
            self.refused(
                "checkpoint_unlisted_signature",
                check_signatures,
                open_checkpoint(note(*lines)),
                policy(strict=True),
            )
        self.refused(
            "checkpoint_unsigned", check_signatures, open_checkpoint(note(stranger)), policy()
        )
        bad = OWN[0], OWN[1][:-1] + bytes([OWN[1][-1] ^ 1])
        self.refused(
            "checkpoint_bad_signature", check_signatures, open_checkpoint(note(bad)), policy()
        )
        self.refused(
            "checkpoint_bad_signature", check_signatures, open_checkpoint(note(OWN, bad)), policy()
        )

    def test_checkpoints_in_one_spelling(self) -> None:
        for text in (
            TEXT + "more\n",
            TEXT.replace("\n1\n", "\n01\n"),
            "\n".join(TEXT.split("\n")[:2]) + "\n",
        ):
            self.refused("checkpoint_malformed", open_checkpoint, note(OWN, text=text))

    def test_another_log_id(self) -> None:
        from .test_bundle import PLAIN, canonical_bytes

        for log_id, ok in ((PLAIN_LOG, True), ("0" * 64, False)):
            answer = assay.verify_bundle(
                canonical_bytes(PLAIN), assay.Policy(key=VKEY, log_id=log_id)
            )
            self.assertEqual(answer.ok, ok)
            if isinstance(answer, assay.Refusal):
                self.assertEqual(answer.code, "log_id_differs")


PLAIN_LOG = load("report/reports.json")[0]["report"]["log"]

if __name__ == "__main__":
    unittest.main()
