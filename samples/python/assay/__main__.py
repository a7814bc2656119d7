"""The commands of `python -m assay`.

Exit codes are those of `assay verify`: 0 a number, 1 a refusal, 2 a command line that cannot be understood, 3 a
verification that did not end, which says nothing about the log.
"""

from __future__ import annotations

import argparse
import json
import os
import sys
import time
from dataclasses import asdict
from pathlib import Path

from .answer import Answer, Number
from .bundle.verify import verify_bundle
from .csv_file import hold_history, hold_settlement
from .policy import Cosigner, Policy, Witness
from .served.client import open_log
from .served.pins import FilePins, MemoryPins

# Codes of what kept a verification from its end.
UNENDED = ("incomplete", "timeout", "unreachable")
EXIT_NUMBER, EXIT_REFUSED, EXIT_USAGE, EXIT_INCOMPLETE = 0, 1, 2, 3


def parser() -> argparse.ArgumentParser:
    outer = argparse.ArgumentParser(
        prog="python -m assay",
        description="Checks an Assay number, and prints it with its verdict.",
    )
    commands = outer.add_subparsers(dest="command", required=True)
    verify = commands.add_parser(
        "verify", help="check one number from the file of assay bundle, offline"
    )
    verify.add_argument("file", help="the bundle; - is standard input")
    verify.add_argument("--index", metavar="TICKER", help="refuse a bundle of another index")
    verify.add_argument("--period", metavar="DATE", help="refuse a bundle of another period")
    number = commands.add_parser("number", help="ask a served log for one number, and check it")
    number.add_argument("url", help="the address of the log, without a path")
    number.add_argument("--index", metavar="TICKER", required=True)
    number.add_argument("--period", metavar="DATE", required=True)
    number.add_argument(
        "--pins",
        metavar="FOLDER",
        help="where the newest head is kept, which a later one continues",
    )
    for each in (verify, number):
        add_policy(each)
        each.add_argument(
            "--history", metavar="FILE", help="hold its row in this history.csv against the number"
        )
        each.add_argument(
            "--settlement",
            metavar="FILE",
            help="hold its row in this settlement.csv against the number",
        )
    return outer


def add_policy(command: argparse.ArgumentParser) -> None:
    command.add_argument(
        "--key",
        required=True,
        metavar="VKEY",
        help="the log's key, from somebody other than its server",
    )
    command.add_argument("--cosigner", action="append", default=[], metavar="OPERATOR=KEY")
    command.add_argument(
        "--cosigners",
        type=int,
        metavar="N",
        help="operators that must agree; all that are named without it",
    )
    command.add_argument("--witness", action="append", default=[], metavar="OPERATOR=VKEY")
    command.add_argument(
        "--witnesses",
        type=int,
        metavar="N",
        help="operators that must have seen the log; all without it",
    )
    command.add_argument(
        "--witness-max-age",
        type=int,
        metavar="S",
        help="seconds after which a witness's line does not count",
    )
    command.add_argument(
        "--strict", action="store_true", help="refuse signature lines of keys that are not named"
    )
    command.add_argument("--json", action="store_true", help="print the answer as JSON")


def policy_of(given: argparse.Namespace) -> Policy:
    """The policy of a command line. Raises ValueError."""
    cosigners = tuple(Cosigner(*pair(each)) for each in given.cosigner)
    witnesses = tuple(Witness(*pair(each)) for each in given.witness)
    return Policy(
        key=given.key,
        cosigners=cosigners,
        cosigners_required=len({each.operator for each in cosigners})
        if given.cosigners is None
        else given.cosigners,
        witnesses=witnesses,
        witnesses_required=len({each.operator for each in witnesses})
        if given.witnesses is None
        else given.witnesses,
        witness_max_age_s=given.witness_max_age,
        strict=given.strict,
        now=int(time.time()),
    )


def pair(text: str) -> tuple[str, str]:
    operator, equals, key = text.partition("=")
    if not (operator and equals and key):
        raise ValueError(f"expected OPERATOR=KEY, found {text}")
    return operator, key


def show(answer: Answer, as_json: bool) -> int:
    """Prints an answer. Returns the exit code."""
    if as_json:
        print(json.dumps({"ok": answer.ok, **asdict(answer)}, indent=1))
    else:
        print("\n".join(map(plain, lines_of(answer))))
    sys.stdout.flush()
    if isinstance(answer, Number):
        return EXIT_NUMBER
    return EXIT_INCOMPLETE if answer.code in UNENDED else EXIT_REFUSED


def lines_of(answer: Answer) -> list[str]:
    if not isinstance(answer, Number):
        return [f"{answer.code}: {answer.why}"]
    value = "no value" if answer.value is None else f"{answer.value} {answer.unit}"
    lacks = f"not settleable: lacks {', '.join(answer.lacks)}" if answer.lacks else "settleable"
    named = [f"not checked: {each.subject}: {each.why}" for each in answer.not_checked]
    return [f"{answer.ticker} {answer.period} {answer.status} {value}", lacks, *named]


def plain(text: str) -> str:
    """Text of a log may hold what a terminal would obey: it is spelt out."""
    return "".join(char if char.isprintable() else f"\\u{ord(char):04x}" for char in text)


def read(name: str) -> bytes:
    if name == "-":
        return sys.stdin.buffer.read()
    with open(name, "rb") as file:
        return file.read()


def ask(given: argparse.Namespace, policy: Policy) -> Answer:
    """The answer of a command. Raises OSError for a file that cannot be read, and ValueError for an address."""
    if given.command == "verify":
        return verify_bundle(read(given.file), policy, given.index, given.period)
    pins = MemoryPins() if given.pins is None else FilePins(Path(given.pins))
    return open_log(given.url, policy, pins=pins).number(given.index, given.period)


def main(arguments: list[str]) -> int:
    given = parser().parse_args(arguments)
    try:
        files = [None if name is None else read(name) for name in (given.history, given.settlement)]
        answer = ask(given, policy_of(given))
    except (ValueError, OSError) as error:
        print(error, file=sys.stderr)
        return EXIT_USAGE
    for data, hold in zip(files, (hold_history, hold_settlement)):
        if data is not None:
            answer = hold(data, answer)
    try:
        return show(answer, given.json)
    except BrokenPipeError:
        # Whoever reads has gone. Nothing more is written, and the exit code is no answer.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return EXIT_INCOMPLETE


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
