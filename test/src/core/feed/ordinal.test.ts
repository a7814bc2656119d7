import assert from 'node:assert/strict';
import { test } from 'node:test';
import { CADENCES, ordinalOf, pagePlace, periodOfOrdinal } from '@assay/core/feed/ordinal';
import { faultCode } from '@assay/core/fault';
import { shiftPeriod } from '@assay/core/rule/period';
import { parseDate } from '@assay/core/time/time';
import fc from 'fast-check';

test('ordinal: the first periods of each cadence, and some of now', () => {
  for (const [kind, date, ordinal] of [
    ['utc_day', '1970-01-01', 0],
    ['utc_day', '2026-07-25', 20_659],
    ['week_ending_saturday', '1970-01-03', 0],
    ['week_ending_saturday', '1970-01-10', 1],
    ['week_ending_saturday', '2026-07-25', 2951],
    ['month', '1970-01-01', 0],
    ['month', '1970-03-01', 2],
    ['month', '2000-02-01', 361],
    ['month', '2026-07-01', 678],
  ] as const) {
    assert.equal(ordinalOf(kind, parseDate(date)), ordinal, date);
    assert.equal(periodOfOrdinal(kind, ordinal), parseDate(date), date);
  }
  assert.deepEqual(pagePlace(2951), { index: 92, slot: 7 });
});

test('ordinal: neighbours differ by one, for centuries', () => {
  for (const kind of CADENCES) {
    fc.assert(
      fc.property(fc.integer({ min: 0, max: 10_000 }), (ordinal) => {
        const period = periodOfOrdinal(kind, ordinal);
        assert.equal(ordinalOf(kind, period), ordinal);
        assert.equal(shiftPeriod(kind, period, 1), periodOfOrdinal(kind, ordinal + 1));
      }),
    );
  }
});

test('ordinal: other days are refused', () => {
  for (const [kind, period] of [
    ['utc_day', -1],
    ['utc_day', 2 ** 31],
    ['utc_day', 0.5],
    ['week_ending_saturday', 0],
    ['week_ending_saturday', 3],
    ['week_ending_saturday', -5],
    ['month', 1],
    ['month', 60],
    ['month', -31],
  ] as const) {
    assert.throws(
      () => ordinalOf(kind, period),
      (error) => faultCode(error) === 'out_of_range',
      `${kind} ${period}`,
    );
  }
});
