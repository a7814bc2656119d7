"""The bodies of the kinds of entries that a bundle can show."""

from __future__ import annotations

from ..rule.shape import require_rule
from ..wire.schema import Check, object_of
from .anchor import require_anchor, require_beacon
from .cosigners import require_cosigners
from .genesis import require_genesis
from .index_entry import require_index_entry
from .key import require_key
from .print_entry import require_print_entry
from .report import require_report_entry
from .statement import require_cosign, require_dissent

BODIES: dict[str, Check] = {
    "genesis/1": require_genesis,
    "rule/1": object_of(rule=require_rule),
    "report/1": require_report_entry,
    "cosigners/1": require_cosigners,
    "cosign/1": require_cosign,
    "dissent/1": require_dissent,
    "print/1": require_print_entry,
    "key/1": require_key,
    "index/1": require_index_entry,
    "anchor/1": require_anchor,
    "beacon/1": require_beacon,
}
