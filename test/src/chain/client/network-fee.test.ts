import assert from 'node:assert/strict';
import { test } from 'node:test';
import { networkFee } from '@assay/chain/client/network-fee';
import { ed25519Instruction } from '@assay/chain/ed25519-instruction';
import { type Address } from '@solana/kit';

const SIGNATURE = { key: new Uint8Array(32), signature: new Uint8Array(64) };

test('network fee: signatures, those of the precompile, and units rounded up', () => {
  const proof = ed25519Instruction(new Uint8Array(128), [SIGNATURE, SIGNATURE, SIGNATURE]);
  // Its first byte is no count.
  const other = {
    programAddress: 'ComputeBudget111111111111111111111111111111' as Address,
    data: Uint8Array.of(9),
  };
  assert.equal(networkFee(1, [], { units: 1_400_000, price: 0n }), 5000n);
  assert.equal(networkFee(2, [proof, other], { units: 0, price: 9n }), 25_000n);
  assert.equal(networkFee(1, [], { units: 1_000_001, price: 3n }), 5004n);
});
