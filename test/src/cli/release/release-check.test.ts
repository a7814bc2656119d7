import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { appendFile, mkdtemp, rm, unlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test, type TestContext } from 'node:test';
import { checkRelease, RELEASE_NOTE } from '@assay/cli/release/release-check';
import { formatReleaseList } from '@assay/cli/release/release-list';
import { formatUtf8 } from '@assay/core/bytes/utf8';
import { toHashHex } from '@assay/core/hash/hash';
import {
  formatNote,
  formatNoteKey,
  NOTE_ED25519,
  type NoteKey,
  noteKeyId,
  parseNoteKey,
} from '@assay/core/log/note';
import { nodeSha256 } from '@assay/node/platform/node-sha256';
import { PORTABLE } from '@assay/verifier';
import { signerFrom } from '../../verifier/fixture/sample-log.ts';
import { assay } from '../fixture/run.ts';

const SIGNER = signerFrom('release');
const COMMIT = '0123456789abcdef0123456789abcdef01234567';
const NAME = 'assay.release';
const VKEY = formatNoteKey(nodeSha256, NAME, SIGNER.publicKey);
const KEY: NoteKey = parseNoteKey(nodeSha256, VKEY);
const FILES: Readonly<Record<string, string>> = { 'a-1.tgz': 'first', 'b-1.tgz': 'second' };

/** A folder with two files and their list, signed by `signer`. */
async function release(t: TestContext, signer = SIGNER): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'assay-release-'));
  t.after(() => rm(folder, { recursive: true, force: true }));
  const files = [];
  for (const [name, text] of Object.entries(FILES)) {
    await writeFile(join(folder, name), text);
    const sha256 = toHashHex(createHash('sha256').update(text).digest('hex'));
    files.push({ name, sha256 });
  }
  const text = formatReleaseList({ version: '0.1.0', commit: COMMIT, files });
  const keyId = noteKeyId(nodeSha256, NAME, NOTE_ED25519, signer.publicKey);
  const signature = signer.sign(formatUtf8(text));
  const note = formatNote({ text, signatures: [{ name: NAME, keyId, signature }] });
  await writeFile(join(folder, RELEASE_NOTE), note);
  return folder;
}

async function codes(folder: string): Promise<readonly string[]> {
  const { findings } = await checkRelease(folder, KEY, PORTABLE);
  return findings.map(({ code, file }) => `${code} ${file}`);
}

test('release: files that are as the signed list says', async (t) => {
  const folder = await release(t);
  assert.deepEqual(await checkRelease(folder, KEY, PORTABLE), {
    version: '0.1.0',
    commit: COMMIT,
    files: ['a-1.tgz', 'b-1.tgz'],
    findings: [],
  });
});

test('release: a file that differs, is missing or is not listed is a finding', async (t) => {
  const folder = await release(t);
  await appendFile(join(folder, 'a-1.tgz'), '!');
  await unlink(join(folder, 'b-1.tgz'));
  await writeFile(join(folder, 'c-1.tgz'), 'third');
  const expected = ['file_differs a-1.tgz', 'file_missing b-1.tgz', 'file_unlisted c-1.tgz'];
  assert.deepEqual(await codes(folder), expected);
});

test('release: nothing of a list is believed that another key signed, or that was changed', async (t) => {
  const folder = await release(t, signerFrom('somebody'));
  assert.deepEqual(await codes(folder), [`bad_signature ${RELEASE_NOTE}`]);
  const changed = await release(t);
  const other = createHash('sha256').update('other').digest('hex');
  const text = formatReleaseList({
    version: '0.1.0',
    commit: COMMIT,
    files: [{ name: 'a-1.tgz', sha256: toHashHex(other) }],
  });
  const keyId = noteKeyId(nodeSha256, NAME, NOTE_ED25519, SIGNER.publicKey);
  const signature = SIGNER.sign(
    formatUtf8(formatReleaseList({ version: '0.1.0', commit: COMMIT, files: [] })),
  );
  const note = formatNote({ text, signatures: [{ name: NAME, keyId, signature }] });
  await writeFile(join(changed, RELEASE_NOTE), note);
  await writeFile(join(changed, 'a-1.tgz'), 'other');
  assert.deepEqual(await codes(changed), [`bad_signature ${RELEASE_NOTE}`]);
});

test('release: a folder without a list, or with one that is no note, cannot be checked', async (t) => {
  const folder = await release(t);
  await writeFile(join(folder, RELEASE_NOTE), 'assay release 0.1.0\n');
  await assert.rejects(codes(folder), { code: 'bad_note' });
  await unlink(join(folder, RELEASE_NOTE));
  await assert.rejects(codes(folder), { code: 'not_found' });
});

test('assay release check: exit codes and output', async (t) => {
  const folder = await release(t);
  const good = await assay(folder, ['release', 'check', folder, '--key', VKEY]);
  assert.deepEqual(good, {
    code: 0,
    out: `Assay 0.1.0 of commit ${COMMIT}: signed by assay.release, 2 of its files as listed\n`,
    err: '',
  });
  await appendFile(join(folder, 'a-1.tgz'), '!');
  const bad = await assay(folder, ['release', 'check', folder, '--key', VKEY]);
  assert.equal(bad.code, 1);
  assert.match(
    bad.out,
    /^Assay 0\.1\.0 of commit [0-9a-f]{40}: signed by assay\.release, 1 of its files as listed\n {2}file_differs {2}a-1\.tgz: /,
  );
  const wrong = await assay(folder, ['release', 'check', folder, '--key', 'nobody']);
  assert.equal(wrong.code, 2);
});
