import assert from 'node:assert/strict';
import { test } from 'node:test';
import {
  type CountedRead,
  decide,
  type Decision,
  formatValue,
  type Reason,
} from '@assay/core/report/decide';
import { clocksOf } from '@assay/core/rule/clocks';
import type { Role, Rule } from '@assay/core/rule/rule';
import { READ_FAILURES, type ReadFailure } from '@assay/core/rule/value';
import { parseDate, parseTime } from '@assay/core/time/time';
import fc from 'fast-check';
import { layoffsRule } from '../fixture/fixture.ts';

// Release 2026-07-30T12:30:00Z; two hours of freeze; void after fourteen days.
const RULE = layoffsRule();
const CLOCKS = clocksOf(RULE, parseDate('2026-07-25'));
const RELEASE = parseTime('2026-07-30T12:30:00Z');
const FROZEN = RELEASE + 7200;
const OVERDUE = RELEASE + 1_209_600;

const read = (role: Role, given: bigint | ReadFailure): CountedRead =>
  typeof given === 'bigint'
    ? { group: 'us', role, outcome: 'ok', value: given }
    : { group: 'us', role, outcome: given, value: null };
const record = (given: bigint | ReadFailure): CountedRead => read('record', given);
const mirror = (given: bigint | ReadFailure): CountedRead => read('mirror', given);
const check = (given: bigint | ReadFailure): CountedRead => read('check', given);
const gives = (
  status: 'provisional' | 'final' | 'void',
  reason: Reason | null,
  value: bigint | null = null,
  dispersion: bigint | null = null,
): Decision => ({ status, reason, value, dispersion });
const WAIT: Decision = { status: 'wait' };

const median = layoffsRule({
  aggregate: {
    round: 'half_away',
    within: 'median',
    across: 'single',
    quorum: 2,
    max_dispersion: '3',
  },
});
const alone = layoffsRule({
  aggregate: {
    round: 'half_away',
    within: 'equal',
    across: 'single',
    quorum: 1,
    max_dispersion: '0',
  },
});
const I64 = 2n ** 63n - 1n;

/** What is decided for a period without a report and, where it differs, for one that has a report. */
type Row = readonly [string, Rule, readonly CountedRead[], number, Decision, Decision?];

