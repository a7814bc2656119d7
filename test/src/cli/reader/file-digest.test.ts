import assert from 'node:assert/strict';
import { createHash, randomBytes } from 'node:crypto';
import { mkdir, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';
import { formatHex } from '@assay/core/bytes/hex';
import { fileDigest } from '@assay/cli/reader/file-digest';
import { scratch } from '../fixture/run.ts';

test('the digest of a file in pieces is that of the whole', async (t) => {
  const path = join(await scratch(t), 'file');
  for (const length of [0, 1, 1_048_575, 1_048_576, 1_048_577, 3_000_000]) {
    const bytes = randomBytes(length);
    await writeFile(path, bytes);
    const told: number[] = [];
    for (const hash of ['sha256', 'sha1'] as const) {
      const digest = await fileDigest(path, hash, (done) => told.push(done));
      const expected = createHash(hash).update(bytes).digest('hex');
      assert.equal(digest === undefined ? '' : formatHex(digest), expected, `${hash} ${length}`);
    }
    assert.equal(told.at(-1) ?? 0, length);
  }
});

test('the two hashes that Node has not', async (t) => {
  const path = join(await scratch(t), 'file');
  await writeFile(path, '');
  const hex = async (hash: 'ripemd160' | 'keccak256'): Promise<string> =>
    formatHex((await fileDigest(path, hash)) ?? new Uint8Array(0));
  assert.equal(await hex('ripemd160'), '9c1185a5c5e9fc54612808977ee8f548b2258d31');
  assert.equal(
    await hex('keccak256'),
    'c5d2460186f7233c927e7db2dcc703c0e500b653ca82273b7bfad8045d85a470',
  );
});

test('what is no plain file has no digest', async (t) => {
  const folder = await scratch(t);
  await mkdir(join(folder, 'folder'));
  await symlink('/dev/zero', join(folder, 'endless'));
  for (const name of ['none', 'folder', 'endless', 'folder/none']) {
    assert.equal(await fileDigest(join(folder, name), 'sha256'), undefined, name);
  }
});
