import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { test } from 'node:test';
import { loadUws, UWS_BINARIES } from '@assay/node/http/uws';

const isItsPlatform =
  process.platform === 'linux' &&
  process.arch === 'x64' &&
  process.versions.node.startsWith('20.') &&
  'glibcVersionRuntime' in (process.report.getReport() as { header: object }).header;

void test('uws: the binary that was tried loads where it is built for', async (t) => {
  if (!isItsPlatform) {
    t.skip('not Linux x64 with glibc and Node 20');
    return;
  }
  // npm leaves an optional dependency out without a word, whatever is wrong with it.
  assert.equal(typeof (await loadUws())?.App, 'function');
  const require = createRequire(import.meta.resolve('@assay/node/http/uws'));
  const binary = await readFile(require.resolve('uWebSockets.js/uws.node'));
  assert.ok(UWS_BINARIES.has(createHash('sha256').update(binary).digest('hex')));
});
