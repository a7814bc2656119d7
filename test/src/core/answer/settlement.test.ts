import assert from 'node:assert/strict';
import { test } from 'node:test';
import { closeHash, parseCloseContent } from '@assay/core/report/close';
import { contentHash, hashHex } from '@assay/core/hash/hash';
import { historyCsv } from '@assay/core/answer/history-csv';
import { indexSummary } from '@assay/core/answer/index';
import { listingOf } from '@assay/core/answer/listing';
import { reportPayload } from '@assay/core/answer/report';
import {
  draftClose,
  isOutdated,
  type SettlementFile,
  settlementPath,
  type SettlementPayload,
} from '@assay/core/answer/settlement';
import { reportHash } from '@assay/core/report/report';
import type { Ticker } from '@assay/core/rule/ticker';
import type { DateText } from '@assay/core/time/time';
import { closesOf } from '@assay/core/view/closes';
import { MemoryViews } from '@assay/core/view/state';
import type { WireValue } from '@assay/core/wire/wire';
import { appendClose, CLOSES, nextClose } from '../fixture/close-fixture.ts';
import {
  cpiRule,
  GENESIS,
  layoffsRule,
  SampleLog,
  sampleReport,
  sha256,
  withheldRule,
} from '../fixture/fixture.ts';
import { SIGNATURE, smallLog } from '../view/small-log.ts';

const TICKER = 'LAYOFFS' as Ticker;

function print(log: SampleLog, name: string, change: object = {}): void {
  const report = sampleReport(name, { log: log.log, ...change });
  log.append('report/1', { report, signature: SIGNATURE });
}

function started(...rules: readonly object[]): SampleLog {
  const log = new SampleLog();
  log.append('genesis/1', GENESIS);
  for (const rule of rules) log.append('rule/1', { rule });
  return log;
}

function jsonOf(files: readonly SettlementFile[], path: string): SettlementPayload {
  const file = files.find((each) => each.path === path);
  assert.ok(file !== undefined, path);
  const text = Buffer.from(file.body).toString();
  assert.ok(text.endsWith('}\n'));
  return JSON.parse(text) as SettlementPayload;
}

test('settlement: the first Close of a day has the newest complete period of each index with a print', () => {
  const log = smallLog();
  const draft = nextClose(log, '2026-08-21');
  assert.ok(draft !== undefined);
  const { content, version, supersedes, files } = draft;
  assert.deepEqual([version, supersedes], [0, null]);
  const voided = sampleReport('void', { log: log.log });
  assert.deepEqual(content.items, [
    { ticker: 'LAYOFFS', period: '2026-08-01', report: reportHash(sha256, voided), value: null },
  ]);
  // CPI has history alone: nothing of it is signed, and nothing of it is frozen.
  assert.deepEqual(
    files.map(({ path, contentType }) => [path, contentType]),
    [
      ['2026-08-21/LAYOFFS.csv', 'text/csv'],
      ['2026-08-21/LAYOFFS.json', 'application/json'],
    ],
  );
  assert.deepEqual(
    content.files,
    files.map(({ path, body }) => ({ path, sha256: hashHex(contentHash(sha256, body)) })),
  );
  assert.deepEqual(
    parseCloseContent(JSON.parse(JSON.stringify(content)) as WireValue, ''),
    content,
    'what is drafted is what a reader takes',
  );
  const [csv] = files;
  assert.equal(Buffer.from(csv?.body ?? []).toString(), historyCsv(log.views, TICKER, 30));
  const listed = listingOf(log.views, TICKER);
  assert.deepEqual(
    jsonOf(files, '2026-08-21/LAYOFFS.json'),
    JSON.parse(
      JSON.stringify({
        type: 'assay-settlement/1',
        day: '2026-08-21',
        log: log.log,
        index: indexSummary(log.views, TICKER),
        report: reportPayload(log.views, TICKER, sha256, '2026-08-01' as DateText),
        kit: 'kit' in listed ? listed.kit : null,
        no_kit: null,
      }),
    ),
  );
});

test('settlement: the files of logs that were written before keep their bytes', () => {
  // A Close names them by these hashes, and is found wrong where the same rows make other files. A change that comes to
  // these lines must leave what was written alone: a member that is new belongs to what is new, and to nothing else.
  const log = smallLog();
  const hashes = (day: string): readonly string[] =>
    nextClose(log, day)?.content.files.map((each) => each.sha256) ?? [];
  assert.deepEqual(hashes('2026-08-21'), [
    'f6e97fe07554ef37ec94bea11469075453a537561ec44b362843b561ee49bd5a',
    '4b40e9cda2315612bb420ebc5e390735def4a0a0e418a69d41d23211da191bbd',
  ]);
  assert.deepEqual(hashes('2026-08-19'), [
    'f6e97fe07554ef37ec94bea11469075453a537561ec44b362843b561ee49bd5a',
    'acd07e4fd69999e6a79533f259ce8fe2417c1ebd5ecc18cac5e29bb57407fbd2',
  ]);
});

