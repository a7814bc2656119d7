import assert from 'node:assert/strict';
import { test } from 'node:test';
import { formatFileDecimal, parseFileDecimal } from '@assay/node/terminal/replay/file-decimal';

test('file decimal: each is read exactly, and an exponent is the decimal that it means', () => {
  const long = `${'9'.repeat(60)}.${'8'.repeat(39)}`;
  for (const [text, plain] of [
    ['7', '7'],
    ['0.50', '0.50'],
    ['121943.12000000001', '121943.12000000001'],
    ['9007199254740993', '9007199254740993'],
    ['1e-05', '0.00001'],
    ['1.20e-3', '0.00120'],
    ['1.2E+7', '12000000'],
    ['1.20e1', '12.0'],
    ['12.5E0', '12.5'],
    ['0e5', '0'],
    ['0E-8', '0.00000000'],
    [long, long],
    ['1e99', `1${'0'.repeat(99)}`],
    ['1e-98', `0.${'0'.repeat(97)}1`],
  ] as const) {
    const read = parseFileDecimal(text);
    assert.ok(read !== undefined, text);
    assert.equal(formatFileDecimal(read), plain);
    assert.equal(typeof read.digits, read.digits <= Number.MAX_SAFE_INTEGER ? 'number' : 'bigint');
  }
});

test('file decimal: anything else is none', () => {
  const none =
    ' -1 +1 01 .5 7. 1,5 1x e5 1e 1e+ 1e1.5 1e0001 0x1 Infinity NaN 1_000 1e100 1e-99 1e999';
  for (const text of [...none.split(' '), '1 ', '9'.repeat(101)]) {
    assert.equal(parseFileDecimal(text), undefined, text);
  }
});
