"""The shape of a rule, and what must hold of it (docs/spec/rule.md)."""

from __future__ import annotations

from typing import Any, Iterator

from ..fault import Malformed
from ..wire.canonical_json import sha256
from ..wire.schema import (
    date,
    decimal,
    hash_hex,
    i64,
    integer,
    list_of,
    nullable,
    object_of,
    one_of,
    require,
    text,
    ticker,
)
from .numeral import plain
from .period import day_of, is_period
from .request_shape import URL, request, require_paging
from .step_shape import step
from .variable import filled_request, wrong_variable

ROLES = ("record", "mirror", "custody", "check")
RETAINS = ("bytes", "hash", "none")
GRADES = ("A", "B", "C")
DAYS_400 = 400 * 86400

identifier = text(1, 64, "[a-z0-9][a-z0-9-]*")
words = text(1, 400)
band_name = text(1, 32, "[a-z][a-z_]*")
steps = list_of(step, 1, 32)
SCHEDULE = {
    "zone": one_of("UTC", "America/New_York"),
    "local": text(5, 5, "([01][0-9]|2[0-3]):[0-5][0-9]"),
    "days_after": integer(0, 62),
    "exceptions": list_of(object_of(period=date, date=date), 0, 1000),
    "deadline_s": integer(0, DAYS_400),
    "first_print_within_s": integer(0, DAYS_400),
}
late_void = object_of(kind=one_of("void"))
late_from_publication = object_of(kind=one_of("from_publication"), within_s=integer(0, DAYS_400))


def late(value: Any, place: str) -> None:
    is_void = isinstance(value, dict) and value.get("kind") == "void"
    (late_void if is_void else late_from_publication)(value, place)


provider = object_of(
    id=identifier,
    name=words,
    group=identifier,
    role=one_of(*ROLES),
    retain=one_of(*RETAINS),
    request=request,
    text=one_of("none", "pdf", "solana_instructions"),
    extract=steps,
    checks=list_of(object_of(name=identifier, extract=steps), 0, 8),
)
MEMBERS = {
    "network": one_of("development", "production"),
    "ticker": ticker,
    "display": text(1, 16, "[A-Za-z0-9]+"),
    "slug": text(1, 32, "[a-z0-9-]+"),
    "version": integer(1, 1_000_000),
    "applies_from": date,
    "title": words,
    "unit": text(1, 32),
    "format": one_of("count", "usd", "percent"),
    "decimals": integer(0, 18),
    "precision": decimal,
    "period": one_of("week_ending_saturday", "utc_day", "month"),
    "source": words,
    "providers": list_of(provider, 1, 16),
    "aggregate": object_of(
        round=one_of("half_away", "half_even", "trunc", "floor", "ceil"),
        within=one_of("equal", "median"),
        across=one_of("single", "sum"),
        quorum=integer(1, 16),
        max_dispersion=i64,
    ),
    "revision": object_of(
        settles=one_of("first_published"),
        freeze_after_s=integer(0, 30 * 86400),
        provider=nullable(identifier),
    ),
    "baseline": object_of(
        window=integer(1, 1000), min=integer(1, 1000), split=one_of("none", "weekday")
    ),
    "bands": list_of(
        object_of(name=band_name, from_z=text(3, 6, r"-?(0|[1-9][0-9]{0,2})\.[0-9]")), 1, 16
    ),
    "grade": one_of(*GRADES),
    "rights": object_of(
        terms_url=text(8, 2048, URL),
        clause=text(1, 4000),
        clause_sha256=hash_hex,
        retrieved=date,
        level=one_of("publish", "withhold"),
        settlement=one_of("yes", "no"),
        attribution=words,
    ),
    "tie": object_of(op=one_of("ge", "gt"), text=words),
    "listing": object_of(
        no_kit=nullable(words), question=words, strike_step=decimal, strikes=integer(0, 20)
    ),
}
FIRST = object_of(spec=one_of("assay-rule/1"), release=object_of(**SCHEDULE), **MEMBERS)
SECOND = object_of(spec=one_of("assay-rule/2"), release=object_of(**SCHEDULE, late=late), **MEMBERS)


def require_rule(rule: Any, place: str) -> None:
    """Raises Malformed unless `rule` is a rule whose parts fit together."""
    is_second = isinstance(rule, dict) and rule.get("spec") == "assay-rule/2"
    (SECOND if is_second else FIRST)(rule, place)
    for demands in (_times, _providers, _values, _rights):
        for holds, member, expected in demands(rule):
            require(holds, f"{place}.{member}", expected)


Demand = tuple[bool, str, str]


def _times(rule: dict[str, Any]) -> Iterator[Demand]:
    release = rule["release"]
    moved = [each["period"] for each in release["exceptions"]]
    yield rule["display"].upper() == rule["ticker"], "display", "the ticker in any case"
    yield rule["slug"] != "close", "slug", "not close, which names the daily freeze"
    yield (
        is_period(rule["period"], day_of(rule["applies_from"])),
        "applies_from",
        f"a {rule['period']}",
    )
    yield plain(rule["precision"]) > 0, "precision", "above 0"
    yield len(set(moved)) == len(moved), "release.exceptions", "each period once"
    first_print = release["first_print_within_s"]
    yield (
        first_print >= rule["revision"]["freeze_after_s"],
        "release.first_print_within_s",
        "at least the freeze window",
    )
    within = release.get("late", {}).get("within_s")
    if within is not None:
        usual = min(first_print, release["deadline_s"] - 1)
        yield (
            within - 86400 > usual,
            "release.late.within_s",
            "over a day more than the time for first prints",
        )
        yield within >= release["deadline_s"], "release.late.within_s", "at least the deadline"
        yield not withheld(rule), "release.late", "void where the level is withheld"


