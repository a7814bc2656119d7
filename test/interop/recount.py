"""A second implementation of Assay's rule language, z and band, from the pages in docs/spec alone.

Python 3.8 or later, the standard library, nothing else. It shares no code with the first one.

    python3 recount.py vectors FOLDER    recompute every vector of the repository's vectors folder
    python3 recount.py cases < LINES     one JSON case a line; value or reason, a line each
    python3 recount.py export FOLDER     recount every report of a log that `assay export` wrote
"""

import base64
import hashlib
import json
import os
import re
import sys
from datetime import date
from fractions import Fraction
from math import fmod

# ---------------------------------------------------------------- reasons and limits


class Stop(Exception):
    """Why a read gives no number: one of the reasons of the specification."""

    def __init__(self, reason):
        super().__init__(reason)
        self.reason = reason


def bad():
    return Stop("malformed")


MAX_WORK = 1 << 28
MAX_ROWS = 2_000_000
MAX_VALUES = 8_000_000
MAX_DEPTH = 64
MAX_PERIODS = 20_000
TEN_TO_100 = 10**100

# ---------------------------------------------------------------- text

BLANK_CODES = [*range(0x09, 0x0E), 0x20, 0xA0, *range(0x2007, 0x200C), 0x202F, 0x3000, 0xFEFF]
BLANKS = "".join(map(chr, BLANK_CODES))
NO_BLANKS = {code: None for code in BLANK_CODES}


def decode(page):
    try:
        text = page.decode("utf-8")
    except UnicodeDecodeError:
        raise bad() from None
    return text[1:] if text[:1] == "\ufeff" else text


def units(text):
    """Bytes that sort as the UTF-16 code units of `text` do."""
    return text.encode("utf-16-be", "surrogatepass")


def joined_pairs(text):
    """`text` with each pair of surrogates as the one character that it stands for."""
    return units(text).decode("utf-16-be", "surrogatepass")


# ---------------------------------------------------------------- JSON


class Number(str):
    """A JSON number by its text: not a str for the rules, which tell the two apart."""


class Room:
    """What may still be read, over all pages of an answer."""

    def __init__(self):
        self.values = MAX_VALUES
        self.containers = MAX_ROWS


SPACE = re.compile(r"[ \t\n\r]*")
STRING = re.compile(
    r'"([^"\\\x00-\x1f]*(?:\\(?:["\\/bfnrt]|u[0-9a-fA-F]{4})[^"\\\x00-\x1f]*)*)"'
)
NUMBER = re.compile(r"-?(?:0|[1-9][0-9]*)(?:\.[0-9]+)?(?:[eE][+-]?[0-9]+)?")
ESCAPE = re.compile(r"\\(?:u([0-9a-fA-F]{4})|(.))")
ESCAPED = {"b": "\b", "f": "\f", "n": "\n", "r": "\r", "t": "\t"}
WORDS = {"true": True, "false": False, "null": None}


def unescape(raw):
    if "\\" not in raw:
        return raw
    text = ESCAPE.sub(
        lambda m: chr(int(m[1], 16)) if m[1] else ESCAPED.get(m[2], m[2]),
        raw,
    )
    return joined_pairs(text)


def read_json(text, room):
    """One JSON text, without recursion: `open_` holds the containers around the place."""
    open_, keys = [], []
    at, result = 0, None
    done = False

    def skip(place):
        return SPACE.match(text, place).end()

    def string(place):
        match = STRING.match(text, place)
        if not match:
            raise bad()
        return unescape(match[1]), match.end()

    def member(place):
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


def point(node, pointer):
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


def text_at(node, pointer):
    found = point(node, pointer)
    if not isinstance(found, str):
        raise bad()
    return str(found)


def list_at(node, pointer):
    found = point(node, pointer)
    if not isinstance(found, list):
        raise bad()
    return found


# ---------------------------------------------------------------- tables


class Rows:
    """Records, and the columns of their table where they come from one."""

    def __init__(self, records, columns=None):
        self.records = records
        self.columns = columns

    def demand(self, pointer):
        if self.columns is not None:
            text_at({name: name for name in self.columns}, pointer)

    def texts(self, pointer):
        self.demand(pointer)
        return (text_at(record, pointer) for record in self.records)


def records_at(node, pointer):
    found = list_at(node, pointer)
    if len(found) > MAX_ROWS:
        raise Stop("too_large")
    if not all(isinstance(item, dict) for item in found):
        raise bad()
    return found


QUOTED = re.compile(r'"([^"]*(?:""[^"]*)*)"')


def csv_lines(text, delimiter):
    plain = re.compile(f'[^"\n{delimiter}]*')
    at = fields_read = 0
    while at < len(text):
        fields = []
        while True:
            if text[at : at + 1] == '"':
                match = QUOTED.match(text, at)
                if not match:
                    raise bad()
                fields.append(match[1].replace('""', '"'))
            else:
                match = plain.match(text, at)
                fields.append(match[0].strip(BLANKS))
            at = match.end()
            if text[at : at + 1] == '"':
                raise bad()
            fields_read += 1
            if fields_read > MAX_VALUES:
                raise Stop("too_large")
            if text[at : at + 1] != delimiter:
                break
            at += 1
        if text[at : at + 2] == "\r\n":
            at += 2
        elif text[at : at + 1] == "\n":
            at += 1
        elif at < len(text):
            raise bad()
        yield fields


def read_csv(text, delimiter):
    lines = csv_lines(text, delimiter)
    header = next(lines, None)
    if not header or "" in header or len(set(header)) < len(header):
        raise bad()
    records = []
    for fields in lines:
        if len(fields) != len(header):
            raise bad()
        if len(records) == MAX_ROWS:
            raise Stop("too_large")
        records.append(dict(zip(header, fields)))
    return Rows(records, header)


# ---------------------------------------------------------------- XML

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


def xml_reference(text, at):
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
    def __init__(self, name, matched, inside):
        self.name = name
        self.matched = matched  # names of the path from the root to here, or None off the path
        self.inside = inside  # a row, or within one
        self.children = {}
        self.has_child = False
        self.said = ""


def read_xml(text, path):
    """Rows of the elements at `path`, reading the text once from its start to its end."""
    if XML_BAD.search(text):
        raise bad()
    names = path.split("/")[1:]
    rows, stack = [], []
    elements = 0
    declaration = XML_DECLARATION.match(text)
    at = declaration.end() if declaration else 0
    begun = False

    def finish(node):
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


# ---------------------------------------------------------------- numbers

