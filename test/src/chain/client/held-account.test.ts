import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type HeldParts, heldAccount, requireSame } from '@assay/chain/client/held-account';
import { SYSTEM_PROGRAM } from '@assay/chain/instructions';
import type { Address } from '@solana/kit';
import { PROGRAM } from '../fixture/world.ts';

const PARTS: HeldParts<number> = {
  title: 'page account',
  program: PROGRAM,
  address: 'So11111111111111111111111111111111111111112' as Address,
  slot: 7n,
  parse: (bytes) => bytes.length,
};

test('held account: the account, or none', () => {
  const data = new Uint8Array(3);
  const { address, slot } = PARTS;
  assert.deepEqual(heldAccount({ owner: PROGRAM, data }, PARTS), { address, slot, account: 3 });
  assert.equal(heldAccount(null, PARTS), undefined);
  assert.equal(heldAccount(undefined, PARTS), undefined);
  assert.equal(heldAccount({ owner: SYSTEM_PROGRAM, data: new Uint8Array() }, PARTS), undefined);
});

test('held account: one of another program is none of ours', () => {
  const data = new Uint8Array(3);
  assert.throws(() => heldAccount({ owner: SYSTEM_PROGRAM, data }, PARTS), {
    code: 'unmet',
    at: 'owner',
    expected: PROGRAM,
    found: SYSTEM_PROGRAM,
  });
  requireSame('page account', 'index', '1', '1');
  assert.throws(() => requireSame('page account', 'index', '1', '2'), {
    code: 'unmet',
    at: 'index',
  });
});
