"""The small XML of docs/spec/rule.md, read once from its start to its end."""

from __future__ import annotations

import re
from typing import Any

from .rows import Rows
from .source_json import SPACE
from .stop import MAX_DEPTH, MAX_ROWS, Stop, bad
from .text import BLANKS


XML_NAME = "[A-Za-z_:][A-Za-z0-9_:.-]*"
XML_BAD = re.compile("[^\t\n\r\u0020-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")
XML_OPEN = re.compile(f"<({XML_NAME})")
XML_INSIDE = re.compile(
    rf"""((?:[ \t\r\n]+{XML_NAME}[ \t\r\n]*=[ \t\r\n]*(?:"[^<"]*"|'[^<']*'))*)[ \t\r\n]*(/?)>"""
)
XML_ATTRIBUTE = re.compile(rf"""({XML_NAME})[ \t\r\n]*=[ \t\r\n]*("[^<"]*"|'[^<']*')""")
XML_CLOSE = re.compile(rf"</({XML_NAME})[ \t\r\n]*>")
XML_ASIDE = re.compile(rf"<!--(.*?)--(>?)|<\?({XML_NAME})(?:\?>|[ \t\r\n].*?\?>)", re.DOTALL)
XML_DECLARATION = re.compile(r"<\?xml(?:\?>|[ \t\r\n].*?\?>)", re.DOTALL)
XML_TEXT = re.compile("[^<&]+")
XML_REFERENCE = re.compile("&(?:#([0-9]{1,7})|#x([0-9A-Fa-f]{1,6})|(amp|lt|gt|quot|apos));")
XML_NAMED = {"amp": "&", "lt": "<", "gt": ">", "quot": '"', "apos": "'"}


def xml_reference(text: str, at: int) -> tuple[str, int]:
    match = XML_REFERENCE.match(text, at)
    if not match:
        raise bad()
    if match[3]:
        return XML_NAMED[match[3]], match.end()
    code = int(match[1]) if match[1] else int(match[2], 16)
    if code > 0x10FFFF or XML_BAD.match(chr(code)):
        raise bad()
    return chr(code), match.end()


class Node:
    """An element that is being read.

    `matched` is how many names of the path lead here from the root, None off the path. `inside` is true of a row and
    of all within one.
    """

    def __init__(self, name: str, matched: int | None, inside: bool):
        self.name = name
        self.matched = matched
        self.inside = inside
        self.children: dict[str, Any] = {}
        self.has_child = False
        self.said = ""


def read_xml(text: str, path: str) -> Rows:
    """Rows of the elements at `path`, reading the text once from its start to its end."""
    if XML_BAD.search(text):
        raise bad()
    names = path.split("/")[1:]
    rows, stack = [], []
    elements = 0
    declaration = XML_DECLARATION.match(text)
    at = declaration.end() if declaration else 0
    begun = False

    def finish(node: Node) -> None:
        if not node.inside:
            return
        said = node.said.strip(BLANKS)
        if node.matched == len(names):
            if said:
                raise bad()
            rows.append(node.children)
        else:
            stack[-1].children[node.name] = node.children if node.has_child else said

    while at < len(text):
        here = stack[-1] if stack else None
        if text.startswith("<!--", at) or text.startswith("<?", at):
            match = XML_ASIDE.match(text, at)
            if not match or (match[3] or "").lower() == "xml" or match[2] == "":
                raise bad()
            at = match.end()
        elif here is None and SPACE.match(text, at).end() > at:
            at = SPACE.match(text, at).end()
        elif here is not None and text[at] != "<":
            if text[at] == "&":
                piece, at = xml_reference(text, at)
            else:
                match = XML_TEXT.match(text, at)
                piece, at = match[0], match.end()
                if "]]>" in piece:
                    raise bad()
            if here.has_child and piece.strip(BLANKS):
                raise bad()
            here.said += piece
        elif here is not None and text.startswith("</", at):
            match = XML_CLOSE.match(text, at)
            if not match or match[1] != here.name:
                raise bad()
            at = match.end()
            finish(stack.pop())
        else:
            match = XML_OPEN.match(text, at)
            if not match or (here is None and begun):
                raise bad()
            name = match[1]
            if len(stack) == MAX_DEPTH:
                raise Stop("too_large")
            elements += 1
            if elements > MAX_ROWS:
                raise Stop("too_large")
            if here is None:
                begun = True
                if name != names[0]:
                    raise bad()
                matched, inside = 1, len(names) == 1
            else:
                here.has_child = True
                if here.said.strip(BLANKS) or (here.inside and name in here.children):
                    raise bad()
                here.children[name] = ""
                known = here.matched is not None and here.matched < len(names)
                on_path = known and names[here.matched] == name
                matched = here.matched + 1 if on_path else None
                inside = here.inside or matched == len(names)
            rest = XML_INSIDE.match(text, match.end())
            if not rest:
                raise bad()
            seen = set()
            for each in XML_ATTRIBUTE.finditer(rest[1]):
                if each[1] in seen:
                    raise bad()
                seen.add(each[1])
                value = each[2][1:-1]
                place = value.find("&")
                while place >= 0:
                    place = value.find("&", xml_reference(value, place)[1])
            at = rest.end()
            node = Node(name, matched, inside)
            if rest[2]:
                finish(node)
            else:
                stack.append(node)
    if stack or not begun:
        raise bad()
    return Rows(rows)
