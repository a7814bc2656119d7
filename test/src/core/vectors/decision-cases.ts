import type { Reason } from '@assay/core/report/decide';
import type { Role, Rule } from '@assay/core/rule/rule';
import type { ReadFailure } from '@assay/core/rule/value';

/** A provider of a decision case: what of it decides. */
export interface CaseProvider {
  readonly id: string;
  readonly group: string;
  readonly role: Role;
}

/** A read of a decision case. `value` is scaled; null unless the outcome is `ok`. */
export interface CaseRead {
  readonly provider: string;
  readonly outcome: 'ok' | ReadFailure;
  readonly value: string | null;
  readonly read_at: string;
}

/** The clocks of a case, as times. `frozen` is null where the window never ends. */
export interface CaseClocks {
  readonly release: string;
  readonly frozen: string | null;
  readonly first_print: string;
  readonly deadline: string;
}

/** What a report says; null where nothing is published. */
export interface CaseGives {
  readonly status: 'provisional' | 'final' | 'void';
  readonly reason: Reason | null;
  readonly value: string | null;
  readonly dispersion: string | null;
}

/** A row of `vectors/decision/decisions.json`. */
export interface DecisionCase {
  readonly name: string;
  /** The row of the table on docs/spec/report.md that decides. */
  readonly row: number;
  readonly aggregate: Rule['aggregate'];
  readonly providers: readonly CaseProvider[];
  readonly clocks: CaseClocks;
  readonly reads: readonly CaseRead[];
  readonly published_at: string;
  readonly open: Reason | null;
  readonly gives: CaseGives | null;
}

const RELEASE = '2026-07-30T12:30:00Z';
const FROZEN = '2026-07-30T14:30:00Z';
const LAST_FIRST_PRINT = '2026-08-06T12:30:00Z';
const DEADLINE = '2026-08-13T12:30:00Z';
const BEFORE_FROZEN = '2026-07-30T14:29:59Z';
const BEFORE_DEADLINE = '2026-08-13T12:29:59Z';

const CLOCKS: CaseClocks = {
  release: RELEASE,
  frozen: FROZEN,
  first_print: LAST_FIRST_PRINT,
  deadline: DEADLINE,
};
/** Those of a late number that no quorum of co-signers saw. */
const UNSEEN: CaseClocks = { ...CLOCKS, frozen: null, first_print: BEFORE_DEADLINE };

const EQUAL: Rule['aggregate'] = {
  round: 'half_away',
  within: 'equal',
  across: 'single',
  quorum: 2,
  max_dispersion: '0',
};
const MEDIAN: Rule['aggregate'] = { ...EQUAL, within: 'median', max_dispersion: '3' };
const SUM: Rule['aggregate'] = { ...EQUAL, across: 'sum', max_dispersion: '3' };

const provider = (id: string, role: Role, group = 'us'): CaseProvider => ({ id, group, role });
const ONE_GROUP = [
  provider('press', 'record'),
  provider('table', 'mirror'),
  provider('api', 'check'),
];
const THREE = [
  provider('press', 'record'),
  provider('table', 'mirror'),
  provider('copy', 'custody'),
];
/** The mirror comes before the record, which changes nothing. */
const MIRROR_FIRST = [provider('table', 'mirror'), provider('press', 'record')];
const TWO_GROUPS = ['east', 'west'].flatMap((group) => [
  provider(`${group}-press`, 'record', group),
  provider(`${group}-table`, 'mirror', group),
]);

type Given = bigint | ReadFailure;

/** What the sources gave, when, and by which rule. */
interface Setting {
  readonly at: string;
  readonly open?: Reason;
  readonly aggregate?: Rule['aggregate'];
  readonly providers?: readonly CaseProvider[];
  readonly clocks?: CaseClocks;
  /** When all reads were made; right after the release where nothing else is given. */
  readonly readAt?: string;
}

