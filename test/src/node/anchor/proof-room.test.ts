import assert from 'node:assert/strict';
import { test } from 'node:test';
import { formatLeafProof } from '@assay/core/ots/batch';
import { MAX_ATTESTATIONS } from '@assay/core/ots/limits';
import type { Operation } from '@assay/core/ots/operation';
import { parseProof } from '@assay/core/ots/proof';
import { formatTimestamp, type Item, type Timestamp } from '@assay/core/ots/timestamp';
import { fitsProofs } from '@assay/node/anchor/proof-room';

const SHA256: Operation = { op: 'sha256' };

function tower(depth: number): Timestamp {
  let tree: Timestamp = { items: [{ attestation: { kind: 'bitcoin', height: 1 } }] };
  for (let i = 0; i < depth; i += 1) tree = { items: [{ operation: SHA256, next: tree }] };
  return tree;
}

/** The file of a leaf in a batch of 2 to the `levels`. */
function file(levels: number, tip: Timestamp): Uint8Array {
  const path: Operation[] = [{ op: 'append', argument: new Uint8Array(16) }, SHA256];
  for (let i = 0; i < levels; i += 1) {
    path.push({ op: 'append', argument: new Uint8Array(32) }, SHA256);
  }
  return formatLeafProof(new Uint8Array(32), path, formatTimestamp(tip));
}

test('proof room: a batch of 2^20 leaves leaves room for 213 steps, and none for 214', () => {
  const to = 2 ** 20 - 1;
  assert.ok(fitsProofs(tower(213), 0, to));
  assert.equal(fitsProofs(tower(214), 0, to), false);
  parseProof(file(20, tower(213)));
  assert.throws(() => parseProof(file(20, tower(214))), { code: 'bad_proof' });
});

test('proof room: the limit is that of the longest path, to the step', () => {
  for (const [entries, levels] of [
    [1, 1],
    [2, 2],
    [3, 2],
    [4, 3],
    [255, 8],
    [256, 9],
  ] as const) {
    const most = 255 - 2 - 2 * levels;
    assert.ok(fitsProofs(tower(most), 7, 7 + entries), `${entries}`);
    assert.equal(fitsProofs(tower(most + 1), 7, 7 + entries), false, `${entries}`);
  }
});

test('proof room: a tree that is over a limit by itself does not fit, and is no error', () => {
  const heavy = (count: number): Timestamp => ({
    items: Array.from({ length: count }, (_, i): Item => {
      let next = tower(0);
      for (let step = 0; step < 5; step += 1) {
        const argument = new Uint8Array(4000).fill(i);
        const hashed: Item = { operation: SHA256, next };
        next = { items: [{ operation: { op: 'append', argument }, next: { items: [hashed] } }] };
      }
      return { operation: { op: 'append', argument: Uint8Array.of(i) }, next };
    }),
  });
  assert.ok(fitsProofs(heavy(50), 0, 1));
  assert.equal(fitsProofs(heavy(55), 0, 1), false, 'bytes');
});

test('proof room: as many attestations as a reader reads, and not one more', () => {
  const wide = (n: number): Timestamp => ({
    items: Array.from({ length: n }, (_, height) => ({ attestation: { kind: 'bitcoin', height } })),
  });
  assert.ok(fitsProofs(wide(MAX_ATTESTATIONS), 0, 1));
  assert.equal(fitsProofs(wide(MAX_ATTESTATIONS + 1), 0, 1), false);
});
