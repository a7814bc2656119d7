import assert from 'node:assert/strict';
import { verify } from 'node:crypto';
import { test } from 'node:test';
import { formatNote, NOTE_ED25519, noteKeyId, parseNote, parseNoteKey } from '@assay/core/log/note';
import { formatUtf8, parseUtf8 } from '@assay/core/bytes/utf8';
import { checkpointSigner } from '@assay/node/ledger/checkpoint-signer';
import { nodeSha256 } from '@assay/node/platform/node-sha256';
import { CHECKPOINTS, naiveRoot, ORIGIN, someLeaf, testSigner } from './ledger-fixture.ts';

const ROOT = naiveRoot([someLeaf(0), someLeaf(1), someLeaf(2)]);
const bad = { name: 'Fault', code: 'bad_note' };

test('checkpoint signer: a C2SP checkpoint in a signed note, checked by OpenSSL', () => {
  const note = CHECKPOINTS.sign(3, ROOT);
  const { text, signatures } = parseNote(note);
  assert.equal(text, `${ORIGIN}\n3\n${Buffer.from(ROOT).toString('base64')}\n`);
  assert.equal(signatures.length, 1);
  const [line] = signatures;
  assert.equal(line?.name, ORIGIN);
  const key = {
    key: Buffer.concat([Buffer.from('302a300506032b6570032100', 'hex'), testSigner(2).publicKey]),
    format: 'der',
    type: 'spki',
  } as const;
  assert.ok(verify(null, Buffer.from(text), key, line?.signature as Uint8Array));
  const vkey = parseNoteKey(nodeSha256, CHECKPOINTS.vkey);
  assert.deepEqual(vkey.publicKey, testSigner(2).publicKey);
  assert.equal(vkey.keyId, line?.keyId);
});

test('checkpoint signer: it opens its own notes, with lines of others beside its own', () => {
  const note = CHECKPOINTS.sign(3, ROOT);
  assert.deepEqual(CHECKPOINTS.open(note), { origin: ORIGIN, size: 3, root: ROOT });
  const { text, signatures } = parseNote(note);
  const other = { name: 'witness.example/w', keyId: 'cafe0001', signature: new Uint8Array(72) };
  const witnessed = formatNote({ text, signatures: [other, ...signatures] } as never);
  assert.deepEqual(CHECKPOINTS.open(witnessed), { origin: ORIGIN, size: 3, root: ROOT });
  assert.deepEqual(CHECKPOINTS.open(CHECKPOINTS.sign(0, naiveRoot([]))).size, 0);
});

test('checkpoint signer: what another key signed is not ours', () => {
  const note = checkpointSigner(nodeSha256, ORIGIN, testSigner(9)).sign(3, ROOT);
  assert.throws(() => CHECKPOINTS.open(note), bad);
  const forged = parseNote(note);
  const keyId = noteKeyId(nodeSha256, ORIGIN, NOTE_ED25519, testSigner(2).publicKey);
  const [line] = forged.signatures;
  const signatures = [{ name: ORIGIN, keyId, signature: line?.signature as Uint8Array }];
  assert.throws(() => CHECKPOINTS.open(formatNote({ text: forged.text, signatures })), bad);
});

test('checkpoint signer: a changed byte anywhere is refused', () => {
  const note = CHECKPOINTS.sign(3, ROOT);
  for (let i = 0; i < note.length; i += 1) {
    const changed = note.slice();
    changed[i] = (changed[i] as number) ^ 1;
    assert.throws(() => CHECKPOINTS.open(changed), { name: 'Fault' }, `byte ${i}`);
  }
});

test('checkpoint signer: text that is no checkpoint of this log is refused, though our key signed it', () => {
  const signer = testSigner(2);
  const keyId = noteKeyId(nodeSha256, ORIGIN, NOTE_ED25519, signer.publicKey);
  const base = parseUtf8(CHECKPOINTS.sign(3, ROOT)).split('\n\n')[0] as string;
  const texts = [
    `${base}\n`.replace(ORIGIN, 'development/other'),
    `${base}\n`.replace('\n3\n', '\n03\n'),
    `${base}\nextension\n`,
    'words\n',
  ];
  for (const text of texts) {
    const signature = signer.sign(formatUtf8(text));
    const note = formatNote({ text, signatures: [{ name: ORIGIN, keyId, signature }] });
    assert.throws(() => CHECKPOINTS.open(note), { name: 'Fault' }, text);
  }
});
