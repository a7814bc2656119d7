import assert from 'node:assert/strict';
import { test } from 'node:test';
import { PaymentQueue } from '@assay/node/payment/payment-queue';

test('payment queue: one identifier and one payer have four places each', () => {
  const queue = new PaymentQueue();
  const places = [1, 2, 3, 4].map((i) => queue.enter('one', `payer ${i}`));
  assert.ok(places.every((place) => place !== undefined));
  assert.equal(queue.enter('one', 'payer 5'), undefined);
  const others = [1, 2, 3].map((i) => queue.enter(`other ${i}`, 'payer 1'));
  assert.ok(others.every((place) => place !== undefined));
  assert.equal(queue.enter('other 4', 'payer 1'), undefined);
  assert.ok(queue.enter('other 4', 'payer 2'), 'who was refused has taken no place');
  places[0]?.();
  places[0]?.();
  assert.ok(queue.enter('one', 'payer 5'), 'a place is given back');
  assert.equal(queue.enter('one', 'payer 6'), undefined, 'and only once');
});

test('payment queue: all together have 256 places', () => {
  const queue = new PaymentQueue();
  const places = Array.from({ length: 256 }, (_, i) => queue.enter(`id ${i}`, `payer ${i}`));
  assert.ok(places.every((place) => place !== undefined));
  assert.equal(queue.enter('one', 'payer'), undefined);
  places[7]?.();
  assert.ok(queue.enter('one', 'payer'));
});
