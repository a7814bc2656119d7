import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import {
  blockId,
  formatHeader,
  type Header,
  headerHash,
  parseBlockId,
  parseHeader,
} from '@assay/core/bitcoin/header';
import { toHash } from '@assay/core/hash/hash';
import { formatHex, parseHex } from '@assay/core/bytes/hex';
import fc from 'fast-check';
import { sha256, sharedPath, vectors } from '../fixture/fixture.ts';

interface HeaderVector {
  readonly note: string;
  readonly hex: string;
  readonly version: number;
  readonly prev: string;
  readonly merkle_root: string;
  readonly time: number;
  readonly bits: string;
  readonly nonce: number;
  readonly id: string;
}
const VECTORS = vectors<readonly HeaderVector[]>('bitcoin/headers');

test('bitcoin header: fields and ids by example', () => {
  for (const vector of VECTORS) {
    const bytes = parseHex(vector.hex);
    const header: Header = {
      version: vector.version,
      prev: new Uint8Array(parseBlockId(vector.prev)),
      merkleRoot: new Uint8Array(parseBlockId(vector.merkle_root)),
      time: vector.time,
      bits: Number.parseInt(vector.bits, 16),
      nonce: vector.nonce,
    };
    assert.deepEqual(parseHeader(bytes), header, vector.note);
    assert.deepEqual(formatHeader(header), bytes, vector.note);
    assert.equal(blockId(headerHash(sha256, bytes)), vector.id, vector.note);
  }
});

test('bitcoin header: a view into more bytes is read where it begins', () => {
  const [first] = VECTORS as readonly [HeaderVector];
  const bytes = parseHex(first.hex);
  const room = new Uint8Array(200).fill(0xee);
  room.set(bytes, 7);
  const header = parseHeader(room.subarray(7, 87));
  assert.deepEqual(header, parseHeader(bytes));
  room.fill(0);
  assert.deepEqual(formatHeader(header), bytes, 'what was parsed is its own');
});

test('bitcoin header: every 80 bytes are a header, and no other length is', () => {
  fc.assert(
    fc.property(fc.uint8Array({ minLength: 80, maxLength: 80 }), (bytes) => {
      assert.deepEqual(formatHeader(parseHeader(bytes)), bytes);
    }),
  );
  for (const length of [0, 79, 81, 160]) {
    const bytes = new Uint8Array(length);
    assert.throws(() => parseHeader(bytes), { code: 'bad_length' });
    assert.throws(() => headerHash(sha256, bytes), { code: 'bad_length' });
  }
});

test('bitcoin header: numbers and hashes out of their type are not written', () => {
  const header = parseHeader(new Uint8Array(80));
  const wrong: readonly Partial<Header>[] = [
    { version: 2 ** 31 },
    { version: 0.5 },
    { time: -1 },
    { time: 2 ** 32 },
    { bits: 1.5 },
    { nonce: Number.NaN },
  ];
  for (const each of wrong) assert.throws(() => formatHeader({ ...header, ...each }), TypeError);
  const short = new Uint8Array(31);
  assert.throws(() => formatHeader({ ...header, prev: short }), { code: 'bad_length' });
  assert.throws(() => formatHeader({ ...header, merkleRoot: short }), { code: 'bad_length' });
});

test('bitcoin header: an id is the hash reversed', () => {
  const hash = toHash(Uint8Array.from({ length: 32 }, (_, i) => i));
  const id = blockId(hash);
  assert.equal(id.slice(0, 8), '1f1e1d1c');
  assert.deepEqual(parseBlockId(id), hash);
  assert.equal(hash[0], 0, 'the hash is left as it was');
  for (const wrong of ['', id.slice(2), `${id}00`, id.toUpperCase()]) {
    assert.throws(() => parseBlockId(wrong), { code: 'bad_hex' });
  }
});

test('bitcoin header: the recorded header of height 358391', (t) => {
  const path = sharedPath('data/vectors/bitcoin-header-358391.hex');
  if (path === undefined) return t.skip('../shared is not here');
  const hex = readFileSync(path, 'utf8').trim();
  const root = formatHex(parseHeader(parseHex(hex)).merkleRoot.toReversed());
  assert.match(root, /^8a1b66ec.*47e00$/);
  assert.equal(VECTORS.filter((vector) => vector.hex === hex).length, 1);
});
