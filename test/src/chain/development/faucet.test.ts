import assert from 'node:assert/strict';
import { createPublicKey, verify } from 'node:crypto';
import { test } from 'node:test';
import { getAddressEncoder } from '@solana/kit';
import { developmentFaucet } from '@assay/chain/development/faucet';
import { SYSTEM } from './world.ts';

test('faucet: its transfers are signed, and differ by their count', () => {
  const faucet = developmentFaucet();
  assert.equal(faucet.address, developmentFaucet().address);
  const one = faucet.transfer(SYSTEM, 5n, 1);
  const head = Buffer.from('302a300506032b6570032100', 'hex');
  const key = createPublicKey({
    key: Buffer.concat([head, new Uint8Array(getAddressEncoder().encode(faucet.address))]),
    format: 'der',
    type: 'spki',
  });
  assert.equal(verify(null, one.subarray(65), key, one.subarray(1, 65)), true);
  assert.deepEqual(faucet.transfer(SYSTEM, 5n, 1), one);
  assert.notDeepEqual(faucet.transfer(SYSTEM, 5n, 2).subarray(1, 65), one.subarray(1, 65));
});
