import assert from 'node:assert/strict';
import { test } from 'node:test';
import { historyCsv } from '@assay/core/answer/history-csv';
import { indexDetailPayload } from '@assay/core/answer/index';
import { settlementCsv, settlementStatus } from '@assay/core/answer/settlement-status';
import type { Ticker } from '@assay/core/rule/ticker';
import { periodRows } from '@assay/core/view/periods';
import { cosignOf, HANDS, recountedLog, recountedReport } from '../fixture/cosigner-fixture.ts';
import { layoffsRule, type SampleLog, sampleReport, sha256 } from '../fixture/fixture.ts';
import { SIGNATURE, smallLog } from '../view/small-log.ts';

const TICKER = 'LAYOFFS' as Ticker;

function statuses(log: SampleLog) {
  return periodRows(log.views, TICKER).map(([period, row]) =>
    settlementStatus(log.views, TICKER, period, row),
  );
}

/** Of the newest period: its status, whether it settles, why not, and how many have signed. */
function newest(log: SampleLog): string {
  const { status, settleable, unsettled, have, seq } = statuses(log).at(-1) ?? {};
  return `${status} ${settleable} ${unsettled} ${have} ${seq}`;
}

/** A log with co-signers and a rule. */
function ruled(): SampleLog {
  const log = recountedLog();
  log.append('rule/1', { rule: layoffsRule() });
  return log;
}

test('settlement status: why a period does not settle', () => {
  const log = recountedLog();
  const append = (name: string, change: object = {}) => {
    const report = recountedReport(name, { log: log.log, ...change });
    log.append('report/1', { report, signature: SIGNATURE });
    return report;
  };
  append('provisional');
  assert.equal(newest(log), 'provisional false provisional null 2');
  const final = append('final');
  assert.equal(newest(log), 'final false quorum 0 3');
  log.append('cosign/1', cosignOf(final, HANDS[0]));
  assert.equal(newest(log), 'final false quorum 1 3');
  log.append('cosign/1', cosignOf(final, HANDS[1]));
  assert.equal(newest(log), 'final true null 2 3');
  append('corrected');
  assert.equal(newest(log), 'corrected true null 2 3', 'a correction takes nothing from it');
  const [{ cosigners } = { cosigners: [] }] = statuses(log).slice(-1);
  assert.deepEqual(cosigners, [HANDS[0].key, HANDS[1].key]);
});

test('settlement status: terms, a withheld level, a void and a history', () => {
  const log = smallLog();
  const found = statuses(log).map(({ period, unsettled }) => `${period} ${unsettled}`);
  assert.deepEqual(found, [
    '2026-07-11 history',
    '2026-07-18 history',
    '2026-07-25 null',
    '2026-08-01 void',
  ]);
  const other = recountedLog();
  const refused = sampleReport('final', { log: other.log, settleable: false });
  other.append('report/1', { report: refused, signature: SIGNATURE });
  assert.equal(newest(other), 'final false terms 0 2');
  const hidden = recountedLog();
  const withheld = sampleReport('withheld', { log: hidden.log });
  hidden.append('report/1', { report: withheld, signature: SIGNATURE });
  assert.match(newest(hidden), /^final false withheld /);
});

test('settlement status: it says of each period what the index says', () => {
  for (const log of [smallLog(), ruled()]) {
    const { periods } = indexDetailPayload(log.views, sha256, TICKER);
    const listed = new Map(periods.map((each) => [each.period, each]));
    for (const each of statuses(log)) {
      const same = listed.get(each.period);
      assert.deepEqual(
        [each.status, each.settleable, each.withheld, each.settlement_value, each.value],
        [
          same?.status,
          same?.settleable,
          same?.withheld,
          same?.settlement_value_decimal,
          same?.value_decimal,
        ],
      );
      assert.equal(each.settleable, each.unsettled === null, 'a reason exactly where it does not');
    }
  }
});

test('settlement status: the CSV has the rows of history.csv, and names who has signed', () => {
  const log = ruled();
  const report = recountedReport('final', { log: log.log });
  log.append('report/1', { report, signature: SIGNATURE });
  for (const hand of HANDS.slice(0, 2)) log.append('cosign/1', cosignOf(report, hand));
  const [{ report_hash: hash } = { report_hash: null }] = statuses(log);
  assert.equal(
    settlementCsv(log.views, TICKER),
    'ticker,period,status,settlement_value,settleable,unsettled,withheld,required,have,report_hash,seq,cosigners\n' +
      `LAYOFFS,2026-07-25,final,218000,true,,false,2,2,${hash},3,${HANDS[0].key};${HANDS[1].key}\n`,
  );
  const small = smallLog();
  const periods = (csv: string): readonly (string | undefined)[] =>
    csv.split('\n').map((line) => line.split(',')[1]);
  assert.deepEqual(
    periods(settlementCsv(small.views, TICKER)),
    periods(historyCsv(small.views, TICKER)),
  );
  assert.match(
    settlementCsv(small.views, TICKER),
    /^LAYOFFS,2026-07-11,history,,false,history,false,,,,,$/m,
  );
});
