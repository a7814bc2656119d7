import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Fault } from '@assay/core/fault';
import { HORIZON_SECONDS } from '@assay/core/kind/horizon';
import { CRYPTO_RULE } from '@assay/core/terminal/rule/score-rules';
import { formatTime, parseTime } from '@assay/core/time/time';
import { eventsByOpening } from '@assay/core/view/terminal-events';
import { CLASS_GRIDS } from '@assay/node/api/terminal-routes';
import { unreadableRecord } from '@assay/node/ledger/record';
import { RECEIPT_OVERDUE_S, receiptClocks } from '@assay/node/terminal/answer/receipt-clocks';
import { SampleLog } from '../../../core/fixture/fixture.ts';
import { terminalLog } from '../../../core/terminal/terminal-log.ts';
import { shownRecord } from '../../api/terminal-world.ts';

/** The concerns of a log of `days` as texts, at the time that a test sets. */
function clocksOf(days: number) {
  const { log, market } = terminalLog(days);
  const record = shownRecord(log);
  const at = { now: market.newest };
  const concerns = receiptClocks({ record, now: () => at.now, grids: CLASS_GRIDS });
  const texts = (): readonly string[] =>
    concerns().map(({ level, reason }) => `${level} ${reason}`);
  return { log, market, at, texts };
}

test('receipt clocks: a log whose ticks go on owes what its assets have no reading for', () => {
  for (const [days, owed] of [
    [1, undefined],
    [3, '24h'],
    [31, '30d'],
  ] as const) {
    const { market, at, texts } = clocksOf(days);
    for (const now of [market.newest, market.newest + 900]) {
      at.now = now;
      const [reason, ...others] = texts();
      assert.deepEqual(others, []);
      if (owed === undefined) assert.equal(reason, undefined);
      else {
        // HID has no good tick any more: its receipt waits to be void.
        const named = new RegExp(`^degraded Receipts are overdue: ${owed} of HID \\([^;]*$`);
        assert.match(reason ?? '', named, `${days} days`);
      }
    }
  }
});

test('receipt clocks: a receipt is overdue an hour after its tick, and named', () => {
  const { log, at, texts } = clocksOf(1);
  const events = [...eventsByOpening(log.views)].map(({ open }) => open.body).reverse();
  const [first, second] = events;
  assert.ok(first !== undefined && second !== undefined);
  // The day of ticks ends before the first horizon of an event, which is a tick of its own.
  const due = parseTime(first.opened_at) + HORIZON_SECONDS['24h'];
  at.now = due + RECEIPT_OVERDUE_S;
  assert.deepEqual(texts(), []);
  at.now += 1;
  const name = ({ symbol, id }: typeof first, time: number): string =>
    `24h of ${symbol} (event ${id}), due at ${formatTime(time)}`;
  assert.deepEqual(texts(), [`degraded Receipts are overdue: ${name(first, due)}.`]);
  const next = parseTime(second.opened_at) + HORIZON_SECONDS['24h'];
  at.now = next + RECEIPT_OVERDUE_S + 1;
  assert.deepEqual(texts(), [
    `degraded Receipts are overdue: ${name(first, due)}; ${name(second, next)}.`,
  ]);
});

test('receipt clocks: a receipt that should be void and is not means that the clocks have stopped', () => {
  const { log, at, texts } = clocksOf(1);
  const [first] = [...eventsByOpening(log.views)].map(({ open }) => open.body).reverse();
  assert.ok(first !== undefined);
  const due = parseTime(first.opened_at) + HORIZON_SECONDS['24h'];
  const voidAt = due + CRYPTO_RULE.receipts.void_after_s + 900;
  const stopped = 'halted The receipt clocks have stopped: a receipt that should be void is not.';
  at.now = voidAt + RECEIPT_OVERDUE_S;
  assert.equal(texts().includes(stopped), false);
  at.now += 1;
  assert.equal(texts().at(-1), stopped);
  at.now += 366 * 86_400;
  const [named = '', last] = texts();
  assert.match(
    named,
    /; and 7 more\.$/,
    'four events with three receipts each, of which five are named',
  );
  assert.equal(last, stopped);
});

test('receipt clocks: what comes is followed, and a class without listed assets has ended', () => {
  const { log, at, texts } = clocksOf(1);
  at.now += 60 * 86_400;
  assert.equal(texts().length, 2);
  for (const symbol of ['BTC', 'ETH', 'HID', 'SOL']) {
    const about = { name: symbol, class: 'crypto', decimals: 2, listed: false, display: true };
    log.append('asset/1', { symbol, ...about }, formatTime(at.now));
  }
  assert.match(texts().join('\n'), /^degraded Receipts are overdue: [^\n]*$/);
});

test('receipt clocks: a record that cannot be read says so itself, and one without ticks owes nothing', () => {
  const record = unreadableRecord(new Fault('ledger_corrupt', 'ledger'));
  const none = receiptClocks({ record, now: () => 0, grids: CLASS_GRIDS });
  assert.deepEqual(none(), []);
  const empty = shownRecord(new SampleLog());
  assert.deepEqual(receiptClocks({ record: empty, now: () => 9e9, grids: CLASS_GRIDS })(), []);
});
