"""Checks one number from one file, offline (docs/spec/bundle.md)."""

from __future__ import annotations

from dataclasses import dataclass

from ..answer import Answer, NotChecked, Number, Refusal
from ..fault import Fault, Malformed
from ..kind.entry import Entry
from ..kind.report import print_message
from ..log.note import Checkpoint
from ..policy import Policy
from ..rule.shape import withheld
from ..trust import check_signatures, check_witnesses, open_checkpoint, read_trusted_genesis
from .blocks import Blocks
from .completeness import IndexFacts, check_index, check_rules
from .contents import Contents, contents_of
from .file import Bundle, read_bundle
from .recount import Recount
from .reads import Blobs, check_reads
from .report_check import check_decision, check_early_z, check_signature, check_times, check_version
from .shown import Shown


def verify_bundle(
    data: bytes, policy: Policy, index: str | None = None, period: str | None = None
) -> Answer:
    """The number of a bundle with its verdict, or why there is none. Never raises because of what is in the bytes.

    `index` (a ticker, in any case) and `period` (`YYYY-MM-DD`) say which number is meant: a true bundle of another one is
    refused with the code `bundle_other`.
    """
    try:
        return proven_number(data, policy, index, period)
    except Fault as fault:
        return Refusal(fault.code, str(fault))
    except (
        Exception
    ) as error:  # Whatever ends a verification before its end says nothing about the number.
        return Refusal(
            "incomplete", f"the verification did not end: {type(error).__name__}: {error}"
        )


def proven_number(data: bytes, policy: Policy, index: str | None, period: str | None) -> Number:
    """The number of a bundle. Raises Fault."""
    try:
        bundle = read_bundle(data)
    except Malformed as error:
        raise Fault(
            "bundle_malformed", "bundle", "a bundle, as assay bundle writes it", error
        ) from None
    opened = open_checkpoint(bundle.raw["checkpoint"].encode("utf-8"))
    genesis = read_trusted_genesis(bundle.genesis.data, policy)
    not_checked = check_signatures(opened, policy)
    check_witnesses(opened, policy)
    network = genesis.body["network"]
    contents = contents_of(bundle, opened.checkpoint, network, policy.now)
    return Verification(bundle, policy, opened.checkpoint, genesis, contents, not_checked).number(
        index, period
    )


