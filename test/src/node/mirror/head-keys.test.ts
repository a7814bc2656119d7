import assert from 'node:assert/strict';
import { test } from 'node:test';
import { HeadKeys } from '@assay/node/mirror/head-keys';
import { nodeSha256 } from '@assay/node/platform/node-sha256';
import { noteKeyOf, PaperPublisher } from './paper-publisher.ts';

/** Key 1 by a rotation as entry 3, and key 2 by a recovery as entry 6. */
const replaced = (): PaperPublisher =>
  new PaperPublisher().promise().notes(1).rotate().notes(2).recover().notes(1);

test('head keys: each size has the keys of its term, whichever key was given', () => {
  const views = replaced().views();
  for (const given of [0, 1, 2]) {
    const keys = new HeadKeys(nodeSha256, noteKeyOf(given), () => views, undefined);
    for (const [size, numbers] of [
      [0, [0]],
      [1, [0]],
      [3, [0]],
      [4, [0, 1]],
      [5, [1]],
      [6, [1]],
      [7, [2]],
      [9_999, [2]],
    ] as const) {
      assert.deepEqual(keys.of(size), numbers.map(noteKeyOf), `key ${given}, size ${size}`);
    }
  }
});

test('head keys: a key without a place is the only one, and what is stored opens by the others too', () => {
  const views = replaced().views();
  const keys = new HeadKeys(nodeSha256, noteKeyOf(7), () => views, undefined);
  assert.deepEqual(keys.terms, []);
  for (const size of [0, 4, 7]) assert.deepEqual(keys.of(size), [noteKeyOf(7)]);
  assert.deepEqual(keys.stored(4), [7, 0, 1, 2].map(noteKeyOf));
});

test('head keys: a learned key signs what is behind the end of the one before, until its entry is stored', () => {
  const log = replaced();
  const whole = log.views();
  const before = new PaperPublisher().promise().notes(1).rotate().notes(2);
  let views = before.views();
  const keys = new HeadKeys(nodeSha256, noteKeyOf(0), () => views, undefined);
  assert.deepEqual(keys.of(7), [noteKeyOf(1)]);
  const all = new HeadKeys(nodeSha256, noteKeyOf(0), () => whole, undefined);
  const learned = all.terms.at(-1) ?? assert.fail();
  keys.learn(learned);
  assert.deepEqual(keys.terms, all.terms);
  assert.deepEqual(keys.of(6), [noteKeyOf(1)]);
  assert.deepEqual(keys.of(7), [noteKeyOf(2)]);
  views = whole;
  assert.deepEqual(keys.terms, all.terms);
});
