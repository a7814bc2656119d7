"""The two CSV files of an index, and what a proven number says of its row in them (docs/api.md).

A CSV proves nothing by itself. `hold_history` and `hold_settlement` take an answer and hand on the very same one where
the row of its period says the same, and a Refusal where it does not. So there is no way from a CSV to a value but
through a verdict.
"""

from __future__ import annotations

import re
from dataclasses import replace
from typing import Mapping

from .answer import Answer, NotChecked, Number, Refusal
from .fault import Fault
from .rule.period import read_day

HISTORY = (
    "ticker",
    "period",
    "value",
    "settlement_value",
    "revised",
    "revised_on",
    "band",
    "z",
    "proof_day",
    "bitcoin_height",
    "proof_url",
)
SETTLEMENT = (
    "ticker",
    "period",
    "status",
    "settlement_value",
    "settleable",
    "unsettled",
    "withheld",
    "required",
    "have",
    "report_hash",
    "seq",
    "cosigners",
)
MAX_BYTES = 33_554_432
DECIMAL = re.compile(r"-?(?:0|[1-9][0-9]*)(?:\.[0-9]+)?")
FIELD = re.compile(r"[ !#-+\--~]*")

Row = Mapping[str, str]


def read_rows(data: bytes, columns: tuple[str, ...], optional: str | None = None) -> dict[str, Row]:
    """The rows of a CSV by period. Raises Fault for anything but these columns, plain fields, and rising periods."""
    try:
        text = data.decode("ascii")
    except UnicodeDecodeError:
        raise Fault("csv_malformed", "csv", "ASCII") from None
    lines = text.split("\n")
    header = tuple(lines[0].split(","))
    known = columns if optional is None else (*columns, optional)
    if len(data) > MAX_BYTES or header not in (columns, known) or lines[-1] != "":
        raise Fault("csv_malformed", "csv header", ",".join(columns), lines[0])
    rows: dict[str, Row] = {}
    last = ""
    for number, line in enumerate(lines[1:-1], 2):
        fields = line.split(",")
        place = f"csv line {number}"
        if len(fields) != len(header) or not all(map(FIELD.fullmatch, fields)):
            raise Fault("csv_malformed", place, f"{len(header)} plain fields", line)
        row = dict(zip(header, fields))
        if read_day(row["period"]) is None or row["period"] <= last:
            raise Fault("csv_malformed", place, f"a period after {last or 'none'}", row["period"])
        last = row["period"]
        rows[last] = row
    return rows


def hold_history(data: bytes, answer: Answer) -> Answer:
    """`answer`, held against the row of its period in `history.csv`.

    Its `settlement_value` is that of the first final, and its `value` the newest number of the period. Where the first is
    `answer` and the second is not, `answer` is `superseded`.
    What the source revised, and where the stamp is, an answer does not show: the columns are named as not checked.
    """
    if isinstance(answer, Refusal):
        return answer
    beyond = ["revised", "revised_on", "proof_day", "bitcoin_height", "proof_url"]
    expected = {
        "ticker": answer.ticker,
        "settlement_value": answer.value or "",
        "band": answer.band or "",
        "z": answer.z or "",
    }
    if answer.status == "corrected":
        # A correction does not settle, and its bundle does not have the final before it.
        del expected["settlement_value"]
        beyond.append("settlement_value")
    newest = {"value": answer.value or ""}
    return _held(data, "history.csv", (HISTORY, "note"), answer, expected, newest, beyond)


def hold_settlement(data: bytes, answer: Answer) -> Answer:
    """`answer`, held against the row of its period in `settlement.csv`, which is about the first final of a period.

    Of a correction the bundle does not have that final: the columns about it are named as not checked. A final whose row
    says `corrected` is `superseded`: it settles all the same, and is not the newest number of its period.
    """
    if isinstance(answer, Refusal):
        return answer
    final = answer.status == "final"
    enough = len(answer.cosigner_keys) >= answer.cosigners_required
    settled = final and answer.grants and enough
    expected = {
        "ticker": answer.ticker,
        "settlement_value": (answer.value or "") if final else "",
        "settleable": "true" if settled else "false",
        "unsettled": "" if settled else unsettled_by(answer),
        "withheld": "true" if answer.withheld else "false",
        "required": str(answer.cosigners_required) if final else "",
        "have": str(len(answer.cosigner_keys)) if final else "",
        "report_hash": answer.report_hash,
        "seq": str(answer.seq),
        "cosigners": ";".join(answer.cosigner_keys) if final else "",
    }
    beyond: list[str] = []
    if answer.status == "corrected":
        beyond = [name for name in expected if name not in ("ticker", "withheld")]
        expected = {name: value for name, value in expected.items() if name not in beyond}
    newest = {"status": answer.status}
    return _held(data, "settlement.csv", (SETTLEMENT, None), answer, expected, newest, beyond)


def unsettled_by(answer: Number) -> str:
    """Why money may not settle on a period: the first reason that holds."""
    if answer.status != "final":
        return answer.status
    if answer.withheld:
        return "withheld"
    return "quorum" if answer.grants else "terms"


def _held(
    data: bytes,
    name: str,
    columns: tuple[tuple[str, ...], str | None],
    answer: Number,
    expected: dict[str, str],
    newest: dict[str, str],
    beyond: list[str],
) -> Answer:
    """`expected` are columns that an honest file has, `newest` one that a later correction changes."""
    try:
        row = read_rows(data, *columns).get(answer.period)
        if row is None:
            raise Fault("csv_missing", name, f"a row of {answer.period}", "none")
        for column, value in expected.items():
            require_column(name, answer, row, column, value, "csv_differs")
        code = "superseded" if answer.status == "final" and is_corrected(row) else "csv_differs"
        for column, value in newest.items():
            require_column(name, answer, row, column, value, code)
    except Fault as fault:
        return Refusal(fault.code, str(fault))
    why = "the number's proof does not show it"
    named = tuple(NotChecked(f"{name} {answer.period} {column}", why) for column in beyond)
    return replace(answer, not_checked=answer.not_checked + named)


def require_column(name: str, answer: Number, row: Row, column: str, value: str, code: str) -> None:
    if row[column] != value:
        place = f"{name} {answer.period} {column}"
        raise Fault(code, place, value or "nothing", row[column] or "nothing")


def is_corrected(row: Row) -> bool:
    """Whether a row says that its period has been corrected since its final."""
    if "status" in row:
        return row["status"] == "corrected"
    return row["value"] != "" and DECIMAL.fullmatch(row["value"]) is not None
