import assert from 'node:assert/strict';
import { test } from 'node:test';
import { HORIZONS } from '@assay/core/kind/horizon';
import { EventReceipts, type ReceiptTick } from '@assay/core/terminal/event/receipts';
import { resumed } from '../../fixture/resumed.ts';
import { Random } from '../random.ts';
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

test('receipts: interrupted before every tick, they say what some say that never were', () => {
  const seen = new Set<string>();
  for (let seed = 1; seed <= 20; seed += 1) {
    const random = new Random(seed);
    const fresh = (): EventReceipts => new EventReceipts(RULE, 0, seed % 5 === 0);
    const whole = fresh();
    let cut = fresh();
    const rare = 1 + random.below(12);
    for (let ts = 0; ts < 45 * DAY; ts += random.oneIn(100) ? random.below(9 * DAY) : 900) {
      const isNear = HORIZONS.some((_, h) => ts % DAY < 3600 + 900 * h);
      const good = isNear ? random.oneIn(rare) : !random.oneIn(3);
      const at = tick(ts, {
        good,
        delisted: ts > seed * 4 * DAY,
        benchmarkGood: random.oneIn(rare),
      });
      cut = resumed(cut, fresh());
      for (const each of [cut, whole]) each.begin(at);
      for (const horizon of HORIZONS) {
        const expected = [whole.receipt(horizon, at), whole.benchmark(horizon, at)];
        assert.deepEqual([cut.receipt(horizon, at), cut.benchmark(horizon, at)], expected);
        for (const each of expected) if (each !== undefined) seen.add(`${each.reason}`);
      }
      assert.equal(cut.isDone, whole.isDone);
    }
  }
  assert.deepEqual([...seen].sort(), ['delisted', 'no_data', 'null', 'own']);
});
