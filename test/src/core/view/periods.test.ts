import assert from 'node:assert/strict';
import { test } from 'node:test';
import { reportHash } from '@assay/core/report/report';
import type { Ticker } from '@assay/core/rule/ticker';
import { type DateText, formatDate, parseDate, toDate } from '@assay/core/time/time';
import {
  isComplete,
  newestComplete,
  periodRow,
  periodRows,
  periodsBack,
  settlementHistory,
  withheldFinals,
} from '@assay/core/view/periods';
import {
  GENESIS,
  layoffsRule,
  SampleLog,
  sampleReport,
  sha256,
  SOME_HASH,
  table,
} from '../fixture/fixture.ts';
import { revision, SIGNATURE, smallLog } from './small-log.ts';

const TICKER = 'LAYOFFS' as Ticker;
const PRINTED = '2026-07-25' as DateText;

const HISTORY = {
  basis: 'history',
  status: null,
  settlement_value: null,
  revised: null,
  revised_on: null,
  z: null,
  band: null,
  withheld: false,
  commitment: null,
  settleable: false,
  report: null,
  final_report: null,
  cosigners: null,
  published_at: null,
};

test('periods view: exact rows of a small log', () => {
  const { log, views } = smallLog();
  const corrected = sampleReport('corrected', { log });
  const final = sampleReport('final', { log });
  const empty = sampleReport('void', { log });
  assert.deepEqual(table(views, 'periods/LAYOFFS'), {
    '2026-07-11': { ...HISTORY, value: '209000', decimals: 0 },
    '2026-07-18': { ...HISTORY, value: '215000', decimals: 0 },
    '2026-07-25': {
      basis: 'print',
      status: 'corrected',
      value: '217000',
      settlement_value: '218000',
      revised: '219000',
      revised_on: '2026-08-06',
      z: null,
      band: null,
      withheld: false,
      commitment: null,
      settleable: true,
      decimals: 0,
      report: reportHash(sha256, corrected),
      final_report: reportHash(sha256, final),
      cosigners: final.cosigners,
      published_at: '2026-08-03T09:00:00Z',
    },
    '2026-08-01': {
      ...HISTORY,
      basis: 'print',
      status: 'void',
      value: null,
      decimals: 0,
      report: reportHash(sha256, empty),
      published_at: '2026-08-20T12:30:02Z',
    },
  });
  assert.deepEqual(table(views, 'periods/CPI'), {
    '2025-09-01': { ...HISTORY, value: '324800', decimals: 3 },
    '2025-11-01': { ...HISTORY, value: '325031', decimals: 3 },
  });
});

function started(): SampleLog {
  const log = new SampleLog();
  log.append('genesis/1', GENESIS);
  log.append('rule/1', { rule: layoffsRule() });
  return log;
}

function row(log: SampleLog, period: string = PRINTED): Record<string, unknown> {
  return { ...periodRow(log.views, TICKER, toDate(period)) };
}

test('periods view: the settlement value is the first final, whatever comes after', () => {
  const log = started();
  const steps: readonly (readonly [string, object, string | null])[] = [
    ['provisional', {}, null],
    ['final', {}, '218000'],
    ['corrected', { value: '1' }, '218000'],
    ['final', { value: '2' }, '218000'],
    ['void', { period: PRINTED }, '218000'],
  ];
  for (const [name, change, settlement] of steps) {
    log.append('report/1', {
      report: sampleReport(name, change as Record<string, unknown>),
      signature: SIGNATURE,
    });
    assert.equal(row(log)['settlement_value'], settlement, name);
    const first = settlement === null ? null : reportHash(sha256, sampleReport('final'));
    assert.equal(row(log)['final_report'], first, name);
  }
});

test('periods view: a withheld final has no settlement value to show', () => {
  const log = started();
  log.append('report/1', { report: sampleReport('withheld'), signature: SIGNATURE });
  const { value, settlement_value: settlement, withheld, z, band } = row(log);
  assert.deepEqual([value, settlement, withheld, z, band], [null, null, true, '-1.3', 'normal']);
});

test('periods view: a revision stands beside the print, and goes when it says the same', () => {
  const log = started();
  log.append('report/1', { report: sampleReport('final'), signature: SIGNATURE });
  const revised = (value: string): void =>
    log.append('revision/1', revision([{ period: PRINTED, value }]));
  revised('219000');
  assert.deepEqual(
    [row(log)['revised'], row(log)['revised_on'], row(log)['value']],
    ['219000', '2026-08-06', '218000'],
  );
  revised('218000');
  assert.deepEqual([row(log)['revised'], row(log)['revised_on']], [null, null]);
  revised('217000');
  log.append('report/1', { report: sampleReport('corrected'), signature: SIGNATURE });
  assert.deepEqual(
    [row(log)['value'], row(log)['revised'], row(log)['revised_on']],
    ['217000', null, null],
    'the correction says what the revision said',
  );
});

test('periods view: a print takes the place of history', () => {
  const log = started();
  log.append('revision/1', revision([{ period: PRINTED, value: '5' }]));
  assert.equal(row(log)['basis'], 'history');
  log.append('report/1', { report: sampleReport('final'), signature: SIGNATURE });
  assert.deepEqual(
    [row(log)['basis'], row(log)['value'], row(log)['revised']],
    ['print', '218000', null],
  );
});

test('periods view: history under an unknown rule has no decimals', () => {
  const log = started();
  log.append('revision/1', revision([{ period: PRINTED, value: '5' }], { rule: SOME_HASH }));
  assert.equal(row(log)['decimals'], 0);
});

