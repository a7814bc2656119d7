import type { Reason } from '@assay/core/report/decide';
import type { Rule } from '@assay/core/rule/rule';
import type { ReadFailure } from '@assay/core/rule/value';
import type { CaseClocks, CaseRead } from './decision-cases.ts';

/** A report of a round. */
export interface RoundReport {
  readonly status: 'provisional' | 'final' | 'void' | 'corrected';
  readonly reason: Reason | null;
  readonly value: string | null;
  readonly dispersion: string | null;
  readonly issue: number;
}

/** What a publisher does at one time. */
export interface RoundStep {
  readonly correction: boolean;
  readonly clocks: CaseClocks;
  /** The newest reads: of `press`, the record, and of `table`, the mirror. */
  readonly reads: readonly CaseRead[];
  readonly published_at: string;
  /** Null where nothing is published, `settled` where there is nothing more to say. */
  readonly gives: RoundReport | 'settled' | null;
  /** `newest`, or the step whose reads the report rests on. */
  readonly rests_on: 'newest' | number | null;
  /** Whether the report is put into the log. */
  readonly recorded: boolean;
}

/** A row of `vectors/decision/rounds.json`. */
export interface RoundCase {
  readonly name: string;
  readonly aggregate: Rule['aggregate'];
  readonly steps: readonly RoundStep[];
}

const CLOCKS: CaseClocks = {
  release: '2026-07-30T12:30:00Z',
  frozen: '2026-07-30T14:30:00Z',
  first_print: '2026-08-06T12:30:00Z',
  deadline: '2026-08-13T12:30:00Z',
};
const EQUAL: Rule['aggregate'] = {
  round: 'half_away',
  within: 'equal',
  across: 'single',
  quorum: 2,
  max_dispersion: '0',
};

type Given = number | ReadFailure;

interface StepParts {
  readonly gives: RoundReport | 'settled' | null;
  readonly on?: number;
  readonly clocks?: CaseClocks;
  readonly correction?: true;
  readonly unrecorded?: true;
  /** When the reads were made; at the time of publication where nothing is given. */
  readonly readAt?: string;
}

function step(at: string, press: Given, table: Given, parts: StepParts): RoundStep {
  const { gives, on, clocks = CLOCKS, correction, unrecorded, readAt } = parts;
  const read = (provider: string, given: Given): CaseRead => ({
    provider,
    outcome: typeof given === 'number' ? 'ok' : given,
    value: typeof given === 'number' ? String(given) : null,
    read_at: readAt ?? at,
  });
  const isReport = gives !== null && gives !== 'settled';
  return {
    correction: correction ?? false,
    clocks,
    reads: [read('press', press), read('table', table)],
    published_at: at,
    gives,
    rests_on: isReport ? (on ?? 'newest') : null,
    recorded: isReport && unrecorded !== true,
  };
}

function report(
  status: RoundReport['status'],
  reason: Reason | null,
  value: number | null,
  issue = 0,
  dispersion = 0,
): RoundReport {
  return {
    status,
    reason,
    value: value === null ? null : String(value),
    dispersion: value === null ? null : String(dispersion),
    issue,
  };
}
const agreed = (value: number, issue = 0): RoundReport =>
  report('provisional', 'freeze_window', value, issue);
const differing = (value: number, issue: number): RoundReport =>
  report('provisional', 'dispersion', value, issue, 1);
const short = (value: number, issue = 0): RoundReport =>
  report('provisional', 'no_quorum', value, issue);
const final = (value: number): RoundReport => report('final', null, value);
const corrected = (value: number, issue: number): RoundReport =>
  report('corrected', null, value, issue);

const EARLY = '2026-07-30T12:31:00Z';
const MIDDLE = '2026-07-30T13:00:00Z';
const END = '2026-07-30T14:30:00Z';
const DEADLINE = '2026-08-13T12:30:00Z';

const of = (
  name: string,
  steps: readonly RoundStep[],
  aggregate: Rule['aggregate'] = EQUAL,
): RoundCase => ({ name, aggregate, steps });

const WINDOWS: readonly RoundCase[] = [
  of('provisional, then final, then nothing more', [
    step(EARLY, 5, 5, { gives: agreed(5) }),
    step(END, 5, 5, { gives: final(5), on: 0 }),
    step('2026-07-30T15:00:00Z', 7, 7, { gives: 'settled' }),
  ]),
  of('what the source changes after the window does not settle', [
    step(EARLY, 5, 5, { gives: agreed(5) }),
    step(END, 7, 7, { gives: final(5), on: 0 }),
  ]),
  of('what it changes inside the window settles, where it was printed', [
    step(EARLY, 5, 5, { gives: agreed(5) }),
    step('2026-07-30T14:29:59Z', 7, 7, { gives: agreed(7, 1) }),
    step(END, 8, 8, { gives: final(7), on: 1 }),
  ]),
  of('and does not, where it was not printed', [
    step(EARLY, 5, 5, { gives: agreed(5) }),
    step('2026-07-30T14:29:59Z', 7, 7, { gives: agreed(7, 1), unrecorded: true }),
    step(END, 7, 7, { gives: final(5), on: 0 }),
  ]),
  of('a read that fails later undoes nothing', [
    step(EARLY, 5, 5, { gives: agreed(5) }),
    step(END, 'timeout', 'malformed', { gives: final(5), on: 0 }),
  ]),
  of('not at the deadline either', [
    step(EARLY, 5, 5, { gives: agreed(5) }),
    step(DEADLINE, 'timeout', 'timeout', { gives: final(5), on: 0 }),
  ]),
  of('another figure, printed inside the window, does', [
    step(EARLY, 5, 5, { gives: agreed(5) }),
    step(MIDDLE, 5, 6, { gives: differing(5, 1) }),
    step(END, 6, 6, { gives: final(6) }),
  ]),
  of('and then the newest reads have to agree', [
    step(EARLY, 5, 5, { gives: agreed(5) }),
    step(MIDDLE, 5, 6, { gives: differing(5, 1) }),
    step(END, 5, 6, { gives: differing(5, 2) }),
    step(DEADLINE, 5, 6, { gives: report('void', 'dispersion', null), readAt: END }),
  ]),
  of('a read less, printed inside the window, does not', [
    step(EARLY, 5, 5, { gives: agreed(5) }),
    step(MIDDLE, 5, 'timeout', { gives: short(5, 1) }),
    step(END, 9, 9, { gives: final(5), on: 0 }),
  ]),
  of('nothing that agreed was printed inside the window', [
    step(EARLY, 5, 'timeout', { gives: short(5) }),
    step(END, 7, 7, { gives: final(7) }),
  ]),
  of(
    'a provider that had no figure is compared with the printed one',
    [
      step(EARLY, 5, 'timeout', { gives: agreed(5) }),
      step(MIDDLE, 5, 6, { gives: differing(5, 1) }),
      step(END, 6, 6, { gives: final(6) }),
    ],
    { ...EQUAL, quorum: 1 },
  ),
  of(
    'of a median it is not',
    [
      step(EARLY, 5, 'timeout', { gives: agreed(5) }),
      step(MIDDLE, 5, 6, { gives: differing(6, 1) }),
      step(END, 8, 8, { gives: final(5), on: 0 }),
    ],
    { ...EQUAL, within: 'median', quorum: 1 },
  ),
];

