import assert from 'node:assert/strict';
import { test } from 'node:test';
import { UnknownBlockhashes } from '@assay/node/payment/unknown-blockhashes';

test('unknown blockhashes: a node has a minute to learn one', () => {
  const unknown = new UnknownBlockhashes();
  assert.equal(unknown.note('a', 0), false);
  assert.equal(unknown.note('a', 59_999), false);
  assert.equal(unknown.note('a', 60_000), true);
  assert.equal(unknown.note('b', 60_000), false, 'each has its own');
});

test('unknown blockhashes: those that somebody invents push out the oldest', () => {
  const unknown = new UnknownBlockhashes();
  for (const name of ['a', 'b']) unknown.note(name, 0);
  for (let i = 0; i < 999; i += 1) unknown.note(`invented ${i}`, 1);
  assert.equal(unknown.note('b', 60_000), true);
  assert.equal(unknown.note('a', 60_000), false);
});
