import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import { BITCOIN } from '@assay/core/bitcoin/bitcoin-network';
import {
  bitsAt,
  EPOCH_BITS,
  LAST_EPOCH,
  tableWork,
  worthInHeaders,
} from '@assay/core/bitcoin/epochs';
import { blockId } from '@assay/core/bitcoin/header';
import { retarget } from '@assay/core/bitcoin/retarget';
import { compactOf, formatBits, targetOf, workOf } from '@assay/core/bitcoin/work';
import { sharedPath } from '../fixture/fixture.ts';

/** The work from genesis to `height`, that header included. */
function workUpTo(height: number): bigint {
  let work = 0n;
  for (let i = 0; i <= height; i += 1) work += workOf(bitsAt(i) as number);
  return work;
}

test('bitcoin epochs: the table ends where its last epoch does', () => {
  assert.equal(EPOCH_BITS.length, 413);
  assert.equal(LAST_EPOCH.height, 832_607);
  assert.equal(bitsAt(0), 0x1d00ffff);
  assert.equal(bitsAt(32_255), 0x1d00ffff);
  assert.equal(bitsAt(32_256), 0x1d00d86a);
  assert.equal(bitsAt(LAST_EPOCH.height), LAST_EPOCH.bits);
  assert.equal(bitsAt(LAST_EPOCH.height + 1), undefined);
  assert.equal(bitsAt(-1), undefined);
});

test('bitcoin epochs: every row is a target, at most four times the one before or a quarter', () => {
  for (const [i, bits] of EPOCH_BITS.entries()) {
    const target = targetOf(bits);
    assert.equal(compactOf(target), bits, `epoch ${i}`);
    const before = EPOCH_BITS[Math.max(i - 1, 0)] as number;
    const easiest = targetOf(retarget(before, 0, 4 * 1_209_600, BITCOIN.limit));
    const hardest = targetOf(retarget(before, 0, 0, BITCOIN.limit));
    assert.ok(target <= easiest && target >= hardest, `epoch ${i}`);
  }
});

test('bitcoin epochs: the work is that of the main chain', () => {
  // The least chain work that Bitcoin Core 26 and 27 ask for, as of heights 804000 and 824000.
  assert.equal(workUpTo(804_000), 0x52b2559353df4117b7348b64n);
  assert.equal(workUpTo(824_000), 0x63c4ebd298db40af57541800n);
  assert.equal(tableWork() - workUpTo(824_000), workUpTo(832_607) - workUpTo(824_000));
});

test('bitcoin epochs: work priced in headers of the last epoch, rounded down', () => {
  const one = workOf(LAST_EPOCH.bits);
  assert.deepEqual([0n, one - 1n, one, 7n * one + 1n].map(worthInHeaders), [0, 0, 1, 7]);
  assert.equal(worthInHeaders(7n * workOf(BITCOIN.limit)), 0);
});

test('bitcoin epochs: the recorded epochs, each following from the one before', (t) => {
  const path = sharedPath('data/bitcoin/mainnet-epochs.csv');
  if (path === undefined) return t.skip('../shared is not here');
  const rows = readFileSync(path, 'utf8')
    .trim()
    .split('\n')
    .slice(1)
    .map((line) => line.split(',') as [string, string, string, string, string]);
  assert.deepEqual(
    EPOCH_BITS.map(formatBits),
    rows.map(([, bits]) => bits),
  );
  let next = BITCOIN.limit;
  for (const [height, bits, first, last] of rows) {
    assert.equal(formatBits(next), bits, height);
    assert.equal(bitsAt(Number(height)), next);
    next = retarget(next, Number(first), Number(last), BITCOIN.limit);
  }
  assert.equal(formatBits(next), '17038c12', 'the first epoch after the table');
  const [height, bits, first, last, id] = rows.at(-1) as [string, string, string, string, string];
  assert.deepEqual(
    { ...LAST_EPOCH, hash: blockId(LAST_EPOCH.hash), bits: formatBits(LAST_EPOCH.bits) },
    {
      height: Number(height) + 2015,
      hash: id,
      firstTime: Number(first),
      lastTime: Number(last),
      bits,
    },
  );
});