const TABLE: readonly Row[] = [
  ['before the release, whatever the reads', RULE, [record(5n), mirror(5n)], RELEASE - 1, WAIT],
  [
    'at the release, both agree',
    RULE,
    [record(5n), mirror(5n)],
    RELEASE,
    gives('provisional', 'freeze_window', 5n, 0n),
  ],
  [
    'a second before the freeze',
    RULE,
    [record(5n), mirror(5n)],
    FROZEN - 1,
    gives('provisional', 'freeze_window', 5n, 0n),
  ],
  ['at the freeze', RULE, [record(5n), mirror(5n)], FROZEN, gives('final', null, 5n, 0n)],
  [
    'long after the deadline, both agree',
    RULE,
    [record(5n), mirror(5n)],
    OVERDUE + 1,
    gives('final', null, 5n, 0n),
  ],
  [
    'one read of two',
    RULE,
    [record(5n), mirror('timeout')],
    FROZEN,
    gives('provisional', 'no_quorum', 5n, 0n),
  ],
  [
    'one read of two, the mirror’s',
    RULE,
    [record('timeout'), mirror(6n)],
    FROZEN,
    gives('provisional', 'no_quorum', 6n, 0n),
  ],
  [
    'one read of two at the deadline',
    RULE,
    [record(5n), mirror('timeout')],
    OVERDUE,
    gives('void', 'no_quorum'),
  ],
  [
    'one read of two a second before it',
    RULE,
    [record(5n), mirror('timeout')],
    OVERDUE - 1,
    gives('provisional', 'no_quorum', 5n, 0n),
  ],
  [
    'a check does not count',
    RULE,
    [record(5n), check(5n)],
    FROZEN,
    gives('provisional', 'no_quorum', 5n, 0n),
  ],
  [
    'a check does not disagree either',
    RULE,
    [record(5n), mirror(5n), check(9n)],
    FROZEN,
    gives('final', null, 5n, 0n),
  ],
  ['a check alone', RULE, [check(5n)], OVERDUE, WAIT, gives('void', 'late')],
  [
    'they differ',
    RULE,
    [record(5n), mirror(6n)],
    FROZEN,
    gives('provisional', 'dispersion', 5n, 1n),
  ],
  [
    'they differ, the mirror first',
    RULE,
    [mirror(6n), record(5n)],
    FROZEN,
    gives('provisional', 'dispersion', 5n, 1n),
  ],
  [
    'they differ at the deadline',
    RULE,
    [record(5n), mirror(6n)],
    OVERDUE,
    gives('void', 'dispersion'),
  ],
  [
    'dispersion is named before the quorum',
    layoffsRule({ aggregate: { ...RULE.aggregate, quorum: 2 } }),
    [record(5n), mirror(6n)],
    RELEASE,
    gives('provisional', 'dispersion', 5n, 1n),
  ],
  ['nothing yet', RULE, [record('not_published'), mirror('not_published')], FROZEN, WAIT],
  ['nothing yet a second before the deadline', RULE, [record('not_published')], OVERDUE - 1, WAIT],
  [
    'nothing by the deadline',
    RULE,
    [record('not_published'), mirror('unreachable')],
    OVERDUE,
    gives('void', 'late'),
  ],
  ['no reads at all', RULE, [], FROZEN, WAIT],
  ['no reads at all by the deadline', RULE, [], OVERDUE, WAIT, gives('void', 'late')],
  [
    'declared absent, before the freeze',
    RULE,
    [record('no_source'), mirror('no_source')],
    FROZEN - 1,
    WAIT,
  ],
  [
    'declared absent by a quorum',
    RULE,
    [record('no_source'), mirror('no_source')],
    FROZEN,
    gives('void', 'no_source'),
  ],
  [
    'declared absent by one of two',
    RULE,
    [record('no_source'), mirror('not_published')],
    FROZEN,
    WAIT,
  ],
  [
    'declared absent by one of two, at the deadline',
    RULE,
    [record('no_source'), mirror('not_published')],
    OVERDUE,
    gives('void', 'late'),
  ],
  [
    'declared absent by one of two, the other out of reach',
    RULE,
    [record('no_source'), mirror('timeout')],
    OVERDUE,
    WAIT,
    gives('void', 'late'),
  ],
  [
    'declared absent by the one that the rule asks for',
    alone,
    [record('no_source')],
    FROZEN,
    gives('void', 'no_source'),
  ],
  [
    'out of reach at the deadline',
    RULE,
    [record('unreachable'), mirror('malformed')],
    OVERDUE,
    WAIT,
    gives('void', 'late'),
  ],
  [
    'declared absent, and yet a value',
    RULE,
    [record('no_source'), mirror(5n)],
    FROZEN,
    gives('provisional', 'no_quorum', 5n, 0n),
  ],
  ['declared absent by a check', RULE, [record('timeout'), check('no_source')], FROZEN, WAIT],
  [
    'outside i64',
    RULE,
    [record('out_of_range'), mirror('out_of_range')],
    FROZEN,
    gives('void', 'out_of_range'),
  ],
  [
    'outside i64 comes before absent',
    RULE,
    [record('no_source'), mirror('out_of_range')],
    FROZEN,
    gives('void', 'out_of_range'),
  ],
  ['outside i64, before the freeze', RULE, [record('out_of_range')], FROZEN - 1, WAIT],
  ['superseded', RULE, [record('superseded'), mirror('superseded')], FROZEN, WAIT],
  [
    'superseded, at the deadline',
    RULE,
    [record('superseded'), mirror('superseded')],
    OVERDUE,
    WAIT,
    gives('void', 'late'),
  ],
  [
    'one is enough where the rule says so',
    alone,
    [record(5n)],
    FROZEN,
    gives('final', null, 5n, 0n),
  ],
  [
    'median of three',
    median,
    [record(5n), mirror(8n), read('custody', 6n)],
    FROZEN,
    gives('final', null, 6n, 3n),
  ],
  [
    'median of two, rounded as the rule rounds',
    median,
    [record(5n), mirror(8n)],
    FROZEN,
    gives('final', null, 7n, 3n),
  ],
  [
    'median, too far apart',
    median,
    [record(5n), mirror(9n)],
    FROZEN,
    gives('provisional', 'dispersion', 7n, 4n),
  ],
  ['ends of i64: a spread that is none', RULE, [record(-I64), mirror(I64)], FROZEN, WAIT],
  [
    'ends of i64, at the deadline',
    RULE,
    [record(-I64), mirror(I64)],
    OVERDUE,
    gives('void', 'dispersion'),
  ],
];

