import assert from 'node:assert/strict';
import { test } from 'node:test';
import { formatLeafProof } from '@assay/core/ots/batch';
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
  const wide = (count: number): Timestamp => ({
    items: Array.from({ length: count }, (_, i): Item => ({
      operation: { op: 'append', argument: Uint8Array.of(i, i >> 8, i >> 16) },
      next: tower(0),
    })),
  });
  assert.ok(fitsProofs(wide(10_000), 0, 1));
  assert.equal(fitsProofs(wide(30_000), 0, 1), false, 'nodes');
  const payload = new Uint8Array(8000);
  const heavy: Timestamp = {
    items: Array.from({ length: 131 }, (_, i) => ({
      attestation: { kind: 'unknown', tag: '00000000000000' + (i + 16).toString(16), payload },
    })),
  };
  assert.equal(fitsProofs(heavy, 0, 1), false, 'bytes');
});
