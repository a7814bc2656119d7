import assert from 'node:assert/strict';
import { test } from 'node:test';
import { decimalText, periodPayload } from '@assay/core/answer/period';
import type { Ticker } from '@assay/core/rule/ticker';
import type { DateText } from '@assay/core/time/time';
import { type PeriodRow, periodRow } from '@assay/core/view/periods';
import {
  cosignerSet,
  cosignOf,
  dissentOf,
  HANDS,
  handOf,
  recountedLog,
  recountedReport,
} from '../fixture/cosigner-fixture.ts';
import type { SampleLog } from '../fixture/fixture.ts';
import { SIGNATURE, smallLog } from '../view/small-log.ts';

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
      quorum: { required: 0, have: 0 },
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

/** Whether money may settle on a period of a log, and how many of its co-signers have signed. */
function settles(log: SampleLog, period: string): readonly unknown[] {
  const row = periodRow(log.views, 'LAYOFFS' as Ticker, period as DateText) as PeriodRow;
  const { settleable, quorum } = periodPayload(log.views, period, row);
  return [settleable, quorum && `${quorum.have} of ${quorum.required}`];
}

test('period payload: a final is settleable once its own co-signers have signed it, and not before', () => {
  const log = recountedLog();
  const final = recountedReport('final', { log: log.log });
  const show = (): readonly unknown[] => settles(log, final.period);
  log.append('report/1', { report: final, signature: SIGNATURE });
  assert.deepEqual(show(), [false, '0 of 2']);
  log.append('cosign/1', cosignOf(final, HANDS[0]));
  log.append('cosign/1', cosignOf(final, handOf('01'.repeat(32))));
  log.append('dissent/1', dissentOf(final, HANDS[2]));
  assert.deepEqual(show(), [false, '1 of 2']);
  // Another set that came later signs nothing of this report.
  log.append('cosigners/1', cosignerSet({ number: 1 }), '2026-08-20T00:00:00Z');
  log.append('cosign/1', cosignOf(final, HANDS[1]));
  assert.deepEqual(show(), [true, '2 of 2']);
});

test('period payload: a correction is not what settles, nor whose co-signers count', () => {
  const log = recountedLog();
  const final = recountedReport('final', { log: log.log });
  const corrected = recountedReport('corrected', { log: log.log });
  log.append('report/1', { report: final, signature: SIGNATURE });
  log.append('cosign/1', cosignOf(final, HANDS[0]));
  log.append('report/1', { report: corrected, signature: SIGNATURE });
  log.append('cosign/1', cosignOf(corrected, HANDS[0]));
  log.append('cosign/1', cosignOf(corrected, HANDS[1]));
  assert.deepEqual(settles(log, final.period), [false, '1 of 2']);
  log.append('cosign/1', cosignOf(final, HANDS[1]));
  assert.deepEqual(settles(log, final.period), [true, '2 of 2']);
});

test('period payload: co-signers that are required of no set never come', () => {
  const log = recountedLog();
  const final = recountedReport('final', {
    log: log.log,
    cosigners: { set: null, required: 1 },
  });
  log.append('report/1', { report: final, signature: SIGNATURE });
  for (const hand of HANDS) log.append('cosign/1', cosignOf(final, hand));
  assert.deepEqual(settles(log, final.period), [false, '0 of 1']);
});

test('period payload: before a final there is no quorum', () => {
  const log = recountedLog();
  const early = recountedReport('provisional', { log: log.log });
  log.append('report/1', { report: early, signature: SIGNATURE });
  assert.deepEqual(settles(log, early.period), [false, null]);
});
