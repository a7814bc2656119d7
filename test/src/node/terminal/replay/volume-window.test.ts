import assert from 'node:assert/strict';
import { test } from 'node:test';
import { dayVolume, Extent } from '@assay/node/terminal/replay/day-volume';
import { CRYPTO_FORMAT } from '@assay/node/terminal/replay/market-formats';
import { MAX_PRODUCT_DECIMALS, VolumeWindow } from '@assay/node/terminal/replay/volume-window';
import { WideVolumeWindow } from '@assay/node/terminal/replay/wide-volume-window';
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
    const ofPrice = random(0, decimals);
    const size = random(1, 12);
    const least = random(1, size);
    const window = new VolumeWindow(ofPrice, decimals - ofPrice, size, least);
    const wide = new WideVolumeWindow(ofPrice, decimals - ofPrice, size, least);
    const rows: Row[] = [];
    let index = random(0, 1_000_000);
    for (let i = 0; i < 80; i += 1) {
      // Now and then the product is beyond what a double holds.
      const price = random(1, 1_000_000) * (decimals > 4 && draws.oneIn(4) ? 2 ** 26 : 1);
      const volume = random(0, 100_000);
      rows.push({ index, price, volume });
      // A number that ends in zeros may be written without them.
      const close =
        price % 10 === 0 && ofPrice > 0
          ? { digits: price / 10, decimals: ofPrice - 1 }
          : { digits: price, decimals: ofPrice };
      const exact = slowly(rows, decimals, size, least);
      for (const each of [window, wide]) {
        each.add(index, close, { digits: volume, decimals: decimals - ofPrice });
        assert.equal(each.value, exact, `row ${i} of round ${round}`);
      }
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
    for (const Window of [VolumeWindow, WideVolumeWindow]) {
      const window = new Window(0, 1, 1, 1);
      window.add(0, { digits: 1, decimals: 0 }, { digits: volume, decimals: 1 });
      assert.equal(window.value, expected);
    }
  }
});

/** What a window chosen for the one row of a file says of a whole day of it. */
function ofDay(price: bigint, decimals: number, volume: bigint): readonly [boolean, number | null] {
  const row = [
    { digits: price, decimals },
    { digits: volume, decimals: 0 },
  ] as const;
  const extent = new Extent();
  extent.take(...row);
  const window = dayVolume(extent, CRYPTO_FORMAT);
  for (let i = 0; i < 96; i += 1) window.add(i, ...row);
  return [window instanceof VolumeWindow, window.value];
}

test('day volume: doubles where they are exact, and any size elsewhere', () => {
  const most = BigInt(Number.MAX_SAFE_INTEGER);
  assert.deepEqual(ofDay(671_757n, 1, 1091n), [true, 7_035_714_115]);
  // Decimals, a product, or digits that doubles do not hold.
  assert.deepEqual(ofDay(1_234_567n, 13, 10n ** 12n), [false, 11_851_843]);
  assert.deepEqual(ofDay(1n, 0, 50_000_000_000_000n), [false, 4_800_000_000_000_000]);
  assert.deepEqual(ofDay(12_194_312_000_000_001n, 11, 1000n), [false, 11_706_539_520]);
  // The last that a tick can have, and the first that is none.
  assert.deepEqual(ofDay(most / 96n, 0, 1n), [false, Number((most / 96n) * 96n)]);
  assert.deepEqual(ofDay(most / 96n + 1n, 0, 1n), [false, null]);
});

test('day volume: what was too large is forgotten once it is a day old', () => {
  const window = new WideVolumeWindow(0, 0, 2, 1);
  const one = { digits: 1, decimals: 0 };
  for (const [index, volume, expected] of [
    [0, { digits: 10n ** 90n, decimals: 0 }, null],
    [1, { digits: 7, decimals: 0 }, null],
    [2, { digits: 8, decimals: 0 }, 15],
    [9, { digits: 9, decimals: 0 }, 9],
  ] as const) {
    window.add(index, one, volume);
    assert.equal(window.value, expected);
  }
});
