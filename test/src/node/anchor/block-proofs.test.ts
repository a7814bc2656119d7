import assert from 'node:assert/strict';
import { test } from 'node:test';
import { formatHex } from '@assay/core/bytes/hex';
import type { AnchorBlock } from '@assay/core/kind/anchor';
import type { HashHex } from '@assay/core/hash/hash';
import { evaluate } from '@assay/core/ots/evaluate';
import type { Item, Timestamp } from '@assay/core/ots/timestamp';
import { type ConfirmedAt, headerOf, sound, heldProof } from '@assay/node/anchor/block-proofs';
import type { ConfirmedBlock } from '@assay/node/bitcoin/header-follower';
import { nodeSha256 } from '@assay/node/platform/node-sha256';
import { HASHES } from './anchor-fixture.ts';

const COMMITMENT = Uint8Array.from({ length: 44 }, (_, i) => i);
const FOLLOWING = '33'.repeat(32) as HashHex;

/** The message after sha256 and `n`. */
const rootAfter = (n: number): Uint8Array =>
  new Uint8Array(nodeSha256(Buffer.concat([COMMITMENT, Uint8Array.of(n)])));

/** Leads to `rootAfter(n)`, said to be at `height`. */
function claim(n: number, height: number): Item {
  const attested: Timestamp = { items: [{ attestation: { kind: 'bitcoin', height } }] };
  return {
    operation: { op: 'append', argument: Uint8Array.of(n) },
    next: { items: [{ operation: { op: 'sha256' }, next: attested }] },
  };
}

function block(height: number, root: Uint8Array, salt = 0): ConfirmedBlock {
  const headers = new Uint8Array(560);
  headers.set(root, 36);
  headers[76] = salt;
  return { height, id: FOLLOWING, headers };
}

function chain(...blocks: readonly ConfirmedBlock[]): ConfirmedAt {
  return async (height) => blocks.find((each) => each.height === height);
}

function recorded({ height, headers }: ConfirmedBlock): AnchorBlock {
  return { height, header: formatHex(headers.slice(0, 80)), following: FOLLOWING };
}

function heightsIn(timestamp: Timestamp): readonly number[] {
  return evaluate(timestamp, COMMITMENT, HASHES).flatMap(({ attestation }) =>
    attestation.kind === 'bitcoin' ? [attestation.height] : [],
  );
}

async function sounded(confirmed: ConfirmedAt, floor: number, ...items: readonly Item[]) {
  const found = await sound({ items }, COMMITMENT, floor, confirmed, HASHES);
  return found.kind === 'sound' ? heightsIn(found.timestamp) : found.kind;
}

test('block proofs: the lowest block that holds the commitment, and nothing else of the answer', async () => {
  const confirmed = chain(block(10, rootAfter(1)), block(11, rootAfter(2)));
  assert.deepEqual(await sounded(confirmed, 9, claim(2, 11), claim(1, 10)), [10]);
  assert.deepEqual(
    await sounded(confirmed, 16, claim(2, 11), claim(1, 10)),
    [11],
    'no lower than a reorganisation goes',
  );
  assert.deepEqual(await sounded(confirmed, 15, claim(2, 11), claim(1, 10)), [10]);
  assert.equal(await sounded(confirmed, 17, claim(2, 11), claim(1, 10)), 'wrong');
  assert.deepEqual(await sounded(confirmed, 9, claim(7, 10), claim(2, 11)), [11]);
  assert.equal(await sounded(confirmed, 9, claim(7, 10)), 'wrong');
  assert.equal(await sounded(confirmed, 9, claim(1, 12)), 'early');
  assert.equal(await sounded(confirmed, 9, claim(7, 10), claim(1, 12)), 'early');
  assert.deepEqual(await sounded(confirmed, 9, claim(1, 12), claim(2, 11)), [11]);
});

test('block proofs: a truth and a lie about one height', async () => {
  const confirmed = chain(block(10, rootAfter(1)));
  for (const items of [
    [claim(1, 10), claim(7, 10)],
    [claim(7, 10), claim(1, 10)],
  ]) {
    const found = await sound({ items }, COMMITMENT, 0, confirmed, HASHES);
    assert.ok(found.kind === 'sound');
    assert.deepEqual(
      evaluate(found.timestamp, COMMITMENT, HASHES).map(({ message }) => formatHex(message)),
      [formatHex(rootAfter(1))],
    );
  }
});

test('block proofs: an answer that names many blocks costs no read of the chain', async () => {
  let looks = 0;
  const counting: ConfirmedAt = async () => {
    looks += 1;
    return undefined;
  };
  const many = Array.from({ length: 17 }, (_, i) => claim(i, i));
  assert.equal(await sounded(counting, -1, ...many), 'wrong');
  assert.equal(looks, 0);
  assert.equal(await sounded(counting, -1, ...many.slice(1)), 'early');
});

test('block proofs: what was recorded stays as it was, also with other blocks on top', async () => {
  const held = block(10, rootAfter(1));
  const before = recorded(held);
  const tree: Timestamp = { items: [claim(1, 10)] };
  for (const confirmed of [chain(held), chain()]) {
    const found = await heldProof(tree, COMMITMENT, [before], confirmed, HASHES);
    assert.equal(found?.blocks[0], before);
    assert.deepEqual(found?.gone, []);
  }
});

test('block proofs: what the chain does not bear out goes, and the rest stays', async () => {
  const pending: Item = { attestation: { kind: 'pending', uri: 'http://a' } };
  const old = recorded(block(10, rootAfter(1)));
  const other = block(10, rootAfter(9));
  const newer = block(12, rootAfter(2));
  const tree: Timestamp = { items: [pending, claim(1, 10), claim(2, 12), claim(3, 13)] };
  const found = await heldProof(tree, COMMITMENT, [old], chain(other, newer), HASHES);
  assert.ok(found !== undefined);
  assert.deepEqual(heightsIn(found.tree), [12]);
  assert.deepEqual(found.tree.items[0], pending);
  assert.deepEqual(found.blocks, [newer]);
  assert.deepEqual(found.gone, [10, 13]);
  const nothing = await heldProof(
    { items: [claim(1, 10)] },
    COMMITMENT,
    [old],
    chain(other),
    HASHES,
  );
  assert.equal(nothing, undefined);
});

test('block proofs: another block of the same root takes the place of the recorded one', async () => {
  const old = recorded(block(10, rootAfter(1)));
  const other = block(10, rootAfter(1), 5);
  const found = await heldProof({ items: [claim(1, 10)] }, COMMITMENT, [old], chain(other), HASHES);
  assert.deepEqual([found?.blocks, found?.gone], [[other], []]);
  assert.notDeepEqual(headerOf(old), headerOf(other));
});
