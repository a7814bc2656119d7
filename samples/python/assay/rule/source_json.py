"""JSON as sources write it: every number keeps its text, and a member may stand once in an object."""

from __future__ import annotations

import re
from typing import Any

from .stop import MAX_DEPTH, MAX_ROWS, MAX_VALUES, Stop, bad
from .text import joined_pairs


class Number(str):
    """A JSON number by its text: not a str for the rules, which tell the two apart."""


class Room:
    """What may still be read, over all pages of an answer."""

    def __init__(self) -> None:
        self.values = MAX_VALUES
        self.containers = MAX_ROWS


SPACE = re.compile(r"[ \t\n\r]*")
STRING = re.compile(r'"([^"\\\x00-\x1f]*(?:\\(?:["\\/bfnrt]|u[0-9a-fA-F]{4})[^"\\\x00-\x1f]*)*)"')
NUMBER = re.compile(r"-?(?:0|[1-9][0-9]*)(?:\.[0-9]+)?(?:[eE][+-]?[0-9]+)?")
ESCAPE = re.compile(r"\\(?:u([0-9a-fA-F]{4})|(.))")
ESCAPED = {"b": "\b", "f": "\f", "n": "\n", "r": "\r", "t": "\t"}
WORDS = {"true": True, "false": False, "null": None}


def unescape(raw: str) -> str:
    if "\\" not in raw:
        return raw
    text = ESCAPE.sub(
        lambda m: chr(int(m[1], 16)) if m[1] else ESCAPED.get(m[2], m[2]),
        raw,
    )
    return joined_pairs(text)


def read_json(text: str, room: Room) -> Any:
    """One JSON text, without recursion: `open_` holds the containers around the place."""
    open_: list[Any] = []
    keys: list[str] = []
    value: Any = None
    node: Any = None
    at, result = 0, None
    done = False

    def skip(place: int) -> int:
        return SPACE.match(text, place).end()

    def string(place: int) -> tuple[str, int]:
        match = STRING.match(text, place)
        if not match:
            raise bad()
        return unescape(match[1]), match.end()

    def member(place: int) -> int:
        """A member's name and its colon, for the object at hand."""
        place = skip(place)
        name, place = string(place)
        if name in open_[-1]:
            raise bad()
        place = skip(place)
        if text[place : place + 1] != ":":
            raise bad()
        keys.append(name)
        return place + 1

    while True:
        # A value begins here.
        at = skip(at)
        room.values -= 1
        if room.values < 0:
            raise Stop("too_large")
        first = text[at : at + 1]
        if first in ("{", "["):
            if len(open_) == MAX_DEPTH:
                raise Stop("too_large")
            room.containers -= 1
            if room.containers < 0:
                raise Stop("too_large")
            node = {} if first == "{" else []
            open_.append(node)
            inside = skip(at + 1)
            if text[inside : inside + 1] == ("}" if first == "{" else "]"):
                at, value = inside + 1, open_.pop()
            else:
                at = member(at + 1) if first == "{" else at + 1
                continue
        elif first == '"':
            value, at = string(at)
        else:
            match = NUMBER.match(text, at)
            if match:
                value, at = Number(match[0]), match.end()
            else:
                for word, value in WORDS.items():
                    if text.startswith(word, at):
                        at += len(word)
                        break
                else:
                    raise bad()
        # A value is complete: it goes into what is around it, which may be complete with it.
        while open_:
            around = open_[-1]
            if isinstance(around, dict):
                around[keys.pop()] = value
                close = "}"
            else:
                around.append(value)
                close = "]"
            at = skip(at)
            mark = text[at : at + 1]
            at += 1
            if mark == ",":
                if close == "}":
                    at = member(at)
                break
            if mark != close:
                raise bad()
            value = open_.pop()
        else:
            done, result = True, value
        if done:
            if skip(at) != len(text):
                raise bad()
            return result


NOTHING = object()


def point(node: Any, pointer: str) -> Any:
    """What an RFC 6901 pointer names, or NOTHING."""
    for part in pointer.split("/")[1:]:
        name = part.replace("~1", "/").replace("~0", "~")
        if isinstance(node, dict):
            node = node.get(name, NOTHING)
        elif isinstance(node, list) and re.fullmatch("0|[1-9][0-9]{0,8}", name):
            node = node[int(name)] if int(name) < len(node) else NOTHING
        else:
            return NOTHING
    return node


def text_at(node: Any, pointer: str) -> str:
    found = point(node, pointer)
    if not isinstance(found, str):
        raise bad()
    return str(found)


def list_at(node: Any, pointer: str) -> list[Any]:
    found = point(node, pointer)
    if not isinstance(found, list):
        raise bad()
    return found
