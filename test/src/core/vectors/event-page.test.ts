import assert from 'node:assert/strict';
import { test } from 'node:test';
import { EventMachine } from '@assay/core/terminal/event/event-machine';
import { EventReceipts } from '@assay/core/terminal/event/receipts';
import type { EventRule, ScoreRule } from '@assay/core/terminal/rule/score-rule';
import fc from 'fast-check';

/** A tick of one asset: its count, whether it is good, and its score where it has one. */
interface Tick {
  readonly i: number;
  readonly good: boolean;
  readonly score: number | null;
}

/** The steps of docs/spec/event.md, "The machine". It shares no code with `EventMachine`. */
function stepsOfPage(rule: EventRule, ticks: readonly Tick[]): readonly string[] {
  let armed = true;
  let peak: number | null = null;
  let opened = 0;
  let row = 0;
  let last: number | null = null;
  return ticks.flatMap(({ i, good, score }): readonly string[] => {
    const scored = good ? score : null;
    if (scored !== null && peak === null && !armed) {
      armed = row >= rule.consecutive && i - opened >= rule.rearm;
    }
    if (scored !== null) row = scored < rule.close ? row + 1 : 0;
    const silence = i - (last ?? i);
    if (good) last = i;
    if (peak !== null) {
      if (scored !== null && scored > peak) peak = scored;
      const reasons = {
        below: scored !== null && row >= rule.consecutive,
        age: i - opened >= rule.max,
        silent: silence >= rule.silent,
      };
      const reason = Object.entries(reasons).find(([, holds]) => holds)?.[0];
      if (reason === undefined) return [];
      const text = `${i}: close, ${reason}, ${peak}`;
      peak = null;
      return [text];
    }
    if (!armed || scored === null || scored < rule.open) return [];
    [peak, opened, armed] = [scored, i, false];
    return [`${i}: open ${scored}`];
  });
}

function stepsOfCode(rule: EventRule, ticks: readonly Tick[]): readonly string[] {
  const machine = new EventMachine(rule);
  return ticks.flatMap(({ i, good, score }) => {
    const step = machine.step(i, i * 900, score, good);
    if (step === undefined) return [];
    if (step.kind === 'open') return [`${i}: open ${step.score}`];
    return [`${i}: close, ${step.reason}, ${step.peak}`];
  });
}

test('event page: its steps and the machine open and close alike, whatever the ticks', () => {
  const seen = new Set<string>();
  const ticks = fc.array(
    fc.record({
      gap: fc.constantFrom(1, 1, 1, 2, 5),
      good: fc.constantFrom(true, true, true, false),
      score: fc.constantFrom(null, 10, 40, 54, 55, 69, 70, 71, 95),
    }),
    { minLength: 5, maxLength: 60 },
  );
  const rule = fc.record({
    open: fc.constant(70),
    close: fc.constant(55),
    consecutive: fc.integer({ min: 1, max: 3 }),
    max: fc.integer({ min: 1, max: 20 }),
    silent: fc.integer({ min: 1, max: 8 }),
    rearm: fc.integer({ min: 1, max: 12 }),
  });
  fc.assert(
    fc.property(rule, ticks, (event, given) => {
      let i = 100;
      const all = given.map(({ gap, good, score }) => ({ i: (i += gap), good, score }));
      const found = stepsOfCode(event, all);
      assert.deepEqual(stepsOfPage(event, all), found);
      for (const step of found) seen.add(step.replace(/^\d+: /, '').replace(/,? \d+$/, ''));
    }),
    { numRuns: 500 },
  );
  assert.deepEqual([...seen].sort(), ['close, age', 'close, below', 'close, silent', 'open']);
});

/** The tables of docs/spec/receipt.md for one event and one horizon of 24 hours. It shares no code with `EventReceipts`. */
function receiptOfPage(
  rule: ScoreRule['receipts'],
  own: boolean,
  ticks: readonly {
    readonly ts: number;
    readonly good: boolean;
    readonly delisted: boolean;
    readonly benchmark: boolean;
  }[],
): readonly string[] {
  const due = 86_400;
  let resolved: number | undefined;
  let decided = false;
  let measured = false;
  const goodFrom = (since: number, upTo: number): number | undefined =>
    ticks.find(
      ({ ts, benchmark }) =>
        benchmark && ts >= since && ts <= since + rule.benchmark_tolerance_s && ts <= upTo,
    )?.ts;
  return ticks.flatMap(({ ts, good, delisted }): readonly string[] => {
    const said: string[] = [];
    if (ts > 0 && !decided) {
      if (ts > due + rule.void_after_s) said.push('void no_data');
      else if (delisted) said.push('void delisted');
      else if (good && ts >= due) said.push(`resolved ${(resolved = ts)}`);
      decided = said.length > 0;
    }
    if (resolved === undefined || measured) return said;
    const from = goodFrom(0, ts);
    const to = goodFrom(resolved, ts);
    const before = said.length;
    if (own) said.push('own');
    else if (from === undefined && ts > rule.benchmark_tolerance_s) said.push('no_data');
    else if (ts > resolved + rule.benchmark_tolerance_s && to === undefined) said.push('no_data');
    else if (from !== undefined && to !== undefined) said.push(`${from} to ${to}`);
    measured = said.length > before;
    return said;
  });
}

test('receipt page: its tables and the code decide alike, whatever the ticks', () => {
  const seen = new Set<string>();
  fc.assert(
    fc.property(
      fc.array(
        fc.record({
          gap: fc.constantFrom(900, 900, 43_200, 43_200, 86_400),
          good: fc.boolean(),
          delisted: fc.constantFrom(false, false, false, false, true),
          benchmark: fc.boolean(),
        }),
        { maxLength: 14 },
      ),
      fc.constantFrom(true, false, false, false),
      fc.boolean(),
      (given, own, first) => {
        const rule = { void_after_s: 172_800, benchmark: 'BTC', benchmark_tolerance_s: 900 };
        let ts = 0;
        const opening = { ts: 0, good: true, delisted: false, benchmark: first };
        const ticks = [opening, ...given.map(({ gap, ...rest }) => ({ ts: (ts += gap), ...rest }))];
        const receipts = new EventReceipts(rule, 0, own);
        const found = ticks.flatMap(({ benchmark, ...tick }): readonly string[] => {
          const at = { ...tick, benchmarkGood: benchmark };
          receipts.begin(at);
          if (tick.ts === 0) return [];
          const receipt = receipts.receipt('24h', at);
          const measured = receipts.benchmark('24h', at);
          return [
            ...(receipt === undefined
              ? []
              : [
                  receipt.status === 'void'
                    ? `void ${receipt.reason}`
                    : `resolved ${receipt.resolved_at}`,
                ]),
            ...(measured === undefined
              ? []
              : [measured.reason ?? `${measured.from} to ${measured.to}`]),
          ];
        });
        assert.deepEqual(receiptOfPage(rule, own, ticks), found);
        for (const each of found) seen.add(each.replaceAll(/ ?\d+/g, ''));
      },
    ),
    { numRuns: 2000 },
  );
  assert.deepEqual([...seen].sort(), [
    ' to',
    'no_data',
    'own',
    'resolved',
    'void delisted',
    'void no_data',
  ]);
});
