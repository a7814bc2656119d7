"""What a bundle says of Bitcoin, as far as it is checked here (docs/spec/bundle.md, docs/spec/anchor.md).

That the report names the block of its beacon is checked. Work, headers, stamps and the times that blocks refute are not:
a bundle that has any of them lacks `blocks` for a settlement.
"""

from __future__ import annotations

import hashlib
from typing import Any

from ..answer import NotChecked
from ..fault import Fault
from .contents import Contents
from .shown import place_of

WHY = "this module reads no proof of work and no OpenTimestamps file; assay verify does"


def block_id(header: str) -> str:
    """The hash of a header as explorers show it."""
    return hashlib.sha256(hashlib.sha256(bytes.fromhex(header)).digest()).digest()[::-1].hex()


def check_blocks(raw: dict[str, Any], contents: Contents, not_checked: list[NotChecked]) -> bool:
    """Whether the bundle rests on nothing of Bitcoin. Raises Fault where its parts do not fit together."""
    beacons, anchors = contents.of_kind("beacon/1"), contents.of_kind("anchor/1")
    after = contents.report.body["report"]["after"]
    if after is not None and not beacons:
        raise Fault("bundle_incomplete", "bundle", f"the beacon of block {after['hash']}", "none")
    if len(beacons) > (after is not None) or any(each.seq >= contents.report.seq for each in beacons):
        raise Fault("bundle_malformed", "bundle", "the one beacon that the report names, before it", "another")
    for each in beacons:
        named = {"height": each.body["height"], "hash": block_id(each.body["header"])}
        if after != named:
            raise Fault("report_not_reproduced", "report/after", str(named), after)
    if len(anchors) > (raw["ots"] is not None):
        raise Fault("bundle_malformed", place_of(anchors[-1]), "the one batch whose stamp it has", "another")
    if raw["ots"] is not None and not anchors:
        raise Fault("bundle_incomplete", "bundle", "the batch that covers its report", "none")
    if raw["ots"] is None:
        not_checked.append(NotChecked("before which block the report was written", "no stamp is in the bundle"))
    if not beacons and not anchors:
        return True
    subject = "that the blocks named are of a chain with work, and what its stamp and their times show"
    not_checked.append(NotChecked(subject, WHY))
    return False
