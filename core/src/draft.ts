import { decide } from './decide.ts';
import type { HashHex } from './hash.ts';
import type { Read, Report } from './report.ts';
import { releaseTime } from './rule/release.ts';
import { isWithheld, type Rule } from './rule/rule.ts';
import { type DateText, formatDate, formatTime, parseTime } from './time.ts';
import { reportsOf } from './view/reports.ts';
import { settlementHistory } from './view/periods.ts';
import type { ViewState } from './view/view.ts';
import { standing } from './z.ts';

/** Everything that decides a report, besides the log before it. */
export interface DraftInput {
  readonly log: HashHex;
  readonly rule: Rule;
  readonly ruleHash: HashHex;
  /** Day number. */
  readonly period: number;
  readonly reads: readonly Read[];
  /** Unix seconds. */
  readonly publishedAt: number;
  readonly cosigners: Report['cosigners'];
  readonly after: Report['after'];
}

/** A report, or why there is none: `wait` for the source, `settled` when the round is over. */
export type Draft =
  | { readonly kind: 'report'; readonly report: Report }
  | { readonly kind: 'wait' }
  | { readonly kind: 'settled' };

/**
 * The report that these reads make at this time, on top of the log so far. A pure function: the
 * publisher signs what it gives, and the verifier drafts again from the reads that a report names
 * and demands the same bytes.
 */
export function draftReport(input: DraftInput, state: ViewState): Draft {
  const { rule } = input;
  // Terms keep this level out, and this version cannot commit to one: nothing is said.
  if (isWithheld(rule)) return { kind: 'wait' };
  // What a read counts for is the rule's word, not the reader's; another provider's counts for nothing.
  const roles = new Map(rule.providers.map(({ id, role }) => [id, role]));
  const period: DateText = formatDate(input.period);
  const before = reportsOf(state, rule.ticker, period);
  if (before.some(({ report }) => report.status !== 'provisional')) return { kind: 'settled' };
  const reads = countingReads(
    input,
    before.map(({ report }) => report),
  );
  const release = releaseTime(rule.release, rule.period, input.period);
  // A read from before the release cannot have seen what was released.
  if (reads.some(({ read_at: at }) => parseTime(at) < release)) return { kind: 'wait' };
  const decision = decide(
    rule,
    input.period,
    reads.map(({ provider, outcome, value }) => ({
      role: roles.get(provider) ?? 'check',
      outcome,
      value: value === null ? null : BigInt(value),
    })),
    input.publishedAt,
    before.length > 0,
  );
  if (decision.status === 'wait') return { kind: 'wait' };
  const { status, reason, value, dispersion } = decision;
  const { z, band } =
    value === null
      ? { z: null, band: null }
      : standing(value, settlementHistory(state, rule.ticker, period), rule.baseline, rule.bands);
  return {
    kind: 'report',
    report: {
      type: 'assay-report/1',
      log: input.log,
      ticker: rule.ticker,
      rule: { hash: input.ruleHash, version: rule.version },
      period,
      issue: status === 'provisional' ? before.length : 0,
      status,
      reason,
      value: value === null ? null : value.toString(),
      decimals: rule.decimals,
      withheld: false,
      commitment: null,
      settleable: status === 'final' && rule.rights.settlement === 'yes',
      grade: rule.grade,
      z,
      band,
      dispersion: dispersion === null ? null : dispersion.toString(),
      reads,
      cosigners: input.cosigners,
      supersedes: before.at(-1)?.hash ?? null,
      after: input.after,
      published_at: formatTime(input.publishedAt),
    },
  };
}

/**
 * The reads that a report rests on. Inside the freeze window they are the newest. What was last printed
 * inside it with its quorum is what becomes final once it has passed: a source that changes its figure
 * afterwards revises it and does not settle on it, whenever the publisher comes to look. A later read
 * that failed does not undo that; one that gave another figure, printed inside the window, does.
 */
function countingReads(input: DraftInput, before: readonly Report[]): readonly Read[] {
  const { release, revision, period } = input.rule;
  const frozen = releaseTime(release, period, input.period) + revision.freeze_after_s;
  if (input.publishedAt < frozen) return input.reads;
  const at = before.findLastIndex(({ reason }) => reason === 'freeze_window');
  const agreed = before[at];
  if (agreed === undefined) return input.reads;
  const corrected = before
    .slice(at + 1)
    .some(
      ({ published_at: printed, reads }) =>
        parseTime(printed) < frozen &&
        reads.some(
          ({ role, value }) => role !== 'check' && value !== null && value !== agreed.value,
        ),
    );
  return corrected ? input.reads : agreed.reads;
}

/** Whether a new provisional says nothing that the one before it did not. */
export function saysTheSame(a: Report, b: Report): boolean {
  return (
    a.status === b.status &&
    a.reason === b.reason &&
    a.value === b.value &&
    a.dispersion === b.dispersion
  );
}
