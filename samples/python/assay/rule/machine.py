"""The operations of the rule language (docs/spec/rule.md, Operations), run for one period."""

from __future__ import annotations

from fractions import Fraction
from typing import Any, Callable

from .csv_table import read_csv
from .numeral import is_i64, middle, numeral, rounded, sized
from .period import period_of_key, shifted
from .rows import Rows, records_at
from .source_json import NOTHING, Room, list_at, point, read_json, text_at
from .stop import MAX_PERIODS, MAX_ROWS, MAX_VALUES, MAX_WORK, Stop, bad
from .text import BLANKS, NO_BLANKS, decode, units
from .variable import fill
from .xml_table import read_xml


Series = dict[int, Fraction | None]
Outcome = tuple[str, int | None]


class Pages(list[bytes]):
    """What a rule begins with: the pages of an answer."""


class Json:
    """A JSON value, whose numbers keep their text."""

    def __init__(self, node: Any):
        self.node = node


def find_once(text: str, anchor: str) -> int:
    at = text.find(anchor)
    if at < 0:
        raise Stop("not_published")
    if text.find(anchor, at + 1) >= 0:
        raise bad()
    return at + len(anchor)


def numbers(rows: Rows, pointer: str, style: str) -> list[Fraction]:
    return [numeral(text, style, "all") for text in rows.texts(pointer)]


