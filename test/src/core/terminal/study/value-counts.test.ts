import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ValueCounts } from '@assay/core/terminal/study/value-counts';
import { resumed } from '../../fixture/resumed.ts';
import { Random } from '../random.ts';

function countsOf(values: readonly number[]): ValueCounts {
  const counts = new ValueCounts();
  for (const value of values) counts.add(value);
  return counts;
}

test('value counts: number, sum, median and those above 0 are those of the plain list', () => {
  const draws = new Random(3);
  for (let size = 1; size < 40; size += 1) {
    const values = Array.from({ length: size }, () => draws.below(21) - 10);
    const counts = countsOf(values);
    const sorted = values.toSorted((a, b) => a - b);
    const twice = (sorted[(size - 1) >> 1] as number) + (sorted[size >> 1] as number);
    assert.equal(counts.n, size);
    assert.equal(counts.sum, BigInt(values.reduce((sum, value) => sum + value, 0)));
    assert.equal(counts.positive, values.filter((value) => value > 0).length);
    const median = Math.sign(twice) * Math.floor((Math.abs(twice) + 1) / 2);
    assert.equal(counts.median ?? 0, median + 0);
  }
  assert.deepEqual([countsOf([]).median, countsOf([]).sum], [null, 0n]);
});

test('value counts: a median whose two sum beyond 2^53 is exact', () => {
  const most = Number.MAX_SAFE_INTEGER;
  assert.equal(countsOf([most, most - 2]).median, most - 1);
  assert.equal(countsOf([-most, -most + 1]).median, -most);
  assert.equal(countsOf([most, most]).sum, 2n * BigInt(most));
});

test('value counts: interrupted before every value, they are those that never were', () => {
  const draws = new Random(4);
  const whole = new ValueCounts();
  let cut = new ValueCounts();
  for (let size = 1; size < 60; size += 1) {
    const value = draws.below(21) - 10;
    cut = resumed(cut, new ValueCounts());
    for (const each of [whole, cut]) each.add(value);
    const { n, sum, positive, median } = whole;
    assert.deepEqual([cut.n, cut.sum, cut.positive, cut.median], [n, sum, positive, median]);
  }
});