function of(
  name: string,
  row: number,
  given: readonly Given[],
  { at, open, aggregate = EQUAL, providers = ONE_GROUP, clocks = CLOCKS, readAt }: Setting,
  gives: CaseGives | null,
): DecisionCase {
  const reads = providers.map(({ id }, i): CaseRead => {
    const each = given[i] ?? 'not_published';
    const isNumber = typeof each === 'bigint';
    return {
      provider: id,
      outcome: isNumber ? 'ok' : each,
      value: isNumber ? each.toString() : null,
      read_at: readAt ?? '2026-07-30T12:30:05Z',
    };
  });
  const asked = { aggregate, providers, clocks, reads, published_at: at, open: open ?? null };
  return { name, row, ...asked, gives };
}

const provisional = (
  reason: Reason,
  value: bigint,
  dispersion = 0n,
): NonNullable<DecisionCase['gives']> => ({
  status: 'provisional',
  reason,
  value: value.toString(),
  dispersion: dispersion.toString(),
});
const final = (value: bigint, dispersion = 0n): NonNullable<DecisionCase['gives']> => ({
  ...provisional('freeze_window', value, dispersion),
  status: 'final',
  reason: null,
});
const voided = (reason: Reason): NonNullable<DecisionCase['gives']> => ({
  status: 'void',
  reason,
  value: null,
  dispersion: null,
});

const MOST = 2n ** 63n - 1n;
const LEAST = -(2n ** 63n);
const IN_WINDOW = '2026-07-30T12:31:00Z';

/** Before the release, and late numbers that no quorum saw. */
const EARLY_AND_UNSEEN: readonly DecisionCase[] = [
  of('a second before the release', 1, [5n, 5n], { at: '2026-07-30T12:29:59Z' }, null),
  of(
    'at the release',
    23,
    [5n, 5n],
    { at: RELEASE, readAt: RELEASE },
    provisional('freeze_window', 5n),
  ),
  of(
    'reads from a second before the release',
    2,
    [5n, 5n],
    { at: FROZEN, readAt: '2026-07-30T12:29:59Z' },
    null,
  ),
  of(
    'no quorum saw it, a second before the deadline',
    23,
    [5n, 5n],
    { at: BEFORE_DEADLINE, clocks: UNSEEN },
    provisional('freeze_window', 5n),
  ),
  of(
    'no quorum saw it, at the deadline, printed before',
    3,
    [5n, 5n],
    { at: DEADLINE, clocks: UNSEEN, open: 'freeze_window' },
    voided('late'),
  ),
  of(
    'no quorum saw it, at the deadline, printed before, and no source answers',
    3,
    ['timeout', 'timeout'],
    { at: DEADLINE, clocks: UNSEEN, open: 'no_quorum' },
    voided('late'),
  ),
  of(
    'no quorum saw it, at the deadline, and one source has answered',
    4,
    ['timeout', 'not_published'],
    { at: DEADLINE, clocks: UNSEEN },
    voided('late'),
  ),
  of(
    'no quorum saw it, at the deadline, and only a check has answered',
    5,
    ['timeout', 'malformed', 7n],
    { at: DEADLINE, clocks: UNSEEN },
    null,
  ),
];

