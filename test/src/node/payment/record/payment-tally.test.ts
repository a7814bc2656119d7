import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Payment, PaymentState } from '@assay/node/payment/record/payment';
import { PaymentTally } from '@assay/node/payment/record/payment-tally';

function paymentOf(key: string, state: PaymentState, more: object = {}): Payment {
  const answer = { bytes: 100 };
  return {
    key,
    state,
    payer: 'a',
    answer,
    terms: { amount: '10' },
    received: null,
    ...more,
  } as Payment;
}

test('payment tally: a payer may have two purchases that are not settled, begun or written', () => {
  const tally = new PaymentTally();
  const first = tally.begin('a');
  assert.ok(first !== undefined);
  assert.ok(tally.begin('a') !== undefined);
  assert.equal(tally.begin('a'), undefined);
  assert.ok(tally.begin('b') !== undefined, 'another payer may');
  first();
  first();
  assert.ok(tally.begin('a') !== undefined, 'one is over');
  assert.equal(tally.begin('a'), undefined, 'to end it twice frees one');
});

test('payment tally: what is settled or has failed counts no more, and what is stored counts', () => {
  const tally = new PaymentTally();
  tally.load(paymentOf('1', 'settling'));
  tally.load(paymentOf('2', 'settling'));
  assert.equal(tally.begin('a'), undefined);
  tally.note(paymentOf('1', 'settling'), paymentOf('1', 'confirmed'));
  tally.begin('a')?.();
  tally.note(paymentOf('2', 'settling'), paymentOf('2', 'failed'));
  assert.ok(tally.begin('a') !== undefined);
  assert.deepEqual(tally.open, { settling: 0, settled: 0, confirmed: 1, lost: 0 });
});

test('payment tally: answers that wait for settlements take so much room and no more', () => {
  const tally = new PaymentTally();
  const bytes = 256 * 1024 * 1024;
  tally.load(paymentOf('1', 'settling', { payer: 'b', answer: { bytes } }));
  assert.ok(tally.begin('a') !== undefined);
  tally.note(undefined, paymentOf('2', 'settling', { payer: 'c', answer: { bytes } }));
  assert.equal(tally.begin('d'), undefined);
  tally.note(undefined, paymentOf('2', 'confirmed', { payer: 'c', answer: { bytes } }));
  assert.ok(tally.begin('d') !== undefined);
});

test('payment tally: it counts what has happened since the start, and what came', () => {
  const tally = new PaymentTally();
  tally.load(paymentOf('1', 'confirmed'));
  const final = paymentOf('1', 'final', { received: '9' });
  tally.note(paymentOf('1', 'confirmed'), final);
  tally.note(final, { ...final, kept: false });
  tally.note(paymentOf('2', 'confirmed'), paymentOf('2', 'final'));
  assert.equal(tally.reached('final'), 2);
  assert.equal(tally.reached('confirmed'), 0);
  assert.equal(tally.units, 19n);
});

test('payment tally: a payer may have 16 transfers handed out, and all payers 10,000', () => {
  const tally = new PaymentTally();
  for (let i = 0; i < 16; i += 1) {
    assert.ok(tally.mayHand('a'));
    tally.hand(`a${i}`, 'a');
    tally.hand(`a${i}`, 'a');
  }
  assert.equal(tally.mayHand('a'), false);
  tally.unhand('a3');
  tally.unhand('a3');
  tally.unhand('never');
  assert.ok(tally.mayHand('a'), 'one has a record');
  tally.hand('a3', 'a');
  assert.equal(tally.mayHand('a'), false, 'and only one');
  for (let i = 0; i < 10_000 - 16; i += 1) {
    assert.ok(tally.mayHand('z'));
    tally.hand(`b${i}`, `b${i}`);
  }
  assert.equal(tally.mayHand('z'), false);
  tally.unhand('b7');
  assert.ok(tally.mayHand('z'));
});
