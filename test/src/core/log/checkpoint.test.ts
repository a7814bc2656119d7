import assert from 'node:assert/strict';
import { createPublicKey, verify } from 'node:crypto';
import { test } from 'node:test';
import { type Checkpoint, formatCheckpoint, parseCheckpoint } from '@assay/core/log/checkpoint';
import { Fault } from '@assay/core/fault';
import { leafHash, toHash } from '@assay/core/hash/hash';
import { formatHex, parseHex } from '@assay/core/bytes/hex';
import { parseNote, parseNoteKey } from '@assay/core/log/note';
import { rootOf } from '@assay/core/log/tree';
import { formatUtf8 } from '@assay/core/bytes/utf8';
import fc from 'fast-check';
import { sha256, vectors } from '../fixture/fixture.ts';

interface Checkpoints {
  readonly accepted: readonly { origin: string; size: number; root: string; text: string }[];
  readonly refused: readonly { name: string; text: string; fault: string }[];
}
const { accepted, refused } = vectors<Checkpoints>('checkpoint/checkpoints');

test('checkpoint: three lines, by example', () => {
  for (const { origin, size, root, text } of accepted) {
    const parsed = parseCheckpoint(text);
    assert.deepEqual([parsed.origin, parsed.size, formatHex(parsed.root)], [origin, size, root]);
    assert.equal(formatCheckpoint({ origin, size, root: toHash(parseHex(root)) }), text);
  }
  for (const { name, text, fault } of refused) {
    assert.throws(() => parseCheckpoint(text), { code: fault }, name);
  }
});

test('checkpoint: a signed one, of the entries that the vectors hold', () => {
  interface Signed {
    vkey: string;
    origin: string;
    size: number;
    root: string;
    note: string;
  }
  const { vkey, origin, size, root, note } = vectors<Signed>('checkpoint/signed');
  const { text, signatures } = parseNote(formatUtf8(note));
  const parsed = parseCheckpoint(text);
  assert.deepEqual([parsed.origin, parsed.size, formatHex(parsed.root)], [origin, size, root]);
  const key = parseNoteKey(sha256, vkey);
  assert.deepEqual([signatures[0]?.name, signatures[0]?.keyId], [origin, key.keyId]);
  const x = Buffer.from(key.publicKey).toString('base64url');
  const publicKey = createPublicKey({ key: { kty: 'OKP', crv: 'Ed25519', x }, format: 'jwk' });
  assert.ok(verify(null, formatUtf8(text), publicKey, signatures[0]?.signature ?? key.publicKey));
  const leaves = vectors<{ bytes: string }[]>('entry/entries').map(({ bytes }) =>
    leafHash(sha256, formatUtf8(bytes)),
  );
  assert.equal(leaves.length, size);
  assert.equal(formatHex(rootOf(sha256, leaves)), root);
});

test('checkpoint: text that is taken formats to itself', () => {
  const pieces = fc.constantFrom('\n', ' ', '0', '1', '-', '+', '=', 'A', 'x', '.');
  fc.assert(
    fc.property(
      fc.constantFrom(...accepted.map(({ text }) => text)),
      fc.nat(),
      pieces,
      fc.boolean(),
      (text, at, piece, insert) => {
        const i = at % text.length;
        const changed = text.slice(0, i) + piece + text.slice(insert ? i : i + 1);
        let checkpoint: Checkpoint;
        try {
          checkpoint = parseCheckpoint(changed);
        } catch (error) {
          assert.ok(error instanceof Fault && /^bad_(note|base64)$/.test(error.code));
          return;
        }
        assert.equal(formatCheckpoint(checkpoint), changed);
      },
    ),
    { numRuns: 2000 },
  );
});
