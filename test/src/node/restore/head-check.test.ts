import assert from 'node:assert/strict';
import { cp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';
import { parseCheckpoint } from '@assay/core/log/checkpoint';
import { parseLoss } from '@assay/core/kind/loss';
import { nodeSha256 } from '@assay/node/platform/node-sha256';
import { nodeVerifySignatureAsync } from '@assay/node/platform/node-signature';
import { parseProposal, SUCCESSION_FILE } from '@assay/node/restore/succession-proposal';
import { checkEvidence } from '@assay/verifier/evidence/evidence-check';
import { ownData } from '../../cli/fixture/data-folder.ts';
import {
  backupOf,
  contents,
  deadAddress,
  faultOf,
  grow,
  loseDisk,
  lostDisk,
  noteText,
  restored,
  serveBackup,
  SIZE,
} from './restore-world.ts';

test('restore: a note beside the head guard that is gone is signed again, with a mirror that confirms', async (t) => {
  const folder = await ownData(t);
  const [data, copy] = [join(folder, 'data'), join(folder, 'copy')];
  await backupOf(data, copy);
  await grow(data, 'a', 'b');
  await rm(join(data, 'head'));
  // Nobody can say whether this is the newest.
  assert.equal((await faultOf(restored(data, [copy])))[0], 'unreachable');
  const result = await restored(data, [await serveBackup(t, copy)]);
  assert.deepEqual([result.size, result.loss], [SIZE + 2, null]);
  assert.equal(await grow(data, 'on'), SIZE + 3);
});

test('restore: a note beside the head guard that is gone, and nobody to ask: the ledger alone, with consent', async (t) => {
  const data = join(await ownData(t), 'data');
  await rm(join(data, 'head'));
  assert.equal((await faultOf(restored(data, [data])))[0], 'unreachable');
  const result = await restored(data, [data], { unconfirmed: true });
  assert.deepEqual([result.size, result.loss], [SIZE, null]);
  assert.equal(await grow(data, 'on'), SIZE + 1);
});

test('restore: a note beside the head guard that is damaged counts as one that is gone', async (t) => {
  const folder = await ownData(t);
  const [data, copy] = [join(folder, 'data'), join(folder, 'copy')];
  await backupOf(data, copy);
  await grow(data, 'a');
  await writeFile(join(data, 'head'), 'cut');
  const result = await restored(data, [await serveBackup(t, copy)]);
  assert.deepEqual([result.size, result.loss], [SIZE + 1, null]);
  assert.equal(await readFile(join(data, result.aside as string, 'head'), 'utf8'), 'cut');
  assert.equal(await grow(data, 'on'), SIZE + 2);
});

test('restore: a folder that was rolled back gets what others have seen since', async (t) => {
  const folder = await ownData(t);
  const [data, old, copy] = ['data', 'old', 'copy'].map((name) => join(folder, name)) as [
    string,
    string,
    string,
  ];
  await cp(data, old, { recursive: true });
  await grow(data, 'a', 'b');
  await backupOf(data, copy);
  const result = await restored(old, [await serveBackup(t, copy)]);
  assert.deepEqual([result.size, result.loss, result.lacking.blobs], [SIZE + 2, null, []]);
  assert.equal(await noteText(old, SIZE + 1), 'b');
});

test('restore: a folder that was rolled back, its head guard too, confirms nothing by itself', async (t) => {
  const folder = await ownData(t);
  const [data, old] = [join(folder, 'data'), join(folder, 'old')];
  await cp(data, old, { recursive: true });
  await grow(data, 'a', 'b');
  const names = await readdir(old);
  const dead = { mirrors: [await deadAddress(t)], witnesses: [{ url: await deadAddress(t) }] };
  for (const from of [[old], [await deadAddress(t)]]) {
    const [code, words] = await faultOf(restored(old, from, dead));
    assert.equal(code, 'unreachable', words);
    assert.match(words, /nobody could be asked for a newer head: [^]*the mirror /);
  }
  assert.deepEqual(await readdir(old), names);
  const result = await restored(old, [old], { ...dead, unconfirmed: true });
  assert.deepEqual([result.size, result.silent.length], [SIZE, 2]);
});

test('restore: one place that lags is not enough where another that is named is silent', async (t) => {
  const { data, copy } = await lostDisk(t);
  const before = await contents(data);
  const mirror = await serveBackup(t, copy);
  const dead = await deadAddress(t);
  // It answers, and has nothing of this log.
  const empty = await serveBackup(t, copy, () => undefined);
  for (const [from, more, who] of [
    [[copy], { mirrors: [mirror, dead] }, `the mirror ${dead}: `],
    [[copy], { mirrors: [mirror, empty] }, `the mirror ${empty}: it has no head of this log`],
    [[copy], { mirrors: [mirror], witnesses: [{ url: dead }] }, `the witness ${dead}: `],
    [[mirror, dead], {}, `the source ${dead}: `],
    [[mirror, empty], {}, `the source ${empty}: it has no head of this log`],
  ] as const) {
    const [code, words] = await faultOf(restored(data, from, more));
    assert.equal(code, 'unreachable', words);
    assert.equal(words.includes(who), true, words);
    assert.equal(words.includes('nobody could be asked'), false, words);
  }
  assert.deepEqual(await contents(data), before);
  const all = await restored(data, [copy], { mirrors: [mirror], acknowledged: SIZE });
  assert.deepEqual([all.size, all.silent], [SIZE, []]);
});

test('restore: a tail that nobody held is written off with consent alone, in a note that says so', async (t) => {
  const folder = await ownData(t);
  const [data, copy] = [join(folder, 'data'), join(folder, 'copy')];
  await backupOf(data, copy);
  await grow(data, 'lost 1', 'lost 2');
  await rm(join(data, 'ledger'), { recursive: true });
  const before = await contents(data);
  const [code, words] = await faultOf(restored(data, [copy], { unconfirmed: true }));
  assert.equal(code, 'ledger_behind');
  assert.match(words, /entries 277 to 278[^]*--accept-loss/);
  assert.deepEqual(await contents(data), before);
  const result = await restored(data, [copy], { acceptLoss: true, unconfirmed: true });
  assert.deepEqual(
    [result.size, result.loss?.to, result.loss?.known],
    [SIZE + 1, SIZE + 2, 'guard'],
  );
  assert.equal(parseLoss(await noteText(data, SIZE)).root, result.loss?.root);
  // The operator's word does as well, where the guard is gone too.
  await loseDisk(data);
  const told = await restored(data, [copy], {
    acceptLoss: true,
    acknowledged: SIZE + 5,
    unconfirmed: true,
  });
  assert.deepEqual(
    [told.loss?.to, told.loss?.root, told.loss?.known],
    [SIZE + 5, null, 'operator'],
  );
});

test('restore: a head that others hold and whose entries nobody has is not gone on from', async (t) => {
  const folder = await ownData(t);
  const [data, copy, newer] = ['data', 'copy', 'newer'].map((name) => join(folder, name)) as [
    string,
    string,
    string,
  ];
  await backupOf(data, copy);
  await grow(data, 'lost');
  await backupOf(data, newer);
  // A mirror that remembers the newest head, and has none of what it covers.
  const url = await serveBackup(t, newer, (path, bytes) =>
    path === '/checkpoint' ? bytes : undefined,
  );
  await loseDisk(data);
  for (const more of [{ mirrors: [url] }, { witnesses: [] }]) {
    const from = 'mirrors' in more ? [copy] : [copy, url];
    const [code, words] = await faultOf(
      restored(data, from, { ...more, acceptLoss: true, unconfirmed: true }),
    );
    assert.equal(code, 'head_lost', words);
    assert.match(words, /would be a fork[^]*assay init --succeeds/);
  }
  assert.deepEqual((await readdir(data)).toSorted(), ['keys', SUCCESSION_FILE]);
  const { head, lost } = parseProposal(await readFile(join(data, SUCCESSION_FILE)));
  const sizes = [head, lost as Uint8Array].map(
    (note) => parseCheckpoint(Buffer.from(note).toString('utf8').split('\n\n')[0] + '\n').size,
  );
  assert.deepEqual(sizes, [SIZE, SIZE + 1]);
});

test('restore: two histories by one key are refused, and the evidence convicts', async (t) => {
  const folder = await ownData(t);
  const [data, copy, other] = ['data', 'copy', 'other'].map((name) => join(folder, name)) as [
    string,
    string,
    string,
  ];
  await cp(data, other, { recursive: true });
  await grow(data, 'one', 'two');
  await grow(other, 'another', 'history', 'with more');
  await backupOf(data, copy);
  await backupOf(other, join(folder, 'fork'));
  const hostile = await serveBackup(t, join(folder, 'fork'));
  await loseDisk(data);
  for (const from of [
    [copy, hostile],
    [hostile, copy],
  ]) {
    const [code, words] = await faultOf(restored(data, from, { acceptLoss: true }));
    assert.equal(code, 'ledger_differs', words);
    assert.match(words, /two: .*The evidence is kept/);
  }
  assert.deepEqual((await readdir(data)).toSorted(), ['evidence', 'keys']);
  const [file] = await readdir(join(data, 'evidence'));
  const evidence = await readFile(join(data, 'evidence', file as string));
  const verdict = await checkEvidence(evidence, {
    sha256: nodeSha256,
    verifySignature: nodeVerifySignatureAsync,
  });
  assert.equal(verdict.proven, true);
});

test('restore: a witness of another history is enough to refuse', async (t) => {
  const folder = await ownData(t);
  const [data, copy, other] = ['data', 'copy', 'other'].map((name) => join(folder, name)) as [
    string,
    string,
    string,
  ];
  await cp(data, other, { recursive: true });
  await grow(data, 'one', 'two');
  await grow(other, 'another');
  await backupOf(data, copy);
  await backupOf(other, join(folder, 'fork'));
  const mirror = await serveBackup(t, join(folder, 'fork'), (path, bytes) =>
    path === '/checkpoint' ? bytes : undefined,
  );
  await loseDisk(data);
  const [code] = await faultOf(restored(data, [copy], { mirrors: [mirror] }));
  assert.equal(code, 'ledger_differs');
});