PLAIN = re.compile(r"-?(?:0|[1-9][0-9]*)(?:\.[0-9]+)?")
GROUPED = re.compile(r"-?[1-9][0-9]{0,2}(?:,[0-9]{3})+(?:\.[0-9]+)?")
GOES_ON = re.compile("[0-9eE]|[.,][0-9]")


def numeral(text, style, take):
    patterns = [PLAIN] if style == "plain" else [PLAIN, GROUPED]
    matches = [match[0] for match in (p.match(text) for p in patterns) if match]
    if not matches:
        raise bad()
    longest = max(matches, key=len)
    rest = text[len(longest) :]
    if GOES_ON.match(rest) or len(longest) > 100 or (take == "all" and rest):
        raise bad()
    return Fraction(longest.replace(",", ""))


def sized(number):
    if abs(number.numerator) >= TEN_TO_100 or number.denominator >= TEN_TO_100:
        raise Stop("out_of_range")
    return number


def numbers(rows, pointer, style):
    return [numeral(text, style, "all") for text in rows.texts(pointer)]


def rounded(number, decimals, how):
    """`number` times 10^decimals as an integer."""
    scaled = number * 10**decimals
    below, rest = divmod(scaled.numerator, scaled.denominator)
    twice = 2 * rest
    if how == "floor":
        up = False
    elif how == "ceil":
        up = rest > 0
    elif how == "trunc":
        up = rest > 0 and scaled < 0
    elif twice != scaled.denominator:
        up = twice > scaled.denominator
    elif how == "half_even":
        up = below % 2 == 1
    elif how == "half_away":
        up = scaled > 0
    else:
        raise ValueError(how)
    return below + up


def is_i64(value):
    return -(2**63) <= value < 2**63


def middle(values):
    ordered = sorted(values)
    half = len(ordered) // 2
    return ordered[half] if len(ordered) % 2 else (ordered[half - 1] + ordered[half]) / 2


# ---------------------------------------------------------------- days and periods

EPOCH = date(1970, 1, 1).toordinal()
CYCLE = 146_097  # days of 400 years


def day_of(text):
    """Days since 1970-01-01, or None for no date."""
    match = re.fullmatch("([0-9]{4})-([0-9]{2})-([0-9]{2})", text)
    try:
        return date(*map(int, match.groups())).toordinal() - EPOCH if match else None
    except ValueError:
        return None


def civil(day):
    """Year, month, day; also for years that `date` does not have."""
    ordinal = day + EPOCH
    cycles = (ordinal - 1) // CYCLE
    inside = date.fromordinal(ordinal - cycles * CYCLE)
    return inside.year + 400 * cycles, inside.month, inside.day


def is_period(kind, day):
    if kind == "month":
        return civil(day)[2] == 1
    return kind == "utc_day" or (day + EPOCH) % 7 == 6


def months_later(day, count):
    year, month, _ = civil(day)
    years, month = divmod(year * 12 + month - 1 + count, 12)
    cycles, inside = divmod(years - 1, 400)
    return date(inside + 1, month + 1, 1).toordinal() + cycles * CYCLE - EPOCH


def shifted(kind, day, count):
    if kind == "month":
        return months_later(day, count)
    return day + count * (7 if kind == "week_ending_saturday" else 1)


def date_text(day):
    year, month, dom = civil(day)
    if not 1 <= year <= 9999:
        raise Stop("out_of_range")
    return f"{year:04d}-{month:02d}-{dom:02d}"


def release_day(rule, day):
    name = date_text(day)
    for moved in rule["release"]["exceptions"]:
        if moved["period"] == name:
            return day_of(moved["date"])
    after = months_later(day, 1) if rule["period"] == "month" else day + 1
    return after + rule["release"]["days_after"]


def sunday(year, month, nth):
    first = date(year, month, 1).toordinal()
    return first + (-first) % 7 + 7 * (nth - 1) - EPOCH


def release_time(rule, day):
    """Unix seconds of the scheduled release."""
    release = rule["release"]
    hours, minutes = map(int, release["local"].split(":"))
    on = release_day(rule, day)
    wall = on * 86400 + hours * 3600 + minutes * 60
    if release["zone"] == "UTC":
        return wall
    # A wall time that is skipped or comes twice takes the offset from before the change.
    year = civil(on)[0]
    summer = sunday(year, 3, 2) * 86400 + 3 * 3600 <= wall < sunday(year, 11, 1) * 86400 + 2 * 3600
    return wall + (4 if summer else 5) * 3600


MONTH_NAMES = (
    "January February March April May June July August September October November December"
).split()
BRACES = re.compile(r"\{([^{}]*)\}")
VARIABLE = re.compile(r"(period|release)(?:([+-])(0|[1-9][0-9]{0,2}))?:([A-Za-z-]+)")
SHORT = {
    "period": "{Y}-{M}-{D}",
    "Y": "{Y}",
    "Y-1": "{L}",
    "M": "{M}",
    "D": "{D}",
    "MMDDYY": "{M}{D}{y}",
}
LONG = {
    "YYYY": "{Y}",
    "MM": "{M}",
    "DD": "{D}",
    "MMDDYY": "{M}{D}{y}",
    "YYYYMMDD": "{Y}{M}{D}",
    "YYYY-MM-DD": "{Y}-{M}-{D}",
    "MM-DD-YYYY": "{M}-{D}-{Y}",
    "MonthD": "{N}{d}",
    "unix": "{s}",
}


def written(day, shape):
    year, month, dom = civil(day)
    return shape.format(
        Y=str(year).rjust(4, "0"),
        L=str(year - 1).rjust(4, "0"),
        y=str(int(fmod(year, 100))).rjust(2, "0"),
        M=f"{month:02d}",
        D=f"{dom:02d}",
        N=MONTH_NAMES[month - 1],
        d=dom,
        s=day * 86400,
    )


def fill(text, rule, day):
    def variable(match):
        name = match[1]
        if name in SHORT:
            return written(day, SHORT[name])
        parts = VARIABLE.fullmatch(name)
        if not parts or parts[4] not in LONG or int(parts[3] or 0) > 400:
            return match[0]
        base = day if parts[1] == "period" else release_day(rule, day)
        by = int(parts[3] or 0)
        return written(base - by if parts[2] == "-" else base + by, LONG[parts[4]])

    return BRACES.sub(variable, text)


KEYS = {
    "iso_date": re.compile("([0-9]{4})-([0-9]{2})-([0-9]{2})"),
    "iso_prefix": re.compile("([0-9]{4})-([0-9]{2})-([0-9]{2})(?:[T ].*)?", re.DOTALL),
    "us_date": re.compile("(?P<m>[0-9]{2})/(?P<d>[0-9]{2})/(?P<y>[0-9]{4})"),
    "iso_month": re.compile("([0-9]{4})-([0-9]{2})"),
    "bls_month": re.compile("([0-9]{4})-M([0-9]{2})"),
}


