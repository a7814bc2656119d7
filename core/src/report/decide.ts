import { formatScaled, median, rational, roundScaled } from '../number/rational.ts';
import { isI64 } from '../wire/schema.ts';
import type { Clocks } from '../rule/clocks.ts';
import { providerGroups, type Role, type Rule } from '../rule/rule.ts';
import type { ReadFailure } from '../rule/value.ts';

/** Why a report is not a plain final. The list is closed. */
export const REASONS = [
  'freeze_window', // the source may still correct its first print
  'no_quorum', // too few reads that count
  'dispersion', // the reads differ by more than the rule allows
  'no_source', // the source has said that there is no value
  'late', // nothing came before the deadline, or no quorum saw it
  'out_of_range', // a value outside a signed 64-bit integer
] as const;
export type Reason = (typeof REASONS)[number];

/** What a decision needs of one read. */
export interface CountedRead {
  readonly group: string;
  readonly role: Role;
  readonly outcome: 'ok' | ReadFailure;
  /** Scaled; null unless `ok`, and null for a read that came too late to be a first print. */
  readonly value: bigint | null;
}

/** What the sources and the time decide about a period; `wait` when there is nothing to publish. */
export type Decision =
  | { readonly status: 'wait' }
  | {
      readonly status: 'provisional' | 'final' | 'void';
      readonly reason: Reason | null;
      readonly value: bigint | null;
      readonly dispersion: bigint | null;
    };

/** Outcomes by which a source shows whether it has the number. */
const ANSWERS: ReadonlySet<CountedRead['outcome']> = new Set(['ok', 'not_published', 'no_source']);

/** The result of the reads of one group. */
interface Weighed {
  readonly value: bigint;
  readonly dispersion: bigint;
  readonly enough: boolean;
  readonly within: boolean;
}

/**
 * The status and value of a period, from its clocks, its reads and the time alone. `now` is in Unix seconds. The
 * publisher decides with this function, and the verifier decides again with it. Co-signatures have no influence. `open`
 * is the reason why the period's last provisional was not final; null where there was none.
 *
 * Nothing is published before the scheduled release. From then on, agreeing reads are provisional until the quorum of
 * every group holds and the freeze window has passed; then they are final. What a quorum declares absent is void after
 * the window. At the deadline, a number on which the reads have not agreed is void, and so is one that a source has
 * shown to be missing. A node that published nothing about the period before the deadline then publishes no number for
 * it. A late number that no quorum saw published is void at the deadline, whatever the sources show by then.
 */
export function decide(
  rule: Rule,
  clocks: Clocks,
  reads: readonly CountedRead[],
  now: number,
  open: Reason | null,
): Decision {
  if (now < clocks.release) return { status: 'wait' };
  const frozen = now >= clocks.frozen;
  const overdue = now >= clocks.deadline;
  const empty = (reason: Reason): Decision => ({
    status: 'void',
    reason,
    value: null,
    dispersion: null,
  });

  const groups = [...providerGroups(rule).keys()].map((group) =>
    reads.filter((read) => read.group === group && read.role !== 'check'),
  );
  if (overdue && clocks.frozen === Number.POSITIVE_INFINITY) {
    const answered = groups.flat().some(({ outcome }) => ANSWERS.has(outcome));
    return answered || open !== null ? empty('late') : { status: 'wait' };
  }
  const without = groups.filter((group) => group.every(({ value }) => value === null));
  if (without.length > 0) {
    const count = (group: readonly CountedRead[], outcome: ReadFailure): number =>
      group.filter((read) => read.outcome === outcome).length;
    const some = (outcome: ReadFailure, least = 1): boolean =>
      without.some((group) => count(group, outcome) >= least);
    // What was printed and has not agreed since is void for that reason, whatever the sources show now.
    if (overdue && (open === 'no_quorum' || open === 'dispersion')) return empty(open);
    if (frozen && some('out_of_range')) return empty('out_of_range');
    if (frozen && some('no_source', rule.aggregate.quorum)) return empty('no_source');
    if (!overdue) return { status: 'wait' };
    // A source that could not be reached, or that has moved on, does not show that there is no number. A source that
    // shows a number, even too late, shows that there is one.
    const shown = groups.flat().some((read) => read.outcome === 'ok');
    const missing = open !== null || (some('not_published') && !shown);
    return missing ? empty('late') : { status: 'wait' };
  }
  // Nobody watched. What is read or first reported now is no first print.
  if (overdue && open === null) return { status: 'wait' };

  const weighed = groups.map((group) => weigh(rule, group));
  const value = weighed.reduce((sum, each) => sum + each.value, 0n);
  const dispersion = weighed.reduce(
    (most, each) => (each.dispersion > most ? each.dispersion : most),
    0n,
  );
  if (!isI64(dispersion)) return overdue ? empty('dispersion') : { status: 'wait' };
  if (!isI64(value)) return frozen ? empty('out_of_range') : { status: 'wait' };
  const enough = weighed.every((each) => each.enough);
  const within = weighed.every((each) => each.within);
  if (enough && within && frozen) return { status: 'final', reason: null, value, dispersion };
  const reason: Reason = !within ? 'dispersion' : !enough ? 'no_quorum' : 'freeze_window';
  if (overdue && reason !== 'freeze_window') return empty(reason);
  return { status: 'provisional', reason, value, dispersion };
}

/** The reads of one group that count, if at least one of them has a value. */
function weigh({ aggregate }: Rule, reads: readonly CountedRead[]): Weighed {
  const sorted = reads
    .flatMap(({ value }) => (value === null ? [] : [value]))
    .sort((a, b) => (a < b ? -1 : a > b ? 1 : 0));
  const [smallest, largest] = [sorted[0] as bigint, sorted.at(-1) as bigint];
  const dispersion = largest - smallest;
  const first = reads.find(({ value }) => value !== null)?.value as bigint;
  return {
    value:
      aggregate.within === 'median'
        ? roundScaled(median(sorted.map((each) => rational(each))), 0, aggregate.round)
        : (reads.find((read) => read.role === 'record')?.value ?? first),
    dispersion,
    enough: sorted.length >= aggregate.quorum,
    within: dispersion <= BigInt(aggregate.max_dispersion),
  };
}

/** A scaled value as a decimal number with the rule's decimals. */
export function formatValue(rule: Pick<Rule, 'decimals'>, value: bigint): string {
  return formatScaled(value, rule.decimals);
}
