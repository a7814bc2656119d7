"""CSV as docs/spec/rule.md reads it (RFC 4180)."""

from __future__ import annotations

import re
from typing import Any, Iterator

from .rows import Rows
from .stop import MAX_ROWS, MAX_VALUES, Stop, bad
from .text import BLANKS


QUOTED = re.compile(r'"([^"]*(?:""[^"]*)*)"')


def csv_lines(text: str, delimiter: str) -> Iterator[list[str]]:
    plain = re.compile(f'[^"\n{delimiter}]*')
    at = fields_read = 0
    while at < len(text):
        fields = []
        while True:
            if text[at : at + 1] == '"':
                match = QUOTED.match(text, at)
                if not match:
                    raise bad()
                fields.append(match[1].replace('""', '"'))
            else:
                match = plain.match(text, at)
                fields.append(match[0].strip(BLANKS))
            at = match.end()
            if text[at : at + 1] == '"':
                raise bad()
            fields_read += 1
            if fields_read > MAX_VALUES:
                raise Stop("too_large")
            if text[at : at + 1] != delimiter:
                break
            at += 1
        if text[at : at + 2] == "\r\n":
            at += 2
        elif text[at : at + 1] == "\n":
            at += 1
        elif at < len(text):
            raise bad()
        yield fields


def read_csv(text: str, delimiter: str) -> Rows:
    lines = csv_lines(text, delimiter)
    header = next(lines, None)
    if not header or "" in header or len(set(header)) < len(header):
        raise bad()
    records: list[dict[str, Any]] = []
    for fields in lines:
        if len(fields) != len(header):
            raise bad()
        if len(records) == MAX_ROWS:
            raise Stop("too_large")
        records.append(dict(zip(header, fields)))
    return Rows(records, header)
