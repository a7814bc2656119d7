import assert from 'node:assert/strict';
import { test } from 'node:test';
import {
  DATASET_COLUMNS,
  datasetCsv,
  datasetPayload,
  datasetStart,
} from '@assay/node/terminal/answer/dataset';
import { formatTime, toDate } from '@assay/core/time/time';
import { GENESIS, SampleLog, SOME_HASH } from '../../../core/fixture/fixture.ts';
import { marketEvent, terminalLog } from '../../../core/terminal/terminal-log.ts';

const SINCE = toDate('2026-08-27');

test('dataset: each row has every column in its order, and no z', () => {
  const { log } = terminalLog(9);
  const { rows } = datasetPayload(log.views, { since: SINCE, limit: 5000, offset: 0 });
  assert.equal(rows.length, 3);
  for (const row of rows) assert.deepEqual(Object.keys(row), DATASET_COLUMNS);
  assert.ok(!DATASET_COLUMNS.some((name) => /(^|_)z(_|$)/.test(name)));
  assert.equal(datasetCsv([]), `${DATASET_COLUMNS.join(',')}\n`);
  assert.equal(datasetCsv(rows).split('\n').length, 5);
});

test('dataset: it begins on a day of its own in a replay, that of the first tick of any class', () => {
  const dayOf = (origin: string, ...ticks: readonly (readonly [string, string])[]): string => {
    const log = new SampleLog();
    log.append('genesis/1', { ...GENESIS, origin });
    const rest = { rule: SOME_HASH, size: 1, root: SOME_HASH, blob: SOME_HASH };
    for (const [of, ts] of ticks) log.append('tick/1', { class: of, ts, ...rest }, ts);
    return datasetStart(log.views);
  };
  const ticks = [
    ['crypto', '2024-11-07T00:00:00Z'],
    ['stock', '2024-11-06T14:45:00Z'],
    ['crypto', '2024-11-07T00:15:00Z'],
  ] as const;
  assert.equal(dayOf('development/replay', ...ticks), '2024-11-06');
  assert.equal(dayOf('development/replay-2', ...ticks.slice(0, 1)), '2024-11-07');
  assert.equal(dayOf('development/replay'), '2026-08-27');
  assert.equal(dayOf('development/other', ...ticks), '2026-08-27');
  assert.equal(datasetStart(terminalLog(1).log.views), '2026-08-27');
});

test('dataset: an offset names the same row whatever comes later', () => {
  const early = datasetPayload(terminalLog(2).log.views, { since: SINCE, limit: 9, offset: 0 });
  const late = datasetPayload(terminalLog(31).log.views, { since: SINCE, limit: 9, offset: 0 });
  assert.deepEqual(
    early.rows.map((row) => row['event_id']),
    late.rows.slice(0, early.rows.length).map((row) => row['event_id']),
  );
});

test('dataset: a close that the log has later is behind all others, whatever instant it names', () => {
  const { log, market } = terminalLog(2);
  const page = (offset: number): readonly unknown[] => {
    const { rows, next_offset } = datasetPayload(log.views, { since: SINCE, limit: 1, offset });
    return [rows[0]?.['symbol'], next_offset];
  };
  const before = [0, 1, 2].map(page);
  const opened = market.drafts.find(({ kind }) => kind === 'event/1');
  const at = formatTime(market.newest + 60);
  const id = marketEvent('AAPL', 92);
  const opening = { id, symbol: 'AAPL', class: 'stock', opened_at: '2026-08-27T01:00:00Z' };
  log.append('event/1', { ...opened?.body, ...opening }, at);
  // The instant at which the first of the others closed: by its symbol it would be before it.
  const [first] = datasetPayload(log.views, { since: SINCE, limit: 1, offset: 0 }).rows;
  const closing = { closed_at: first?.['closed_at'], reason: 'below', peak_score: 72 };
  log.append('event-close/1', { id, ...closing }, at);
  assert.deepEqual([0, 1].map(page), before.slice(0, 2));
  assert.deepEqual(
    [page(2), page(3)],
    [
      ['HID', 3],
      ['AAPL', null],
    ],
  );
});

test('dataset: an event that closed after the first day and opened before it is not in it', () => {
  const { log, market } = terminalLog(2);
  const ids = (since: string): readonly unknown[] =>
    datasetPayload(log.views, { since: toDate(since), limit: 9, offset: 0 }).rows.map(
      (row) => row['symbol'],
    );
  const opened = market.drafts.find(({ kind }) => kind === 'event/1');
  const id = marketEvent('SOL', 92);
  const at = formatTime(market.newest + 60);
  const opening = { id, symbol: 'SOL', opened_at: '2026-08-27T23:00:00Z' };
  log.append('event/1', { ...opened?.body, ...opening }, at);
  const closing = { closed_at: '2026-08-28T01:00:00Z', reason: 'below', peak_score: 72 };
  log.append('event-close/1', { id, ...closing }, at);
  assert.deepEqual(ids('2026-08-26'), ['ETH', 'BTC', 'HID', 'SOL']);
  assert.deepEqual(ids('2026-08-27'), ['ETH', 'BTC', 'HID', 'SOL']);
  assert.deepEqual(ids('2026-08-28'), []);
});