def period_of_key(text, style, kind):
    match = KEYS[style].fullmatch(text)
    if not match:
        raise bad()
    if style == "us_date":
        parts = match["y"], match["m"], match["d"]
    else:
        parts = match.groups()
    if len(parts) == 2:
        if kind != "month":
            raise bad()
        parts = (*parts, "01")
    day = day_of("-".join(parts))
    if day is None or not is_period(kind, day):
        raise bad()
    return day


# ---------------------------------------------------------------- operations


class Pages(list):
    pass


class Json:
    def __init__(self, node):
        self.node = node


def find_once(text, anchor):
    at = text.find(anchor)
    if at < 0:
        raise Stop("not_published")
    if text.find(anchor, at + 1) >= 0:
        raise bad()
    return at + len(anchor)


class Machine:
    """Runs steps for one period of one rule."""

    def __init__(self, rule, day):
        self.rule = rule
        self.day = day
        self.kind = rule["period"]

    def run(self, steps, pages):
        value = Pages(pages)
        for step in steps:
            takes, work = OPERATIONS[step["op"]]
            if not isinstance(value, takes):
                raise bad()
            value = work(self, step, value)
        return value

    def fill(self, text):
        return fill(text, self.rule, self.day)

    def utf8(self, _step, pages):
        if len(pages) != 1:
            raise bad()
        return decode(pages[0])

    def records(self, step, pages):
        if not pages:
            raise bad()
        room = Room()
        found = []
        for page in pages:
            found += records_at(read_json(decode(page), room), step["ptr"])
            if len(found) > MAX_ROWS:
                raise Stop("too_large")
        return Rows(found)

    def squash(self, _step, text):
        return text.translate(NO_BLANKS)

    def after(self, step, text):
        return text[find_once(text, self.fill(step["text"])) :]

    def skip_to(self, step, text):
        places = [at for at, char in enumerate(text) if ord(char) not in NO_BLANKS]
        end = find_once(text.translate(NO_BLANKS), self.fill(step["text"]))
        return text[places[end - 1] + 1 :].lstrip(BLANKS)

    def num(self, step, value):
        text = text_at(value.node, "") if isinstance(value, Json) else value
        return numeral(text, step["style"], step["take"])

    def json(self, _step, text):
        return Json(read_json(text, Room()))

    def csv(self, step, text):
        return read_csv(text, step["delimiter"])

    def xml(self, step, text):
        return read_xml(text, step["rows"])

    def at(self, step, value):
        found = point(value.node, step["ptr"])
        if found is NOTHING:
            raise bad()
        return Json(found)

    def rows(self, step, value):
        return Rows(records_at(value.node, step["ptr"]))

    def zip(self, step, value):
        keys = list_at(value.node, step["key"])
        values = list_at(value.node, step["value"])
        if len(keys) != len(values):
            raise bad()
        if len(keys) > MAX_ROWS:
            raise Stop("too_large")
        pairs = [{"key": key, "value": each} for key, each in zip(keys, values)]
        return Rows(pairs, ["key", "value"])

    def kept(self, rows, pointer, passes):
        texts = list(rows.texts(pointer))
        return Rows(
            [record for record, text in zip(rows.records, texts) if passes(text)],
            rows.columns,
        )

    def where(self, step, rows):
        values = tuple(self.fill(each) for each in step["values"])
        tests = {
            "in": lambda text: text in values,
            "not_in": lambda text: text not in values,
            "prefix": lambda text: text.startswith(values),
        }
        return self.kept(rows, step["ptr"], tests[step["test"]])

    def between(self, step, rows):
        rows.demand(step["ptr"])

        def read(text):
            return units(text) if step["style"] == "text" else numeral(text, "plain", "all")

        start, end = read(self.fill(step["from"])), read(self.fill(step["to"]))
        return self.kept(rows, step["ptr"], lambda text: start <= read(text) < end)

    def distinct(self, step, rows):
        for pointer in step["ptrs"]:
            rows.demand(pointer)
        seen, records = set(), []
        for record in rows.records:
            texts = tuple(text_at(record, pointer) for pointer in step["ptrs"])
            if texts not in seen:
                seen.add(texts)
                records.append(record)
        return Rows(records, rows.columns)

    def choose(self, step, rows):
        into = step["into"]
        for pointer in [step["by"], *(case["ptr"] for case in step["cases"])]:
            rows.demand(pointer)
        places = {case["is"]: case["ptr"] for case in step["cases"]}
        records, members = [], 0
        for record in rows.records:
            members += len(record) + 1
            if members > MAX_VALUES:
                raise Stop("too_large")
            by = text_at(record, step["by"])
            if by not in places:
                raise bad()
            text = text_at(record, places[by])
            if into in record:
                raise bad()
            records.append({**record, into: text})
        if rows.columns is None:
            return Rows(records)
        if into in rows.columns:
            raise bad()
        return Rows(records, [*rows.columns, into])

    def count(self, _step, rows):
        return Fraction(len(rows.records))

    def sum(self, step, rows):
        return sized(sum(numbers(rows, step["ptr"], step["style"]), Fraction(0)))

    def sum_product(self, step, rows):
        total = Fraction(0)
        for pointer in step["ptrs"]:
            rows.demand(pointer)
        for factors in zip(*(numbers(rows, pointer, step["style"]) for pointer in step["ptrs"])):
            product = Fraction(1)
            for each in factors:
                product *= each
            total += product
        return sized(total)

    def one_of(self, step, rows, choose):
        values = numbers(rows, step["ptr"], step["style"])
        if not values:
            raise Stop("no_source")
        return sized(choose(values))

    def median(self, step, rows):
        return self.one_of(step, rows, middle)

    def min(self, step, rows):
        return self.one_of(step, rows, min)

    def max(self, step, rows):
        return self.one_of(step, rows, max)

    def series(self, step, rows):
        for pointer in [*step["key"], step["value"]]:
            rows.demand(pointer)
        series = {}
        for record in rows.records:
            key = "-".join(text_at(record, pointer) for pointer in step["key"])
            day = period_of_key(key, step["key_style"], self.kind)
            if day in series:
                raise bad()
            if len(series) == MAX_PERIODS:
                raise Stop("too_large")
            text = text_at(record, step["value"])
            missing = text in step["missing"]
            series[day] = None if missing else numeral(text, step["style"], "all")
        return series

    def compared(self, step, series, reckon):
        out = {}
        for day, value in series.items():
            before = shifted(self.kind, day, -step["lag"])
            if before in series:
                base = series[before]
                found = None if value is None or base is None else reckon(value, base)
                out[day] = None if found is None else sized(found)
        return out

    def diff(self, step, series):
        return self.compared(step, series, lambda value, base: value - base)

    def pct_change(self, step, series):
        return self.compared(
            step, series, lambda value, base: (value / base - 1) * 100 if base else None
        )

    def scale(self, step, value):
        by = Fraction(step["mul"]) / Fraction(step["div"])
        if isinstance(value, Fraction):
            return sized(value * by)
        return {day: each if each is None else sized(each * by) for day, each in value.items()}

    def pick(self, step, series):
        if step["among"] == "newest":
            if any(day > self.day and value is not None for day, value in series.items()):
                raise Stop("superseded")
        if self.day not in series:
            raise Stop("not_published")
        if series[self.day] is None:
            raise Stop("no_source")
        return series[self.day]


