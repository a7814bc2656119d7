import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type Rational, rational } from '@assay/core/rational';
import { BOOTSTRAP_DRAWS, bootstrapMean, drawer } from '@assay/core/terminal/bootstrap';
import { sha256, vectors } from '../fixture.ts';

function fraction(text: string): Rational {
  const [n = '', d = ''] = text.split('/');
  return rational(BigInt(n), BigInt(d));
}

test('bootstrap: numbers from a seed, computed apart', () => {
  interface Case {
    readonly seed: string;
    readonly n: number;
    readonly drawn: readonly number[];
  }
  for (const { seed, n, drawn } of vectors<Case[]>('base-rate/draws')) {
    const draw = drawer(sha256, seed);
    assert.deepEqual(
      drawn.map(() => draw(n)),
      drawn,
      `${seed} ${n}`,
    );
  }
});

test('bootstrap: intervals and tails, computed apart in fractions', () => {
  interface Case {
    readonly name: string;
    readonly seed: string;
    readonly clusters: readonly (readonly [string, number])[];
    readonly mark: string;
    readonly low: string;
    readonly high: string;
    readonly at_most: number;
    readonly at_least: number;
  }
  for (const each of vectors<Case[]>('base-rate/bootstraps')) {
    const clusters = each.clusters.map(([sum, count]) => ({ sum: BigInt(sum), count }));
    assert.deepEqual(
      bootstrapMean(sha256, each.seed, clusters, fraction(each.mark)),
      {
        low: fraction(each.low),
        high: fraction(each.high),
        atMost: each.at_most,
        atLeast: each.at_least,
      },
      each.name,
    );
  }
});

test('bootstrap: a draw that equals the mark is on both sides', () => {
  const same = [{ sum: 6n, count: 3 }];
  const { atMost, atLeast } = bootstrapMean(sha256, 'seed', same, rational(2n));
  assert.deepEqual([atMost, atLeast], [BOOTSTRAP_DRAWS, BOOTSTRAP_DRAWS]);
});
