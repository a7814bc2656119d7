import assert from 'node:assert/strict';
import { test } from 'node:test';
import { formatEntry } from '@assay/core/log/entry';
import { contentHash, hashHex, leafHash, toHashHex, ZERO_HASH_HEX } from '@assay/core/hash/hash';
import type { Genesis } from '@assay/core/kind/genesis';
import {
  formatSuccession,
  isSuccessionText,
  parseSuccession,
  signedSuccession,
  type Succession,
  successionFacts,
} from '@assay/core/kind/succession';
import { NOTE_ED25519, noteKeyId } from '@assay/core/log/note';
import { toTime } from '@assay/core/time/time';
import { formatUtf8 } from '@assay/core/bytes/utf8';
import { wire } from '@assay/core/wire/wire';
import { signerOf } from '@assay/node/key/keystore';
import { checkpointSigner } from '@assay/node/ledger/checkpoint-signer';
import { nodeSha256 } from '@assay/node/platform/node-sha256';
import type { Declared } from '@assay/verifier/check/declared';
import { DeclaredList, isDeclaration, readDeclaration } from '@assay/verifier/check/declared';
import { nodeVerifySignatureAsync } from '@assay/node/platform/node-signature';
import { NotCheckedList } from '@assay/verifier/verdict/verdict';
import { formatLoss } from '@assay/core/kind/loss';

const ORIGIN = 'development/old';
const signer = signerOf(new Uint8Array(32).fill(7));
const checkpoints = checkpointSigner(nodeSha256, ORIGIN, signer);
const genesis: Genesis = {
  origin: ORIGIN,
  network: 'development',
  report_key: '11'.repeat(32),
  checkpoint_vkey: checkpoints.vkey,
  next_report_key_sha256: ZERO_HASH_HEX,
  recovery_key_sha256: ZERO_HASH_HEX,
  chain: null,
  program: null,
  policies: { cosigners_required: 0, witnesses_required: 0, witness_max_age_s: 0 },
};
const FIRST = formatEntry({
  v: 1,
  seq: 0,
  prev: ZERO_HASH_HEX,
  at: toTime('2026-01-01T00:00:00Z'),
  kind: 'genesis/1',
  body: wire(genesis),
});
const root = contentHash(nodeSha256, Uint8Array.of(1));
const NEW = toHashHex('cd'.repeat(32));
const SUCCESSION: Succession = {
  genesis: FIRST,
  head: checkpoints.sign(100, root),
  lost: checkpoints.sign(105, root),
  by: NEW,
};
const ENVIRONMENT = { sha256: nodeSha256, verifySignature: nodeVerifySignatureAsync };

function signed(text: string): string {
  const keyId = noteKeyId(nodeSha256, ORIGIN, NOTE_ED25519, signer.publicKey);
  const signature = signer.sign(formatUtf8(text));
  return signedSuccession(text, { name: ORIGIN, keyId, signature });
}

test('succession: what it names of the old log', () => {
  const facts = successionFacts(nodeSha256, SUCCESSION);
  assert.equal(facts.log, hashHex(leafHash(nodeSha256, FIRST)));
  assert.deepEqual([facts.head.size, facts.lost?.size], [100, 105]);
  const text = formatSuccession(nodeSha256, SUCCESSION);
  assert.match(text, /^assay-succession\/1\ngenesis /);
  assert.match(
    text,
    /Its entries 100 to 104 stand under a signed head of 105, and nobody holds them\. The two logs are not one\.\n$/,
  );
  assert.equal(isSuccessionText(text), true);
  for (const each of [text, signed(text)]) {
    const parsed = parseSuccession(nodeSha256, each);
    assert.deepEqual([parsed.succession.by, parsed.text], [NEW, text]);
    assert.deepEqual(parsed.succession.lost, SUCCESSION.lost);
    assert.equal(parsed.signatures.length, each === text ? 0 : 1);
  }
});

