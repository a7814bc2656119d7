"""Reads an Assay number together with its verdict.

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
from .policy import Cosigner, Policy, Witness

__all__ = ["Answer", "Cosigner", "NotChecked", "Number", "Policy", "Refusal", "Witness", "verify_bundle"]
