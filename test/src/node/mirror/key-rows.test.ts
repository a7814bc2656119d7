import assert from 'node:assert/strict';
import { test } from 'node:test';
import { bodyParser } from '@assay/core/kind/kinds';
import { leafHash } from '@assay/core/hash/hash';
import { MemoryViews } from '@assay/core/view/state';
import { foldEntry } from '@assay/core/view/fold';
import { CHAIN_START, endOf, readNext, type ReadEntry } from '@assay/node/mirror/entry-chain';
import { KeyRows } from '@assay/node/mirror/key-rows';
import { nodeSha256 } from '@assay/node/platform/node-sha256';
import { PaperPublisher } from './paper-publisher.ts';

function readsOf({ entries }: PaperPublisher): readonly ReadEntry[] {
  let end = CHAIN_START;
  return entries.map((bytes) => {
    const read = readNext(bodyParser(nodeSha256), end, bytes, leafHash(nodeSha256, bytes));
    end = endOf(read);
    return read;
  });
}

test('key rows: the terms are those of the fold, wherever the stored rows end', () => {
  const log = new PaperPublisher().promise().notes(1).rotate().recover().notes(1).rotate();
  const reads = readsOf(log);
  const whole = new KeyRows(nodeSha256, new MemoryViews(), undefined);
  assert.deepEqual(whole.terms, []);
  const changed = reads.map((each) => whole.take(each));
  assert.deepEqual(changed, [true, true, false, true, true, false, true]);
  assert.deepEqual(
    whole.terms.map(({ number, above, last_size: last }) => [number, above, last]),
    [
      [0, 0, 4],
      [1, 4, 4],
      [2, 4, 7],
      [3, 7, null],
    ],
  );
  const stored = new MemoryViews();
  for (const read of reads) {
    const rows = new KeyRows(nodeSha256, stored, read.seq === 0 ? undefined : log.log);
    for (const each of reads.slice(read.seq)) rows.take(each);
    assert.deepEqual(rows.terms, whole.terms, `stored up to ${read.seq}`);
    assert.ok(read.known !== undefined);
    const { seq, at, known } = read;
    stored.write(foldEntry({ ...known, seq, at, log: log.log }, stored, nodeSha256));
  }
});

test('key rows: a key that may not come next, or is not signed, is refused', () => {
  const log = () => new PaperPublisher().promise().notes(1);
  const unsigned = { old: '00'.repeat(64), new: '00'.repeat(64), recovery: null };
  for (const [place, bad] of [
    ['entry 3/number', log().rotate({ number: 2 })],
    ['entry 3/last_size', log().rotate({ last_size: 9 })],
    ['entry 3/signatures/old', log().rotate({ signatures: unsigned })],
    ['entry 1/key', new PaperPublisher().rotate()],
  ] as const) {
    const rows = new KeyRows(nodeSha256, new MemoryViews(), undefined);
    const take = (): void => readsOf(bad).forEach((each) => rows.take(each));
    assert.throws(take, { code: 'ledger_corrupt', at: place });
  }
});
