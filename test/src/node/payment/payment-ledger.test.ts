import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Payment, PaymentState } from '@assay/node/payment/record/payment';
import type { IncomingTransfer, UnreadTransfer } from '@assay/node/payment/payment-chain';
import {
  ledgerReport,
  type LedgerReport,
  type LedgerSlots,
} from '@assay/node/payment/payment-ledger';

function paymentOf(key: string, state: PaymentState, slot: number): Payment {
  return { key, state, terms: { amount: '100' }, head: { slot, height: slot } } as Payment;
}

function transferOf(messageHash: string, received: bigint, slot: number): IncomingTransfer {
  return { kind: 'read', signature: `of ${messageHash}`, slot, messageHash, received };
}

function reportOf(
  payments: readonly Payment[],
  transfers: readonly (IncomingTransfer | UnreadTransfer)[],
  slots?: LedgerSlots,
): Promise<LedgerReport> {
  async function* each<T>(list: readonly T[]): AsyncGenerator<T> {
    yield* list;
  }
  return ledgerReport(each(payments), each(transfers), slots);
}

test('payment ledger: what is due and what came, to the last unit', async () => {
  const payments = [paymentOf('a', 'final', 10), paymentOf('b', 'failed', 11)];
  const report = await reportOf(payments, [
    // One transaction that names two of the accounts.
    transferOf('a', 60n, 12),
    transferOf('a', 40n, 12),
    transferOf('out', -70n, 13),
    transferOf('nothing', 0n, 13),
  ]);
  assert.deepEqual([report.due, report.received, report.withdrawn], ['100', '100', '70']);
  assert.equal(report.balanced, true);
});

test('payment ledger: what does not add up is named, and nothing of it is balanced', async () => {
  const short = await reportOf([paymentOf('a', 'final', 10)], [transferOf('a', 99n, 12)]);
  assert.deepEqual(short.differences, [{ payment: 'a', expected: '100', found: '99' }]);
  const none = await reportOf([paymentOf('a', 'final', 10)], []);
  assert.deepEqual(none.differences, [{ payment: 'a', expected: '100', found: null }]);
  const came = await reportOf([paymentOf('a', 'failed', 10)], [transferOf('a', 100n, 12)]);
  assert.deepEqual(came.differences, [{ payment: 'a', expected: '0', found: '100' }]);
  const lost = await reportOf([paymentOf('a', 'lost', 10)], []);
  assert.deepEqual(lost.open, [{ payment: 'a', state: 'lost' }]);
  const foreign = await reportOf([], [transferOf('x', 1n, 12)]);
  assert.deepEqual(foreign.foreign, [{ signature: 'of x', received: '1' }]);
  const unread = await reportOf([], [{ kind: 'unread', signature: 's', slot: 12, reason: 'why' }]);
  assert.deepEqual(unread.unread, [{ signature: 's', reason: 'why' }]);
  for (const report of [short, none, came, lost, foreign, unread]) {
    assert.equal(report.balanced, false);
  }
});

test('payment ledger: what is outside of its slots is not compared', async () => {
  const payments = [paymentOf('old', 'final', 10), paymentOf('new', 'final', 20)];
  const transfers = [
    transferOf('before', 1n, 14),
    // It ran before the block that its record names.
    transferOf('new', 100n, 14),
    transferOf('written after the payments were read', 1n, 31),
  ];
  const report = await reportOf(payments, transfers, { since: 15, until: 30 });
  assert.deepEqual([report.states.final.count, report.due, report.received], [1, '100', '100']);
  assert.equal(report.balanced, true);
  const inside = [...transfers, transferOf('in them', 1n, 30), transferOf('and', 1n, 15)];
  const more = await reportOf(payments, inside, { since: 15, until: 30 });
  assert.equal(more.foreign.length, 2);
});
