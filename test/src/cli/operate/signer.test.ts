import assert from 'node:assert/strict';
import { mkdir, rename } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';
import { ownData } from '../fixture/data-folder.ts';
import { assay } from '../fixture/run.ts';

test('signer: made from a log, which is told what to move; and what was meant otherwise is refused', async (t) => {
  const folder = await ownData(t);
  const made = await assay(folder, ['signer', 'init', 'data', 'signer']);
  assert.deepEqual([made.code, made.err], [0, '']);
  assert.match(
    made.out,
    /it signs nothing below \d+ entries\n {2}it knows \d+ prints and \d+ Closes/,
  );
  assert.match(made.out, /Move checkpoint\.json and report\.json from /);
  const again = await assay(folder, ['signer', 'init', 'data', 'signer']);
  assert.match(again.err, /\[not_empty\]/);
  const keyless = await assay(folder, ['signer', 'run', 'signer']);
  assert.equal(keyless.code, 3);
  assert.match(keyless.err, /\[key_missing\]/);
  await mkdir(join(folder, 'signer/keys'), { mode: 0o700 });
  for (const name of ['report.json', 'checkpoint.json']) {
    await rename(join(folder, 'data/keys', name), join(folder, 'signer/keys', name));
  }
  const free = await assay(folder, ['signer', 'release', 'signer', 'print/LAYOFFS/2000-01-01/end']);
  assert.deepEqual([free.code, free.err], [0, '']);
  assert.match(free.out, /^Nothing was signed at /);
  for (const wrong of [
    ['signer'],
    ['signer', 'run'],
    ['signer', 'release', 'signer', 'head'],
    ['signer', 'init', 'data', 'other', '--hsm-token', 'assay'],
    ['signer', 'init', 'data', 'other', '--hsm-module', 'x.so', '--hsm-token', 'assay'],
  ]) {
    assert.equal((await assay(folder, wrong)).code, 2, wrong.join(' '));
  }
});

test('signer: one place is released, once that was asked for twice', async (t) => {
  const folder = await ownData(t);
  assert.equal((await assay(folder, ['signer', 'init', 'data', 'signer'])).code, 0);
  const { SigningMemory } = await import('@assay/node/signer/signing-memory');
  const { nodeSha256 } = await import('@assay/node/platform/node-sha256');
  const place = 'print/LAYOFFS/2000-01-01/end';
  const memory = await SigningMemory.open(nodeSha256, join(folder, 'signer/memory'));
  await memory.keep([{ place, message: 'ab'.repeat(32) as never }]);
  await memory.close();
  const asked = await assay(folder, ['signer', 'release', 'signer', place]);
  assert.match(asked.out, /Nothing was changed/);
  const done = await assay(folder, ['signer', 'release', 'signer', place, '--yes']);
  assert.match(done.out, /It is forgotten/);
  const after = await assay(folder, ['signer', 'release', 'signer', place]);
  assert.match(after.out, /^Nothing was signed at /);
});