test('succession: heads of another log, an empty one, or a text of another meaning are none', () => {
  const stranger = checkpointSigner(nodeSha256, 'development/other', signer);
  for (const other of [
    { ...SUCCESSION, head: stranger.sign(100, root) },
    { ...SUCCESSION, lost: stranger.sign(105, root) },
    { ...SUCCESSION, head: checkpoints.sign(0, root) },
    { ...SUCCESSION, lost: checkpoints.sign(100, root) },
  ]) {
    assert.throws(() => formatSuccession(nodeSha256, other), { code: 'malformed' });
  }
  const text = formatSuccession(nodeSha256, SUCCESSION);
  for (const other of [
    text.replace('nobody holds', 'everybody holds'),
    text.replace('are not one', 'are one'),
    text.slice(0, -1),
    'assay-succession/1\n',
  ]) {
    assert.throws(() => parseSuccession(nodeSha256, other), { code: 'malformed' });
  }
});

test('declared: a succession counts at entry 1 of the log that it names, under the old key', async () => {
  const text = formatSuccession(nodeSha256, SUCCESSION);
  const read = (given: string, seq = 1, log = NEW): Promise<Declared> =>
    readDeclaration(given, { seq, log }, ENVIRONMENT);
  const plain = await read(text);
  assert.deepEqual(
    [plain.kind, plain.kind === 'succession' && plain.signed],
    ['succession', false],
  );
  const good = await read(signed(text));
  assert.equal(good.kind === 'succession' && good.signed, true);
  const thief = signerOf(new Uint8Array(32).fill(8));
  const keyId = noteKeyId(nodeSha256, ORIGIN, NOTE_ED25519, signer.publicKey);
  const forged = signedSuccession(text, {
    name: ORIGIN,
    keyId,
    signature: thief.sign(formatUtf8(text)),
  });
  const bad = await read(forged);
  assert.equal(bad.kind === 'succession' && bad.signed, false);
  // A head that the old key did not sign makes it nothing at all.
  const invented = checkpointSigner(nodeSha256, ORIGIN, thief).sign(100, root);
  const made = formatSuccession(nodeSha256, { ...SUCCESSION, head: invented });
  const refused = await read(made);
  assert.equal(refused.kind, 'unproven');
  assert.match(refused.kind === 'unproven' ? refused.reason : '', /cannot show a key that took/);
  // Nor is one over lost entries that a later key signed.
  const later = checkpointSigner(nodeSha256, ORIGIN, thief).sign(105, root);
  const lost = formatSuccession(nodeSha256, { ...SUCCESSION, lost: later });
  assert.equal((await read(signed(lost))).kind, 'unproven');
  assert.equal((await read(signed(text), 2)).kind, 'unproven');
  assert.equal((await read(signed(text), 1, toHashHex('ef'.repeat(32)))).kind, 'unproven');
  assert.equal((await read('assay-succession/1\nx')).kind, 'unproven');
  assert.equal(isDeclaration(text), true);
  assert.equal(isDeclaration('assay-node was upgraded'), false);
});

test('declared: losses share one line, whatever their number, and are found by place', async () => {
  const list = new DeclaredList();
  for (let seq = 10; seq < 2010; seq += 1) {
    const loss = { from: seq, to: seq + 3, root: null, known: 'operator' } as const;
    list.add(await readDeclaration(formatLoss(loss), { seq, log: NEW }, ENVIRONMENT));
  }
  const elsewhere = formatLoss({ from: 9, to: null, root: null, known: 'nobody' });
  const odd = await readDeclaration(elsewhere, { seq: 12, log: NEW }, ENVIRONMENT);
  assert.equal(odd.kind, 'unproven');
  const notChecked = new NotCheckedList();
  notChecked.add('completeness', 'a period', 'it is missing', 'ask_publisher');
  list.name(notChecked);
  const lines = notChecked.list.map(({ what }) => what);
  assert.equal(lines.length, 3, lines.join('\n'));
  assert.equal(lines[0], 'a period');
  assert.match(lines[1] as string, /lost before a restore[^]*10 to 12/);
  assert.match(lines[2] as string, /1000 more notes/);
  assert.equal(list.lossOf(12)?.from, 10);
  assert.equal(list.lossOf(9), undefined);
});
