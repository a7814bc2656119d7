import assert from 'node:assert/strict';
import { test } from 'node:test';
import { hashHex } from '@assay/core/hash/hash';
import { formatHex, parseHex } from '@assay/core/bytes/hex';
import {
  formatTickLeaves,
  MAX_TICK_LEAVES,
  parseTickLeaves,
  TICK_LEAF_BYTES,
  type TickLeaf,
  tickRoot,
} from '@assay/core/terminal/tick/tick-leaf';
import { sha256, vectors } from '../../fixture/fixture.ts';

interface LeavesVector {
  readonly name: string;
  readonly leaves: readonly (Omit<TickLeaf, 'commitment'> & { readonly commitment: string })[];
  readonly blob: string;
  readonly root: string;
}

const VECTORS = vectors<readonly LeavesVector[]>('tick/leaves').map(({ leaves, ...rest }) => ({
  ...rest,
  leaves: leaves.map((each) => ({ ...each, commitment: parseHex(each.commitment) })),
}));

test('tick leaf: exact bytes and their root', () => {
  for (const { name, leaves, blob, root } of VECTORS) {
    assert.equal(formatHex(formatTickLeaves(leaves)), blob, name);
    assert.deepEqual(parseTickLeaves(parseHex(blob)), leaves, name);
    assert.equal(hashHex(tickRoot(sha256, parseHex(blob))), root, name);
  }
});

test('tick leaf: other bytes are malformed, with their place', () => {
  interface Refused {
    readonly name: string;
    readonly blob: string;
    readonly at: string;
  }
  for (const { name, blob, at } of vectors<readonly Refused[]>('tick/refused-leaves')) {
    assert.throws(() => parseTickLeaves(parseHex(blob)), { code: 'malformed', at }, name);
  }
});

test('tick leaf: no byte of a blob can change and be read as the same', () => {
  const [, three] = VECTORS;
  assert.ok(three !== undefined);
  const blob = parseHex(three.blob);
  for (let at = 0; at < blob.length; at += 1) {
    const other = blob.slice();
    other[at] = (other[at] as number) ^ 1;
    let read: readonly TickLeaf[] | undefined;
    try {
      read = parseTickLeaves(other);
    } catch {
      continue;
    }
    assert.deepEqual(formatTickLeaves(read), other, `byte ${at}`);
    assert.notDeepEqual(read, three.leaves, `byte ${at}`);
  }
});

test('tick leaf: more leaves than a tick has are malformed', () => {
  const blob = new Uint8Array((MAX_TICK_LEAVES + 1) * TICK_LEAF_BYTES);
  assert.throws(() => parseTickLeaves(blob), { code: 'malformed', at: '' });
});

test('tick leaf: bytes within a longer buffer are read from where they begin', () => {
  const [one] = VECTORS;
  assert.ok(one !== undefined);
  const buffer = new Uint8Array(TICK_LEAF_BYTES + 5);
  buffer.set(parseHex(one.blob), 5);
  assert.deepEqual(parseTickLeaves(buffer.subarray(5)), one.leaves);
});
