import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import {
  brierOf,
  brierOfPercent,
  decimalText,
  fractionText,
  meanCrowd,
  meanScores,
} from '@assay/core/referee/brier';
import { calibrationOf, integerRoot, wilsonInterval } from '@assay/core/referee/calibration';
import { rational } from '@assay/core/number/rational';
import type { Question } from '@assay/core/kind/question';
import { arenaRuleHash } from '@assay/core/arena/rule/arena-rule';
import { questionOf } from '@assay/core/referee/question-maker';
import { ZERO_HASH_HEX } from '@assay/core/hash/hash';
import { sha256, vectors } from '../fixture/fixture.ts';
import { arenaRule, eventOf, REFEREE, Rows } from './referee-fixture.ts';

test('calibration: Wilson bounds as Python computes them with sixty digits', () => {
  interface Interval {
    readonly yes: number;
    readonly n: number;
    readonly low: string;
    readonly high: string;
  }
  const all = vectors<readonly Interval[]>('referee/wilson');
  assert.ok(all.length > 10);
  for (const { yes, n, low, high } of all) {
    assert.deepEqual(wilsonInterval(yes, n), { low, high }, `${yes} of ${n}`);
  }
});

test('calibration: an interval has its share in it, and mirrors that of the opposite', () => {
  fc.assert(
    fc.property(fc.nat(5000), fc.integer({ min: 1, max: 5000 }), (some, n) => {
      const yes = some % (n + 1);
      const { low, high } = wilsonInterval(yes, n);
      assert.ok(Number(low) <= yes / n + 0.00005 && yes / n <= Number(high) + 0.00005);
      const mirrored = wilsonInterval(n - yes, n);
      assert.ok(Math.abs(Number(mirrored.low) + Number(high) - 1) < 0.00015);
    }),
  );
});

test('calibration: the integer root is the largest whose square fits', () => {
  fc.assert(
    fc.property(fc.bigInt(0n, 10n ** 40n), (value) => {
      const root = integerRoot(value);
      assert.ok(root * root <= value && (root + 1n) * (root + 1n) > value);
    }),
  );
});

const NAMED = { rule: REFEREE, hash: arenaRuleHash(sha256, arenaRule()) };

/** A question with this answer of the service, and what became of it. */
function graded(
  rows: Rows,
  i: number,
  [p, climatology, outcome]: readonly [number, number, 'yes' | 'no' | 'void'],
  crowd?: readonly [yes: number, no: number],
): void {
  const event = eventOf(`A${i}`, 900 * i);
  const made = questionOf(sha256, event, NAMED, rows.views);
  const body: Question = {
    ...made,
    nulls: { ...made.nulls, climatology },
    service: { ...made.service, p },
  };
  rows.add({ kind: 'question/1', body });
  if (crowd !== undefined) {
    const [yes, no] = crowd;
    const { id: question } = body;
    const count = yes + no;
    const closed = { type: 'closed', question, count, yes, no, root: ZERO_HASH_HEX } as const;
    rows.add({ kind: 'answers/1', body: { ...closed, openings: ZERO_HASH_HEX } });
  }
  const isVoid = outcome === 'void';
  const score = isVoid ? null : outcome === 'yes' ? 60 : 10;
  const resolved_at = isVoid ? null : body.resolves_at;
  rows.add({ kind: 'outcome/1', body: { question: body.id, outcome, score, resolved_at } });
}

test('brier: exact fractions of single answers', () => {
  const text = (p: number, yes: boolean): string => fractionText(brierOfPercent(p, yes));
  assert.deepEqual(
    [text(100, true), text(0, true), text(50, false), text(33, true), text(33, false)],
    ['0/1', '1/1', '1/4', '4489/10000', '1089/10000'],
  );
  assert.equal(fractionText(brierOf(rational(2n, 3n), true)), '1/9');
  assert.equal(decimalText(rational(-1n, 8n), 2), '-0.13');
});

test('brier: means over what is resolved, and skill against each null', () => {
  const rows = new Rows();
  assert.equal(meanScores(rows.views), undefined);
  graded(rows, 0, [50, 50, 'void']);
  assert.equal(meanScores(rows.views), undefined);
  graded(rows, 1, [80, 50, 'yes']);
  graded(rows, 2, [40, 50, 'no']);
  // By hand: 0.04 and 0.16; persistence 0 and 1; always under 1 and 0; climatology 0.25 and 0.25.
  const scores = meanScores(rows.views);
  assert.equal(scores?.n, 2);
  assert.equal(fractionText(scores.service), '1/10');
  assert.equal(fractionText(scores.nulls.persistence), '1/2');
  assert.equal(fractionText(scores.nulls.climatology), '1/4');
  assert.deepEqual(
    Object.values(scores.skill).map((each) => each && fractionText(each)),
    ['4/5', '4/5', '3/5'],
  );
});

test('brier: no skill against a null that is always right', () => {
  const rows = new Rows();
  graded(rows, 1, [80, 50, 'yes']);
  const skill = meanScores(rows.views)?.skill;
  assert.equal(skill?.persistence, null);
  assert.equal(fractionText(skill?.always_under ?? rational(0n)), '24/25');
});

test('brier: the crowd is the share of its yes, over the questions that somebody answered', () => {
  const rows = new Rows();
  graded(rows, 1, [50, 50, 'yes'], [2, 1]);
  graded(rows, 2, [50, 50, 'no'], [1, 1]);
  graded(rows, 3, [50, 50, 'no']);
  graded(rows, 4, [50, 50, 'no'], [0, 3]);
  graded(rows, 5, [50, 50, 'void'], [3, 0]);
  // By hand: (1/3)^2 + (1/2)^2 + 0 over 3.
  const crowd = meanCrowd(rows.views);
  assert.equal(crowd?.n, 3);
  assert.equal(fractionText(crowd.mean), '13/108');
  assert.equal(meanCrowd(new Rows().views), undefined);
});

test('calibration: ten bins, the last with 100 in it, and void questions in none', () => {
  const rows = new Rows();
  for (const [i, given] of (
    [
      [0, 50, 'no'],
      [9, 50, 'yes'],
      [10, 50, 'no'],
      [90, 50, 'yes'],
      [100, 50, 'no'],
      [99, 50, 'void'],
    ] as const
  ).entries()) {
    graded(rows, i, given);
  }
  const bins = calibrationOf(rows.views);
  assert.deepEqual(
    bins.map(({ from, n, yes, mean_p }) => [from, n, yes, mean_p]),
    [
      [0, 2, 1, '4.50'],
      [10, 1, 0, '10.00'],
      ...[20, 30, 40, 50, 60, 70, 80].map((from) => [from, 0, 0, null]),
      [90, 2, 1, '95.00'],
    ],
  );
  assert.equal(bins[0]?.yes_share, '0.5000');
  assert.deepEqual(bins[0]?.wilson, wilsonInterval(1, 2));
  assert.equal(bins[5]?.wilson, null);
});
