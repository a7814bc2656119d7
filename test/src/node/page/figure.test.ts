import assert from 'node:assert/strict';
import { test } from 'node:test';
import {
  change,
  count,
  fraction,
  multiple,
  points,
  range,
  share,
  span,
} from '@assay/node/page/figure';

test('figure: changes have a sign, and a true minus', () => {
  assert.deepEqual(
    [17.2, -13.01, 0, 1234.5, null].map((each) => change(each)),
    ['+17.20 %', '−13.01 %', '0.00 %', '+1,234.50 %', '—'],
  );
});

test('figure: points and intervals of them have signs, and a true minus', () => {
  assert.deepEqual(
    [3.2, -0.4, 0, null].map((each) => points(each)),
    ['+3.20', '−0.40', '0.00', '—'],
  );
  assert.deepEqual([range([-0.41, 5.99]), range(null)], ['−0.41 to +5.99', '—']);
});

test('figure: multiples, shares and counts', () => {
  assert.deepEqual([multiple(2.3), multiple(null)], ['2.30 ×', '—']);
  assert.deepEqual([share(0.5938), share(0), share(null)], ['59.4 %', '0.0 %', '—']);
  assert.deepEqual([count(0), count(12_345), count(null)], ['0', '12,345', '—']);
});

test('figure: exact fractions with four decimals, however long they are', () => {
  assert.deepEqual(
    ['31/150', '1/1', '0/1', '-1/3', null].map((each) => fraction(each)),
    ['0.2067', '1.0000', '0.0000', '−0.3333', '—'],
  );
  assert.equal(fraction(`${10n ** 60n}/${3n * 10n ** 60n}`), '0.3333');
});

test('figure: what is left of a time, in two units', () => {
  assert.deepEqual(
    [0, 59, 60, 3600, 3 * 3600 + 20 * 60, 86_400, 2 * 86_400 + 4 * 3600 + 60].map((each) =>
      span(each),
    ),
    [
      'less than a minute',
      'less than a minute',
      '1 min',
      '1 h',
      '3 h 20 min',
      '1 day',
      '2 days 4 h',
    ],
  );
});