test('periods view: lists by date; complete is all but provisional', () => {
  const { views } = smallLog();
  const rows = periodRows(views, TICKER);
  assert.deepEqual(
    rows.map(([period]) => period),
    ['2026-07-11', '2026-07-18', '2026-07-25', '2026-08-01'],
  );
  assert.deepEqual(
    rows.map(([, each]) => isComplete(each)),
    [true, true, true, true],
  );
  const log = started();
  log.append('report/1', { report: sampleReport('provisional'), signature: SIGNATURE });
  assert.deepEqual(
    periodRows(log.views, TICKER).map(([, each]) => isComplete(each)),
    [false],
  );
});

test('periods view: what z is measured against', () => {
  const { views } = smallLog();
  const all = { split: 'none', window: 1000 } as const;
  assert.deepEqual(settlementHistory(views, TICKER, '2026-08-08' as DateText, all), [218_000n]);
  assert.deepEqual(settlementHistory(views, TICKER, PRINTED, all), []);
  const later = '2027-01-02' as DateText;
  const settle = (period: string, value: string): void => {
    const settled = { ...(periodRow(views, TICKER, PRINTED) as object), settlement_value: value };
    views.write([{ table: 'periods/LAYOFFS', key: period, value: settled }]);
  };
  for (const [i, period] of ['2026-12-20', '2026-12-26', '2026-12-27'].entries()) {
    settle(period, `${i}`);
  }
  const of = (split: 'none' | 'weekday', window: number): readonly bigint[] =>
    settlementHistory(views, TICKER, later, { split, window });
  assert.deepEqual(of('none', 2), [1n, 2n], 'the newest, oldest first');
  assert.deepEqual(of('none', 4), [218_000n, 0n, 1n, 2n]);
  assert.deepEqual(of('weekday', 4), [218_000n, 1n], 'Saturdays');
  assert.deepEqual(of('weekday', 1), [1n]);
});

test('periods view: backwards, and the newest that are complete', () => {
  const { views } = smallLog();
  const provisional = { ...(periodRow(views, TICKER, PRINTED) as object), status: 'provisional' };
  views.write([{ table: 'periods/LAYOFFS', key: '2026-08-08', value: provisional }]);
  const rows = periodRows(views, TICKER);
  assert.deepEqual([...periodsBack(views, TICKER)], [...rows].reverse());
  assert.deepEqual([...periodsBack(views, TICKER, PRINTED)], rows.slice(0, 2).reverse());
  const complete = rows.filter(([, each]) => isComplete(each));
  assert.equal(complete.length, 4);
  for (const most of [0, 1, 3, 4, 5, Number.POSITIVE_INFINITY]) {
    assert.deepEqual(newestComplete(views, TICKER, most), complete.slice(Math.max(0, 4 - most)));
  }
});

test('periods view: split by weekday, a day is measured against days of its name alone', () => {
  const log = started();
  // Eleven days from a Monday; the eighth is void, the ninth has no first print.
  const days = Array.from({ length: 11 }, (_, i) => formatDate(parseDate('2026-07-06') + i));
  for (const [i, period] of days.entries()) {
    const value = String(1000 + i);
    if (i === 8) {
      log.append('revision/1', revision([{ period, value }]));
      continue;
    }
    const change = i === 7 ? {} : { value };
    const report = sampleReport(i === 7 ? 'void' : 'final', { log: log.log, period, ...change });
    log.append('report/1', { report, signature: SIGNATURE });
  }
  const against = (period: string, split: 'none' | 'weekday'): readonly bigint[] =>
    settlementHistory(log.views, TICKER, period as DateText, { split, window: 52 });
  assert.deepEqual(against('2026-07-20', 'weekday'), [1000n], 'a Monday: the second was void');
  assert.deepEqual(against('2026-07-21', 'weekday'), [1001n], 'a Tuesday: the second is history');
  assert.deepEqual(against('2026-07-22', 'weekday'), [1002n, 1009n]);
  assert.deepEqual(against('2026-07-15', 'weekday'), [1002n], 'not itself');
  assert.deepEqual(against('2026-07-18', 'weekday'), [1005n]);
  assert.equal(against('2026-07-22', 'none').length, 9);
  assert.deepEqual(withheldFinals(log.views, TICKER, '2026-07-22' as DateText, 'weekday', 52), []);
});

test('periods view: withheld finals before a period, split by weekday or not', () => {
  const log = started();
  for (const [i, period] of ['2026-07-06', '2026-07-07', '2026-07-13', '2026-07-14'].entries()) {
    const report = sampleReport('withheld', {
      log: log.log,
      period,
      commitment: `0${i}`.repeat(32),
    });
    log.append('report/1', { report, signature: SIGNATURE });
  }
  const before = (period: string, split: 'none' | 'weekday'): readonly string[] =>
    withheldFinals(log.views, TICKER, period as DateText, split, 52).map((each) =>
      each.slice(0, 2),
    );
  assert.deepEqual(before('2026-07-20', 'none'), ['00', '01', '02', '03']);
  assert.deepEqual(before('2026-07-20', 'weekday'), ['00', '02']);
  assert.deepEqual(before('2026-07-13', 'weekday'), ['00']);
  assert.deepEqual(before('2026-07-06', 'none'), []);
  const newest = withheldFinals(log.views, TICKER, '2026-07-20' as DateText, 'none', 3);
  assert.deepEqual(
    newest.map((each) => each.slice(0, 2)),
    ['01', '02', '03'],
  );
});