OPERATIONS = {
    name: (takes, getattr(Machine, name))
    for takes, names in [
        (Pages, "utf8 records"),
        (str, "squash after skip_to json csv xml"),
        ((str, Json), "num"),
        (Json, "at rows zip"),
        (Rows, "where between distinct choose count sum sum_product median min max series"),
        (dict, "diff pct_change pick"),
        ((Fraction, dict), "scale"),
    ]
    for name in names.split()
}


def read_number(rule, provider, pages, day):
    """What one provider's pages give: ("ok", integer) or (reason, None)."""
    runs = [provider, *provider["checks"]]
    steps = sum(len(each["extract"]) for each in runs)
    if steps * sum(map(len, pages)) > MAX_WORK:
        return "too_large", None
    machine = Machine(rule, day)
    values = []
    try:
        for each in runs:
            number = machine.run(each["extract"], pages)
            if not isinstance(number, Fraction):
                raise bad()
            values.append(rounded(number, rule["decimals"], rule["aggregate"]["round"]))
            if values[-1] != values[0]:
                raise Stop("check_failed")
        if not is_i64(values[0]):
            raise Stop("out_of_range")
    except Stop as stop:
        return stop.reason, None
    return "ok", values[0]


# ---------------------------------------------------------------- a whole answer

MAX_ANSWER = 67_108_864
UNIX = re.compile(r"(0|[1-9][0-9]{0,11})(?:\.[0-9]{1,9})?")
INSTANT = re.compile(r"([0-9-]{10})T([0-9]{2}):([0-9]{2}):([0-9]{2})(?:\.[0-9]{1,9})?(?:Z|\+00:00)")


def seconds_at(row, until):
    text = text_at(row, until["ptr"])
    if until["style"] == "unix":
        match = UNIX.fullmatch(text)
        if not match:
            raise bad()
        return int(match[1])
    match = INSTANT.fullmatch(text)
    day = day_of(match[1]) if match else None
    if day is None:
        raise bad()
    hours, minutes, seconds = (int(match[i]) for i in (2, 3, 4))
    if hours > 23 or minutes > 59 or seconds > 59:
        raise bad()
    return day * 86400 + hours * 3600 + minutes * 60 + seconds


def cursor_at(node, pointer, counted):
    """What names the next page; None where the list ends."""
    parts = [part.replace("~1", "/").replace("~0", "~") for part in pointer.split("/")[1:]]
    for left, part in zip(range(len(parts) - 1, -1, -1), parts):
        below = NOTHING
        if isinstance(node, dict):
            below = node.get(part, NOTHING)
            if below is NOTHING and counted and left == 0:
                return None
        elif isinstance(node, list):
            if part == "-" and not node:
                return None
            below = node[-1] if part == "-" else point(node, "/" + part)
        if below is NOTHING:
            raise bad()
        node = below
    if node is None or node == "":
        return None
    if not isinstance(node, str) or len(units(node)) > 2 * 4096:
        raise bad()
    if re.search("[\ud800-\udfff]", node):
        raise bad()
    return str(node)


def ends_here(paging, before, page):
    """Whether a page is the last of its list, the cursor that it names, and its total and rows."""
    node = read_json(decode(page), Room())
    past, until = False, paging["until"]
    if until is not None:
        rows = list_at(node, until["rows"])
        past = bool(rows) and seconds_at(rows[-1], until) < before
    if paging["kind"] == "link":
        return past, None, None
    cursor = None
    if paging["kind"] == "cursor":
        cursor = cursor_at(node, paging["ptr"], paging["total"] is not None)
        ends = cursor is None
    else:
        count = len(list_at(node, paging["rows"]))
        if count > paging["step"]:
            raise bad()
        ends = count < paging["step"]
    if ends and until is not None and not past:
        raise bad()
    total = paging["total"]
    if total is None:
        return past or ends, cursor, None
    said = text_at(node, total["ptr"])
    if not re.fullmatch("0|[1-9][0-9]{0,8}", said):
        raise bad()
    return past or ends, cursor, (int(said), len(list_at(node, total["rows"])))


def demand_whole(rule, provider, pages, day):
    if sum(map(len, pages)) > MAX_ANSWER:
        raise Stop("too_large")
    paging = provider["request"]["paging"]
    none = paging["kind"] == "none"
    most = 1 if none else paging["max_pages"]
    if not 1 <= len(pages) <= most:
        raise bad()
    if none:
        return
    before = int(fill(paging["until"]["before"], rule, day)) if paging["until"] else None
    cursors, totals, rows = set(), set(), 0
    for i, page in enumerate(pages):
        last, cursor, counted = ends_here(paging, before, page)
        if counted is not None:
            totals.add(counted[0])
            rows += counted[1]
        if last != (i == len(pages) - 1):
            raise Stop("too_large" if not last and len(pages) == most else "malformed")
        if not last and cursor is not None:
            if cursor in cursors:
                raise bad()
            cursors.add(cursor)
    if totals - {rows}:
        raise bad()


BASE58 = "[1-9A-HJ-NP-Za-km-z]"


def whole_at(node, pointer):
    text = text_at(node, pointer)
    if not re.fullmatch("0|[1-9][0-9]{0,14}", text):
        raise bad()
    return int(text)