def _providers(rule: dict[str, Any]) -> Iterator[Demand]:
    providers, first = rule["providers"], day_of(rule["applies_from"])
    ids = [each["id"] for each in providers]
    yield len(set(ids)) == len(ids), "providers", "each id once"
    yield wrong_variable(providers) is None, "providers", "variables that there are"
    for each in providers:
        require_paging(filled_request(rule, each, first), "rule.providers")
        paging = each["request"]["paging"]
        listed = paging["kind"] == "cursor" and paging["until"] is not None
        yield (
            each["text"] != "solana_instructions" or listed,
            "providers",
            "a list that goes back to a time",
        )
        yield each["text"] != "pdf" or paging["kind"] == "none", "providers", "a PDF on one page"
    for group in groups(rule).values():
        records = sum(each["role"] == "record" for each in group)
        yield records == 1, "providers", "one record in each group"


def _values(rule: dict[str, Any]) -> Iterator[Demand]:
    aggregate, revision, baseline = rule["aggregate"], rule["revision"], rule["baseline"]
    several = groups(rule)
    least = min(sum(each["role"] != "check" for each in group) for group in several.values())
    yield (
        (aggregate["across"] == "sum") == (len(several) > 1),
        "aggregate.across",
        "sum of several groups",
    )
    yield aggregate["quorum"] <= least, "aggregate.quorum", f"at most {least}"
    yield not aggregate["max_dispersion"].startswith("-"), "aggregate.max_dispersion", "at least 0"
    if revision["provider"] is not None:
        named = [each for each in rule["providers"] if each["id"] == revision["provider"]]
        yield len(named) == 1, "revision.provider", "the id of a provider, or null"
        yield aggregate["across"] == "single", "revision.provider", "null where groups are summed"
        yield named[0]["role"] != "custody", "revision.provider", "no custody copy"
    yield baseline["min"] <= baseline["window"], "baseline.min", "at most the window"
    daily = baseline["split"] == "none" or rule["period"] == "utc_day"
    yield daily, "baseline.split", "none where periods are no days"
    scores = [int(band["from_z"].replace(".", "")) for band in rule["bands"]]
    yield scores[0] == -999, "bands", "-99.9 first"
    yield scores == sorted(set(scores)), "bands", "rising from_z"


def _rights(rule: dict[str, Any]) -> Iterator[Demand]:
    rights, listing, revision = rule["rights"], rule["listing"], rule["revision"]
    clause = rights["clause"].encode("utf-8")
    yield (
        sha256(clause) == rights["clause_sha256"],
        "rights.clause_sha256",
        "the sha256 of the clause",
    )
    if withheld(rule):
        unsettled = (
            rule["grade"] == "C" and rights["settlement"] == "no" and listing["no_kit"] is not None
        )
        yield unsettled, "rights.level", "withheld with grade C, no settlement and no kit"
        final = revision["provider"] is None and revision["freeze_after_s"] == 0
        yield final, "revision", "no provider and no freeze window where the level is withheld"
        unkept = all(each["retain"] == "none" for each in rule["providers"])
        yield unkept, "providers", "nothing kept where the level is withheld"
    copies = [each for each in rule["providers"] if each["role"] == "custody"]
    yield (
        all(each["retain"] != "none" for each in copies),
        "providers",
        "a copy whose manifest can be compared",
    )
    space = plain(listing["strike_step"])
    yield (
        space > 0 and 10 ** rule["decimals"] % space.denominator == 0,
        "listing.strike_step",
        "above 0, in the decimals",
    )
    asked = listing["question"]
    yield "{strike}" in asked and "{period}" in asked, "listing.question", "{strike} and {period}"


def withheld(rule: dict[str, Any]) -> bool:
    """Whether the terms of the source keep the level out of everything that is published."""
    return rule["rights"]["level"] == "withhold"


def groups(rule: dict[str, Any]) -> dict[str, list[dict[str, Any]]]:
    """The providers of each population, in the order of the rule."""
    found: dict[str, list[dict[str, Any]]] = {}
    for each in rule["providers"]:
        found.setdefault(each["group"], []).append(each)
    return found


def require_alone(rule: dict[str, Any], network: str) -> None:
    """Raises Malformed for what a log refuses of a rule whatever else it has."""
    require(rule["network"] == network, "rule.network", network)
    slug = rule["slug"]
    if slug != rule["ticker"].lower():
        try:
            ticker(slug.upper(), "slug")
        except Malformed:
            pass
        else:
            raise Malformed("rule.slug", "the ticker in lower case, or one that can be no ticker")
    if not withheld(rule):
        for each in rule["providers"]:
            counts = each["role"] != "check" or each["id"] == rule["revision"]["provider"]
            require(
                not counts or each["retain"] == "bytes",
                "rule.providers",
                "kept bytes of every read that counts",
            )
