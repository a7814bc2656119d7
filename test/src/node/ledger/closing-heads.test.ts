import assert from 'node:assert/strict';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test, type TestContext } from 'node:test';
import { toHash } from '@assay/core/hash/hash';
import { checkpointSigner } from '@assay/node/ledger/checkpoint-signer';
import { ClosingHeads } from '@assay/node/ledger/closing-heads';
import { signerOf } from '@assay/node/key/keystore';
import { nodeSha256 } from '@assay/node/platform/node-sha256';

const signer = (byte: number) =>
  checkpointSigner(nodeSha256, 'log.example/1', signerOf(new Uint8Array(32).fill(byte)));
const root = (byte: number) => toHash(new Uint8Array(32).fill(byte));

async function folder(t: TestContext): Promise<string> {
  const made = await mkdtemp(join(tmpdir(), 'assay-closing-'));
  t.after(() => rm(made, { recursive: true, force: true }));
  return made;
}

test('ClosingHeads: a note is kept under the number of its key, and another number has none', async (t) => {
  const data = await folder(t);
  const heads = new ClosingHeads(data);
  assert.equal(await heads.read(0), undefined);
  const note = signer(1).sign(7, root(1));
  await heads.keep(0, note);
  assert.deepEqual(await heads.read(0), note);
  assert.deepEqual(await new ClosingHeads(data).read(0), note);
  assert.equal(await heads.read(1), undefined);
  assert.deepEqual(new Uint8Array(await readFile(join(data, 'closing-head', '0'))), note);
});

test('ClosingHeads: the same text may gain lines, and another text is refused', async (t) => {
  const heads = new ClosingHeads(await folder(t));
  const note = signer(1).sign(7, root(1));
  await heads.keep(3, note);
  await heads.keep(3, note);
  const [line] = new TextDecoder()
    .decode(signer(2).sign(7, root(1)))
    .split('\n')
    .slice(-2);
  const both = new TextEncoder().encode(`${new TextDecoder().decode(note)}${line}\n`);
  await heads.keep(3, both);
  assert.deepEqual(await heads.read(3), both);
  for (const other of [signer(1).sign(7, root(2)), signer(1).sign(8, root(1))]) {
    await assert.rejects(heads.keep(3, other), { code: 'ledger_corrupt' });
  }
  assert.deepEqual(await heads.read(3), both);
});

test('ClosingHeads: what is no note is refused, as is a number that no key has', async (t) => {
  const data = await folder(t);
  const heads = new ClosingHeads(data);
  await assert.rejects(heads.keep(0, new TextEncoder().encode('no note')), { code: 'bad_note' });
  assert.equal(await heads.read(0), undefined);
  await heads.keep(0, signer(1).sign(7, root(1)));
  await writeFile(join(data, 'closing-head', '0'), 'damaged');
  await assert.rejects(heads.keep(0, signer(1).sign(7, root(1))), { code: 'bad_note' });
  await assert.rejects(heads.read(-1), TypeError);
  await assert.rejects(heads.read(0.5), TypeError);
});
