import assert from 'node:assert/strict';
import { test } from 'node:test';
import { formatNote, parseNote } from '@assay/core/log/note';
import type { CheckpointTerm } from '@assay/core/view/key/checkpoint-keys';
import { checkpointReader, checkpointSigner } from '@assay/node/ledger/checkpoint-signer';
import { TermSigner } from '@assay/node/ledger/term-signer';
import { nodeSha256 } from '@assay/node/platform/node-sha256';
import { naiveRoot, ORIGIN, someLeaf, testSigner } from './ledger-fixture.ts';

const KEYS = [testSigner(2), testSigner(20), testSigner(21)] as const;
const SIGNERS = KEYS.map((key) => checkpointSigner(nodeSha256, ORIGIN, key));
const root = (size: number) => naiveRoot(Array.from({ length: size }, (_, i) => someLeaf(i)));
const prove = () => Promise.resolve([]);

/** Key 0 to size 5, key 1 by a rotation to size 8, and key 2 by a recovery. */
const TERMS: readonly CheckpointTerm[] = (
  [
    ['genesis', 0, 0, 5],
    ['rotation', 4, 5, 8],
    ['recovery', 8, 8, null],
  ] as const
).map(([cause, seq, above, last], number) => ({
  number,
  vkey: (SIGNERS[number] as (typeof SIGNERS)[number]).vkey,
  seq,
  cause,
  above,
  last_size: last,
  promised_by: number === 0 ? null : 1,
}));

function signer(
  keys: readonly number[],
  closingHead: (number: number) => Promise<Uint8Array | undefined> = () =>
    Promise.resolve(undefined),
): TermSigner {
  const held = keys.map((each) => SIGNERS[each] as (typeof SIGNERS)[number]);
  return new TermSigner({
    sha256: nodeSha256,
    origin: ORIGIN,
    terms: TERMS,
    keys: held,
    closingHead,
  });
}

/** The numbers of the keys with a good line. */
function linesOf(note: Uint8Array): readonly number[] {
  return KEYS.flatMap(({ publicKey }, number) => {
    try {
      checkpointReader(nodeSha256, ORIGIN, publicKey).open(note);
      return [number];
    } catch {
      return [];
    }
  });
}

test('term signer: a head has a line of the key of its size, and at the end of a rotated one of both', async () => {
  const all = signer([0, 1, 2]);
  assert.equal(all.vkey, SIGNERS[2]?.vkey);
  for (const [size, keys] of [
    [1, [0]],
    [4, [0]],
    [5, [0, 1]],
    [6, [1]],
    [8, [1]],
    [9, [2]],
  ] as const) {
    const note = await all.sign(size, root(size), prove);
    assert.deepEqual(linesOf(note), keys, `${size}`);
    assert.equal(all.open(note).size, size);
  }
});

test('term signer: a note without a line of the key of its size is not of this log', () => {
  const all = signer([]);
  for (const [size, key] of [
    [4, 1],
    [5, 1],
    [6, 0],
    [8, 2],
    [9, 1],
  ] as const) {
    const note = SIGNERS[key]?.sign(size, root(size)) as Uint8Array;
    assert.throws(() => all.open(note), { code: 'bad_note' }, `${size}`);
  }
});

test('term signer: without the key of a size nothing is signed, and a key that is added signs', async () => {
  const some = signer([0, 1]);
  await assert.rejects(some.sign(9, root(9), prove), { code: 'key_missing' });
  some.add(SIGNERS[2] as (typeof SIGNERS)[number]);
  assert.deepEqual(linesOf(await some.sign(9, root(9), prove)), [2]);
  // What the log says of its keys is followed.
  some.follow(TERMS.slice(0, 1).map((term) => ({ ...term, last_size: null })));
  assert.deepEqual(linesOf(await some.sign(9, root(9), prove)), [0]);
});

test('term signer: the handover head that is kept takes the place of the key that ended', async () => {
  const handover = await signer([0, 1]).sign(5, root(5), prove);
  const kept = signer([1, 2], (number) => Promise.resolve(number === 0 ? handover : undefined));
  assert.deepEqual(await kept.sign(5, root(5), prove), handover);
  await assert.rejects(kept.sign(5, root(6), prove), { code: 'key_missing' });
  await assert.rejects(kept.sign(4, root(4), prove), { code: 'key_missing' });
  const { text, signatures } = parseNote(handover);
  const half = formatNote({ text, signatures: signatures.slice(0, 1) });
  await assert.rejects(signer([1], () => Promise.resolve(half)).sign(5, root(5), prove), {
    code: 'bad_note',
  });
});