/** No read that counts has a value. */
const SILENT: readonly DecisionCase[] = [
  of(
    'void for why it was not final before: too few reads',
    6,
    ['timeout', 'timeout'],
    { at: DEADLINE, open: 'no_quorum' },
    voided('no_quorum'),
  ),
  of(
    'the same where a quorum says that there is no value',
    6,
    ['no_source', 'no_source'],
    { at: DEADLINE, open: 'no_quorum' },
    voided('no_quorum'),
  ),
  of(
    'not before the deadline',
    12,
    ['timeout', 'timeout'],
    { at: BEFORE_DEADLINE, open: 'no_quorum' },
    null,
  ),
  of(
    'void for why it was not final before: reads that differ',
    7,
    ['timeout', 'timeout'],
    { at: DEADLINE, open: 'dispersion' },
    voided('dispersion'),
  ),
  of(
    'out of range, and before a quorum without a value',
    8,
    ['no_source', 'out_of_range'],
    { at: FROZEN, aggregate: { ...EQUAL, quorum: 1 } },
    voided('out_of_range'),
  ),
  of('out of range inside the window', 12, ['out_of_range'], { at: BEFORE_FROZEN }, null),
  of(
    'a quorum says that there is no value',
    9,
    ['no_source', 'no_source'],
    { at: FROZEN },
    voided('no_source'),
  ),
  of(
    'no quorum counts inside the window',
    12,
    ['no_source', 'no_source'],
    { at: BEFORE_FROZEN },
    null,
  ),
  of('too few say so', 12, ['no_source', 'not_published'], { at: FROZEN }, null),
  of('a check says so', 12, ['timeout', 'timeout', 'no_source'], { at: FROZEN }, null),
  of(
    'printed before, and nothing to see at the deadline',
    10,
    ['unreachable', 'malformed'],
    { at: DEADLINE, open: 'freeze_window' },
    voided('late'),
  ),
  of(
    'nothing by the deadline',
    11,
    ['not_published', 'unreachable'],
    { at: DEADLINE },
    voided('late'),
  ),
  of(
    'nothing a second before',
    12,
    ['not_published', 'unreachable'],
    { at: BEFORE_DEADLINE },
    null,
  ),
  of('sources that could not be reached', 12, ['unreachable', 'malformed'], { at: DEADLINE }, null),
  of('sources that have gone on', 12, ['superseded', 'superseded'], { at: DEADLINE }, null),
  of(
    'a number that came too late shows that there is one',
    12,
    [5n, 'not_published'],
    { at: DEADLINE, readAt: '2026-08-06T12:30:01Z' },
    null,
  ),
  of(
    'one group of two is silent',
    12,
    [10n, 10n, 'timeout', 'timeout'],
    { ...summed(FROZEN) },
    null,
  ),
  of(
    'one group of two has no value',
    9,
    [10n, 10n, 'no_source', 'no_source'],
    summed(FROZEN),
    voided('no_source'),
  ),
  of(
    'the reads without a value are counted within a group',
    12,
    ['no_source', 'timeout', 'no_source', 'timeout'],
    summed(FROZEN),
    null,
  ),
  of(
    'one group of two is late, and the other has shown its number',
    12,
    [10n, 10n, 'not_published', 'not_published'],
    summed(DEADLINE),
    null,
  ),
  of(
    'the same, printed before',
    10,
    [10n, 10n, 'timeout', 'timeout'],
    { ...summed(DEADLINE), open: 'freeze_window' },
    voided('late'),
  ),
  of(
    'what the other group answers does not count',
    12,
    [10n, 'no_source', 'timeout', 'no_source'],
    summed(FROZEN),
    null,
  ),
];

function summed(at: string): Setting {
  return { at, aggregate: SUM, providers: TWO_GROUPS };
}

