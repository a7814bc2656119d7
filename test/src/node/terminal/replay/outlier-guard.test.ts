import assert from 'node:assert/strict';
import { test } from 'node:test';
import { parseFileDecimal, type FileDecimal } from '@assay/node/terminal/replay/file-decimal';
import { OutlierGuard } from '@assay/node/terminal/replay/outlier-guard';
import { Random } from '../../../core/terminal/random.ts';

/** Closes from a count on; undefined for a row that is missing. */
type Closes = readonly (string | undefined)[];

/** Places of the closes that are left out; every other one is kept, in order. */
function outOf(closes: Closes): readonly number[] {
  const kept: number[] = [];
  const guard = new OutlierGuard(({ index, line, ts, price }) => {
    assert.deepEqual([line, ts], [index + 2, 900 * index]);
    assert.equal(price.digits, (parseFileDecimal(closes[index] ?? '') as FileDecimal).digits);
    kept.push(index);
  });
  // One object that changes, as the rows of a file are.
  const row = {
    index: 0,
    ts: 0,
    line: 0,
    price: { digits: 0 as number | bigint, decimals: 0 },
    volume: { digits: 1, decimals: 0 },
  };
  for (const [index, close] of closes.entries()) {
    if (close === undefined) continue;
    Object.assign(row, { index, ts: 900 * index, line: index + 2 });
    Object.assign(row.price, parseFileDecimal(close));
    guard.take(row);
  }
  guard.end();
  const out = guard.outliers.map(({ line }) => line - 2);
  const there = closes.flatMap((close, i) => (close === undefined ? [] : [i]));
  assert.deepEqual(
    [...kept, ...out].sort((a, b) => a - b),
    there,
  );
  assert.deepEqual(
    kept,
    [...kept].sort((a, b) => a - b),
  );
  return out;
}

test('outlier guard: what is left out, and what is kept', () => {
  const cases: readonly (readonly [string, string, readonly number[]])[] = [
    ['a spike up', '100 101 1000 102 103', [2]],
    ['a spike down', '100 101 10 102 103', [2]],
    ['exactly five times', '100 500 100', [1]],
    ['exactly a fifth', '100 20 100', [1]],
    ['less than five times', '100 499.9999999999999999 100', []],
    ['more than a fifth', '100 20.0000000000000001 100', []],
    ['five times the one before, not the one behind', '100 500 101', []],
    ['a fifth of the one before, not of the one behind', '100 20 99', []],
    ['a jump that stays', '100 1000 1010 990 1000 1005', []],
    ['a fall that stays', '100 10 11 9 10', []],
    ['a jump that is half taken back', '100 1000 201 201', []],
    ['back at twice the price', '100 1000 200 200', [1]],
    ['back at half the price', '100 1000 50 50', [1]],
    ['back at less', '100 1000 49.99 49.99', []],
    ['at the first row', '1000 100 101 102', []],
    ['at the last row', '100 101 102 1000', []],
    ['at the last but one', '100 101 1000 102', [2]],
    ['two in a row', '100 1000 1000 100', [1, 2]],
    ['one up and one down', '100 1000 10 100', [1, 2]],
    ['one, and one that is not far', '100 1000 300 100', [1]],
    ['three in a row are a price', '100 1000 1000 1000 100 100', []],
    ['two in a row at the end', '100 1000 1000', []],
    ['one after the other', '100 1000 100 10 100 1000 100', [1, 3, 5]],
    ['beside a missing row', '100 1000 - 100', [1]],
    ['behind a missing row', '100 - 1000 100', [2]],
    ['beside two missing rows', '100 - 1000 - 100', []],
    ['behind a long gap', '100 - - - 1000 100', []],
    ['a close of 0 is no price', '100 0 100 0 1000 100 0', [4]],
    ['one beside a close of 0', '100 1000 0 100', [1]],
    ['nothing but 0', '0 0 0', []],
    ['a spike behind one that was kept', '100 1000 1000 1000 10 1000', [4]],
    ['digits beyond a double', '0.100000000000000001 1000000000000000000001 0.1', [1]],
  ];
  for (const [what, closes, out] of cases) {
    const row = closes.split(' ').map((close) => (close === '-' ? undefined : close));
    assert.deepEqual(outOf(row), out, what);
  }
});

/** The words of the page over whole numbers. */
function byDefinition(closes: Closes): readonly number[] {
  const out: number[] = [];
  let before: { readonly i: number; readonly close: number } | undefined;
  for (const [i, text] of closes.entries()) {
    const close = Number(text ?? 0);
    if (close === 0) continue;
    const beside = before;
    const isOut =
      beside !== undefined &&
      closes.some((each, j) => {
        const back = Number(each ?? 0);
        if (j <= i || j - beside.i > 3 || back === 0) return false;
        const [low, high] = [Math.min(beside.close, back), Math.max(beside.close, back)];
        return high <= 2 * low && (close >= 5 * high || 5 * close <= low);
      });
    if (isOut) out.push(i);
    else before = { i, close };
  }
  return out;
}

test('outlier guard: the rule of the page, row by row', () => {
  const draws = new Random(11);
  let found = 0;
  for (let round = 0; round < 3000; round += 1) {
    const closes = Array.from({ length: 12 }, () => {
      if (draws.oneIn(8)) return undefined;
      return ['100', '100', '100', '199', '51', '500', '20', '1000', '9', '0'][draws.below(10)];
    });
    const expected = byDefinition(closes);
    found += expected.length;
    assert.deepEqual(outOf(closes), expected, closes.join(' '));
  }
  assert.ok(found > 1000);
});
