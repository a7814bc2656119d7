"""How a check ends that does not hold."""

from __future__ import annotations


class Fault(Exception):
    """A check that does not hold: its fixed code, and where, what was expected there, and what was found.

    The codes are those of the findings in docs/verify.md. `incomplete` says nothing about a log: what was needed to judge
    it could not be had.
    """

    def __init__(self, code: str, place: str, expected: str, found: object = None):
        said = str(found)
        if len(said) > 200:
            said = f"{said[:200]}..."
        super().__init__(
            f"{place}: expected {expected}" + ("" if found is None else f", found {said}")
        )
        self.code = code
        self.place = place


class Malformed(Exception):
    """Bytes that are not of the form that they must have. Whoever reads them gives it the code of the finding."""

    def __init__(self, place: str, expected: str):
        super().__init__(f"{place}: expected {expected}")
