import assert from 'node:assert/strict';
import { test } from 'node:test';
import { pipeline } from '@assay/node/http/pipeline';
import { httpServer } from '@assay/node/http/server';
import { loadUws } from '@assay/node/http/uws';

const none = pipeline([], { requestId: () => 'none', now: () => 0, onError: () => {} });

function notAsked(): Promise<undefined> {
  assert.fail('node:http needs no binary');
}

void test('server: auto takes uWebSockets.js where it loads, and node:http elsewhere', async () => {
  const expected = (await loadUws()) === undefined ? 'node:http' : 'uWebSockets.js';
  assert.equal((await httpServer('auto', none)).transport, expected);
  const missing = await httpServer('auto', none, {}, () => Promise.resolve(undefined));
  assert.equal(missing.transport, 'node:http');
});

void test('server: node is node, and uws is uws or a fault', async () => {
  assert.equal((await httpServer('node', none, {}, notAsked)).transport, 'node:http');
  await assert.rejects(
    httpServer('uws', none, {}, () => Promise.resolve(undefined)),
    { code: 'unsupported' },
  );
});
