import assert from 'node:assert/strict';
import { test } from 'node:test';
import { historyCsv } from '@assay/core/answer/history-csv';
import type { Ticker } from '@assay/core/rule/ticker';
import { vectors } from '../fixture/fixture.ts';
import { foldedLog } from './folded-log.ts';
import type { HistoryCase } from './history-log.ts';

const CASES = vectors<readonly HistoryCase[]>('history/logs');

test('history vectors: each size of the log shows the file, to the byte', () => {
  const shown = CASES.flatMap(({ shows }) => shows);
  assert.ok(shown.length >= 14);
  for (const { entries, shows } of CASES) {
    for (const { name, size, ticker, csv } of shows) {
      assert.equal(historyCsv(foldedLog(entries, size), ticker as Ticker), csv, name);
    }
  }
});

test('history vectors: the newest rows of a file are its last lines', () => {
  for (const { entries, shows } of CASES) {
    const last = shows.findLast(({ ticker }) => ticker === 'LAYOFFS');
    assert.ok(last !== undefined);
    const lines = last.csv.split('\n');
    const found = historyCsv(foldedLog(entries, last.size), 'LAYOFFS' as Ticker, 2);
    assert.equal(found, [lines[0], ...lines.slice(-3)].join('\n'));
  }
});