test('decide: table of cases', () => {
  for (const [name, rule, reads, now, expected, whenOpen = expected] of TABLE) {
    // At the deadline nothing is said of a number that nobody had said anything of before.
    const shown = reads.some(({ role, value }) => role !== 'check' && value !== null);
    const closed: Decision = now >= OVERDUE && shown ? WAIT : expected;
    assert.deepEqual(decide(rule, CLOCKS, reads, now, null), closed, name);
    assert.deepEqual(decide(rule, CLOCKS, reads, now, 'freeze_window'), whenOpen, `${name}, open`);
  }
});

test('decide: a final rests on a quorum within the dispersion, after the freeze, and on nothing else', () => {
  const reads = fc.array(
    fc.record({
      role: fc.constantFrom<Role>('record', 'mirror', 'custody', 'check'),
      given: fc.oneof(fc.bigInt({ min: 0n, max: 3n }), fc.constantFrom(...READ_FAILURES)),
    }),
    { maxLength: 5 },
  );
  fc.assert(
    fc.property(
      reads,
      fc.integer({ min: -10, max: 1_300_000 }),
      fc.integer({ min: 1, max: 2 }),
      fc.boolean(),
      (given, after, quorum, open) => {
        const rule = layoffsRule({ aggregate: { ...RULE.aggregate, quorum } });
        const all = given.map(({ role, given: what }) => read(role, what));
        const now = RELEASE + after;
        const decision = decide(rule, CLOCKS, all, now, open ? 'freeze_window' : null);
        const values = all.flatMap(({ role, value }) =>
          role === 'check' || value === null ? [] : [value],
        );
        const agreed =
          values.length >= quorum &&
          new Set(values).size === 1 &&
          now >= FROZEN &&
          (open || now < OVERDUE);
        assert.equal(decision.status === 'final', agreed);
        if (decision.status === 'final') assert.equal(decision.value, values[0]);
        if (now < RELEASE) assert.deepEqual(decision, WAIT);
        if (now >= OVERDUE && open) {
          assert.ok(decision.status === 'final' || decision.status === 'void');
        }
        if (decision.status === 'void')
          assert.deepEqual([decision.value, decision.dispersion], [null, null]);
      },
    ),
    { numRuns: 500 },
  );
});

/** Two populations that are summed: each has a record and a mirror, and needs one of them. */
const summed = layoffsRule({
  aggregate: { ...RULE.aggregate, across: 'sum', quorum: 2, max_dispersion: '3' },
  revision: { ...RULE.revision, provider: null },
  providers: ['east', 'west'].flatMap((group) =>
    RULE.providers
      .filter(({ role }) => role !== 'check')
      .map((provider) => ({ ...provider, id: `${group}-${provider.id}`, group })),
  ),
});

