import assert from 'node:assert/strict';
import { test } from 'node:test';
import { recountPayload } from '@assay/core/answer/recount';
import { reportPayload } from '@assay/core/answer/report';
import type { Ticker } from '@assay/core/rule/ticker';
import type { DateText } from '@assay/core/time/time';
import {
  cosignOf,
  dissentOf,
  HANDS,
  recountedLog,
  recountedReport,
  SET,
  SET_HASH,
} from '../fixture/cosigner-fixture.ts';
import { layoffsRule, sha256 } from '../fixture/fixture.ts';
import { SIGNATURE, smallLog } from '../view/small-log.ts';

const TICKER = 'LAYOFFS' as Ticker;

test('recount: of a period to come, who recounts it; of a printed one, what they said', () => {
  const log = recountedLog();
  log.append('rule/1', { rule: layoffsRule() });
  const report = recountedReport('final', { log: log.log });
  log.append('report/1', { report, signature: SIGNATURE });
  log.append('cosign/1', cosignOf(report, HANDS[0]));
  log.append('dissent/1', dissentOf(report, HANDS[2]));
  const next = recountPayload(log.views, TICKER);
  assert.deepEqual(next, {
    ticker: 'LAYOFFS',
    period: '2026-08-01',
    release_at: '2026-08-06T12:30:00Z',
    set: SET_HASH,
    required: SET.threshold,
    cosigners: SET.cosigners,
    report: null,
    quorum: null,
    cosignatures: [],
    dissents: [],
  });
  const period = '2026-07-25' as DateText;
  const { hash, quorum, cosignatures, dissents } =
    reportPayload(log.views, TICKER, sha256, period) ?? {};
  assert.deepEqual(
    { ...recountPayload(log.views, TICKER, period), release_at: null },
    { ...next, period, release_at: null, report: hash, quorum, cosignatures, dissents },
  );
  assert.equal(quorum?.have, 1);
});

test('recount: a log without co-signers names none, and what is no period has none', () => {
  const { views } = smallLog();
  const { set, cosigners, required } = recountPayload(views, TICKER) ?? {};
  assert.deepEqual([set, cosigners, required], [null, [], 0]);
  for (const period of ['2026-08-02', '1999-01-02']) {
    assert.equal(recountPayload(views, TICKER, period as DateText), undefined, period);
  }
});
