import assert from 'node:assert/strict';
import { test } from 'node:test';
import { parseLoaderAccount } from '@assay/chain/deploy/loader-account';
import { concatBytes } from '@assay/core/bytes/bytes';
import { getAddressDecoder } from '@solana/kit';

const KEY = Uint8Array.from({ length: 32 }, (_, i) => i + 1);
const ADDRESS = getAddressDecoder().decode(KEY);
const u32 = (value: number): Uint8Array => Uint8Array.of(value, 0, 0, 0);
const BYTES = Uint8Array.of(7, 8, 9, 0);

test('loader account: a buffer, with and without its authority', () => {
  assert.deepEqual(parseLoaderAccount(concatBytes(u32(1), Uint8Array.of(1), KEY, BYTES)), {
    kind: 'buffer',
    authority: ADDRESS,
    bytes: BYTES,
  });
  // The head is as long without one.
  assert.deepEqual(parseLoaderAccount(concatBytes(u32(1), Uint8Array.of(0), KEY, BYTES)), {
    kind: 'buffer',
    authority: null,
    bytes: BYTES,
  });
});

test('loader account: a program and its data', () => {
  assert.deepEqual(parseLoaderAccount(concatBytes(u32(2), KEY)), {
    kind: 'program',
    programData: ADDRESS,
  });
  const slot = Uint8Array.of(1, 2, 0, 0, 0, 0, 0, 0);
  for (const [some, authority] of [
    [1, ADDRESS],
    [0, null],
  ] as const) {
    const data = concatBytes(u32(3), slot, Uint8Array.of(some), KEY, BYTES);
    assert.deepEqual(parseLoaderAccount(data), {
      kind: 'program data',
      deployedAt: 513n,
      authority,
      bytes: BYTES,
    });
  }
});

test('loader account: what the loader does not write is malformed', () => {
  for (const data of [
    new Uint8Array(),
    u32(0),
    u32(4),
    concatBytes(u32(1), Uint8Array.of(1)),
    concatBytes(u32(1), Uint8Array.of(2), KEY),
    concatBytes(u32(2), KEY.subarray(1)),
    concatBytes(u32(3), new Uint8Array(40)),
  ]) {
    assert.throws(() => parseLoaderAccount(data), { code: 'malformed' });
  }
});
