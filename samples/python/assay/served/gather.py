"""Gathers from a log's server what proves one number, as a bundle. Nothing is believed here: the bundle is then checked."""

from __future__ import annotations

import base64
import hashlib
from dataclasses import dataclass
from typing import Any
from urllib.parse import quote

from ..fault import Fault, Malformed
from ..kind.entry import read_entry
from ..kind.snapshot import read_snapshot
from ..log.note import Checkpoint, checkpoint_text, read_checkpoint, read_note
from .server import Server, read_json
from .tiles import Tiles

MAX_TRIES = 5


@dataclass(frozen=True)
class Gathered:
    """A bundle as JSON, the signed note of its checkpoint, and the entry of its report."""

    bundle: dict[str, Any]
    note: bytes
    seq: int


def gather(server: Server, index: str, period: str) -> Gathered:
    """What the server shows of the newest report of a period. Raises Fault where it is not what a server answers."""
    try:
        return _gather(server, index, period)
    except (KeyError, TypeError, IndexError, AttributeError, Malformed) as error:
        raise Fault(
            "malformed", server.url, "the answers of a log", f"{type(error).__name__} {error}"
        ) from None


def _gather(server: Server, index: str, period: str) -> Gathered:
    name = quote(index, safe="")
    found = report_answer(server, f"/indices/{name}/report?period={quote(period, safe='')}")
    proofs = index_proofs(server, found["hash"])
    hashes = {
        found["report"]["rule"]["hash"],
        *versions_of(proofs, found["report"]["rule"]["hash"]),
    }
    versions = server.json(f"/indices/{name}/rule")["versions"]
    seqs = {seq_of(each["seq"]) for each in versions if each["hash"] in hashes}
    seqs |= signer_seqs(server, found)
    note, tiles, anchor_seq, anchor = stamped_log(server, found["hash"])
    statements = sorted(
        [*found.get("cosignatures", []), *found.get("dissents", [])],
        key=lambda each: seq_of(each["seq"]),
    )
    seqs.add(seq_of(found["seq"]))
    seqs |= {seq_of(each["seq"]) for each in statements}
    seqs |= {seq_of(each) for each in found.get("clock_seqs") or []}
    for seq in (
        found["after_seq"],
        (found.get("feed") or {}).get("seq"),
        anchor_seq,
        *(each["seq"] for each in proofs),
    ):
        if seq is not None:
            seqs.add(seq_of(seq))
    blobs = kept_blobs(server, found["report"])
    agreed = [each for each in statements if each in found.get("cosignatures", [])]
    first = {"key": found["public_key"], "signature": found["signature"]}
    bundle = {
        "type": "assay-bundle/1",
        "genesis": proven(tiles, 0),
        "entries": [proven(tiles, seq) for seq in sorted(seqs)],
        "report": found["hash"],
        "print": found["print"],
        "signatures": [
            first,
            *({"key": each["key"], "signature": each["signature"]} for each in agreed),
        ],
        "statements": [],
        "blobs": [{"sha256": each, "bytes": text_of(blobs[each])} for each in sorted(blobs)],
        "index_proofs": proofs,
        "checkpoint": note.decode("utf-8"),
        "ots": None if anchor is None else stamp(server, note, anchor, seq_of(found["seq"])),
        "headers": []
        if anchor is None
        else [headers_of(server, each) for each in anchor["bitcoin"]],
        "account": None,
    }
    return Gathered(bundle, note, seq_of(found["seq"]))


def seq_of(value: Any) -> int:
    if type(value) is not int or not 0 < value < 2**53:
        raise Fault("malformed", "seq", "the number of an entry", value)
    return value


def text_of(data: bytes) -> str:
    return base64.b64encode(data).decode("ascii")


def proven(tiles: Tiles, seq: int) -> dict[str, Any]:
    proof = [each.hex() for each in tiles.inclusion(seq)] if seq < tiles.size else []
    return {"seq": seq, "bytes": text_of(tiles.entry(seq)), "proof": proof}


def report_answer(server: Server, path: str) -> dict[str, Any]:
    """The answer for a report; a signed void is in the body of a 404."""
    status, body = server.get(path)
    value = read_json(body, path)
    if status == 404 and value.get("void") is not None:
        return value["void"]
    if status != 200:
        raise Fault("not_found", path, "a signed report", value.get("detail", f"status {status}"))
    return value


