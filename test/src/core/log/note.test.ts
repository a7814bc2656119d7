import assert from 'node:assert/strict';
import { createPublicKey, generateKeyPairSync, sign, verify } from 'node:crypto';
import { test } from 'node:test';
import { Fault } from '@assay/core/fault';
import { formatHex, parseHex } from '@assay/core/bytes/hex';
import {
  formatNote,
  formatNoteKey,
  type Note,
  NOTE_ED25519,
  noteKeyId,
  parseNote,
  parseNoteKey,
} from '@assay/core/log/note';
import { formatUtf8 } from '@assay/core/bytes/utf8';
import fc from 'fast-check';
import { sha256, vectorBytes, vectors } from '../fixture/fixture.ts';

function ed25519(publicKey: Uint8Array): ReturnType<typeof createPublicKey> {
  const x = Buffer.from(publicKey).toString('base64url');
  return createPublicKey({ key: { kty: 'OKP', crv: 'Ed25519', x }, format: 'jwk' });
}

test('note: notes signed by other software parse, verify and format to themselves', () => {
  interface Signed {
    text: string;
    vkey: string;
    name: string;
    key_id: string;
    note: string;
  }
  for (const each of vectors<Signed[]>('note/signed')) {
    const bytes = formatUtf8(each.note);
    const note = parseNote(bytes);
    assert.equal(note.text, each.text);
    assert.deepEqual(formatNote(note), bytes);
    const key = parseNoteKey(sha256, each.vkey);
    const [line] = note.signatures;
    assert.deepEqual([line?.name, line?.keyId, key.keyId], [each.name, each.key_id, each.key_id]);
    assert.ok(
      verify(
        null,
        formatUtf8(note.text),
        ed25519(key.publicKey),
        line?.signature ?? new Uint8Array(64),
      ),
    );
  }
});

test('note: what is signed here carries its key’s id, and each signature its own', () => {
  const text = 'development/log\n\nempty lines are text\n';
  const signers = ['development/log', 'witness.example/Ω'].map((name) => {
    const { privateKey, publicKey } = generateKeyPairSync('ed25519');
    const raw = Buffer.from(publicKey.export({ format: 'jwk' }).x ?? '', 'base64url');
    const keyId = noteKeyId(sha256, name, NOTE_ED25519, raw);
    return {
      name,
      keyId,
      raw,
      signature: new Uint8Array(sign(null, formatUtf8(text), privateKey)),
    };
  });
  const note = parseNote(formatNote({ text, signatures: signers }));
  assert.equal(note.text, text);
  for (const [i, { name, keyId, raw, signature }] of signers.entries()) {
    const key = parseNoteKey(sha256, formatNoteKey(sha256, name, raw));
    assert.deepEqual(key, { name, keyId, type: NOTE_ED25519, publicKey: new Uint8Array(raw) });
    assert.deepEqual({ ...note.signatures[i] }, { name, keyId, signature });
    assert.ok(
      verify(
        null,
        formatUtf8(note.text),
        ed25519(key.publicKey),
        note.signatures[i]?.signature ?? raw,
      ),
    );
  }
});

test('note: named refusals', () => {
  interface Refused {
    name: string;
    text?: string;
    hex?: string;
    fault: string;
  }
  for (const { name, fault, ...input } of vectors<Refused[]>('note/refused')) {
    assert.throws(() => parseNote(vectorBytes(input)), { code: fault }, name);
  }
});

test('note: sixteen signatures and more are taken, and a length at its end', () => {
  const signature = { name: 'n', keyId: '00000000', signature: new Uint8Array(64) };
  for (const count of [1, 16, 64]) {
    const note: Note = { text: 't\n', signatures: Array.from({ length: count }, () => signature) };
    assert.equal(parseNote(formatNote(note)).signatures.length, count);
  }
  const pad = 65_536 - formatNote({ text: '\n', signatures: [signature] }).length;
  const most = formatNote({ text: `${'x'.repeat(pad)}\n`, signatures: [signature] });
  assert.equal(most.length, 65_536);
  assert.ok(parseNote(most));
  assert.throws(
    () => parseNote(formatNote({ text: `${'x'.repeat(pad + 1)}\n`, signatures: [signature] })),
    { code: 'bad_note' },
  );
});

test('note: bytes that are taken format to themselves', () => {
  const lines = fc.array(
    fc.record({
      name: fc.constantFrom('n', 'a/b', 'é'),
      keyId: fc.constantFrom('00000000', 'ffabcdef'),
      signature: fc.uint8Array({ minLength: 1, maxLength: 5 }),
    }),
    { minLength: 1, maxLength: 3 },
  );
  const text = fc
    .array(fc.constantFrom('a', '\n', '\n\n', '— n AAAAAAA=\n', ' '), { maxLength: 5 })
    .map((all) => `${all.join('')}\n`);
  const change = fc.record({
    at: fc.nat(),
    byte: fc.constantFrom(...Buffer.from('\n A=+/—\r\t\0n').values(), 0x7f, 0xff),
    insert: fc.boolean(),
  });
  let taken = 0;
  fc.assert(
    fc.property(text, lines, fc.array(change, { maxLength: 2 }), (words, signatures, changes) => {
      const whole = [...formatNote({ text: words, signatures })];
      for (const { at, byte, insert } of changes)
        whole.splice(at % whole.length, insert ? 0 : 1, byte);
      const bytes = Uint8Array.from(whole);
      let note: Note;
      try {
        note = parseNote(bytes);
      } catch (error) {
        assert.ok(
          error instanceof Fault && /^bad_(note|base64|utf8)$/.test(error.code),
          String(error),
        );
        assert.ok(changes.length > 0);
        return;
      }
      taken += 1;
      assert.deepEqual(formatNote(note), bytes);
      assert.ok(note.text.endsWith('\n'));
    }),
    { numRuns: 3000 },
  );
  assert.ok(taken > 500);
});

test('note: keys by example', () => {
  interface Keys {
    accepted: { vkey: string; name: string; key_id: string; public_key: string }[];
    refused: { name: string; vkey: string; fault: string }[];
  }
  const { accepted, refused } = vectors<Keys>('note/keys');
  for (const { vkey, name, key_id: keyId, public_key: publicKey } of accepted) {
    const key = parseNoteKey(sha256, vkey);
    assert.deepEqual([key.name, key.keyId, formatHex(key.publicKey)], [name, keyId, publicKey]);
    assert.equal(formatNoteKey(sha256, name, parseHex(publicKey)), vkey);
  }
  for (const { name, vkey, fault } of refused) {
    assert.throws(() => parseNoteKey(sha256, vkey), { code: fault }, name);
  }
});

test('note: a key’s name has no blanks, no plus and no control characters', () => {
  const key = new Uint8Array(32);
  for (const name of ['', 'a b', 'a+b', 'a\nb', 'a\u0085b', 'a\u00a0b', 'a\u2028b', 'a\u3000b']) {
    assert.throws(
      () => formatNoteKey(sha256, name, key),
      { code: 'bad_note' },
      JSON.stringify(name),
    );
  }
  assert.throws(() => formatNoteKey(sha256, 'a', key.subarray(1)), { code: 'bad_length' });
});

test('note: a key id that is no hex is not written', () => {
  for (const keyId of ['0000000', 'zzzzzzzz', 'ABCDEF00']) {
    const signatures = [{ name: 'n', keyId, signature: new Uint8Array(64) }];
    assert.throws(() => formatNote({ text: 't\n', signatures }), Fault, keyId);
  }
});
