import type { PeriodKind } from '@assay/core/rule/period';

/** What the log shows of one period. */
export interface ShownPeriod {
  readonly status: 'provisional' | 'final' | 'corrected' | 'void' | 'history';
  readonly value: string | null;
  readonly revised: string | null;
}

/** A row of `vectors/revision/rows.json`. */
export interface RevisionCase {
  readonly name: string;
  /** The kind of period. */
  readonly kind: PeriodKind;
  readonly release: {
    readonly zone: 'UTC' | 'America/New_York';
    readonly local: string;
    readonly days_after: number;
    readonly exceptions: readonly { readonly period: string; readonly date: string }[];
  };
  readonly read_at: string;
  readonly most: number;
  readonly shown: Readonly<Record<string, ShownPeriod>>;
  /** What the source gives by period, scaled and rounded; null for no value. */
  readonly series: Readonly<Record<string, string | null>>;
  readonly rows: readonly { readonly period: string; readonly value: string }[];
}

const WEEKLY = {
  kind: 'week_ending_saturday',
  release: { zone: 'America/New_York', local: '08:30', days_after: 4, exceptions: [] },
} as const;
/** After the release of 2026-08-01, which is 2026-08-06T12:30:00Z. */
const READ_AT = '2026-08-06T12:39:58Z';

const print = (value: string | null, revised: string | null = null): ShownPeriod => ({
  status: value === null ? 'void' : 'final',
  value,
  revised,
});
const history = (value: string): ShownPeriod => ({ status: 'history', value, revised: null });

function of(
  name: string,
  shown: RevisionCase['shown'],
  series: RevisionCase['series'],
  rows: Readonly<Record<string, string>>,
  change: Partial<RevisionCase> = {},
): RevisionCase {
  const listed = Object.entries(rows).map(([period, value]) => ({ period, value }));
  return { name, ...WEEKLY, read_at: READ_AT, most: 1000, shown, series, rows: listed, ...change };
}

const FIRST = { '2026-07-11': '209000', '2026-07-18': '216000' };

/** Which rows a revision has, decided by hand from the steps on docs/spec/revision.md. */
export const REVISION_CASES: readonly RevisionCase[] = [
  of(
    'an empty log: history, but the newest that is out',
    {},
    { ...FIRST, '2026-07-25': '218000' },
    FIRST,
  ),
  of(
    'in the order of the periods, whatever the order of the source',
    {},
    { '2026-07-25': '1', '2026-07-18': '216000', '2026-07-11': '209000' },
    FIRST,
  ),
  of(
    'a period without a value has no row, and is not the newest',
    {},
    { ...FIRST, '2026-07-25': null, '2026-08-01': null },
    { '2026-07-11': '209000' },
  ),
  of(
    'what is shown is not said again',
    { '2026-07-11': history('209000'), '2026-07-18': history('216000') },
    { ...FIRST, '2026-07-25': '218000' },
    {},
  ),
  of(
    'history that changes',
    { '2026-07-11': history('209000'), '2026-07-18': history('1') },
    { ...FIRST, '2026-07-25': '218000' },
    { '2026-07-18': '216000' },
  ),
  of(
    'a provisional is not revised',
    { '2026-07-25': { status: 'provisional', value: '218000', revised: null } },
    { '2026-07-25': '219000', '2026-08-01': '1' },
    {},
  ),
  of(
    'a final is',
    { '2026-07-25': print('218000') },
    { '2026-07-25': '219000', '2026-08-01': '1' },
    { '2026-07-25': '219000' },
  ),
  of(
    'the newest is, where the log shows it',
    { '2026-08-01': print('218000') },
    { '2026-08-01': '219000' },
    { '2026-08-01': '219000' },
  ),
  of(
    'a revision that is shown already',
    { '2026-07-25': print('218000', '219000') },
    { '2026-07-25': '219000', '2026-08-01': '1' },
    {},
  ),
  of(
    'a revision of a revision',
    { '2026-07-25': print('218000', '219000') },
    { '2026-07-25': '219500', '2026-08-01': '1' },
    { '2026-07-25': '219500' },
  ),
  of(
    'back to the print',
    { '2026-07-25': print('218000', '219000') },
    { '2026-07-25': '218000', '2026-08-01': '1' },
    { '2026-07-25': '218000' },
  ),
  of(
    'a correction is compared by its value',
    { '2026-07-25': { status: 'corrected', value: '217000', revised: null } },
    { '2026-07-25': '218000', '2026-08-01': '1' },
    { '2026-07-25': '218000' },
  ),
  of(
    'a void takes the figure of the source',
    { '2026-07-25': print(null) },
    { '2026-07-25': '218000', '2026-08-01': '1' },
    { '2026-07-25': '218000' },
  ),
  of(
    'a void whose figure is shown',
    { '2026-07-25': print(null, '218000') },
    { '2026-07-25': '218000', '2026-08-01': '1' },
    {},
  ),
  of(
    'a second before a release: the period is not out, and the one before is the newest',
    {},
    { ...FIRST, '2026-07-25': '3', '2026-08-01': '2' },
    FIRST,
    { read_at: '2026-08-06T12:29:59Z' },
  ),
  of(
    'at the release',
    {},
    { ...FIRST, '2026-07-25': '3', '2026-08-01': '2' },
    { ...FIRST, '2026-07-25': '3' },
    { read_at: '2026-08-06T12:30:00Z' },
  ),
  of(
    'periods to come are never rows',
    {},
    { ...FIRST, '2026-08-15': '1', '2027-01-02': '2' },
    { '2026-07-11': '209000' },
  ),
  of(
    'an exception moves the release of a period',
    {},
    { ...FIRST, '2026-07-25': '3' },
    { '2026-07-11': '209000' },
    { release: { ...WEEKLY.release, exceptions: [{ period: '2026-07-25', date: '2026-08-07' }] } },
  ),
  of(
    'the first so many',
    {},
    { '2026-07-04': '1', ...FIRST, '2026-07-25': '2' },
    { '2026-07-04': '1', '2026-07-11': '209000' },
    { most: 2 },
  ),
  of('nothing in the source', { '2026-07-25': print('218000') }, {}, {}),
  of(
    'months',
    { '2026-05-01': print('-14') },
    { '2026-04-01': '0', '2026-05-01': '14', '2026-06-01': '15', '2026-07-01': '16' },
    { '2026-04-01': '0', '2026-05-01': '14' },
    {
      kind: 'month',
      release: { zone: 'America/New_York', local: '08:30', days_after: 12, exceptions: [] },
    },
  ),
];