const DEADLINES: readonly RoundCase[] = [
  of('void for why it was not final', [
    step(EARLY, 5, 'timeout', { gives: short(5) }),
    step(DEADLINE, 'timeout', 'timeout', { gives: report('void', 'no_quorum', null) }),
    step('2026-08-14T00:00:00Z', 5, 5, { gives: 'settled' }),
  ]),
  of('nobody printed it', [step(DEADLINE, 5, 5, { gives: null, readAt: END })]),
  of('it was not there', [
    step(END, 'not_published', 'not_published', { gives: null }),
    step(DEADLINE, 'not_published', 'unreachable', { gives: report('void', 'late', null) }),
  ]),
];

/** Those of a late number before a quorum has seen it, and after. */
const UNSEEN: CaseClocks = {
  ...CLOCKS,
  frozen: null,
  first_print: '2026-09-19T12:30:00Z',
  deadline: '2026-09-20T12:30:00Z',
};
const SEEN: CaseClocks = {
  ...CLOCKS,
  frozen: '2026-08-20T14:00:00Z',
  first_print: '2026-08-27T12:00:00Z',
  deadline: '2026-09-03T12:00:00Z',
};

const LATE: readonly RoundCase[] = [
  of('of a late number the first that was published counts, where none was inside the window', [
    step('2026-08-20T15:00:00Z', 5, 5, { gives: agreed(5), clocks: UNSEEN }),
    step('2026-08-20T15:30:00Z', 7, 7, { gives: agreed(7, 1), clocks: UNSEEN }),
    step('2026-08-20T16:00:00Z', 7, 7, { gives: final(5), on: 0, clocks: SEEN }),
  ]),
  of('of a late number the newest inside the window counts, where there is one', [
    step('2026-08-20T13:00:00Z', 5, 5, { gives: agreed(5), clocks: UNSEEN }),
    step('2026-08-20T13:30:00Z', 7, 7, { gives: agreed(7, 1), clocks: UNSEEN }),
    step('2026-08-20T14:30:00Z', 8, 8, { gives: agreed(8, 2), clocks: UNSEEN }),
    step('2026-08-20T16:00:00Z', 8, 8, { gives: final(7), on: 1, clocks: SEEN }),
  ]),
];

const LATER = '2026-08-10T09:00:00Z';
const again = (at: string, press: Given, table: Given, gives: RoundStep['gives']): RoundStep =>
  step(at, press, table, { gives, correction: true });

const CORRECTIONS: readonly RoundCase[] = [
  of('corrections of a final', [
    step(EARLY, 5, 5, { gives: agreed(5) }),
    again(MIDDLE, 6, 6, null),
    step(END, 5, 5, { gives: final(5), on: 0 }),
    again(LATER, 5, 5, 'settled'),
    again(LATER, 5, 6, null),
    again(LATER, 6, 'timeout', null),
    again(LATER, 6, 6, corrected(6, 1)),
    again(LATER, 6, 6, 'settled'),
    again('2026-09-10T09:00:00Z', 5, 5, corrected(5, 2)),
  ]),
  of('a correction rests on reads from the final on', [
    step(EARLY, 5, 5, { gives: agreed(5) }),
    step('2026-07-30T14:31:00Z', 5, 5, { gives: final(5), on: 0 }),
    step(LATER, 6, 6, { gives: null, correction: true, readAt: END }),
    step(LATER, 6, 6, {
      gives: corrected(6, 1),
      correction: true,
      readAt: '2026-07-30T14:31:00Z',
    }),
  ]),
  of('a void has none', [
    step(EARLY, 5, 'timeout', { gives: short(5) }),
    step(DEADLINE, 'timeout', 'timeout', { gives: report('void', 'no_quorum', null) }),
    again('2026-08-14T00:00:00Z', 5, 5, null),
  ]),
];

/** The lives of periods, decided by hand from docs/spec/report.md. */
export const ROUND_CASES: readonly RoundCase[] = [
  ...WINDOWS,
  ...DEADLINES,
  ...LATE,
  ...CORRECTIONS,
];
