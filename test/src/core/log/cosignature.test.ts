import assert from 'node:assert/strict';
import { createPublicKey, verify } from 'node:crypto';
import { test } from 'node:test';
import {
  cosignatureMessage,
  formatCosignature,
  parseCosignature,
} from '@assay/core/log/cosignature';
import {
  formatNote,
  formatNoteKey,
  NOTE_COSIGNATURE,
  type NoteSignature,
  parseNote,
  parseNoteKey,
} from '@assay/core/log/note';
import { formatUtf8 } from '@assay/core/bytes/utf8';
import fc from 'fast-check';
import { sha256, vectors } from '../fixture/fixture.ts';

interface Signed {
  readonly text: string;
  readonly vkey: string;
  /** Cosigned by transparency-dev's formats/note. */
  readonly note: string;
}

const VECTORS = vectors<readonly Signed[]>('cosignature/signed');

test('cosignature: lines of other software verify over the message, and format to themselves', () => {
  assert.equal(VECTORS.length, 2);
  for (const { text, vkey, note } of VECTORS) {
    const key = parseNoteKey(sha256, vkey, NOTE_COSIGNATURE);
    assert.equal(formatNoteKey(sha256, key.name, key.publicKey, NOTE_COSIGNATURE), vkey);
    assert.throws(() => parseNoteKey(sha256, vkey), { code: 'bad_note' });
    const parsed = parseNote(formatUtf8(note));
    const [line] = parsed.signatures as [NoteSignature];
    assert.deepEqual([line.name, line.keyId, parsed.text], [key.name, key.keyId, text]);
    const cosignature = parseCosignature(line.signature);
    assert.ok(cosignature !== undefined);
    assert.equal(cosignature.time > 1_700_000_000, true);
    const x = Buffer.from(key.publicKey).toString('base64url');
    const jwk = createPublicKey({ key: { kty: 'OKP', crv: 'Ed25519', x }, format: 'jwk' });
    const good = (message: Uint8Array): boolean =>
      verify(null, message, jwk, cosignature.signature);
    assert.ok(good(cosignatureMessage(text, cosignature.time)));
    assert.equal(good(cosignatureMessage(text, cosignature.time + 1)), false);
    assert.equal(good(formatUtf8(text)), false);
    const again = { text, signatures: [formatCosignature(key, cosignature)] };
    assert.equal(Buffer.from(formatNote(again)).toString(), note);
  }
});

test('cosignature: nothing but 72 bytes with a time that a number holds', () => {
  const key = { name: 'w', keyId: '00000000' };
  fc.assert(
    fc.property(
      fc.integer({ min: 0, max: Number.MAX_SAFE_INTEGER }),
      fc.uint8Array({ minLength: 64, maxLength: 64 }),
      (time, signature) => {
        const line = formatCosignature(key, { time, signature }).signature;
        assert.equal(line.length, 72);
        assert.deepEqual(parseCosignature(line), { time, signature });
      },
    ),
  );
  for (const length of [0, 64, 71, 73]) {
    assert.equal(parseCosignature(new Uint8Array(length)), undefined, `${length}`);
  }
  assert.equal(parseCosignature(new Uint8Array(72).fill(255)), undefined);
  // Read where it lies in a larger buffer.
  const wide = new Uint8Array(100);
  wide.set(
    formatCosignature(key, { time: 7, signature: new Uint8Array(64).fill(9) }).signature,
    20,
  );
  assert.equal(parseCosignature(wide.subarray(20, 92))?.time, 7);
});
