import assert from 'node:assert/strict';
import { test } from 'node:test';
import {
  formatNote,
  formatNoteKey,
  NOTE_ED25519,
  noteKeyId,
  parseNote,
  parseNoteKey,
} from '@assay/core/log/note';
import { formatUtf8 } from '@assay/core/bytes/utf8';
import { nodeSha256 } from '@assay/node/platform/node-sha256';
import {
  checkSignatures,
  openCheckpoint,
  type OpenCheckpoint,
} from '@assay/verifier/trust/checkpoint-check';
import { OPEN_POLICY } from '@assay/verifier/verdict/policy';
import { Findings } from '@assay/verifier/verdict/finding';
import { NotCheckedList } from '@assay/verifier/verdict/verdict';
import { ENVIRONMENT, youngLog } from '../fixture/published.ts';
import { sampleLog, signerFrom } from '../fixture/sample-log.ts';

const log = await sampleLog();
const note = parseNote(youngLog(log).checkpoint);
const key = parseNoteKey(nodeSha256, log.checkpoints.vkey);
const own = note.signatures[0] as (typeof note.signatures)[number];

/** A line by somebody under a name of choice. */
function line(name: string, word: string): typeof own {
  const signer = signerFrom(word);
  const keyId = noteKeyId(nodeSha256, name, NOTE_ED25519, signer.publicKey);
  return { name, keyId, signature: signer.sign(formatUtf8(note.text)) };
}

async function check(
  signatures: readonly (typeof own)[],
  strict: boolean,
  keys: readonly string[] = [],
): Promise<{ readonly good: number; readonly codes: readonly string[]; readonly named: number }> {
  const findings = new Findings();
  const notChecked = new NotCheckedList();
  const open = openCheckpoint(formatNote({ text: note.text, signatures }), findings);
  assert.notEqual(open, undefined);
  const good = await checkSignatures(
    open as OpenCheckpoint,
    { signers: [key], all: new Map() },
    { ...OPEN_POLICY, checkpoint_keys: keys, strict },
    ENVIRONMENT,
    findings,
    notChecked,
  );
  return { good, codes: findings.list.map(({ code }) => code), named: notChecked.list.length };
}

test("one line of the log's key is enough, strict or not", async () => {
  for (const strict of [false, true]) {
    assert.deepEqual(await check([own], strict), { good: 1, codes: [], named: 0 });
  }
});

test('lines of others are named, or findings where the policy is strict', async () => {
  const others = [line('a.example', 'a'), own, line('b.example', 'b')];
  assert.deepEqual(await check(others, false), { good: 1, codes: [], named: 2 });
  const unlisted = 'checkpoint_unlisted_signature';
  assert.deepEqual(await check(others, true), { good: 1, codes: [unlisted, unlisted], named: 0 });
});

test('lines of other keys that the policy lists are checked', async () => {
  const witness = line('w.example', 'w');
  const vkey = formatNoteKey(nodeSha256, 'w.example', signerFrom('w').publicKey);
  for (const strict of [false, true]) {
    assert.deepEqual(await check([own, witness], strict, [vkey]), { good: 1, codes: [], named: 0 });
    const bad = { ...witness, signature: own.signature };
    const { codes } = await check([own, bad], strict, [vkey]);
    assert.deepEqual(codes, ['checkpoint_bad_signature']);
  }
  // It does not stand in for the log's own.
  assert.deepEqual((await check([witness], false, [vkey])).codes, ['checkpoint_unsigned']);
  const twice = await check([own, witness, witness], true, [vkey]);
  assert.deepEqual(twice.codes, ['checkpoint_unlisted_signature']);
});

test("a stranger's key under the log's name is a stranger's", async () => {
  const { good, codes } = await check([line(log.origin, 'a stranger')], false);
  assert.equal(good, 0);
  assert.deepEqual(codes, ['checkpoint_unsigned']);
});

test("the log's key id on another's signature does not make it the log's", async () => {
  const forged = { ...line(log.origin, 'a stranger'), keyId: own.keyId };
  assert.deepEqual((await check([forged], false)).codes, [
    'checkpoint_bad_signature',
    'checkpoint_unsigned',
  ]);
  assert.deepEqual((await check([forged, own], false)).codes, ['checkpoint_bad_signature']);
});

test('another spelling of a checkpoint is none', () => {
  const [origin, size, root] = note.text.split('\n') as [string, string, string];
  for (const text of [
    `${origin}\n0${size}\n${root}\n`,
    `${origin}\n+${size}\n${root}\n`,
    `${origin}\n${size}\n${root.slice(0, -1)}\n`,
    `${origin}\n${size}\n${root}\nmore\n`,
    `${origin}\n9007199254740993\n${root}\n`,
    `\n${size}\n${root}\n`,
  ]) {
    const findings = new Findings();
    const bytes = formatNote({ text, signatures: [own] });
    assert.equal(openCheckpoint(bytes, findings), undefined, JSON.stringify(text));
    assert.deepEqual(
      findings.list.map(({ code }) => code),
      ['checkpoint_malformed'],
    );
  }
});
