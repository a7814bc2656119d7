import assert from 'node:assert/strict';
import { test } from 'node:test';
import { DEVELOPMENT } from '@assay/core/bitcoin/bitcoin-network';
import { checkBranch, newest, tipHeight } from '@assay/node/bitcoin/header-branch';
import { better } from '@assay/node/bitcoin/kept-branch';
import { mined } from './mined-headers.ts';

test('kept branch: more work after the last shared block wins, and nothing that shares none', () => {
  const all = mined(30);
  const kept = newest(checkBranch(DEVELOPMENT, all, 0), 20);
  assert.equal(better(undefined, kept), kept);
  const longer = newest(checkBranch(DEVELOPMENT, mined(3, 4, all.slice(0, 31)), 0), 10);
  const next = better(kept, longer);
  assert.deepEqual([next.first, tipHeight(next)], [kept.first, 33]);
  const tie = checkBranch(DEVELOPMENT, mined(2, 5, all.slice(0, 29)), 0);
  assert.equal(better(kept, tie), kept);
  assert.equal(better(kept, { ...longer, first: longer.first + 2016 }), kept);
});
