import assert from 'node:assert/strict';
import { test } from 'node:test';
import { decimalText, periodPayload } from '@assay/core/payload/period';
import type { Ticker } from '@assay/core/ticker';
import type { DateText } from '@assay/core/time';
import { type PeriodRow, periodRow } from '@assay/core/view/periods';
import { smallLog } from '../view/small-log.ts';

const { views: VIEWS } = smallLog();
const ROW = periodRow(VIEWS, 'LAYOFFS' as Ticker, '2026-07-25' as DateText) as PeriodRow;

test('period payload: the exact shape', () => {
  assert.deepEqual(
    periodPayload(VIEWS, '2026-07-25', { ...ROW, decimals: 3, z: '-0.7', band: 'normal' }),
    {
      period: '2026-07-25',
      status: 'corrected',
      value: 217,
      value_decimal: '217.000',
      settlement_value: 218,
      settlement_value_decimal: '218.000',
      revised: 219,
      revised_decimal: '219.000',
      revised_on: '2026-08-06',
      z: -0.7,
      band: 'normal',
      settleable: true,
      withheld: false,
      commitment: null,
      report_hash: ROW.report,
      published_at: '2026-08-03T09:00:00Z',
      proof_day: null,
      bitcoin_height: null,
      proof_url: null,
    },
  );
  const { status, z } = periodPayload(VIEWS, '2026-07-11', { ...ROW, status: null, z: null });
  assert.deepEqual([status, z], ['history', null]);
});

function shown(value: string, decimals = 0): readonly [number | null, string | null] {
  const { value: plain, value_decimal: text } = periodPayload(VIEWS, '2026-07-25', {
    ...ROW,
    value,
    decimals,
  });
  return [plain, text];
}

test('period payload: beyond 2^53-1 the plain number is null and the text stands', () => {
  assert.deepEqual(shown('9007199254740991'), [9007199254740991, '9007199254740991']);
  assert.deepEqual(shown('9007199254740992'), [null, '9007199254740992']);
  assert.deepEqual(shown('9007199254740993'), [null, '9007199254740993']);
  assert.deepEqual(shown('-9223372036854775808', 18), [null, '-9.223372036854775808']);
  assert.deepEqual(shown('-1', 18), [-1e-18, '-0.000000000000000001']);
  assert.deepEqual(shown('331204', 3), [331.204, '331.204']);
  assert.equal(decimalText(null, 3), null);
});
