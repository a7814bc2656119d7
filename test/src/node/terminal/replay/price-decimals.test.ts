import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type FileDecimal, parseFileDecimal } from '@assay/node/terminal/replay/file-decimal';
import { isFine, isPrice, PriceDecimals } from '@assay/node/terminal/replay/price-decimals';

const read = (text: string): FileDecimal => parseFileDecimal(text) as FileDecimal;

test('price decimals: the most of any close, at most 18, and the highest close has room', () => {
  for (const [closes, decimals, isRounding] of [
    [['7', '7.50', '7.5'], 2, false],
    [['0', '7'], 0, false],
    // Exactly 2^53 - 1 units, one more, and one that is rounded up to one more.
    [['9007.199254740991', '1'], 12, false],
    [['9007.199254740992', '1'], 11, true],
    [['9007.1992547409914', '1'], 12, true],
    [['9007.1992547409915', '1'], 11, true],
    [['121943.12000000001', '0.5'], 10, true],
    // The highest is not the longest, and comes first.
    [['9007199254740991', '0.5'], 0, true],
    [['0.0000000000000000001'], 18, true],
    [['0.000000000000000001'], 18, false],
  ] as const) {
    const prices = new PriceDecimals();
    for (const close of closes) prices.take(read(close));
    assert.deepEqual([prices.value, prices.isRounding], [decimals, isRounding], closes.join());
  }
  for (const close of ['9007199254740992', '9007199254740991.5', '1e90']) {
    assert.ok(!isPrice(read(close)), close);
  }
  assert.ok(isPrice(read('9007199254740991.4')));
});

test('price decimals: a close is fine where rounding changes it by little', () => {
  assert.ok(isFine(read('0'), 2));
  assert.ok(isFine(read('100.00'), 2));
  assert.ok(isFine(read('99.995'), 2));
  assert.ok(!isFine(read('99.994'), 2));
  assert.ok(!isFine(read('1e-90'), 2));
});
