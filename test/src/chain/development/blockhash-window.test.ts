import assert from 'node:assert/strict';
import { test } from 'node:test';
import {
  BLOCKHASH_AGE,
  blockhashAt,
  blockhashWindow,
} from '@assay/chain/development/blockhash-window';
import fc from 'fast-check';

test('blockhash window: a hash is good for 150 blocks after its own', () => {
  const window = blockhashWindow('g');
  window.advance(10);
  const { blockhash, lastValidBlockHeight } = window.latest();
  assert.equal(lastValidBlockHeight, 160);
  window.advance(lastValidBlockHeight - 1);
  assert.equal(window.isValid(blockhash, 1), true);
  window.advance(lastValidBlockHeight);
  assert.equal(window.isValid(blockhash), true);
  assert.equal(window.isValid(blockhash, 1), false, 'the next block is too late');
  window.advance(lastValidBlockHeight + 1);
  assert.equal(window.isValid(blockhash), false);
  assert.equal(window.isValid('nothing'), false);
});

test('blockhash window: however it got to a height, the same hashes are good', () => {
  const step = fc.integer({ min: -5, max: 400 });
  fc.assert(
    fc.property(fc.array(step, { minLength: 1, maxLength: 8 }), (steps) => {
      const window = blockhashWindow('g');
      let height = 0;
      for (const each of steps) {
        window.advance(height + each);
        height = Math.max(height, height + each);
      }
      assert.equal(window.latest().blockhash, blockhashAt('g', height));
      for (const age of [0, 1, BLOCKHASH_AGE - 1, BLOCKHASH_AGE, BLOCKHASH_AGE + 1]) {
        const at = height - age;
        if (at < 0) continue;
        assert.equal(window.isValid(blockhashAt('g', at)), age <= BLOCKHASH_AGE, `age ${age}`);
      }
      assert.equal(window.isValid(blockhashAt('g', height + 1)), false);
    }),
    { numRuns: 30 },
  );
  assert.notEqual(blockhashAt('g', 1), blockhashAt('h', 1));
});