def listed_transactions(rule, pages, day):
    """The transactions of the period without an error, by slot and then signature."""
    start = day * 86400
    end = (months_later(day, 1) if rule["period"] == "month" else day + 1) * 86400
    times, found = [], {}
    for page in pages:
        try:
            node = read_json(page.decode("utf-8"), Room())
        except UnicodeDecodeError:
            raise bad() from None
        for row in list_at(node, "/result"):
            signature = text_at(row, "/signature")
            if not re.fullmatch(BASE58 + "{32,90}", signature):
                raise bad()
            slot, when = whole_at(row, "/slot"), whole_at(row, "/blockTime")
            times.append(when)
            if point(row, "/err") is None and start <= when < end:
                found[signature] = {"signature": signature, "slot": slot, "block_time": when}
    if not times or times[0] < end:
        raise Stop("not_published")
    if times[-1] >= start:
        raise bad()
    return sorted(found.values(), key=lambda each: (each["slot"], each["signature"]))


def demand_transactions(listed, text):
    """Stops unless `text` is canonical and of exactly the listed transactions."""
    try:
        value = json.loads(text)
        same = canonical(value).encode("utf-8") == text
    except ValueError:
        raise bad() from None
    if not same or not isinstance(value, dict) or set(value) != {"transactions", "instructions"}:
        raise bad()
    if value["transactions"] != listed or not isinstance(value["instructions"], list):
        raise bad()
    last = 0
    for each in value["instructions"]:
        if not isinstance(each, dict) or set(each) != {"transaction", "program", "data"}:
            raise bad()
        at = each["transaction"]
        if type(at) is not int or not last <= at < len(listed):
            raise bad()
        for name, shape in (("program", BASE58 + "{32,44}"), ("data", "(?:[0-9a-f]{2}){0,8}")):
            if not isinstance(each[name], str) or not re.fullmatch(shape, each[name]):
                raise bad()
        last = at


def read_answer(rule, provider, statuses, pages, text, day):
    """What an answer says about a period: ("ok", integer) or (reason, None)."""
    if any(status != 200 for status in statuses):
        return "bad_status", None
    try:
        demand_whole(rule, provider, pages, day)
        if provider["text"] == "none":
            return read_number(rule, provider, pages, day)
        listed = None
        if provider["text"] == "solana_instructions":
            listed = listed_transactions(rule, pages, day)
        if text is None:
            raise bad()
        if listed is not None:
            demand_transactions(listed, text)
    except Stop as stop:
        return stop.reason, None
    return read_number(rule, provider, [text], day)


def filled_request(rule, provider, day):
    """The request of a rule with the variables of a period in their places."""
    request = json.loads(json.dumps(provider["request"]))
    request["url"] = fill(request["url"], rule, day)
    if request["body"] is not None:
        request["body"] = fill(request["body"], rule, day)
    for header in request["headers"]:
        header["value"] = fill(header["value"], rule, day)
    until = request["paging"].get("until")
    if until:
        until["before"] = fill(until["before"], rule, day)
    return request


# ---------------------------------------------------------------- z and band


def standing(value, history, window, least, bands):
    history = [Fraction(each) for each in history[-window:]]
    if len(history) < least:
        return None, None
    center = middle(history)
    away = [abs(each - center) for each in history]
    spread = middle(away) * Fraction(7413, 5000)
    if spread == 0:
        spread = sum(away) / len(away) * Fraction(1253314, 1000000)
    if spread == 0:
        if value != center:
            return None, None
        tenths = 0
    else:
        tenths = rounded((value - center) / spread, 1, "half_away")
    tenths = max(-999, min(999, tenths))
    band = None
    for each in bands:
        if Fraction(each["from_z"]) * 10 <= tenths:
            band = each["name"]
    sign = "-" if tenths < 0 else ""
    return f"{sign}{abs(tenths) // 10}.{abs(tenths) % 10}", band


# ---------------------------------------------------------------- canonical JSON


def canonical(value):
    """RFC 8785 of what Assay signs: objects, arrays, texts, integers, true, false, null."""
    if isinstance(value, dict):
        names = sorted(value, key=units)
        return "{" + ",".join(f"{canonical(n)}:{canonical(value[n])}" for n in names) + "}"
    if isinstance(value, list):
        return "[" + ",".join(map(canonical, value)) + "]"
    if isinstance(value, float):
        raise ValueError("a number with a point")
    return json.dumps(value, ensure_ascii=False)


def address(value):
    return sha256(canonical(value).encode("utf-8"))


def sha256(data):
    return hashlib.sha256(data).hexdigest()


# ---------------------------------------------------------------- vectors


def load(*parts):
    with open(os.path.join(*parts), encoding="utf-8") as file:
        return json.load(file)


def fraction_text(number):
    return None if number is None else f"{number.numerator}/{number.denominator}"


def plain_json(node):
    if isinstance(node, Number):
        return {"number": str(node)}
    if isinstance(node, list):
        return [plain_json(each) for each in node]
    if isinstance(node, dict):
        return {name: plain_json(each) for name, each in node.items()}
    return node


def typed(value):
    """A value in the form of the vectors."""
    if isinstance(value, Pages):
        return {"pages": len(value)}
    if isinstance(value, str):
        return {"text": value}
    if isinstance(value, Json):
        return {"json": plain_json(value.node)}
    if isinstance(value, Rows):
        return {"rows": plain_json(value.records)}
    if isinstance(value, Fraction):
        return {"number": fraction_text(value)}
    return {"series": {date_text(day): fraction_text(each) for day, each in value.items()}}


def page_bytes(page):
    return page["text"].encode("utf-8") if "text" in page else bytes.fromhex(page["hex"])


def check_operation(vector, sample):
    rule = {**sample, "period": vector["kind"]}
    machine = Machine(rule, day_of(vector["period"]))
    try:
        value = machine.run(vector["steps"], map(page_bytes, vector["pages"]))
        return typed(value) == vector.get("gives")
    except Stop as stop:
        return stop.reason == vector.get("stops")


def check_rule(vector, _sample):
    data = canonical(vector["rule"]).encode("utf-8")
    return len(data) == vector["bytes"] and sha256(data) == vector["hash"]


def check_standing(vector, sample):
    found = standing(
        int(vector["value"]),
        [int(each) for each in vector["history"]],
        vector["window"],
        vector["min"],
        sample["bands"],
    )
    return found == (vector["z"], vector["band"])


def check_rounding(vector, _sample):
    number = Fraction(int(vector["n"]), int(vector["d"]))
    found = rounded(number, vector["decimals"], vector["rounding"])
    return found == int(vector["gives"])


def check_release(vector, _sample):
    rule = {"period": vector["kind"], "release": vector}
    when = release_time(rule, day_of(vector["period"]))
    return time_text(when) == vector["at"]


