import assert from 'node:assert/strict';
import { test } from 'node:test';
import { getBase58Decoder } from '@solana/kit';
import { developmentFaucet } from '@assay/chain/development/faucet';
import {
  formatTransactionText,
  isFullySigned,
  MAX_TRANSACTION,
  parseTransactionText,
  parseWireTransaction,
} from '@assay/chain/development/wire-transaction';
import fc from 'fast-check';
import { SYSTEM } from './world.ts';

const REFUSED = { code: 'invalid_params' };
const faucet = developmentFaucet();
const bytes = faucet.transfer('So11111111111111111111111111111111111111112' as never, 5n, 1);

test('wire transaction: bytes are read as they are written', () => {
  const wire = parseWireTransaction(bytes);
  assert.equal(wire.payer, faucet.address);
  assert.equal(wire.message.version, 'legacy');
  assert.equal(wire.message.staticAccounts[2], SYSTEM);
  assert.equal(wire.signature, getBase58Decoder().decode(bytes.subarray(1, 65)));
  assert.deepEqual(wire.signatures, [wire.signature]);
  assert.equal(isFullySigned(wire), true);
  for (const encoding of ['base58', 'base64'] as const) {
    const text = formatTransactionText(wire, encoding);
    assert.deepEqual(parseTransactionText(text, encoding).bytes, bytes);
  }
  assert.deepEqual(parseTransactionText(formatTransactionText(wire, 'base58'), null).bytes, bytes);
});

test('wire transaction: a blank signature is read, and reported', () => {
  const blank = bytes.slice();
  blank.fill(0, 1, 65);
  assert.equal(isFullySigned(parseWireTransaction(blank)), false);
});

test('wire transaction: what no encoder writes is refused', () => {
  assert.throws(() => parseWireTransaction(new Uint8Array()), REFUSED);
  assert.throws(() => parseWireTransaction(Uint8Array.of(...bytes, 0)), REFUSED);
  assert.throws(() => parseWireTransaction(new Uint8Array(MAX_TRANSACTION + 1)), REFUSED);
  for (let length = 0; length < bytes.length; length += 7) {
    assert.throws(() => parseWireTransaction(bytes.subarray(0, length)), REFUSED);
  }
  assert.throws(() => parseTransactionText('A'.repeat(1648), 'base64'), REFUSED);
  assert.throws(() => parseTransactionText('0OIl', 'base58'), REFUSED);
  assert.throws(() => parseTransactionText('AAAA', 'hex'), REFUSED);
  fc.assert(
    fc.property(fc.uint8Array({ maxLength: 300 }), (garbage) => {
      try {
        assert.deepEqual(parseWireTransaction(garbage).bytes, garbage);
      } catch (error) {
        assert.equal((error as { code?: string }).code, 'invalid_params');
      }
    }),
  );
});