test('decide: groups that are summed, each with its quorum and its dispersion', () => {
  const in2 = (group: string, given: readonly (bigint | ReadFailure)[]): readonly CountedRead[] =>
    given.map((each, i) => ({ ...read(i === 0 ? 'record' : 'mirror', each), group }));
  const of = (
    east: readonly (bigint | ReadFailure)[],
    west: readonly (bigint | ReadFailure)[],
  ): readonly CountedRead[] => [...in2('east', east), ...in2('west', west)];
  const GROUPS: readonly (readonly [string, readonly CountedRead[], number, Decision])[] = [
    ['both agree', of([10n, 10n], [5n, 5n]), FROZEN, gives('final', null, 15n, 0n)],
    ['the records are summed', of([10n, 13n], [5n, 4n]), FROZEN, gives('final', null, 15n, 3n)],
    [
      'inside the window',
      of([10n, 10n], [5n, 5n]),
      RELEASE,
      gives('provisional', 'freeze_window', 15n, 0n),
    ],
    [
      'one group short',
      of([10n, 10n], [5n, 'timeout']),
      FROZEN,
      gives('provisional', 'no_quorum', 15n, 0n),
    ],
    [
      'one group short, at the deadline',
      of([10n, 10n], [5n, 'timeout']),
      OVERDUE,
      gives('void', 'no_quorum'),
    ],
    [
      'reads of one group cannot stand in for the other',
      of([10n, 10n, 10n], ['timeout', 'timeout']),
      FROZEN,
      WAIT,
    ],
    [
      'one group differs',
      of([10n, 10n], [5n, 9n]),
      FROZEN,
      gives('provisional', 'dispersion', 15n, 4n),
    ],
    [
      'one group differs, at the deadline',
      of([10n, 10n], [5n, 9n]),
      OVERDUE,
      gives('void', 'dispersion'),
    ],
    [
      'groups may differ from one another',
      of([1000n, 1000n], [-5n, -5n]),
      FROZEN,
      gives('final', null, 995n, 0n),
    ],
    [
      'one group is declared absent',
      of([10n, 10n], ['no_source', 'no_source']),
      FROZEN,
      gives('void', 'no_source'),
    ],
    ['declared absent by too few', of([10n, 10n], ['no_source', 'timeout']), FROZEN, WAIT],
    [
      'declared absent inside the window',
      of([10n, 10n], ['no_source', 'no_source']),
      RELEASE,
      WAIT,
    ],
    [
      'one group late',
      of([10n, 10n], ['not_published', 'not_published']),
      OVERDUE,
      gives('void', 'late'),
    ],
    ['a group that nobody saw', of([10n, 10n], ['timeout', 'timeout']), OVERDUE, WAIT],
    [
      'one read out of range',
      of([10n, 10n], ['out_of_range', 'timeout']),
      FROZEN,
      gives('void', 'out_of_range'),
    ],
    ['the sum out of range', of([I64, I64], [1n, 1n]), FROZEN, gives('void', 'out_of_range')],
    ['the sum out of range, inside the window', of([I64, I64], [1n, 1n]), RELEASE, WAIT],
    ['the largest sum', of([I64, I64], [0n, 0n]), FROZEN, gives('final', null, I64, 0n)],
    ['sums meet again', of([I64, I64], [-I64, -I64]), FROZEN, gives('final', null, 0n, 0n)],
    [
      'a group that the rule does not have',
      [...of([1n, 1n], [2n, 2n]), ...in2('north', [9n])],
      FROZEN,
      gives('final', null, 3n, 0n),
    ],
    ['before the release', of([10n, 10n], [5n, 5n]), RELEASE - 1, WAIT],
  ];
  for (const [name, reads, now, expected] of GROUPS) {
    const open = now >= OVERDUE && expected.status !== 'wait' ? 'freeze_window' : null;
    assert.deepEqual(decide(summed, CLOCKS, reads, now, open), expected, name);
  }
  // What is open already is void at the deadline, also where nobody saw the rest.
  assert.deepEqual(
    decide(summed, CLOCKS, of([10n, 10n], ['timeout', 'timeout']), OVERDUE, 'freeze_window'),
    gives('void', 'late'),
  );
});

test('decide: a value as people write it', () => {
  assert.equal(formatValue({ decimals: 1 }, -14n), '-1.4');
});

test('decide: at the deadline an open period is void for why it was not final before', () => {
  const nothing = [record('timeout'), mirror('timeout')];
  for (const reason of ['no_quorum', 'dispersion'] as const) {
    assert.deepEqual(decide(RULE, CLOCKS, nothing, OVERDUE, reason), gives('void', reason));
    assert.deepEqual(decide(RULE, CLOCKS, nothing, OVERDUE - 1, reason), WAIT);
  }
});

test('decide: a number that is shown too late does not mean that there is none', () => {
  const late: CountedRead = { group: 'us', role: 'record', outcome: 'ok', value: null };
  const absent = mirror('not_published');
  assert.deepEqual(decide(RULE, CLOCKS, [late, absent], OVERDUE, null), WAIT);
  assert.deepEqual(decide(RULE, CLOCKS, [record('not_published'), absent], OVERDUE, null), {
    ...gives('void', 'late'),
  });
});
