import assert from 'node:assert/strict';
import { test } from 'node:test';
import { MAX_PRODUCT_DECIMALS, VolumeWindow } from '@assay/node/terminal/replay/volume-window';
import { Random } from '../../../core/terminal/random.ts';

interface Row {
  readonly index: number;
  readonly price: number;
  readonly volume: number;
}

/** The same by fractions of any size. */
function slowly(
  rows: readonly Row[],
  decimals: number,
  size: number,
  least: number,
): number | null {
  const last = rows.at(-1)?.index ?? 0;
  const held = rows.filter(({ index }) => index > last - size);
  if (held.length < least) return null;
  const sum = held.reduce((all, { price, volume }) => all + BigInt(price) * BigInt(volume), 0n);
  const scale = 10n ** BigInt(decimals);
  return Number((2n * sum + scale) / (2n * scale));
}

test('volume window: the exact sum over a window with gaps, rounded once', () => {
  const draws = new Random(7);
  const random = (low: number, high: number): number => low + draws.below(high - low + 1);
  for (let round = 0; round < 60; round += 1) {
    const decimals = random(0, MAX_PRODUCT_DECIMALS);
    const size = random(1, 12);
    const least = random(1, size);
    const window = new VolumeWindow(decimals, size, least);
    const rows: Row[] = [];
    let index = random(0, 1_000_000);
    for (let i = 0; i < 80; i += 1) {
      // Now and then the product is beyond what a double holds.
      const price = random(1, 1_000_000) * (decimals > 4 && draws.oneIn(4) ? 2 ** 26 : 1);
      const volume = random(0, 100_000);
      rows.push({ index, price, volume });
      window.add(index, price, volume);
      assert.equal(window.value, slowly(rows, decimals, size, least), `row ${i} of round ${round}`);
      index += random(0, 9) === 0 ? random(1, 3 * size) : 1;
    }
  }
});

test('volume window: a half is rounded up, and less is not', () => {
  for (const [volume, expected] of [
    [5, 1],
    [4, 0],
    [15, 2],
  ] as const) {
    const window = new VolumeWindow(1, 1, 1);
    window.add(0, 1, volume);
    assert.equal(window.value, expected);
  }
});

test('volume window: what it cannot hold exactly is refused', () => {
  assert.throws(() => new VolumeWindow(MAX_PRODUCT_DECIMALS + 1, 96, 92), { code: 'unsupported' });
  const window = new VolumeWindow(0, 96, 92);
  assert.throws(() => window.add(0, Number.MAX_SAFE_INTEGER, 2), { code: 'out_of_range' });
});
