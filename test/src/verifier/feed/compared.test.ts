import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { DateText } from '@assay/core/time/time';
import { type Compared, pageName, slotFor } from '@assay/verifier/feed/compared';
import { TICKER } from '../fixture/chained-log.ts';

const slots = Array.from({ length: 32 }, (_, i) => ({ period: i }));
const compared = {
  kinds: new Map([[TICKER, 'utc_day']]),
  pages: new Map<string, unknown>([
    [pageName(TICKER, 0), { account: { slots }, slot: 7 }],
    [pageName(TICKER, 1), null],
  ]),
} as unknown as Compared;
const at = (period: string, ticker = TICKER) =>
  slotFor({ ticker, period: period as DateText }, compared);

test('a period is found in its slot of its page', () => {
  assert.deepEqual(at('1970-01-05')?.slot, { period: 4 });
  assert.equal(at('1970-01-05')?.held?.slot, 7);
});

test('a page that is not there has no slot; one that was not checked is nothing', () => {
  assert.deepEqual(at('1970-02-05'), { held: null, slot: null });
  assert.equal(at('1970-12-31'), undefined);
  assert.equal(at('1969-12-31'), undefined);
  assert.equal(at('1970-01-05', 'OTHER' as never), undefined);
});