class Machine:
    """Runs steps for one period of one rule."""

    def __init__(self, rule: dict[str, Any], day: int):
        self.rule = rule
        self.day = day
        self.kind = rule["period"]

    def run(self, steps: list[dict[str, Any]], pages: list[bytes]) -> Any:
        value = Pages(pages)
        for step in steps:
            takes, work = OPERATIONS[step["op"]]
            if not isinstance(value, takes):
                raise bad()
            value = work(self, step, value)
        return value

    def fill(self, text: str) -> str:
        return fill(text, self.rule, self.day)

    def utf8(self, _step: dict[str, Any], pages: Pages) -> str:
        if len(pages) != 1:
            raise bad()
        return decode(pages[0])

    def records(self, step: dict[str, Any], pages: Pages) -> Rows:
        if not pages:
            raise bad()
        room = Room()
        found = []
        for page in pages:
            found += records_at(read_json(decode(page), room), step["ptr"])
            if len(found) > MAX_ROWS:
                raise Stop("too_large")
        return Rows(found)

    def squash(self, _step: dict[str, Any], text: str) -> str:
        return text.translate(NO_BLANKS)

    def after(self, step: dict[str, Any], text: str) -> str:
        return text[find_once(text, self.fill(step["text"])) :]

    def skip_to(self, step: dict[str, Any], text: str) -> str:
        places = [at for at, char in enumerate(text) if ord(char) not in NO_BLANKS]
        end = find_once(text.translate(NO_BLANKS), self.fill(step["text"]))
        return text[places[end - 1] + 1 :].lstrip(BLANKS)

    def num(self, step: dict[str, Any], value: str | Json) -> Fraction:
        text = text_at(value.node, "") if isinstance(value, Json) else value
        return numeral(text, step["style"], step["take"])

    def json(self, _step: dict[str, Any], text: str) -> Json:
        return Json(read_json(text, Room()))

    def csv(self, step: dict[str, Any], text: str) -> Rows:
        return read_csv(text, step["delimiter"])

    def xml(self, step: dict[str, Any], text: str) -> Rows:
        return read_xml(text, step["rows"])

    def at(self, step: dict[str, Any], value: Json) -> Json:
        found = point(value.node, step["ptr"])
        if found is NOTHING:
            raise bad()
        return Json(found)

    def rows(self, step: dict[str, Any], value: Json) -> Rows:
        return Rows(records_at(value.node, step["ptr"]))

    def zip(self, step: dict[str, Any], value: Json) -> Rows:
        keys = list_at(value.node, step["key"])
        values = list_at(value.node, step["value"])
        if len(keys) != len(values):
            raise bad()
        if len(keys) > MAX_ROWS:
            raise Stop("too_large")
        pairs = [{"key": key, "value": each} for key, each in zip(keys, values)]
        return Rows(pairs, ["key", "value"])

    def kept(self, rows: Rows, pointer: str, passes: Callable[[str], bool]) -> Rows:
        texts = list(rows.texts(pointer))
        return Rows(
            [record for record, text in zip(rows.records, texts) if passes(text)],
            rows.columns,
        )

    def where(self, step: dict[str, Any], rows: Rows) -> Rows:
        values = tuple(self.fill(each) for each in step["values"])
        tests = {
            "in": lambda text: text in values,
            "not_in": lambda text: text not in values,
            "prefix": lambda text: text.startswith(values),
        }
        return self.kept(rows, step["ptr"], tests[step["test"]])

    def between(self, step: dict[str, Any], rows: Rows) -> Rows:
        rows.demand(step["ptr"])

        def read(text: str) -> Any:
            return units(text) if step["style"] == "text" else numeral(text, "plain", "all")

        start, end = read(self.fill(step["from"])), read(self.fill(step["to"]))
        return self.kept(rows, step["ptr"], lambda text: start <= read(text) < end)

    def distinct(self, step: dict[str, Any], rows: Rows) -> Rows:
        for pointer in step["ptrs"]:
            rows.demand(pointer)
        seen, records = set(), []
        for record in rows.records:
            texts = tuple(text_at(record, pointer) for pointer in step["ptrs"])
            if texts not in seen:
                seen.add(texts)
                records.append(record)
        return Rows(records, rows.columns)

    def choose(self, step: dict[str, Any], rows: Rows) -> Rows:
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

    def count(self, _step: dict[str, Any], rows: Rows) -> Fraction:
        return Fraction(len(rows.records))

    def sum(self, step: dict[str, Any], rows: Rows) -> Fraction:
        return sized(sum(numbers(rows, step["ptr"], step["style"]), Fraction(0)))

    def sum_product(self, step: dict[str, Any], rows: Rows) -> Fraction:
        total = Fraction(0)
        for pointer in step["ptrs"]:
            rows.demand(pointer)
        for factors in zip(*(numbers(rows, pointer, step["style"]) for pointer in step["ptrs"])):
            product = Fraction(1)
            for each in factors:
                product *= each
            total += product
        return sized(total)

    def one_of(
        self, step: dict[str, Any], rows: Rows, choose: Callable[[list[Fraction]], Fraction]
    ) -> Fraction:
        values = numbers(rows, step["ptr"], step["style"])
        if not values:
            raise Stop("no_source")
        return sized(choose(values))

    def median(self, step: dict[str, Any], rows: Rows) -> Fraction:
        return self.one_of(step, rows, middle)

    def min(self, step: dict[str, Any], rows: Rows) -> Fraction:
        return self.one_of(step, rows, min)

    def max(self, step: dict[str, Any], rows: Rows) -> Fraction:
        return self.one_of(step, rows, max)

    def series(self, step: dict[str, Any], rows: Rows) -> Series:
        for pointer in [*step["key"], step["value"]]:
            rows.demand(pointer)
        series: Series = {}
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

    def compared(
        self,
        step: dict[str, Any],
        series: Series,
        reckon: Callable[[Fraction, Fraction], Fraction | None],
    ) -> Series:
        out = {}
        for day, value in series.items():
            before = shifted(self.kind, day, -step["lag"])
            if before in series:
                base = series[before]
                found = None if value is None or base is None else reckon(value, base)
                out[day] = None if found is None else sized(found)
        return out

    def diff(self, step: dict[str, Any], series: Series) -> Series:
        return self.compared(step, series, lambda value, base: value - base)

    def pct_change(self, step: dict[str, Any], series: Series) -> Series:
        return self.compared(
            step, series, lambda value, base: (value / base - 1) * 100 if base else None
        )

    def scale(self, step: dict[str, Any], value: Fraction | Series) -> Fraction | Series:
        by = Fraction(step["mul"]) / Fraction(step["div"])
        if isinstance(value, Fraction):
            return sized(value * by)
        return {day: each if each is None else sized(each * by) for day, each in value.items()}

    def pick(self, step: dict[str, Any], series: Series) -> Fraction:
        if step["among"] == "newest":
            if any(day > self.day and value is not None for day, value in series.items()):
                raise Stop("superseded")
        if self.day not in series:
            raise Stop("not_published")
        number = series[self.day]
        if number is None:
            raise Stop("no_source")
        return number


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


def read_number(
    rule: dict[str, Any], provider: dict[str, Any], pages: list[bytes], day: int
) -> Outcome:
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