@dataclass
class Verification:
    """A bundle whose entries are in the tree that the log's key signed, and what is found of its number."""

    bundle: Bundle
    policy: Policy
    checkpoint: Checkpoint
    genesis: Entry
    contents: Contents
    not_checked: list[NotChecked]

    def number(self, index: str | None, period: str | None) -> Number:
        contents, raw = self.contents, self.bundle.raw
        report, rule = contents.report.body["report"], contents.version.rule
        asked = (index is None or index.upper() == rule["ticker"]) and period in (
            None,
            report["period"],
        )
        if not asked:
            raise Fault(
                "bundle_other",
                "bundle",
                f"{index} {period}",
                f"{report['ticker']} {report['period']}",
            )
        recount = Recount(contents, Shown(self.genesis.leaf.hex(), self.genesis.body))
        check_version(report, contents.version, self.genesis.body["network"])
        recount.walk()
        for entry in contents.of_kind("report/1"):
            check_signature(entry, recount)
            check_times(entry, contents.version)
        recount.require_sets()
        clocks = recount.own_clocks()
        recount.require_beside(clocks.rests_on)
        self.require_sections(recount)
        check_decision(report, rule, clocks.clocks)
        blobs = Blobs(self.bundle.blobs)
        rerun = check_reads(report, rule, blobs, self.not_checked)
        blobs.require_used()
        origin, network = self.genesis.body["origin"], self.genesis.body["network"]
        blocks_judged = Blocks(raw, contents, origin, network, self.not_checked).check()
        agreed = self.require_operators(recount)
        found = check_index(raw, contents, recount.shown)
        whole = check_rules(raw, contents, found)
        first = rule if rule["version"] == 1 else contents.versions[0].rule if whole else None
        check_early_z(report, rule, first)
        facts = Facts(
            recount, agreed, clocks.shown, clocks.clocks.seen, found, whole, blocks_judged, rerun
        )
        return self.answer(facts)

    def require_sections(self, recount: Recount) -> None:
        """The parts of a bundle that repeat its entries agree with them."""
        report, raw = self.contents.report, self.bundle.raw
        message = print_message(report.body["report"]).hex()
        if raw["print"] != message:
            raise Fault("print_differs", "bundle print", message, raw["print"])
        key = recount.shown.key_before(report.seq).key
        expected = [{"key": key, "signature": report.body["signature"]}] + [
            {"key": key, "signature": entry.body["print_signature"]}
            for (name, key), entry in recount.stated.items()
            if name == self.contents.report_hash and entry.kind == "cosign/1"
        ]
        if raw["signatures"] != expected:
            raise Fault(
                "report_bad_signature", "bundle signatures", "those of its entries", "others"
            )

    def require_operators(self, recount: Recount) -> list[str]:
        """The keys that agreed. Demands as many of the caller's own operators as its policy requires."""
        row = recount.reported(self.contents.report_hash)
        agreed = [] if row is None else recount.agreed(row[0])
        operators = {each.operator for each in self.policy.cosigners if each.key in agreed}
        if len(operators) < self.policy.cosigners_required:
            expected = (
                f"agreements of {self.policy.cosigners_required} operators that the policy lists"
            )
            raise Fault(
                "quorum_below_policy",
                "report",
                expected,
                f"of {', '.join(sorted(operators)) or 'none'}",
            )
        return agreed

    def answer(self, facts: Facts) -> Number:
        report, rule = self.contents.report.body["report"], self.contents.version.rule
        members = facts.recount.shown.set_of(report["cosigners"]["set"])
        names = {} if members is None else members.members
        lacks = self.lacks(facts)
        self.name_not_checked(facts)
        clocks = (
            "not_shown"
            if not facts.clocks_shown
            else "scheduled"
            if facts.seen is None
            else "from_publication"
        )
        first = facts.index is not None and report["supersedes"] is None
        return Number(
            ticker=rule["display"],
            period=report["period"],
            value=None
            if report["value"] is None
            else scaled_text(int(report["value"]), report["decimals"]),
            unit=rule["unit"],
            decimals=report["decimals"],
            status=report["status"],
            reason=report["reason"],
            withheld=report["withheld"],
            z=report["z"],
            band=report["band"],
            grants=report["settleable"],
            settleable=not lacks,
            lacks=lacks,
            published_at=report["published_at"],
            report_hash=self.contents.report_hash,
            rule_hash=report["rule"]["hash"],
            log_id=self.genesis.leaf.hex(),
            origin=self.genesis.body["origin"],
            network=self.genesis.body["network"],
            size=self.checkpoint.size,
            seq=self.contents.report.seq,
            cosigners=tuple(names[key] for key in facts.agreed),
            cosigner_keys=tuple(facts.agreed),
            cosigners_required=report["cosigners"]["required"],
            dissents=facts.dissents(self.contents.report_hash),
            governs="index" if facts.rules_whole else "not_shown",
            clocks=clocks,
            first_print="index" if first else "not_shown",
            index_day=None if facts.index is None else facts.index.day,
            superseded_in_index=facts.index is not None and facts.index.followed,
            reads_rerun=facts.rerun,
            not_checked=tuple(self.not_checked),
        )

    def lacks(self, facts: Facts) -> tuple[str, ...]:
        """What keeps a contract from settling on the number by this file alone."""
        report = self.contents.report.body["report"]
        settled = report["status"] == "final" and report["settleable"]
        found = {
            "not_final": report["status"] != "final",
            "rule": not report["settleable"],
            "quorum": not settled or len(facts.agreed) < report["cosigners"]["required"],
            "index": facts.index is None,
            "governing_rule": not facts.rules_whole,
            "clocks": not facts.clocks_shown,
            "own_cosigners": self.policy.cosigners_required == 0,
            "superseded": facts.index is not None and facts.index.followed,
            "blocks": not facts.blocks_judged,
            "account": self.bundle.raw["account"] is not None,
        }
        return tuple(name for name, holds in found.items() if holds)

    def name_not_checked(self, facts: Facts) -> None:
        """Names what a bundle cannot show, and what this module does not look at."""
        report, rule = self.contents.report.body["report"], self.contents.version.rule

        def name(subject: str, why: str) -> None:
            self.not_checked.append(NotChecked(subject, why))

        name("the entries of the log that are not in the bundle", "only the whole log shows them")
        name("z, issue number and what was superseded", "they follow from the whole log")
        name(
            "that no later report key revokes the one that signed",
            "the bundle has the keys that its maker put in",
        )
        name(
            "heads that co-signers name, and what the bundle leaves out of sets and statements",
            "the log shows them",
        )
        if facts.index is None:
            name(
                "that it is the only final or void of its period",
                "the bundle has no proof from an index entry",
            )
        else:
            name(
                f"that the index entry of {facts.index.day} is whole, and what came after it",
                "the whole log shows it",
            )
        if not facts.rules_whole:
            name(
                "that no other version of the rule governs the period",
                "the bundle has no list of all versions",
            )
        else:
            name(
                "that versions of the rule were recorded at the times of their entries",
                "the whole log shows it",
            )
        if not facts.clocks_shown:
            name(
                "whether the clocks of the period run from a late publication",
                "the bundle has no entry that decides it",
            )
        if facts.seen is not None:
            name(
                "that the statements by which the number was seen are the first of the log",
                "the whole log shows it",
            )
        if report["status"] == "final" and (
            facts.index is None or report["supersedes"] is not None
        ):
            name(
                "that the number is the first that was printed",
                "the bundle does not have the report before it",
            )
        if withheld(rule):
            name("levels and z", "the terms of the source keep the level out of the log")
        if report["status"] == "corrected":
            name(
                "whether the error was the publisher's own",
                "a log shows another number later, and not why",
            )
        if self.bundle.raw["account"] is not None:
            name("the accounts on chain", "this module does not read them; assay verify does")
        if self.genesis.body["network"] == "development":
            name("that times are not ahead", "a development log may run on a simulated clock")
        elif self.policy.now is None:
            name("that times are not ahead", "no clock was given")


@dataclass(frozen=True)
class Facts:
    """What the checks of a bundle found."""

    recount: Recount
    agreed: list[str]
    clocks_shown: bool
    seen: int | None
    index: IndexFacts | None
    rules_whole: bool
    blocks_judged: bool
    rerun: int

    def dissents(self, name: str) -> int:
        return sum(
            of == name and each.kind == "dissent/1" for (of, _), each in self.recount.stated.items()
        )


def scaled_text(value: int, decimals: int) -> str:
    """A scaled integer as exact decimal text."""
    if decimals == 0:
        return str(value)
    digits = str(abs(value)).rjust(decimals + 1, "0")
    return ("-" if value < 0 else "") + f"{digits[:-decimals]}.{digits[-decimals:]}"
