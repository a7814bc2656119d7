import assert from 'node:assert/strict';
import { test } from 'node:test';
import { formatPage, parsePage } from '@assay/core/feed/page-account';
import { faultCode } from '@assay/core/fault';
import type { HashHex } from '@assay/core/hash/hash';
import fc from 'fast-check';
import { pageAccounts, recordOf } from './arbitrary.ts';

test('page account: what is formatted is parsed', () => {
  fc.assert(
    fc.property(pageAccounts, (page) => {
      assert.deepEqual(parsePage(formatPage(page)), page);
    }),
    { numRuns: 50 },
  );
});

test('page account: bytes without a meaning are refused', () => {
  const [provisional, final] = fc.sample(fc.tuple(recordOf('provisional'), recordOf('final')), {
    numRuns: 1,
    seed: 1,
  })[0] as [never, never];
  const slots = Array.from({ length: 32 }, (_, i) =>
    i === 3 ? { period: 9, provisional, settled: final, corrected: null, dissent: false } : null,
  );
  const page = { bump: 1, index: 2, feed: 'ab'.repeat(32) as HashHex, slots };
  const slot = 80 + 3 * 200;
  const refused = (at: number, value: number): void => {
    const bytes = formatPage(page);
    bytes[at] = value;
    assert.throws(
      () => parsePage(bytes),
      (error) => faultCode(error) === 'malformed',
      `byte ${at}`,
    );
  };
  refused(7, 0); // magic
  for (const at of [9, 11, 48, 79]) refused(at, 1); // zero
  refused(slot + 4, 0); // a slot without flags that is not empty
  refused(slot + 4, 1); // a record that no flag shows
  refused(slot + 4, 3 | 4); // final and void
  refused(slot + 4, 3 | 8); // a correction that is not there
  refused(slot + 4, 3 | 32);
  refused(slot + 5, 1); // slot's zero
  refused(slot + 8 + 48, 2); // a final in the place of a provisional
  refused(slot + 8 + 48, 0);
  refused(slot + 72 + 48, 5);
  refused(slot + 72 + 50, 4); // a flag without a meaning
  refused(80, 1); // an empty slot that is not empty
  assert.throws(
    () => parsePage(formatPage(page).subarray(1)),
    (error) => faultCode(error) === 'bad_length',
  );
});
