import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { EventOpen } from '@assay/core/kind/event';
import { utcGrid } from '@assay/core/terminal/calendar/grid';
import type { TickLeaf } from '@assay/core/terminal/tick/tick-leaf';
import { Findings } from '@assay/verifier/verdict/finding';
import { ScoreCheck } from '@assay/verifier/terminal/score-check';
import { resumed } from '../../core/fixture/resumed.ts';
import { Random } from '../../core/terminal/random.ts';
import { shortRule } from '../../core/terminal/score-rule-fixture.ts';

const commitment = new Uint8Array(32);

function leaf(symbol: string, index: number, score: number | null, good = true): TickLeaf {
  return { symbol, ts: utcGrid.timeOf(index), score, good, commitment };
}

test('score check: a leaf has a score when the ticks before it allow one, and not before', () => {
  const check = new ScoreCheck(shortRule());
  const findings = new Findings();
  for (let index = 0; index < 30; index += 1) {
    const leaves = [leaf('BTC', index, index < 24 ? null : 3), leaf('ETH', index, null, index > 9)];
    check.tick(index, leaves, `entry ${index}`, findings);
  }
  assert.deepEqual(findings.list, []);
  check.tick(30, [leaf('BTC', 30, 3), leaf('ETH', 30, 0)], 'entry 30', findings);
  assert.deepEqual(findings.list, [
    {
      code: 'score_unfounded',
      place: 'entry 30, ETH',
      expected: 'none: the ticks before it have 2 days of volume',
      found: 'a score of 0',
    },
  ]);
});

test('score check: assets with a move are those good at both of its ends', () => {
  const check = new ScoreCheck(shortRule());
  const findings = new Findings();
  const tick = (index: number, symbols: readonly string[], bad: readonly string[] = []) => {
    const leaves = [
      ...symbols.map((symbol) => leaf(symbol, index, null)),
      ...bad.map((symbol) => leaf(symbol, index, null, false)),
    ];
    check.tick(index, leaves, 'entry', findings);
  };
  tick(1, ['A', 'B']);
  tick(2, ['C']);
  tick(3, ['D'], ['E']);
  tick(10, ['A', 'B', 'C', 'D', 'E'], ['F']);
  // E was not good then; D was a tick after it, B two before it.
  assert.equal(check.moved, 4);
  assert.deepEqual(
    ['A', 'C', 'D', 'E', 'F'].map((symbol) => check.moveFrom(symbol)),
    [1, 2, 3, undefined, undefined],
  );
  tick(11, ['C', 'D'], ['A']);
  assert.equal(check.moved, 2);
});

test('score check: the volume has its points, and the other parts their weights at most', () => {
  const check = new ScoreCheck(shortRule());
  const found = (score: number, vol_mult: number | null) => {
    const findings = new Findings();
    check.event({ score, vol_mult } as EventOpen, 'entry 7', findings);
    return findings.list.map(({ code, place }) => `${code} ${place}`);
  };
  const wrong = ['event_differs entry 7/vol_mult'];
  // Weights 45, 40 from 100 to 420, 15.
  assert.deepEqual(found(60, 0), []);
  assert.deepEqual(found(61, 0), wrong);
  assert.deepEqual(found(80, 260), []);
  assert.deepEqual(found(81, 260), wrong);
  assert.deepEqual(found(100, 420), []);
  assert.deepEqual(found(40, 9000), []);
  assert.deepEqual(found(39, 9000), wrong);
  assert.deepEqual(found(100, null), []);
});

test('score check: under a later version scores are held against its windows and its points', () => {
  const rule = shortRule();
  const check = new ScoreCheck(rule);
  const findings = new Findings();
  const later = shortRule({
    returns: { ...rule.returns, window: 60, min_samples: 25 },
    parts: { ...rule.parts, volume: { weight: 40, from: 1000, to: 2000 } },
  });
  const say = (index: number): void =>
    check.tick(index, [leaf('BTC', index, 60)], 'tick', findings);
  for (let index = 0; index < 40; index += 1) {
    check.tick(index, [leaf('BTC', index, null)], 'tick', findings);
  }
  say(40);
  assert.equal(findings.count, 0);
  check.under(later);
  say(41);
  assert.equal(findings.count, 1);
  for (let index = 42; index < 70; index += 1) {
    check.tick(index, [leaf('BTC', index, null)], 'tick', findings);
  }
  say(70);
  assert.equal(findings.count, 1);
  // A volume of four times the usual makes 40 points of the first version, and none of the later.
  const event = { score: 100, vol_mult: 420 } as EventOpen;
  check.event(event, 'event', findings);
  assert.equal(findings.count, 2);
  new ScoreCheck(rule).event(event, 'event', findings);
  assert.equal(findings.count, 2);
});

test('score check: interrupted before every tick, it finds what one finds that never was', () => {
  const rule = shortRule();
  const later = shortRule({ returns: { ...rule.returns, window: 60, min_samples: 9 } });
  const said = (seed: number, isCut: boolean): readonly unknown[] => {
    const draws = new Random(seed);
    const findings = new Findings();
    let check = new ScoreCheck(rule);
    const moves: unknown[] = [];
    for (let index = 0; index < 300; index += 1) {
      if (isCut) check = resumed(check, new ScoreCheck(rule));
      if (index === 150) check.under(later);
      if (draws.oneIn(30)) index += draws.below(20);
      // B is away while the version changes.
      const symbols = ['A', 'B', 'C'].filter((each) => each !== 'B' || index < 140 || index > 160);
      const leaves = symbols.map((symbol) => {
        const good = !draws.oneIn(symbol === 'C' ? 3 : 8);
        return leaf(symbol, index, good && draws.oneIn(2) ? draws.below(101) : null, good);
      });
      check.tick(index, leaves, `tick ${index}`, findings);
      if (isCut) check = resumed(check, new ScoreCheck(rule));
      moves.push(check.moved, ...symbols.map((symbol) => check.moveFrom(symbol)));
      const event = { score: draws.below(101), vol_mult: draws.below(500) } as EventOpen;
      check.event(event, `event ${index}`, findings);
    }
    return [findings.list, moves];
  };
  for (let seed = 1; seed <= 6; seed += 1) {
    const whole = said(seed, false);
    assert.deepEqual(said(seed, true), whole, `seed ${seed}`);
    assert.ok((whole[0] as unknown[]).length > 50);
  }
});
