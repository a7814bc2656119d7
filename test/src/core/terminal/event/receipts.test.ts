import assert from 'node:assert/strict';
import { test } from 'node:test';
import { EventReceipts, type ReceiptTick } from '@assay/core/terminal/event/receipts';
import { scoreRule } from '../score-rule-fixture.ts';

const RULE = scoreRule('crypto').receipts;
const DAY = 86_400;

function tick(ts: number, change: Partial<ReceiptTick> = {}): ReceiptTick {
  return { ts, good: true, delisted: false, benchmarkGood: true, ...change };
}

function begun(own = false): EventReceipts {
  const receipts = new EventReceipts(RULE, 0, own);
  receipts.begin(tick(0));
  return receipts;
}

test('receipts: nothing before the horizon; then once', () => {
  const receipts = begun();
  assert.equal(receipts.receipt('24h', tick(DAY - 900)), undefined);
  assert.equal(receipts.receipt('24h', tick(DAY, { good: false })), undefined);
  assert.equal(receipts.benchmark('24h', tick(DAY)), undefined, 'no benchmark before its receipt');
  const resolved = { status: 'resolved', resolved_at: DAY + 900, reason: null };
  assert.deepEqual(receipts.receipt('24h', tick(DAY + 900)), resolved);
  assert.equal(receipts.receipt('24h', tick(DAY + 900)), undefined);
  const measured = { from: 0, to: DAY + 900, reason: null };
  assert.deepEqual(receipts.benchmark('24h', tick(DAY + 900)), measured);
  assert.equal(receipts.benchmark('24h', tick(DAY + 900)), undefined);
});

test('receipts: done when there are three and each resolved one is measured', () => {
  const receipts = begun();
  const void_ = { status: 'void', resolved_at: null, reason: 'no_data' };
  receipts.receipt('24h', tick(DAY));
  assert.deepEqual(receipts.receipt('7d', tick(14 * DAY + 1)), void_);
  assert.deepEqual(receipts.receipt('30d', tick(37 * DAY + 1)), void_);
  assert.equal(receipts.isDone, false, 'a benchmark is to come');
  receipts.benchmark('24h', tick(DAY));
  assert.equal(receipts.isDone, true);
});

test('receipts: a delisting voids; where the time had passed, that is the reason', () => {
  const gone = { delisted: true, good: false };
  const receipts = begun();
  assert.equal(receipts.receipt('24h', tick(9 * DAY, gone))?.reason, 'no_data');
  assert.equal(receipts.receipt('30d', tick(9 * DAY, gone))?.reason, 'delisted');
});

test('receipts: the own event of the benchmark says so at once', () => {
  const receipts = begun(true);
  receipts.receipt('24h', tick(DAY));
  const own = { from: null, to: null, reason: 'own' };
  assert.deepEqual(receipts.benchmark('24h', tick(DAY, { benchmarkGood: false })), own);
});
