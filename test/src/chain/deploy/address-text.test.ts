import assert from 'node:assert/strict';
import { test } from 'node:test';
import { addressBytes, keyOfAddress, parseAddress } from '@assay/chain/deploy/address-text';
import { addressOfKey } from '@assay/chain/addresses';

const ONES = '11111111111111111111111111111111';

test('address text: 32 bytes in base58, and nothing else', () => {
  const address = parseAddress(ONES);
  assert.ok(address !== undefined);
  assert.deepEqual(addressBytes(address), new Uint8Array(32));
  for (const text of ['', ONES.slice(1), `${ONES}1`, ONES.replace('1', '0'), '00'.repeat(32)]) {
    assert.equal(parseAddress(text), undefined, text);
  }
});

test('address text: an address is a key', () => {
  const key = '0f'.repeat(32);
  assert.equal(keyOfAddress(addressOfKey(key)), key);
});
