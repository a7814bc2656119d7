import assert from 'node:assert/strict';
import { test } from 'node:test';
import { divide, type Rational, rational } from '@assay/core/number/rational';
import { runSteps } from '@assay/core/steps';
import { BOOTSTRAP_DRAWS, bootstrapMean, drawer } from '@assay/core/terminal/study/bootstrap';
import { sha256, vectors } from '../../fixture/fixture.ts';

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
      runSteps(bootstrapMean(sha256, each.seed, clusters, fraction(each.mark))),
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
  const { atMost, atLeast } = runSteps(bootstrapMean(sha256, 'seed', same, rational(2n)));
  assert.deepEqual([atMost, atLeast], [BOOTSTRAP_DRAWS, BOOTSTRAP_DRAWS]);
});

test('bootstrap: sums beyond 2^53 - 1 are as exact as others', () => {
  const small = [3n, -5n, 8n, 0n, 12n];
  const scaled = (scale: bigint): readonly (Rational | number)[] => {
    const clusters = small.map((sum, i) => ({ sum: sum * scale, count: 1 + (i % 2) }));
    const { low, high, atMost, atLeast } = runSteps(
      bootstrapMean(sha256, 'wide', clusters, rational(2n * scale)),
    );
    return [divide(low, rational(scale)), divide(high, rational(scale)), atMost, atLeast];
  };
  assert.deepEqual(scaled(2n ** 51n + 1n), scaled(1n));
});

test('bootstrap: the draws of thirty years come in many steps', () => {
  const clusters = Array.from({ length: 11_000 }, (_, i) => ({ sum: BigInt(i % 7), count: 1 }));
  const steps = bootstrapMean(sha256, 'long', clusters, rational(3n));
  for (let i = 0; i < 20; i += 1) assert.equal(steps.next().done, false);
});
