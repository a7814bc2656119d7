"""The shape of a rule's request to a source (docs/spec/rule.md, Request and Paging)."""

from __future__ import annotations

from typing import Any

from ..fault import Malformed
from ..wire.schema import Check, integer, list_of, nullable, object_of, one_of, require, text
from .source_json import NOTHING, Room, point, read_json
from .stop import Stop

# White space as ECMAScript knows it: the pages say "without white space", and name no other list.
URL = "https?://[^\t\n\v\f\r \u00a0\u1680\u2000-\u200a\u2028\u2029\u202f\u205f\u3000\ufeff]+"
pointer = text(0, 256, "(/([^/~]|~[01])*)*")
max_pages = integer(1, 10_000)
until = object_of(
    rows=pointer,
    ptr=pointer,
    style=one_of("unix", "iso_instant"),
    before=text(1, 64, r"[0-9]{1,12}|\{(?:period|release)[^{}]*:unix\}"),
)
total = object_of(rows=pointer, ptr=pointer)
PAGINGS: dict[str, Check] = {
    "none": object_of(kind=one_of("none")),
    "cursor": object_of(
        kind=one_of("cursor"),
        ptr=pointer,
        place=one_of("query", "body"),
        name=text(1, 256),
        max_pages=max_pages,
        until=nullable(until),
        total=nullable(total),
    ),
    "link": object_of(kind=one_of("link"), max_pages=max_pages, until=until),
    "offset": object_of(
        kind=one_of("offset"),
        name=text(1, 64),
        step=integer(1, 100_000),
        rows=pointer,
        max_pages=max_pages,
        until=nullable(until),
        total=nullable(total),
    ),
}


def paging(value: Any, place: str) -> None:
    kind = value.get("kind") if isinstance(value, dict) else None
    if not isinstance(kind, str) or kind not in PAGINGS:
        raise Malformed(f"{place}.kind", f"one of {', '.join(PAGINGS)}")
    PAGINGS[kind](value, place)


request = object_of(
    method=one_of("GET", "POST"),
    url=text(8, 2048, URL),
    headers=list_of(
        object_of(name=text(1, 64, "[a-z0-9-]+"), value=text(0, 1024, "[ -~]*")), 0, 16
    ),
    body=nullable(text(0, 16_384)),
    follow=list_of(text(1, 253, r"[a-z0-9.-]+(:[0-9]+)?"), 0, 8),
    paging=paging,
)


def require_paging(filled: dict[str, Any], place: str) -> None:
    """Raises Malformed unless a filled-in request can go on in the way that its paging says."""
    said = filled["paging"]
    if said["kind"] == "link":
        require(filled["method"] == "GET", place, "a GET, whose answer has the link")
    elif said["kind"] == "cursor" and said["place"] == "body":
        require(
            filled["method"] == "POST" and has_place(filled["body"] or "", said["name"]),
            place,
            "a place in its body",
        )


def has_place(body: str, name: str) -> bool:
    """Whether a JSON body has the object in which `name`, a pointer, sets a member."""
    above, slash, _ = name.rpartition("/")
    try:
        node = point(read_json(body, Room()), above)
    except Stop:
        return False
    return slash == "/" and node is not NOTHING and isinstance(node, dict)
