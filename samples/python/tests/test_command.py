"""The command line: what it prints, and its exit codes."""

from __future__ import annotations

import contextlib
import io
import json
import tempfile
import unittest
from pathlib import Path

from assay.__main__ import main, plain

from .forge import VKEY, Forge

HISTORY = (
    "ticker,period,value,settlement_value,revised,revised_on,band,z,proof_day,bitcoin_height,proof_url\n"
    "LAYOFFS,2026-07-18,217000,217000,,,,,,,\n"
    "LAYOFFS,2026-07-25,218000,218000,,,,,,,\n"
)


class CommandTest(unittest.TestCase):
    def setUp(self) -> None:
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = Path(folder.name)

    def file(self, name: str, data: bytes) -> str:
        path = self.folder / name
        path.write_bytes(data)
        return str(path)

    def run_main(self, *arguments: str) -> tuple[int, str]:
        out, err = io.StringIO(), io.StringIO()
        with contextlib.redirect_stdout(out), contextlib.redirect_stderr(err):
            try:
                code = main(list(arguments))
            except SystemExit as exit_:
                code = int(exit_.code or 0)
        return code, out.getvalue() + err.getvalue()

    def test_exit_codes(self) -> None:
        good = self.file("good.json", Forge().made())
        lie = Forge()
        lie.report["value"] = "219000"
        code, text = self.run_main("verify", good, "--key", VKEY, "--index", "layoffs")
        self.assertEqual(code, 0)
        self.assertIn("LAYOFFS 2026-07-25 final 218000 claims\nnot settleable: lacks index", text)
        code, text = self.run_main("verify", self.file("lie.json", lie.made()), "--key", VKEY)
        self.assertEqual((code, text.split(":")[0]), (1, "report_not_reproduced"))
        for wrong in (
            ("verify", good),
            ("verify", good, "--key", "none"),
            ("verify", str(self.folder / "none.json"), "--key", VKEY),
            ("verify", good, "--key", VKEY, "--cosigners", "1"),
            (
                "number",
                "ftp://example.org",
                "--key",
                VKEY,
                "--index",
                "A",
                "--period",
                "2026-07-25",
            ),
            ("other",),
        ):
            self.assertEqual(self.run_main(*wrong)[0], 2, wrong)
        away = "number", "http://127.0.0.1:9", "--index", "LAYOFFS", "--period", "2026-07-25"
        self.assertEqual(self.run_main(*away, "--key", VKEY)[0], 3)

    def test_json(self) -> None:
        good = self.file("good.json", Forge().made())
        code, text = self.run_main("verify", good, "--key", VKEY, "--json")
        answer = json.loads(text)
        self.assertEqual((code, answer["ok"], answer["value"]), (0, True, "218000"))
        code, text = self.run_main(
            "verify", good, "--key", VKEY, "--json", "--period", "2026-08-01"
        )
        answer = json.loads(text)
        self.assertEqual((code, answer["code"], "value" in answer), (1, "bundle_other", False))

    def test_history(self) -> None:
        good = self.file("good.json", Forge().made())
        for change, code, said in (
            (("", ""), 0, "LAYOFFS 2026-07-25"),
            (("218000,218000", "218000,219000"), 1, "csv_differs"),
            (("218000,218000", "219000,218000"), 1, "superseded"),
            (("218000,218000", "21900x,218000"), 1, "csv_differs"),
            (("2026-07-25", "2026-08-01"), 1, "csv_missing"),
            (("2026-07-25", "2026-07-18"), 1, "csv_malformed"),
            (("ticker,period", "period,ticker"), 1, "csv_malformed"),
            (("218000,218000", '"218000",218000'), 1, "csv_malformed"),
            ((",,,,,,,\n", ",,,,,,\n"), 1, "csv_malformed"),
        ):
            csv = self.file("history.csv", HISTORY.replace(*change).encode())
            found = self.run_main("verify", good, "--key", VKEY, "--history", csv)
            self.assertEqual((found[0], said in found[1]), (code, True), found[1])

    def test_what_a_terminal_would_obey(self) -> None:
        self.assertEqual(plain("a\x1b[2Jb\u202ec\x9b"), "a\\u001b[2Jb\\u202ec\\u009b")
        forge = Forge()
        forge.rule["unit"] = "\x1b[2J"
        code, text = self.run_main("verify", self.file("unit.json", forge.made()), "--key", VKEY)
        self.assertEqual((code, "\x1b" in text), (0, False))


if __name__ == "__main__":
    unittest.main()
