import assert from 'node:assert/strict';
import { test } from 'node:test';
import { formatCloseAccount, parseCloseAccount } from '@assay/core/feed/close-account';
import { faultCode } from '@assay/core/fault';
import type { HashHex } from '@assay/core/hash/hash';
import fc from 'fast-check';
import { closeAccounts } from './arbitrary.ts';

test('Close account: what is formatted is parsed', () => {
  fc.assert(
    fc.property(closeAccounts, (close) => {
      assert.deepEqual(parseCloseAccount(formatCloseAccount(close)), close);
    }),
  );
});

test('Close account: bytes without a meaning are refused', () => {
  const key = 'cd'.repeat(32) as HashHex;
  const close = { bump: 1, day: 20_000, feed: key, log: key, slot: 5n, hashes: [key] };
  for (const [at, value] of [
    [0, 0],
    [9, 0],
    [9, 17],
    [10, 1],
    [11, 1],
    [88, 1],
    [96 + 32, 1],
    [607, 1],
  ] as const) {
    const bytes = formatCloseAccount(close);
    bytes[at] = value;
    assert.throws(
      () => parseCloseAccount(bytes),
      (error) => faultCode(error) === 'malformed',
      `byte ${at}`,
    );
  }
});
