import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type Decision, REASONS } from '@assay/core/report/decide';
import type { Read } from '@assay/core/report/report';
import { decideReads, type DraftInput } from '@assay/core/round/draft';
import { ruleHash } from '@assay/core/rule/rule';
import { READ_FAILURES } from '@assay/core/rule/value';
import { formatTime, parseTime, type TimeText, toTime } from '@assay/core/time/time';
import { ZERO_HASH_HEX } from '@assay/core/hash/hash';
import fc from 'fast-check';
import { layoffsRule, sha256, vectors } from '../fixture/fixture.ts';
import { type CaseGives, DECISION_CASES, type DecisionCase } from './decision-cases.ts';
import { clocksIn } from './case-clocks.ts';
import { type Asked, decidedByPage, decisionTable } from './decision-page.ts';

const CASES = vectors<readonly DecisionCase[]>('decision/decisions');
const TABLE = decisionTable();

/** The project's own decision, by the function that publisher, co-signers and verifier use. */
function decided({ aggregate, providers, clocks, reads, published_at, open }: Asked): unknown {
  const [like] = layoffsRule().providers;
  const rule = layoffsRule({
    aggregate,
    providers: providers.map((each) => ({ ...like, ...each })),
    revision: { ...layoffsRule().revision, provider: null },
  });
  const input: DraftInput = {
    log: ZERO_HASH_HEX,
    rule,
    ruleHash: ruleHash(sha256, rule),
    period: 0,
    clocks: clocksIn(clocks),
    reads: [],
    publishedAt: parseTime(published_at as TimeText),
    cosigners: { set: null, required: 0 },
    after: null,
    withheld: null,
  };
  return plain(decideReads(input, reads as unknown as readonly Read[], open));
}

function plain(decision: Decision): CaseGives | null {
  if (decision.status === 'wait') return null;
  const { status, reason, value, dispersion } = decision;
  return {
    status,
    reason,
    value: value?.toString() ?? null,
    dispersion: dispersion?.toString() ?? null,
  };
}

test('decision vectors: the code and the page decide each as the file says, by the row that it names', () => {
  assert.ok(CASES.length >= 60);
  for (const { name, row, gives, ...asked } of CASES) {
    assert.deepEqual(decided(asked), gives, name);
    assert.deepEqual(decidedByPage(TABLE, asked), { row, gives }, name);
  }
});

test('decision vectors: every row of the page decides one of them', () => {
  const rows = TABLE.map(({ row }) => row);
  assert.deepEqual(
    rows,
    Array.from({ length: 23 }, (_, i) => i + 1),
  );
  assert.deepEqual(
    [...new Set(CASES.map(({ row }) => row))].sort((a, b) => a - b),
    rows,
  );
});

test('decision vectors: names are distinct', () => {
  assert.equal(new Set(CASES.map(({ name }) => name)).size, CASES.length);
});

test('decision page: its table and the code decide alike, whatever the reads and the times', () => {
  const one = DECISION_CASES.find(({ providers }) => providers.length === 3);
  const two = DECISION_CASES.find(({ aggregate }) => aggregate.across === 'sum');
  assert.ok(one !== undefined && two !== undefined);
  const big = 2n ** 63n - 1n;
  const given = fc.oneof(
    fc.bigInt({ min: 0n, max: 3n }),
    fc.constantFrom(big, -big - 1n),
    fc.constantFrom(...READ_FAILURES),
    fc.constantFrom('not_published', 'no_source', 'out_of_range', 'timeout'),
  );
  const release = parseTime('2026-07-30T12:30:00Z' as TimeText);
  const moments = [-1, 0, 7199, 7200, 604_800, 604_801, 1_209_599, 1_209_600, 1_300_000];
  const time = (after: number): string => formatTime(release + after);
  const seen = new Set<number>();
  fc.assert(
    fc.property(
      fc.record({
        given: fc.array(given, { minLength: 4, maxLength: 4 }),
        at: fc.constantFrom(...moments),
        readAfter: fc.array(fc.constantFrom(...moments.slice(1), 5, 5, 5, -1), {
          minLength: 4,
          maxLength: 4,
        }),
        open: fc.constantFrom(null, ...REASONS),
        frozen: fc.boolean(),
        summed: fc.boolean(),
        quorum: fc.integer({ min: 1, max: 2 }),
        median: fc.boolean(),
        most: fc.constantFrom('0', '2'),
      }),
      ({ given: values, at, readAfter, open, frozen, summed, quorum, median, most }) => {
        const { providers } = summed ? two : one;
        const asked: Asked = {
          aggregate: {
            round: 'half_away',
            within: median ? 'median' : 'equal',
            across: summed ? 'sum' : 'single',
            quorum,
            max_dispersion: most,
          },
          providers,
          clocks: {
            release: time(0),
            frozen: frozen ? time(7200) : null,
            first_print: time(604_800),
            deadline: time(1_209_600),
          },
          reads: providers.map(({ id }, i) => {
            const each = values[i] as bigint | (typeof READ_FAILURES)[number];
            return {
              provider: id,
              outcome: typeof each === 'bigint' ? 'ok' : each,
              value: typeof each === 'bigint' ? each.toString() : null,
              read_at: toTime(time(readAfter[i] as number)),
            };
          }),
          published_at: time(at),
          open,
        };
        const { row, gives } = decidedByPage(TABLE, asked);
        seen.add(row);
        assert.deepEqual(decided(asked), gives, `row ${row}`);
      },
    ),
    { numRuns: 4000 },
  );
  // Rows that random reads meet: nearly all of them, or the comparison would say little.
  assert.ok(seen.size >= 20, [...seen].sort((a, b) => a - b).join(' '));
});
