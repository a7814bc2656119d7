"""Reads an Assay number together with its verdict: from a bundle or from a served log, and beside its CSV files.

    import assay

    answer = assay.verify_bundle(data, assay.Policy(key=VKEY))
    if isinstance(answer, assay.Number):
        print(answer.value, answer.unit, answer.settleable, answer.lacks)
    else:
        print(answer.code, answer.why)

There are two shapes of an answer and no third: a `Number`, whose proof has no fault, and a `Refusal`, which has a fixed
code and no value. The key comes from the caller, never from the file or the server.
"""

from .answer import Answer, NotChecked, Number, Refusal
from .bundle.verify import verify_bundle
from .csv_file import hold_history, hold_settlement
from .policy import Cosigner, Policy, Witness
from .served.client import Log, open_log
from .served.pins import FilePins, MemoryPins

__all__ = [
    "Answer",
    "Cosigner",
    "FilePins",
    "Log",
    "MemoryPins",
    "NotChecked",
    "Number",
    "Policy",
    "Refusal",
    "Witness",
    "hold_history",
    "hold_settlement",
    "open_log",
    "verify_bundle",
]