test('settlement: a Close holds what was complete by the end of its day, not what came after', () => {
  const log = smallLog();
  // The void of 2026-08-01 was published on 2026-08-20, the final of 2026-07-25 on 2026-07-30.
  const periodOn = (day: string): string | undefined =>
    nextClose(log, day)?.content.items[0]?.period;
  assert.equal(periodOn('2026-08-20'), '2026-08-01');
  assert.equal(periodOn('2026-08-19'), '2026-07-25');
  assert.equal(periodOn('2026-07-30'), '2026-07-25');
  assert.equal(periodOn('2026-07-29'), undefined);
  const early = nextClose(log, '2026-08-19');
  assert.ok(early !== undefined);
  // The correction is the newest report of a period that was complete.
  const corrected = sampleReport('corrected', { log: log.log });
  assert.deepEqual(early.content.items[0], {
    ticker: 'LAYOFFS',
    period: '2026-07-25',
    report: reportHash(sha256, corrected),
    value: corrected.value,
  });
  assert.equal(
    jsonOf(early.files, '2026-08-19/LAYOFFS.json').report?.report.period,
    '2026-07-25',
    'the file has the report that the Close froze',
  );
});

test('settlement: a provisional period is not frozen', () => {
  const log = started(layoffsRule());
  print(log, 'provisional');
  assert.equal(nextClose(log, '2026-08-21'), undefined);
  print(log, 'final');
  print(log, 'provisional', { period: '2026-08-01' });
  assert.equal(nextClose(log, '2026-08-21')?.content.items[0]?.period, '2026-07-25');
});

test('settlement: nothing is frozen of a log without a print', () => {
  assert.equal(
    draftClose(new MemoryViews(), sha256, '2026-08-21' as DateText, undefined),
    undefined,
  );
  assert.equal(nextClose(started(layoffsRule(), cpiRule()), '2026-08-21'), undefined);
});

test('settlement: items by ticker, files by path, in the order of their bytes', () => {
  const log = started(layoffsRule(), cpiRule());
  print(log, 'final');
  print(log, 'lowest i64, three decimals');
  const draft = nextClose(log, '2026-08-21');
  assert.deepEqual(
    draft?.content.items.map(({ ticker, value }) => [ticker, value]),
    [
      ['CPI', '-9223372036854775808'],
      ['LAYOFFS', '218000'],
    ],
  );
  assert.deepEqual(
    draft.content.files.map(({ path }) => path),
    ['csv', 'json']
      .flatMap((end) => [`2026-08-21/LAYOFFS.${end}`])
      .concat(['csv', 'json'].map((end) => `2026-08-21/cpi.${end}`)),
  );
  const { kit, no_kit: reason } = jsonOf(draft.files, '2026-08-21/cpi.json');
  assert.deepEqual([kit, reason], [null, 'A monthly level is not offered as a market.']);
});

test('settlement: a later version keeps the periods, has a folder of its own and names what it replaces', () => {
  const log = started(layoffsRule(), cpiRule());
  print(log, 'final');
  const first = appendClose(log, '2026-07-30', '2026-07-31T00:00:05Z');
  const [row] = closesOf(log.views, '2026-07-30' as DateText);
  assert.ok(row !== undefined);
  assert.equal(isOutdated(row, log.views), false);
  // A newer period and another index change nothing of the day that is frozen.
  print(log, 'void');
  print(log, 'lowest i64, three decimals', { published_at: '2026-07-30T12:00:00Z' });
  assert.equal(isOutdated(row, log.views), false);
  print(log, 'corrected');
  assert.equal(isOutdated(row, log.views), true);
  const second = nextClose(log, '2026-07-30');
  assert.ok(second !== undefined);
  assert.deepEqual([second.version, second.supersedes], [1, closeHash(sha256, first.content)]);
  assert.deepEqual(
    second.content.items.map(({ ticker, period, value }) => [ticker, period, value]),
    [['LAYOFFS', '2026-07-25', '217000']],
  );
  assert.deepEqual(
    second.content.files.map(({ path }) => path),
    ['2026-07-30/v1/LAYOFFS.csv', '2026-07-30/v1/LAYOFFS.json'],
  );
  const file = jsonOf(second.files, '2026-07-30/v1/LAYOFFS.json');
  assert.deepEqual([file.day, file.report?.report.value], ['2026-07-30', '217000']);
  assert.equal(
    file.index.periods.find(({ period }) => period === '2026-07-25')?.settlement_value,
    218_000,
    'what settled stays what settled',
  );
});

test('settlement: a withheld level is frozen without its value, and has no kit', () => {
  const log = started(withheldRule());
  print(log, 'withheld');
  const draft = nextClose(log, '2026-07-30');
  assert.equal(draft?.content.items[0]?.value, null);
  const file = jsonOf(draft.files, '2026-07-30/LAYOFFS.json');
  assert.deepEqual([file.kit, file.no_kit], [null, 'The level is withheld.']);
  assert.equal(file.report?.report.commitment, sampleReport('withheld').commitment);
});

test('settlement: a Close that names what the log does not have drafts nothing of it', () => {
  const log = smallLog();
  for (const { entry } of CLOSES) log.append('close/1', entry);
  for (const day of ['2026-07-30', '2026-12-31', '1970-01-01', '9999-12-31']) {
    const draft = nextClose(log, day);
    for (const { ticker } of draft?.content.items ?? []) assert.equal(ticker, TICKER, day);
    for (const row of closesOf(log.views, day as DateText)) isOutdated(row, log.views);
  }
  assert.equal(nextClose(log, '1970-01-01'), undefined);
});

test('settlement: paths', () => {
  const day = '2026-07-30' as DateText;
  assert.equal(settlementPath(day, 0, 'jobs', 'json'), '2026-07-30/jobs.json');
  assert.equal(settlementPath(day, 12, 'GIGS', 'csv'), '2026-07-30/v12/GIGS.csv');
});
