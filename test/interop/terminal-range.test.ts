import assert from 'node:assert/strict';
import { test } from 'node:test';
import { canonicalize } from '@assay/core/wire/canonical';
import type { ScoreRule } from '@assay/core/terminal/rule/score-rule';
import { CRYPTO_REPLAY_RULE } from '@assay/core/terminal/rule/score-rules';
import { utcGrid } from '@assay/core/terminal/calendar/grid';
import type { EdgeStudy } from '@assay/core/terminal/edge/edge-blob';
import { EdgeStudyMaker } from '@assay/core/terminal/edge/edge-study-maker';
import type { BoardRow } from '@assay/core/terminal/terminal';
import { parseTime } from '@assay/core/time/time';
import { sha256 } from '../src/core/fixture/fixture.ts';
import { chance, hasPython, LONG, SEED, twin } from './terminal-peers.ts';
import { type Leaf, madeRange, type Range, type RangeTick } from './terminal-range.ts';

const NONE = { move: null, volMult: null, zLong: null, zShort: null, volume: null };
const AWAY: BoardRow = { ...NONE, good: false, price: null, score: null };
const TO = 7;

/** Seeds whose ranges have everything that is counted below. */
const COVERING = [1, 2, 3, 4];

function boardOf({ leaves }: RangeTick): ReadonlyMap<string, BoardRow> {
  const good = Object.entries(leaves).map(([symbol, [price, score]]: [string, Leaf]) => {
    const row: BoardRow = { ...NONE, good: true, price, score };
    return [symbol, row] as const;
  });
  return new Map<string, BoardRow>([['GONE', AWAY], ...good]);
}

function coreStudy({ rules, ticks, splits }: Range): string {
  const [first = assert.fail()] = rules;
  const maker = new EdgeStudyMaker(sha256, first);
  const waiting = [...splits];
  let named = 0;
  for (const tick of ticks) {
    while (parseTime(waiting[0]?.effective_at ?? '9999-01-01T00:00:00Z') <= tick.ts) {
      maker.take({ kind: 'split/1', body: waiting.shift() ?? assert.fail() });
    }
    if (tick.rule !== named) {
      named = tick.rule;
      maker.under(rules[named] ?? assert.fail());
    }
    const drafts = tick.opens.map((body) => ({ kind: 'event/1' as const, body }));
    maker.step(tick.ts, utcGrid.indexOf(tick.ts) ?? assert.fail(), {
      board: boardOf(tick),
      drafts,
    });
  }
  return Buffer.from(maker.make(0, TO).blob).toString();
}

/** What the twin is told of a range. */
function told({ rules, ticks, splits }: Range): string {
  const factors: Record<string, [number, number, number][]> = {};
  for (const { symbol, effective_at, numerator, denominator } of splits) {
    (factors[symbol] ??= []).push([parseTime(effective_at), numerator, denominator]);
  }
  return canonicalize({
    rules,
    ticks: ticks.map(({ ts, rule, leaves }) => [ts, rule, leaves]),
    events: ticks.flatMap(({ ts, opens }) =>
      opens.map(({ symbol, move_24h, breadth }) => ({ symbol, opened_at: ts, move_24h, breadth })),
    ),
    splits: factors,
    to: TO,
  });
}

test('terminal range: moments of any ticks are the same', { timeout: 3_600_000 }, async (t) => {
  if (!hasPython(t)) return;
  t.diagnostic(`seed ${SEED} (ASSAY_FUZZ_SEED)`);
  const random = Array.from(
    { length: LONG ? 100 : 6 },
    (_, i) => 1 + chance(`${SEED} ${i}`, 2 ** 31 - 3),
  );
  const seeds = [...COVERING, ...random];
  const ranges = seeds.map(madeRange);
  const found = await twin(['ranges'], ranges.map((each) => `${told(each)}\n`).join(''));
  const sums: Record<string, number> = {};
  for (const [i, range] of ranges.entries()) {
    const own = coreStudy(range);
    if (own !== found[i]) assert.deepEqual(JSON.parse(own), JSON.parse(found[i] ?? ''));
    assert.equal(own, found[i], `range ${seeds[i]}`);
    const { left_out, moments } = JSON.parse(own) as EdgeStudy;
    const newest = range.ticks.at(-1)?.ts ?? assert.fail();
    const weeks = moments.flatMap(({ returns }) => returns['7d'] ?? []);
    const counts = {
      ...left_out,
      moments: moments.length,
      months: moments.filter(({ returns }) => returns['30d'] !== null).length,
      gone: weeks.filter(({ gone }) => gone).length,
      controls: weeks.filter(({ gone_controls: n }) => n > 0).length,
      unpriced: weeks.filter(({ unpriced_controls: n }) => n > 0).length,
      half: moments.filter(
        ({ controls, returns: { '7d': week } }) => 2 * (week?.gone_controls ?? 0) === controls,
      ).length,
      outages: moments.filter(
        ({ entered_at, returns }) =>
          returns['1d'] === null || (returns['30d'] === null && entered_at + 31 * 86_400 <= newest),
      ).length,
    };
    for (const [name, n] of Object.entries(counts)) sums[name] = (sums[name] ?? 0) + n;
  }
  t.diagnostic(JSON.stringify(sums));
  for (const [name, n] of Object.entries(sums)) assert.ok(n > 0, name);
});

/** Two ticks of a rule that names its studies, the first behind one of a rule that does not. */
function emptyRange(first: number, newest: number): Range {
  const rules: readonly ScoreRule[] = [
    CRYPTO_REPLAY_RULE,
    { ...CRYPTO_REPLAY_RULE, version: 2, type: 'assay-score-rule/2', study: 2 },
  ];
  const ticks = [first - 90 * 86_400, first, newest].map((ts, i) => ({
    ts,
    rule: Math.min(i, 1),
    leaves: {},
    opens: [],
  }));
  return { rules, ticks, splits: [] };
}

test('terminal range: the number of a study', async (t) => {
  if (!hasPython(t)) return;
  // 60 days before the first of May, June and December 2026, of March 2027 and 2028, and a quarter of an hour after.
  const starts = ['2026-03-02', '2026-04-02', '2026-10-02', '2026-12-31', '2028-01-01']
    .map((day) => Date.parse(day) / 1000)
    .flatMap((ts) => [ts, ts + 900]);
  const ends = ['2026-05-01', '2026-07-31', '2027-01-01', '2036-02-29', '2111-04-01', '2130-01-01'];
  const ranges = starts.flatMap((first) =>
    ends
      .map((day) => Date.parse(day) / 1000 - 900)
      .flatMap((end) => [end, end + 900])
      .filter((newest) => newest > first)
      .map((newest) => emptyRange(first, newest)),
  );
  const found = await twin(['ranges'], ranges.map((each) => `${told(each)}\n`).join(''));
  const numbers = ranges.map((range, i) => {
    const own = coreStudy(range);
    assert.equal(own, found[i], JSON.stringify(range.ticks));
    return (JSON.parse(own) as EdgeStudy).number;
  });
  for (const number of [1, 2, 1023]) assert.ok(numbers.includes(number), String(number));
});
