import assert from 'node:assert/strict';
import { test } from 'node:test';
import { parseSourceJson } from '@assay/core/source/source-json';
import {
  figureOf,
  isoStamp,
  millisStamp,
  priceOf,
} from '@assay/node/terminal/vendor/vendor-figures';
import { NO_LIMIT } from '@assay/core/work-budget';

test('vendor figures: numbers are taken from their text, exponents written out', () => {
  const cases: readonly (readonly [string, string | undefined])[] = [
    ['68000', '68000'],
    ['68000.10', '68000.10'],
    ['0.1234567890123456789', '0.1234567890123456789'],
    ['1.234e-05', '0.00001234'],
    ['8E-7', '0.0000008'],
    ['1.5e3', '1500'],
    ['1.2345e2', '123.45'],
    ['12e0', '12'],
    ['0e5', '0'],
    ['"68012.01000000"', '68012.01000000'],
    ['0', '0'],
    ['-1', undefined],
    ['-1e3', undefined],
    ['1e41', undefined],
    ['1e-41', undefined],
    ['1e999999', undefined],
    ['"1e3"', undefined],
    ['"01"', undefined],
    ['"1,000"', undefined],
    ['""', undefined],
    ['"NaN"', undefined],
    ['null', undefined],
    ['true', undefined],
    ['[1]', undefined],
    ['{"number":"5"}', undefined],
    ['9'.repeat(64), '9'.repeat(64)],
    ['9'.repeat(65), undefined],
  ];
  for (const [text, expected] of cases) {
    assert.equal(figureOf(parseSourceJson(text, NO_LIMIT)), expected, text);
  }
  assert.equal(figureOf(undefined), undefined);
});

test('vendor figures: a price is above 0', () => {
  for (const text of ['0', '0.000', '"0.0"', '0e3']) {
    assert.equal(priceOf(parseSourceJson(text, NO_LIMIT)), undefined, text);
  }
  assert.equal(priceOf(parseSourceJson('1e-8', NO_LIMIT)), '0.00000001');
});

test('vendor figures: times of any zone, to the second; nothing else', () => {
  const cases: readonly (readonly [string, string | undefined])[] = [
    ['2026-10-10T12:00:03.123Z', '2026-10-10T12:00:03Z'],
    ['2026-10-10T12:00:03Z', '2026-10-10T12:00:03Z'],
    ['2026-10-10T08:00:03.186520297-04:00', '2026-10-10T12:00:03Z'],
    ['2026-10-10T14:30:03+02:30', '2026-10-10T12:00:03Z'],
    ['2026-10-10 12:00:03Z', undefined],
    ['2026-10-10T12:00:03', undefined],
    ['2026-02-30T12:00:03Z', undefined],
    ['0001-01-01T00:00:00+23:59', undefined],
    ['now', undefined],
  ];
  for (const [text, expected] of cases) assert.equal(isoStamp(text), expected, text);
  assert.equal(isoStamp(null), undefined);
  assert.equal(millisStamp({ number: '1791586400999' }), '2026-10-09T22:53:20Z');
  for (const number of ['1791586400', '-179158640099', '1.791586e12', '17915864009990']) {
    assert.equal(millisStamp({ number }), undefined, number);
  }
  assert.equal(millisStamp('1791586400999'), undefined);
});