def governing(versions, day):
    """The place of the version that governs a period, and the releases that it and those before it gave.

    Versions are (at, rule) in the order in which they were recorded, `at` in unix seconds.
    """
    earliest, found, given = None, None, []
    for place, (at, rule) in enumerate(versions):
        if day_of(rule["applies_from"]) > day:
            continue
        release = release_time(rule, day)
        if at < release and (earliest is None or at < earliest):
            found = place
            given.append(release)
        earliest = release if earliest is None else min(earliest, release)
    return found, given


def is_period(kind, day):
    named = date.fromordinal(day + EPOCH)
    if kind == "week_ending_saturday":
        return named.weekday() == 5
    return kind == "utc_day" or named.day == 1


def is_late(versions, at, rule):
    """Whether a version that comes next covers a period whose number may be known at `at`."""
    rules = [each for _, each in versions] + [rule]
    first, today = day_of(rule["applies_from"]), at // 86400
    days = set(range(max(first, today - 200), today + 1))
    days |= {day_of(each["period"]) for one in rules for each in one["release"]["exceptions"]}
    return any(
        day_of(each["applies_from"]) <= day and release_time(each, day) <= at
        for day in days
        if day >= first and is_period(rule["period"], day)
        for each in rules
    )


def check_governing(vector, _sample):
    versions, refused = [], []
    for number, each in enumerate(vector["versions"], 1):
        at = time_of(each["at"])
        rule = {"period": vector["kind"], **each}
        if versions and is_late(versions, at, rule):
            refused.append(number)
        versions.append((at, rule))
    if refused != vector["refused"]:
        return False
    for expected in vector["periods"]:
        day = day_of(expected["period"])
        place, given = governing(versions, day)
        found = {"period": expected["period"], "version": None}
        found.update(dict.fromkeys(("release", "earliest", "latest")))
        if place is not None:
            found["version"] = place + 1
            found["release"] = time_text(release_time(versions[place][1], day))
            found["earliest"], found["latest"] = time_text(min(given)), time_text(max(given))
        if found != expected:
            return False
    return True


# ---------------------------------------------------------------- the clocks of a period


NEVER = float("inf")
DAY = 86400


def scheduled(rule, day, start=None):
    """The clocks that run from the release of a period, or from `start` where that is given."""
    release, times = release_time(rule, day), rule["release"]
    start = release if start is None else start
    return {
        "release": release,
        "frozen": start + rule["revision"]["freeze_after_s"],
        "first_print": start + min(times["first_print_within_s"], times["deadline_s"] - 1),
        "deadline": start + times["deadline_s"],
        "seen": None if start == release else start,
    }


def clocks_at(rule, rule_hash, day, now, log, sets):
    """The clocks of a report that is published at `now` on top of the entries of `log`.

    The log is a list of ("report", report, its hash) and ("statement", statement), a co-signer's first on each report alone;
    `sets` maps the hash of a set to its threshold and keys.
    """
    usual = scheduled(rule, day)
    late = rule["release"].get("late", {"kind": "void"})
    if late["kind"] == "void" or now <= usual["first_print"]:
        return usual
    end = usual["release"] + late["within_s"]
    unseen = dict(usual, frozen=NEVER, first_print=end - DAY, deadline=end)
    provisionals = {}
    for kind, *rest in log:
        if kind != "report" or rest[0]["rule"]["hash"] != rule_hash:
            continue
        report, name = rest
        in_time = time_of(report["published_at"]) <= usual["first_print"]
        if in_time and (report["status"] != "provisional" or report["reason"] == "freeze_window"):
            return usual
        if report["status"] == "provisional":
            provisionals[name] = report
    seen = {}
    for kind, *rest in log:
        report = provisionals.get(rest[0]["report"]) if kind == "statement" else None
        if report is None:
            continue
        own, who, of = rest[0]["own"], rest[0]["cosigner"], report["cosigners"]["set"]
        threshold, keys = sets.get(of, (0, ()))
        if who not in keys or not own or not own["reads"] or who in seen.setdefault(of, {}):
            continue
        at = max(time_of(read["read_at"]) for read in own["reads"])
        given = decide(rule, dict(report, reads=own["reads"]), unseen, None, False)
        if at > end - DAY or given[:2] != ("provisional", "freeze_window"):
            continue
        seen[of][who] = at
        if len(seen[of]) == threshold:
            last = max(seen[of].values())
            return usual if last <= usual["first_print"] else scheduled(rule, day, last)
    return unseen


def check_clocks(vector, sample):
    release = {name: each for name, each in sample["release"].items() if name != "late"}
    if vector["late"] is not None:
        release["late"] = vector["late"]
    rule = dict(sample, release=release)
    sets = {name: (each["threshold"], each["members"]) for name, each in vector["sets"].items()}
    log = []
    for line in vector["log"]:
        if "report" in line:
            report = {
                "rule": {"hash": line["version"]},
                "published_at": line["published_at"],
                "status": line["status"],
                "reason": line["reason"],
                "cosigners": {"set": line["set"]},
            }
            log.append(("report", report, line["report"]))
            continue
        reads = [
            {
                "outcome": "not_published" if value is None else "ok",
                "value": value,
                "read_at": line["read_at"],
            }
            for value in (line["press"], line["table"], None)
        ]
        named = {"report": line["on"], "cosigner": line["statement"], "own": {"reads": reads}}
        log.append(("statement", named))
    day = day_of("2026-07-25")
    for ask in vector["asks"]:
        known = log if ask["before"] is None else log[: ask["before"]]
        found = clocks_at(rule, 1, day, time_of(ask["at"]), known, sets)
        texts = {
            name: None if at in (None, NEVER) else time_text(at) for name, at in found.items()
        }
        if any(texts[name] != ask[name] for name in texts):
            return False
    return True


CHECKED = {
    "rational/roundings.json": check_rounding,
    "rule/clocks.json": check_clocks,
    "rule/governing.json": check_governing,
    "rule/operations.json": check_operation,
    "rule/releases.json": check_release,
    "rule/rules.json": check_rule,
    "z/standings.json": check_standing,
}


def recount_vectors(folder):
    sample = load(folder, "rule", "rules.json")[0]["rule"]
    wrong = 0
    for name, check in CHECKED.items():
        vectors = load(folder, name)
        differ = [i for i, vector in enumerate(vectors) if not check(vector, sample)]
        wrong += len(differ)
        for i in differ:
            print(f"{name} differs at {i}: {vectors[i].get('name', '')}", file=sys.stderr)
        print(f"{name} {len(vectors) - len(differ)} of {len(vectors)}")
    return 1 if wrong else 0


