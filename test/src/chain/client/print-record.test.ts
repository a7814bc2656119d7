import assert from 'node:assert/strict';
import { test } from 'node:test';
import { isRecordOf, keysAt, recordOf, requireRecord } from '@assay/chain/client/print-record';
import type { FeedAccount } from '@assay/core/feed/feed-account';
import type { PageSlot } from '@assay/core/feed/page-account';
import type { ChainRecord } from '@assay/core/feed/record';
import type { Print } from '@assay/core/report/print';
import { hashOf } from '../fixture/party.ts';

const FEED = {
  series: hashOf('series'),
  rules: [
    { hash: hashOf('rule 0'), first: 2, effective: 0n },
    { hash: hashOf('rule 1'), first: 9, effective: 0n },
  ],
  sets: [{ effective: 0n, threshold: 2, keys: [hashOf('a'), hashOf('b'), hashOf('c')] }],
} as unknown as FeedAccount;

const PRINT: Print = {
  series: hashOf('series'),
  rule: hashOf('rule 1'),
  report: hashOf('report'),
  value: 5n,
  publishedAt: 1000n,
  period: 9,
  status: 'final',
  decimals: 0,
  settleable: true,
  withheld: false,
  issue: 0,
};

function record(print: Print): ChainRecord {
  const { series: _series, rule: _rule, period: _period, ...rest } = print;
  return { ...rest, rule: 1, set: 0, cosigners: 3, dissents: 0, slot: 1n };
}

function slot(...records: readonly ChainRecord[]): PageSlot {
  const find = (...statuses: readonly string[]): ChainRecord | null =>
    records.find(({ status }) => statuses.includes(status)) ?? null;
  return {
    period: 9,
    provisional: find('provisional'),
    settled: find('final', 'void'),
    corrected: find('corrected'),
    dissent: false,
  };
}

test('print-record: a record is that of a print in every field', () => {
  assert.equal(isRecordOf(FEED, record(PRINT), PRINT), true);
  const others: readonly Partial<Print>[] = [
    { series: hashOf('x') },
    { rule: hashOf('rule 0') },
    { report: hashOf('x') },
    { value: 6n },
    { publishedAt: 1001n },
    { status: 'void' },
    { decimals: 1 },
    { settleable: false },
    { withheld: true },
    { issue: 1 },
  ];
  for (const other of others) {
    assert.equal(isRecordOf(FEED, record(PRINT), { ...PRINT, ...other }), false);
  }
  assert.equal(isRecordOf(FEED, { ...record(PRINT), rule: 2 }, PRINT), false);
});

test('print-record: each status has its place', () => {
  const provisional: Print = { ...PRINT, status: 'provisional', settleable: false, issue: 2 };
  const corrected: Print = { ...PRINT, status: 'corrected', settleable: false, issue: 2 };
  const all = slot(record(provisional), record(PRINT), record(corrected));
  for (const print of [provisional, PRINT, corrected]) {
    assert.deepEqual(recordOf(FEED, all, print), record(print));
    assert.deepEqual(requireRecord(FEED, all, print), record(print));
    assert.equal(requireRecord(FEED, null, print), undefined);
  }
  assert.equal(recordOf(FEED, all, { ...PRINT, value: 6n }), undefined);
  const at = (print: Print, where: PageSlot): string | undefined => {
    try {
      requireRecord(FEED, where, print);
    } catch (error) {
      return (error as { at?: string }).at;
    }
    return 'free';
  };
  assert.equal(at({ ...PRINT, value: 6n }, all), 'settled');
  for (const print of [provisional, corrected]) {
    const alone = slot(record(print), ...(print === corrected ? [record(PRINT)] : []));
    assert.equal(at({ ...print, issue: 1 }, alone), 'overtaken');
    assert.equal(at({ ...print, value: 6n }, alone), 'differs');
    assert.equal(at({ ...print, issue: 3 }, alone), 'free');
  }
  assert.equal(at({ ...provisional, issue: 3 }, all), 'overtaken');
  assert.equal(at(PRINT, slot(record(provisional))), 'free');
});

test('print-record: keys by their bits', () => {
  assert.deepEqual(keysAt(FEED, 0, 0b101), [hashOf('a'), hashOf('c')]);
  assert.deepEqual(keysAt(FEED, 0, 0), []);
  assert.deepEqual(keysAt(FEED, 1, 1), []);
});
