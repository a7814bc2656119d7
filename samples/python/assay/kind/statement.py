"""What a co-signer says of a report (docs/spec/statement.md), and the entries that hold it."""

from __future__ import annotations

from typing import Any

from ..wire.canonical_json import canonical_bytes
from ..wire.schema import (
    hash_hex,
    hex_of,
    i64,
    integer,
    list_of,
    nullable,
    object_of,
    one_of,
    require,
    text,
    time,
)
from .entry import MAX_SEQ
from .report import STATUSES, after, read, require_print

RESULT = {"value": nullable(i64), "status": one_of(*STATUSES)}
SHAPE = object_of(
    type=one_of("assay-statement/1"),
    log=hash_hex,
    report=hash_hex,
    print=hex_of(128),
    entry=object_of(seq=integer(1, MAX_SEQ), leaf=hash_hex),
    head=object_of(size=integer(2, MAX_SEQ), root=hash_hex),
    cosigner=hex_of(32),
    set=hash_hex,
    verdict=one_of("agree", "dissent", "abstain"),
    basis=one_of("own_read", "retained_bytes"),
    kept=nullable(object_of(**RESULT)),
    own=nullable(object_of(**RESULT, reads=list_of(read, 0, 16))),
    reason=nullable(text(1, 64, "[a-z][a-z_]*")),
    after=after,
    signed_at=time,
)


def require_statement(statement: Any, place: str) -> None:
    """Raises Malformed unless `statement` is a statement that does not contradict itself."""
    SHAPE(statement, place)
    report, printed = require_print(bytes.fromhex(statement["print"]), f"{place}.print")
    verdict, basis, own, kept = (statement[name] for name in ("verdict", "basis", "own", "kept"))
    agrees, abstains = verdict == "agree", verdict == "abstain"
    demands = (
        ("print", report == statement["report"]),
        ("head.size", statement["head"]["size"] > statement["entry"]["seq"]),
        ("reason", (statement["reason"] is None) == agrees),
        ("own", basis == "retained_bytes" or own is not None or abstains),
        ("kept", basis == "own_read" or kept is not None or abstains),
        ("own", not agrees or own is None or _value(own) == printed),
        ("kept", not agrees or kept is None or _value(kept) == printed),
    )
    for member, holds in demands:
        require(holds, f"{place}.{member}", "what the other members make of it")


def _value(result: dict[str, Any]) -> int | None:
    return None if result["value"] is None else int(result["value"])


COSIGN = object_of(statement=require_statement, signature=hex_of(64), print_signature=hex_of(64))
DISSENT = object_of(statement=require_statement, signature=hex_of(64), dissent_signature=hex_of(64))


def require_cosign(body: Any, place: str) -> None:
    COSIGN(body, place)
    said = body["statement"]
    require(said["verdict"] == "agree", f"{place}.statement.verdict", "agree")
    require(said["basis"] == "own_read", f"{place}.statement.basis", "own_read")


def require_dissent(body: Any, place: str) -> None:
    DISSENT(body, place)
    require(body["statement"]["verdict"] == "dissent", f"{place}.statement.verdict", "dissent")


def statement_message(statement: dict[str, Any]) -> bytes:
    """What a co-signer signs of its statement."""
    return b"assay/statement/v1\x00" + canonical_bytes(statement)
