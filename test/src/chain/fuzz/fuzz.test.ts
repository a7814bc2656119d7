import assert from 'node:assert/strict';
import { test } from 'node:test';
import { needsSvm } from '../fixture/world.ts';
import { fuzzAccounts } from './accounts.ts';
import { fuzzData } from './data.ts';
import { fuzzKeys } from './keys.ts';
import { fuzzProofs } from './proofs.ts';

test('fuzz: proofs in odd layouts among odd instructions', needsSvm, async () => {
  const seen = await fuzzProofs(400);
  for (const kind of ['publish', 'dissent', 'close']) {
    assert.ok((seen.get(`${kind}: done`) ?? 0) > 0, kind);
  }
});

test('fuzz: other accounts, or the same in other roles', needsSvm, async () => {
  await fuzzAccounts(300);
});

test('fuzz: keys of every sort at registration', needsSvm, async () => {
  const seen = await fuzzKeys(150);
  assert.deepEqual([...seen.keys()].sort(), ['bad_key', 'done']);
});

test('fuzz: instruction data changed, cut, added to or of another', needsSvm, async () => {
  const seen = await fuzzData(400);
  for (const kind of ['init', 'open', 'rule', 'set', 'rotate']) {
    assert.ok((seen.get(`${kind}: done`) ?? 0) > 0, kind);
  }
});