def index_proofs(server: Server, report: str) -> list[dict[str, Any]]:
    """What the newest index entry has of a period, and of the versions of its rule; empty while none covers it."""
    path = f"/index/{report}"
    status, body = server.get(path)
    if status == 404:
        return []
    value = read_json(body, path)

    def one(of: str, proof: dict[str, Any]) -> dict[str, Any]:
        leaves = [{"leaf": each["leaf"], "proof": each["proof"]} for each in proof["leaves"]]
        return {"of": of, "seq": value["seq"], "first": proof["first"], "leaves": leaves}

    found = [one("prints", value["proof"])]
    if isinstance(value.get("versions"), dict):
        found.append(one("rules", value["versions"]))
    return found


def versions_of(proofs: list[dict[str, Any]], own: str) -> set[str]:
    """The versions of a rule, by their hashes, that its list has."""
    leaves = [each["leaf"] for each in proofs[1]["leaves"]] if len(proofs) > 1 else []
    series = next((leaf[:64] for leaf in leaves if leaf.endswith(own)), None)
    return {leaf[-64:] for leaf in leaves if series is not None and leaf.startswith(series)}


def signer_seqs(server: Server, found: dict[str, Any]) -> set[int]:
    """The entries of the sets before a report that names one, and of every report key after the first."""
    signer = server.json("/.well-known/assay-signer.json")
    keys = [each for each in signer["keys"] if each["purpose"] == "report"][1:]
    seqs = {seq_of(each["from_seq"]) for each in keys}
    if found["report"]["cosigners"]["set"] is not None:
        sets = {seq_of(each["seq"]) for each in signer["cosigner_sets"]}
        seqs |= {seq for seq in sets if seq < seq_of(found["seq"])}
    return seqs


def kept_blobs(server: Server, report: dict[str, Any]) -> dict[str, bytes]:
    """The manifests of a report's reads, and what is kept beside them."""
    blobs = {}
    for read in report["reads"]:
        if read["snapshot"] is None:
            continue
        blobs[read["snapshot"]] = server.body(f"/blob/{read['snapshot']}")
        snapshot = read_snapshot(blobs[read["snapshot"]])
        if snapshot["retain"] != "bytes":
            continue
        names = [page["sha256"] for page in snapshot["pages"]]
        names += [snapshot["extractor"]["text_sha256"]] if snapshot["extractor"] else []
        for each in names:
            blobs[each] = server.body(f"/blob/{each}")
    return blobs


def stamped_log(
    server: Server, report: str
) -> tuple[bytes, Tiles, int | None, dict[str, Any] | None]:
    """The newest checkpoint, and the batch that covers a report there, which may change between two questions."""
    for _ in range(MAX_TRIES):
        seq = anchor_seq_of(server, report)
        note = server.body("/checkpoint")
        tiles = Tiles(server, read_checkpoint(read_note(note).text).size)
        if seq is None:
            return note, tiles, None, None
        anchor = read_entry(tiles.entry(seq)).body
        if anchor_seq_of(server, report) == seq:
            return note, tiles, seq, anchor
    raise Fault("incomplete", f"/proof/{report}", "a proof that does not change meanwhile")


def anchor_seq_of(server: Server, report: str) -> int | None:
    path = f"/proof/{report}"
    status, body = server.get(path)
    if status != 200:
        return None
    return seq_of(read_json(body, path)["anchor_seq"])


def stamp(server: Server, note: bytes, anchor: dict[str, Any], seq: int) -> dict[str, Any]:
    """The file of the checkpoint that a batch holds, and the report's inclusion in that checkpoint's tree."""
    origin = read_checkpoint(read_note(note).text).origin
    text = checkpoint_text(Checkpoint(origin, anchor["to"], bytes.fromhex(anchor["root"])))
    digest = hashlib.sha256(text.encode("utf-8")).hexdigest()
    file = server.body(f"/proof/{digest}?format=ots")
    inclusion = [each.hex() for each in Tiles(server, anchor["to"]).inclusion(seq)]
    return {"checkpoint": text_of(file), "inclusion": inclusion}


def headers_of(server: Server, block: dict[str, Any]) -> dict[str, Any]:
    rest = server.body(f"/blob/{block['following']}").hex()
    return {"height": block["height"], "headers": block["header"] + rest}