/** Every group has a value. */
const VALUED: readonly DecisionCase[] = [
  of('nobody printed it before the deadline', 13, [5n, 5n], { at: DEADLINE }, null),
  of('a second before the deadline', 22, [5n, 5n], { at: BEFORE_DEADLINE }, final(5n)),
  of(
    'after the deadline, printed before',
    22,
    [5n, 5n],
    { at: '2026-08-14T00:00:00Z', open: 'freeze_window' },
    final(5n),
  ),
  of('the last second of first prints', 22, [5n, 5n], { ...lateRead(0) }, final(5n)),
  of('a second after it', 12, [5n, 5n], { ...lateRead(1) }, null),
  of(
    'the ends of i64, at the deadline',
    14,
    [LEAST, MOST],
    { at: DEADLINE, open: 'no_quorum' },
    voided('dispersion'),
  ),
  of('the ends of i64', 15, [LEAST, MOST], { at: FROZEN }, null),
  of('a sum outside i64', 16, [MOST, MOST, 1n, 1n], summed(FROZEN), voided('out_of_range')),
  of('the same inside the window', 17, [MOST, MOST, 1n, 1n], summed(BEFORE_FROZEN), null),
  of('the largest sum', 22, [MOST, MOST, 0n, 0n], summed(FROZEN), final(MOST)),
  of('a sum that comes back into i64', 22, [MOST, MOST, LEAST, LEAST], summed(FROZEN), final(-1n)),
  of(
    'they differ at the deadline',
    18,
    [5n, 6n],
    { at: DEADLINE, open: 'dispersion' },
    voided('dispersion'),
  ),
  of('they differ', 19, [5n, 6n], { at: FROZEN }, provisional('dispersion', 5n, 1n)),
  of(
    'they differ, and the record comes second',
    19,
    [6n, 5n],
    { at: FROZEN, providers: MIRROR_FIRST },
    provisional('dispersion', 5n, 1n),
  ),
  of(
    'they differ, and too few of a group of three are there',
    19,
    [5n, 6n, 'timeout'],
    { at: FROZEN, providers: THREE, aggregate: { ...EQUAL, quorum: 3 } },
    provisional('dispersion', 5n, 1n),
  ),
  of('a check that differs', 22, [5n, 5n, 9n], { at: FROZEN }, final(5n)),
  of(
    'one read of two at the deadline',
    20,
    [5n, 'timeout'],
    { at: DEADLINE, open: 'no_quorum' },
    voided('no_quorum'),
  ),
  of('one read of two', 21, [5n, 'timeout'], { at: FROZEN }, provisional('no_quorum', 5n)),
  of('the mirror alone', 21, ['timeout', 6n], { at: FROZEN }, provisional('no_quorum', 6n)),
  of(
    'one has no value, and the other has one',
    21,
    ['no_source', 5n],
    { at: FROZEN },
    provisional('no_quorum', 5n),
  ),
  of(
    'a check does not count',
    21,
    [5n, 'timeout', 5n],
    { at: FROZEN },
    provisional('no_quorum', 5n),
  ),
  of(
    'one is enough where the rule says so',
    22,
    [5n, 'timeout'],
    { at: FROZEN, aggregate: { ...EQUAL, quorum: 1 } },
    final(5n),
  ),
  of('at the end of the window', 22, [5n, 5n], { at: FROZEN }, final(5n)),
  of('a second before', 23, [5n, 5n], { at: BEFORE_FROZEN }, provisional('freeze_window', 5n)),
  of(
    'the median of three',
    22,
    [5n, 8n, 6n],
    { at: FROZEN, providers: THREE, aggregate: MEDIAN },
    final(6n, 3n),
  ),
  of(
    'the median of two, rounded away from zero',
    22,
    [5n, 8n],
    { at: FROZEN, aggregate: MEDIAN },
    final(7n, 3n),
  ),
  of('the same below zero', 22, [-5n, -8n], { at: FROZEN, aggregate: MEDIAN }, final(-7n, 3n)),
  of(
    'the median of two, rounded to even',
    22,
    [5n, 8n],
    { at: FROZEN, aggregate: { ...MEDIAN, round: 'half_even' } },
    final(6n, 3n),
  ),
  of(
    'a median too far apart',
    19,
    [5n, 9n],
    { at: FROZEN, aggregate: MEDIAN },
    provisional('dispersion', 7n, 4n),
  ),
  of('the records of groups are summed', 22, [10n, 13n, 5n, 4n], summed(FROZEN), final(15n, 3n)),
  of(
    'groups may differ from one another',
    22,
    [1000n, 1000n, -5n, -5n],
    summed(FROZEN),
    final(995n),
  ),
  of(
    'one group differs',
    19,
    [10n, 10n, 5n, 9n],
    summed(FROZEN),
    provisional('dispersion', 15n, 4n),
  ),
  of(
    'one group is short',
    21,
    [10n, 10n, 5n, 'timeout'],
    summed(FROZEN),
    provisional('no_quorum', 15n),
  ),
  of(
    'a sum inside the window',
    23,
    [10n, 10n, 5n, 5n],
    summed(IN_WINDOW),
    provisional('freeze_window', 15n),
  ),
];

/** Reads that were made in the last second of first prints, or `after` seconds later. */
function lateRead(after: 0 | 1): Setting {
  const readAt = after === 0 ? LAST_FIRST_PRINT : '2026-08-06T12:30:01Z';
  return { at: '2026-08-06T12:31:00Z', readAt };
}

/** What a report of each of these reads says, decided by hand from the table. */
export const DECISION_CASES: readonly DecisionCase[] = [...EARLY_AND_UNSEEN, ...SILENT, ...VALUED];
