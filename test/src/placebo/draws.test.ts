import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Draws, grow } from '../../calibration/placebo/draws.ts';

function spread(values: readonly number[]): { readonly mean: number; readonly variance: number } {
  const mean = values.reduce((sum, value) => sum + value, 0) / values.length;
  const squares = values.reduce((sum, value) => sum + (value - mean) ** 2, 0);
  return { mean, variance: squares / values.length };
}

test('draws: the same seed gives the same numbers, and another one others', () => {
  const first = (seed: number): readonly number[] => {
    const draws = new Draws(seed);
    return Array.from({ length: 5 }, () => draws.uniform());
  };
  assert.deepEqual(first(7), first(7));
  assert.notDeepEqual(first(7), first(8));
  assert.ok(first(7).every((each) => each >= 0 && each < 1));
});

test('draws: each kind has its mean, its variance and its tails', () => {
  const draws = new Draws(1);
  const N = 200_000;
  const of = (draw: () => number): readonly number[] => Array.from({ length: N }, draw);
  const uniform = spread(of(() => draws.uniform()));
  assert.ok(Math.abs(uniform.mean - 0.5) < 0.004, `${uniform.mean}`);
  assert.ok(Math.abs(uniform.variance - 1 / 12) < 0.002, `${uniform.variance}`);
  const bell = spread(of(() => draws.bell()));
  assert.ok(Math.abs(bell.mean) < 0.012 && Math.abs(bell.variance - 1) < 0.02, `${bell.variance}`);
  const tails = of(() => draws.tail());
  const tail = spread(tails);
  assert.ok(Math.abs(tail.mean) < 0.012 && Math.abs(tail.variance - 1) < 0.1, `${tail.variance}`);
  // The two-sided 5 % and 0.1 % points of Student's t with 4 degrees of freedom, whose variance is 2.
  const beyond = (t: number): number =>
    tails.filter((each) => Math.abs(each) > t / Math.SQRT2).length / N;
  assert.ok(Math.abs(beyond(2.7764) - 0.05) < 0.003, `${beyond(2.7764)}`);
  assert.ok(Math.abs(beyond(8.6103) - 0.001) < 0.0005, `${beyond(8.6103)}`);
  const counts = [0, 0, 0];
  for (const each of of(() => draws.below(3))) counts[each] = (counts[each] ?? 0) + 1;
  assert.ok(
    counts.length === 3 && counts.every((n) => Math.abs(n - N / 3) < 1200),
    counts.join(' '),
  );
});

test('draws: grow is near the exponential', () => {
  for (const x of [-2, -0.5, 0, 0.5, 2]) {
    assert.ok(Math.abs(grow(x) / Math.exp(x) - 1) < 0.01, `${x}`);
  }
});
