import { formatScaled, median, rational, roundScaled } from './rational.ts';
import { isI64 } from './schema.ts';
import { releaseTime } from './rule/release.ts';
import type { Role, Rule } from './rule/rule.ts';
import type { ReadFailure } from './rule/value.ts';

/** Why a report is not a plain final. Closed. */
export const REASONS = [
  'freeze_window', // the source may still correct its first print
  'no_quorum', // too few reads that count
  'dispersion', // the reads differ by more than the rule allows
  'no_source', // the source has said that there is no value
  'late', // nothing came before the deadline
  'out_of_range', // a value outside a signed 64-bit integer
] as const;
export type Reason = (typeof REASONS)[number];

/** What a decision needs to know of one read. */
export interface CountedRead {
  readonly role: Role;
  readonly outcome: 'ok' | ReadFailure;
  /** Scaled; null unless `ok`. */
  readonly value: bigint | null;
}

/** What the sources and the time say about a period; `wait` when there is nothing to publish. */
export type Decision =
  | { readonly status: 'wait' }
  | {
      readonly status: 'provisional' | 'final' | 'void';
      readonly reason: Reason | null;
      readonly value: bigint | null;
      readonly dispersion: bigint | null;
    };

/**
 * The status and value of a period from its reads and the time alone: `now` in unix seconds. The
 * publisher decides by this, and the verifier decides again by it. Co-signatures play no part. `open`
 * says whether the period has a report already.
 *
 * Nothing is said before the scheduled release. From then on agreeing reads are provisional until
 * the quorum holds and the freeze window has passed, then final. What a quorum declares absent is void
 * after the window. At the deadline what has not agreed is void, and so is what a source has shown to be
 * missing; a node that saw nothing of the period says nothing about it.
 */
export function decide(
  rule: Rule,
  period: number,
  reads: readonly CountedRead[],
  now: number,
  open: boolean,
): Decision {
  const release = releaseTime(rule.release, rule.period, period);
  if (now < release) return { status: 'wait' };
  const frozen = now >= release + rule.revision.freeze_after_s;
  const overdue = now >= release + rule.release.deadline_s;
  const counted = reads.filter(({ role }) => role !== 'check');
  const values = counted.flatMap(({ value }) => (value === null ? [] : [value]));
  const empty = (reason: Reason): Decision => ({
    status: 'void',
    reason,
    value: null,
    dispersion: null,
  });

  if (values.length === 0) {
    const some = (outcome: ReadFailure): boolean =>
      counted.some((read) => read.outcome === outcome);
    if (frozen && some('out_of_range')) return empty('out_of_range');
    const silent = counted.filter(({ outcome }) => outcome === 'no_source').length;
    if (frozen && silent >= rule.aggregate.quorum) return empty('no_source');
    // That a source could not be reached, or has gone on, is no word of it that there is no number.
    return overdue && (open || some('not_published')) ? empty('late') : { status: 'wait' };
  }

  const sorted = [...values].sort((a, b) => (a < b ? -1 : a > b ? 1 : 0));
  const dispersion = (sorted.at(-1) as bigint) - (sorted[0] as bigint);
  const within = dispersion <= BigInt(rule.aggregate.max_dispersion);
  const enough = values.length >= rule.aggregate.quorum;
  const value =
    rule.aggregate.within === 'median'
      ? roundScaled(median(sorted.map((each) => rational(each))), 0, rule.aggregate.round)
      : (counted.find((read) => read.role === 'record' && read.value !== null)?.value ??
        (values[0] as bigint));
  if (!isI64(dispersion)) return overdue ? empty('dispersion') : { status: 'wait' };
  if (enough && within && frozen) return { status: 'final', reason: null, value, dispersion };
  const reason: Reason = !within ? 'dispersion' : !enough ? 'no_quorum' : 'freeze_window';
  if (overdue && reason !== 'freeze_window') return empty(reason);
  return { status: 'provisional', reason, value, dispersion };
}

/** A scaled value as people write it, with the rule's decimals. */
export function formatValue(rule: Pick<Rule, 'decimals'>, value: bigint): string {
  return formatScaled(value, rule.decimals);
}
