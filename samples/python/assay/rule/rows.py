"""Records of a table, which operations filter and add up."""

from __future__ import annotations

from typing import Any, Iterator

from .source_json import list_at, text_at
from .stop import MAX_ROWS, Stop, bad


class Rows:
    """Records, and the columns of their table where they come from one."""

    def __init__(self, records: list[dict[str, Any]], columns: list[str] | None = None):
        self.records = records
        self.columns = columns

    def demand(self, pointer: str) -> None:
        if self.columns is not None:
            text_at({name: name for name in self.columns}, pointer)

    def texts(self, pointer: str) -> Iterator[str]:
        self.demand(pointer)
        return (text_at(record, pointer) for record in self.records)


def records_at(node: Any, pointer: str) -> list[dict[str, Any]]:
    found = list_at(node, pointer)
    if len(found) > MAX_ROWS:
        raise Stop("too_large")
    if not all(isinstance(item, dict) for item in found):
        raise bad()
    return found
