import assert from 'node:assert/strict';
import { test } from 'node:test';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { formatUtf8 } from '@assay/core/bytes/utf8';
import { contentHash, hashHex, type HashHex } from '@assay/core/hash/hash';
import type { Ticker } from '@assay/core/rule/ticker';
import { type DateText, formatDate, parseDate } from '@assay/core/time/time';
import { periodsBack } from '@assay/core/view/periods';
import { type ReportRow, reportsOf } from '@assay/core/view/reports';
import { tickers } from '@assay/core/view/rules';
import type { ViewState } from '@assay/core/view/view';
import { formatWire, parseWire, type WireValue } from '@assay/core/wire/wire';
import { crossCheck } from '@assay/verifier/watch/cross-check';
import { PublisherPrints } from '@assay/verifier/watch/publisher-prints';
import { makeGround } from '../fixture/misdeeds.ts';
import { ENVIRONMENT } from '../fixture/published.ts';

/** Periods with one report each. */
const COUNT = 20_000;
/** Bytes that may be held of a report, whose row has some thousands. */
const MOST_EACH = 150;

setFlagsFromString('--expose-gc');
const gc = runInNewContext('gc') as () => void;
const { sha256 } = ENVIRONMENT;
const { published } = await makeGround();
const { views } = published;
const [ticker, period] = printed();
const sample = formatWire(reportsOf(views, ticker, period)[0] as unknown as WireValue);
const periodRow = formatWire(views.get(`periods/${ticker}`, period) as WireValue);

/** An index of the log, and a period of it with a report. */
function printed(): readonly [Ticker, DateText] {
  for (const each of tickers(views)) {
    for (const [of] of periodsBack(views, each)) {
      if (reportsOf(views, each, of).length > 0) return [each, of];
    }
  }
  throw new Error('the log has no report');
}

/** The bytes in use, those of typed arrays among them. */
function inUse(): number {
  gc();
  const { heapUsed, arrayBuffers } = process.memoryUsage();
  return heapUsed + arrayBuffers;
}

/** A report of a period, made when it is read, as a row on a disk is. */
function reportIn(of: DateText): WireValue {
  const row = parseWire(sample) as unknown as ReportRow;
  const hash = hashHex(contentHash(sha256, formatUtf8(of)));
  const report = { ...row.report, period: of };
  return { ...row, seq: 1000 + parseDate(of), hash, report } as unknown as WireValue;
}

const REPORTS = `reports/${ticker}/`;
const stored: ViewState = {
  get: (table, key) => views.get(table, key),
  *list(table) {
    if (table.startsWith(REPORTS)) {
      yield ['000000', reportIn(table.slice(REPORTS.length) as DateText)];
    } else if (!table.startsWith('reports/')) {
      yield* views.list(table);
    }
  },
  *descend(table, below) {
    if (table !== `periods/${ticker}`) {
      if (!table.startsWith('periods/')) yield* views.descend(table, below);
      return;
    }
    for (let day = COUNT; day > 0; day -= 1) yield [formatDate(day), parseWire(periodRow)];
  },
};

test('the reports of a publisher whose prints were compared are not held', () => {
  const log = { state: stored, owedSince: () => 1 };
  const prints = new PublisherPrints();
  const before = inUse();
  assert.deepEqual(prints.take(log, '', sha256), []);
  const each = (inUse() - before) / COUNT;
  assert.ok(each < MOST_EACH, `${each} bytes of a report`);
  assert.deepEqual(prints.take(log, '', sha256), []);
});

test('the reports of a publisher are not held while its log is compared with that of a co-signer', () => {
  const log = hashHex(contentHash(sha256, new Uint8Array(0))) as HashHex;
  const before = inUse();
  let most = 0;
  const recounter: ViewState = {
    get: () => undefined,
    // The statements of the co-signer are read when the reports were.
    list() {
      most = Math.max(most, inUse() - before);
      return [];
    },
    descend: () => [],
  };
  const found = crossCheck(
    { state: stored, log, size: 100_000, owedSince: () => undefined },
    { state: recounter, key: '00', name: 'co-signer.example' },
    { now: 0, graceS: 0 },
    sha256,
  );
  assert.deepEqual(found, []);
  assert.ok(most > 0);
  assert.ok(most / COUNT < MOST_EACH, `${most / COUNT} bytes of a report`);
});