def recount_cases(lines):
    for line in lines:
        case = json.loads(line)
        pages = [bytes.fromhex(page) for page in case["pages"]]
        rule, provider, day = case["rule"], case["provider"], day_of(case["period"])
        if case["answer"]:
            text = None if case["text"] is None else bytes.fromhex(case["text"])
            outcome, value = read_answer(rule, provider, case["statuses"], pages, text, day)
        else:
            outcome, value = read_number(rule, provider, pages, day)
        print(outcome if value is None else f"{outcome} {value}")
    return 0


# ---------------------------------------------------------------- a whole log


def time_text(seconds):
    day, rest = divmod(seconds, 86400)
    return f"{date_text(day)}T{rest // 3600:02d}:{rest // 60 % 60:02d}:{rest % 60:02d}Z"


def time_of(text):
    hours, minutes, seconds = map(int, text[11:19].split(":"))
    return day_of(text[:10]) * 86400 + hours * 3600 + minutes * 60 + seconds


def read_file(*parts):
    with open(os.path.join(*parts), "rb") as file:
        return file.read()


def tile_path(index):
    groups = [f"{index % 1000:03d}"]
    while index >= 1000:
        index //= 1000
        groups.insert(0, f"x{index % 1000:03d}")
    return os.path.join(*groups)


def root_of(leaves):
    """The root of RFC 6962, from leaf hashes: pairs from the left, an odd one moves up."""
    level = leaves
    while len(level) > 1:
        pairs = [
            hashlib.sha256(b"\x01" + level[i] + level[i + 1]).digest()
            for i in range(0, len(level) - 1, 2)
        ]
        level = pairs + (level[-1:] if len(level) % 2 else [])
    return level[0] if level else hashlib.sha256().digest()


def log_entries(folder):
    """Every entry that the checkpoint counts, held to its root. Signatures are for a verifier."""
    _, size, root = read_file(folder, "checkpoint").decode("utf-8").split("\n")[:3]
    entries, leaves = [], []
    while len(entries) < int(size):
        index = len(entries) // 256
        width = min(256, int(size) - len(entries))
        path = tile_path(index) + ("" if width == 256 else f".p/{width}")
        data, at = read_file(folder, "tile", "entries", path), 0
        for _ in range(width):
            end = at + 2 + int.from_bytes(data[at : at + 2], "big")
            leaves.append(hashlib.sha256(b"\x00" + data[at + 2 : end]).digest())
            entries.append(json.loads(data[at + 2 : end]))
            at = end
    if base64.b64encode(root_of(leaves)).decode() != root:
        raise SystemExit("the entries do not make the checkpoint's root")
    return entries


class Evidence:
    """What a read rests on: a snapshot and, where they were kept, its bytes."""

    def __init__(self, folder, name):
        self.snapshot = json.loads(self.blob(folder, name))
        hashes = [page["sha256"] for page in self.snapshot["pages"]]
        extractor = self.snapshot["extractor"]
        self.sound = all(page["status"] == 200 for page in self.snapshot["pages"])
        self.content = hashes
        self.text_hash = extractor["text_sha256"] if extractor else None
        self.kept = self.snapshot["retain"] == "bytes"
        self.pages = [self.blob(folder, each) for each in hashes] if self.kept else None
        self.text = self.blob(folder, self.text_hash) if self.kept and extractor else None

    @staticmethod
    def blob(folder, name):
        data = read_file(folder, "blob", name)
        if sha256(data) != name:
            raise SystemExit(f"blob {name} holds other bytes")
        return data


def copy_differs(record, copy):
    """Whether a third party's copy is another document than the record."""
    if record is None or not (record.sound and copy.sound):
        return False
    if record.text_hash and copy.text_hash:
        return record.text_hash != copy.text_hash
    return record.content != copy.content


class Recount:
    def __init__(self, folder):
        self.folder = folder
        self.rules = {}
        self.versions = {}  # ticker to the versions so far, as (at, rule)
        self.reports = {}  # (ticker, period) to the reports so far
        self.logs = {}  # (ticker, period) to what its clocks may rest on: reports and statements
        self.periods = {}  # the hash of a report to its ticker and period
        self.stated = set()  # (report, co-signer)
        self.sets = {}  # the hash of a co-signer set to its threshold and keys
        self.settled = {}  # ticker to period to the first final
        self.tally = {"reports": 0, "reads": 0, "unkept": 0, "unanswered": 0, "withheld": 0}
        self.wrong = []

    def say(self, place, expected, found):
        if expected != found:
            self.wrong.append(f"{place}: {found}, recounted {expected}")

    def entry(self, entry):
        if entry["kind"] == "rule/1":
            rule = entry["body"]["rule"]
            self.rules[address(rule)] = rule
            self.record(time_of(entry["at"]), rule)
        elif entry["kind"] == "report/1":
            self.report(entry["body"]["report"])
        elif entry["kind"] == "cosigners/1":
            body = entry["body"]
            keys = [each["key"] for each in body["cosigners"]]
            self.sets[address(body)] = body["threshold"], keys
        elif entry["kind"] in ("cosign/1", "dissent/1"):
            self.statement(entry["body"]["statement"])

    def statement(self, statement):
        """The first statement of a co-signer on a report counts, and no later one."""
        place = statement["report"], statement["cosigner"]
        about = self.periods.get(statement["report"])
        if place in self.stated or about is None:
            return
        self.stated.add(place)
        self.logs[about].append(("statement", statement))

    def record(self, at, rule):
        """A version is one whose number and first period rise; what is too late is none to publish."""
        versions = self.versions.setdefault(rule["ticker"], [])
        if versions:
            last = versions[-1][1]
            rises = rule["version"] > last["version"] and rule["applies_from"] > last["applies_from"]
            self.say(f"{rule['ticker']} version {rule['version']}, rises", True, rises)
            late = is_late(versions, at, rule)
            self.say(f"{rule['ticker']} version {rule['version']}, too late", False, late)
        versions.append((at, rule))

    def report(self, report):
        rule = self.rules[report["rule"]["hash"]]
        day = day_of(report["period"])
        place = f"{report['ticker']} {report['period']} {report['status']} {report['issue']}"
        versions = self.versions[report["ticker"]]
        found, _ = governing(versions, day)
        version = None if found is None else versions[found][1]["version"]
        self.say(f"{place}, version", version, rule["version"])
        self.tally["reports"] += 1
        evidence = {
            read["provider"]: Evidence(self.folder, read["snapshot"])
            for read in report["reads"]
            if read["snapshot"]
        }
        for provider, read in zip(rule["providers"], report["reads"]):
            self.read(rule, provider, read, evidence, day, f"{place}, {provider['id']}")
        before = self.reports.setdefault((report["ticker"], report["period"]), [])
        about = report["ticker"], report["period"]
        log = self.logs.setdefault(about, [])
        now = time_of(report["published_at"])
        clocks = clocks_at(rule, report["rule"]["hash"], day, now, log, self.sets)
        self.figures(rule, report, day, before, clocks, place)
        before.append(report)
        log.append(("report", report, address(report)))
        self.periods[address(report)] = about
        finals = self.settled.setdefault(report["ticker"], {})
        if report["status"] == "final" and not report["withheld"]:
            finals.setdefault(day, int(report["value"]))

    def read(self, rule, provider, read, evidence, day, place):
        found = evidence.get(provider["id"])
        if found is None:
            self.tally["unanswered"] += 1
            return
        asked = provider["id"], filled_request(rule, provider, day), provider["retain"]
        snapshot = found.snapshot
        self.say(place, asked, (snapshot["provider"], snapshot["request"], snapshot["retain"]))
        record = next(
            evidence.get(each["id"])
            for each in rule["providers"]
            if each["role"] == "record" and each["group"] == provider["group"]
        )
        said = read["outcome"], None if read["value"] is None else int(read["value"])
        if provider["role"] == "custody" and copy_differs(record, found):
            outcome = "copy_differs", None
        elif not found.sound:
            outcome = "bad_status", None
        elif not found.kept:
            self.tally["unkept"] += 1
            return
        else:
            statuses = [page["status"] for page in found.snapshot["pages"]]
            outcome = read_answer(rule, provider, statuses, found.pages, found.text, day)
        self.tally["reads"] += 1
        self.say(place, outcome, said)

    def figures(self, rule, report, day, before, clocks, place):
        if report["withheld"]:
            self.tally["withheld"] += 1
            return
        corrected = report["status"] == "corrected"
        status, reason, value, spread = decide(
            rule, report, clocks, before[-1]["reason"] if before else None, corrected
        )
        if corrected and status == "final":
            status = "corrected"
        written = [None if each is None else str(each) for each in (value, spread)]
        self.say(
            place,
            (status, reason, *written),
            (report["status"], report["reason"], report["value"], report["dispersion"]),
        )
        if corrected:
            final = next(each for each in before if each["status"] == "final")
            expected = final["z"], final["band"]
        elif value is None:
            expected = None, None
        elif any(each["value"] == str(value) for each in before):
            first = next(each for each in before if each["value"] == str(value))
            expected = first["z"], first["band"]
        else:
            finals = self.settled.get(report["ticker"], {})
            weekday = rule["baseline"]["split"] == "weekday"
            history = [
                finals[each]
                for each in sorted(finals)
                if each < day and not (weekday and (day - each) % 7)
            ]
            baseline = rule["baseline"]
            expected = standing(
                value, history, baseline["window"], baseline["min"], rule["bands"]
            )
        self.say(f"{place}, z", expected, (report["z"], report["band"]))


