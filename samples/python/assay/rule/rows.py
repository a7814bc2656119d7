"""Records of a table, which operations filter and add up."""

from .source_json import list_at, text_at
from .stop import MAX_ROWS, Stop, bad


class Rows:
    """Records, and the columns of their table where they come from one."""

    def __init__(self, records, columns=None):
        self.records = records
        self.columns = columns

    def demand(self, pointer):
        if self.columns is not None:
            text_at({name: name for name in self.columns}, pointer)

    def texts(self, pointer):
        self.demand(pointer)
        return (text_at(record, pointer) for record in self.records)


def records_at(node, pointer):
    found = list_at(node, pointer)
    if len(found) > MAX_ROWS:
        raise Stop("too_large")
    if not all(isinstance(item, dict) for item in found):
        raise bad()
    return found
