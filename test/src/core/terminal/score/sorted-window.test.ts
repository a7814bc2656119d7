import assert from 'node:assert/strict';
import { test } from 'node:test';
import { SortedWindow, type Spread } from '@assay/core/terminal/score/sorted-window';
import { Random } from '../random.ts';

function middle(values: readonly number[]): number {
  const sorted = [...values].sort((a, b) => a - b);
  const half = sorted.length >> 1;
  const upper = sorted[half] as number;
  if (sorted.length % 2 === 1) return upper;
  const sum = (sorted[half - 1] as number) + upper;
  return Math.sign(sum) * Math.floor((Math.abs(sum) + 1) / 2);
}

function slowly(values: readonly number[]): Spread {
  const median = middle(values);
  return { median, deviation: middle(values.map((each) => Math.abs(each - median))) };
}

test('sorted window: medians of values and of deviations are those of a sort, whatever comes and goes', () => {
  for (let seed = 1; seed <= 60; seed += 1) {
    const random = new Random(seed);
    const range = 1 + random.below(seed % 2 === 0 ? 12 : 2_000_000_000);
    const window = new SortedWindow(40);
    const held: number[] = [];
    for (let step = 0; step < 300; step += 1) {
      if (held.length > 0 && (held.length === 40 || random.oneIn(3))) {
        const [gone] = held.splice(random.below(held.length), 1);
        window.remove(gone as number);
      } else {
        const value = random.below(2) === 0 ? random.below(range) : 0 - random.below(range);
        held.push(value);
        window.insert(value);
      }
      assert.equal(window.size, held.length);
      if (held.length === 0) continue;
      assert.deepEqual({ ...window.spread() }, slowly(held), `seed ${seed}: ${held.join(' ')}`);
    }
  }
});

test('sorted window: halves go away from zero', () => {
  const window = new SortedWindow(2);
  window.insert(-1);
  window.insert(-2);
  // The middle is -1.5, and the deviations from -2 are 1 and 0.
  assert.deepEqual(window.spread(), { median: -2, deviation: 1 });
});

test('sorted window: deviations may be wider than 32 bits', () => {
  const window = new SortedWindow(3);
  for (const value of [-2_000_000_000, -2_000_000_000, 2_000_000_000]) window.insert(value);
  assert.deepEqual(window.spread(), { median: -2_000_000_000, deviation: 0 });
  window.remove(-2_000_000_000);
  assert.deepEqual(window.spread(), { median: 0, deviation: 2_000_000_000 });
});

test('sorted window: what does not fit, is not there or is asked of nothing is a TypeError', () => {
  const window = new SortedWindow(1);
  assert.throws(() => window.spread(), TypeError);
  window.insert(4);
  assert.throws(() => window.insert(5), TypeError);
  for (const value of [3, 5]) assert.throws(() => window.remove(value), TypeError);
  window.remove(4);
  assert.equal(window.size, 0);
});
