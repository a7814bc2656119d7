import assert from 'node:assert/strict';
import { mkdir, readdir, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import { join } from 'node:path';
import { test } from 'node:test';
import { assay, listen, scratch } from '../run.ts';
import { ownData } from '../data-folder.ts';

test('export: plain files that are verified, from a folder that stays as it was', async (t) => {
  const folder = await ownData(t);
  const { code, out, err } = await assay(folder, ['export', 'data', '-o', 'files']);
  assert.deepEqual([code, err], [0, '']);
  const size = Number(
    /^files: \d+ files, (\d+) entries; check it with assay verify files\n$/.exec(out)?.[1],
  );
  assert.equal(size > 256, true);
  const verdict = await assay(folder, ['verify', 'files']);
  assert.equal(verdict.code, 0, verdict.out);
  assert.match(verdict.out, new RegExp(`development/folder, ${size} entries`));
  const rest = await assay(folder, ['verify', 'data']);
  assert.equal(rest.code, 0, rest.out);
});

test('export never writes over anything', async (t) => {
  const folder = await ownData(t);
  await mkdir(join(folder, 'files'));
  await writeFile(join(folder, 'files', 'mine'), 'mine');
  const { code, out, err } = await assay(folder, ['export', 'data', '-o', 'files']);
  assert.deepEqual([code, out], [3, '']);
  assert.match(
    err,
    /^assay export: export folder at files: expected an empty folder.* \[not_empty\]\n$/,
  );
  assert.deepEqual(await readdir(join(folder, 'files')), ['mine']);
});

test('export says what it cannot export, and leaves no checkpoint to believe', async (t) => {
  const folder = await ownData(t);
  const blobs = join(folder, 'data', 'blobs');
  const [first = ''] = (await readdir(blobs)).filter((name) => /^[0-9a-f]{2}$/.test(name));
  await rm(join(blobs, first), { recursive: true });
  const { code, err } = await assay(folder, ['export', 'data', '-o', 'files']);
  assert.equal(code, 3);
  assert.match(err, /\[blob_missing\]\n$/);
  assert.equal((await readdir(join(folder, 'files'))).includes('checkpoint'), false);
  assert.equal((await assay(folder, ['verify', 'files'])).code, 2);
});

test('export needs a folder, and a place to put it', async (t) => {
  const folder = await scratch(t);
  for (const args of [[], ['data'], ['-o', 'files'], ['a', 'b', '-o', 'files']]) {
    assert.equal((await assay(folder, ['export', ...args])).code, 2, args.join(' '));
  }
  const none = await assay(folder, ['export', 'nowhere', '-o', 'files']);
  assert.equal(none.code, 3);
});

test('a link or a pipe in an export is no file of it', async (t) => {
  const folder = await ownData(t);
  await assay(folder, ['export', 'data', '-o', 'files']);
  await rm(join(folder, 'files', 'indices.json'));
  await symlink('/dev/zero', join(folder, 'files', 'indices.json'));
  const { code, out } = await assay(folder, ['verify', 'files']);
  assert.equal(code, 1);
  assert.match(out, /api_missing {2}\/indices\n/);
});

test('an export on a static host is verified at its URL', async (t) => {
  const folder = await ownData(t);
  await assay(folder, ['export', 'data', '-o', 'files']);
  const host = createServer((request, response) => {
    readFile(join(folder, 'files', request.url ?? '')).then(
      (body) => response.end(body),
      () => response.writeHead(404).end('<html>'),
    );
  });
  const url = await listen(t, host);
  const good = await assay(folder, ['verify', url]);
  assert.equal(good.code, 0, good.out);
  assert.match(good.out, /API answers?\n/);
  const file = join(folder, 'files', 'indices', 'LAYOFFS.json');
  await writeFile(file, (await readFile(file, 'utf8')).replace('"decimals":0', '"decimals":1'));
  const bad = await assay(folder, ['verify', url]);
  assert.equal(bad.code, 1);
  assert.match(bad.out, /api_differs {2}\/indices\/LAYOFFS \/decimals\n/);
});
