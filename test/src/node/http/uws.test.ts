import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { test } from 'node:test';
import { loadUws, uwsBinary } from '@assay/node/http/uws';

const binary = uwsBinary();
const isItsPlatform =
  binary !== undefined &&
  process.platform === 'linux' &&
  process.arch === 'x64' &&
  'glibcVersionRuntime' in (process.report.getReport() as { header: object }).header;

void test('uws: the binary that was tried loads where it is built for', async (t) => {
  if (!isItsPlatform) {
    t.skip('not Linux x64 with glibc and Node 20 or 22');
    return;
  }
  // npm leaves an optional dependency out without a word, whatever is wrong with it.
  assert.equal(typeof (await loadUws())?.App, 'function');
  const require = createRequire(import.meta.resolve('@assay/node/http/uws'));
  const bytes = await readFile(require.resolve(binary.path));
  assert.equal(createHash('sha256').update(bytes).digest('hex'), binary.sha256);
});