def decide(rule, report, clocks, last, again):
    """Status, reason, value and dispersion that the reads of a report make at its time.

    `last` is why the provisional before was not final, None without one.
    """
    release, in_time = clocks["release"], clocks["first_print"]
    now = time_of(report["published_at"])
    frozen, overdue = now >= clocks["frozen"], now >= clocks["deadline"]
    wait = "wait", None, None, None

    def void(reason):
        return "void", reason, None, None

    if now < release or (not again and any(time_of(r["read_at"]) < release for r in report["reads"])):
        return wait
    groups = {}
    for provider, read in zip(rule["providers"], report["reads"]):
        outcome, value = read["outcome"], read["value"]
        if outcome == "ok" and not again and time_of(read["read_at"]) > in_time:
            value = None
        group = groups.setdefault(provider["group"], [])
        if provider["role"] != "check":
            group.append((provider["role"], outcome, None if value is None else int(value)))
    if overdue and clocks["frozen"] == NEVER:
        counted = [outcome for g in groups.values() for _, outcome, _ in g]
        answered = any(each in ("ok", "not_published", "no_source") for each in counted)
        return void("late") if answered or last is not None else wait
    silent = [g for g in groups.values() if all(value is None for _, _, value in g)]
    aggregate = rule["aggregate"]
    if silent:
        most = {
            reason: max(sum(outcome == reason for _, outcome, _ in g) for g in silent)
            for reason in ("out_of_range", "no_source", "not_published")
        }
        if overdue and last in ("no_quorum", "dispersion"):
            return void(last)
        if frozen and most["out_of_range"]:
            return void("out_of_range")
        if frozen and most["no_source"] >= aggregate["quorum"]:
            return void("no_source")
        shown = any(outcome == "ok" for g in groups.values() for _, outcome, _ in g)
        missing = last is not None or (most["not_published"] and not shown)
        return void("late") if overdue and missing else wait
    if overdue and last is None and not again:
        return wait
    total, widest, enough = 0, 0, True
    for group in groups.values():
        values = [value for _, _, value in group if value is not None]
        widest = max(widest, max(values) - min(values))
        enough = enough and len(values) >= aggregate["quorum"]
        if aggregate["within"] == "median":
            total += rounded(middle([Fraction(each) for each in values]), 0, aggregate["round"])
        else:
            records = [v for role, _, v in group if role == "record" and v is not None]
            total += (records or values)[0]
    if not is_i64(widest):
        return void("dispersion") if overdue else wait
    if not is_i64(total):
        return void("out_of_range") if frozen else wait
    if widest > int(aggregate["max_dispersion"]):
        reason = "dispersion"
    elif not enough:
        reason = "no_quorum"
    elif frozen:
        return "final", None, total, widest
    else:
        return "provisional", "freeze_window", total, widest
    return void(reason) if overdue else ("provisional", reason, total, widest)


def recount_export(folder):
    recount = Recount(folder)
    for entry in log_entries(folder):
        recount.entry(entry)
    for line in recount.wrong:
        print(line, file=sys.stderr)
    tally = recount.tally
    print(
        f"{tally['reports']} reports: {tally['reads']} reads recounted, "
        f"{tally['unkept']} without kept bytes, {tally['unanswered']} without an answer, "
        f"{tally['withheld']} withheld, {len(recount.wrong)} wrong"
    )
    return 1 if recount.wrong else 0


def main(arguments):
    if len(arguments) == 2 and arguments[0] == "vectors":
        return recount_vectors(arguments[1])
    if len(arguments) == 2 and arguments[0] == "export":
        return recount_export(arguments[1])
    if arguments == ["cases"]:
        return recount_cases(sys.stdin)
    print(__doc__, file=sys.stderr)
    return 2


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
