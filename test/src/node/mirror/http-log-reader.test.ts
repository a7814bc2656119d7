import assert from 'node:assert/strict';
import { test } from 'node:test';
import { httpLogReader } from '@assay/node/mirror/http-log-reader';
import { BROKEN_HOSTS, closedHost, localHost } from '../bitcoin/local-host.ts';

test('http log reader: gives what is under a path, of any status that is an answer', async (t) => {
  const asked: unknown[] = [];
  const address = await localHost(t, (request, response) => {
    asked.push(request.url);
    response.writeHead(request.url === '/checkpoint' ? 200 : 404).end('a note');
  });
  const reader = httpLogReader(`${address}/`);
  const found = await reader.get('/checkpoint', 6);
  assert.deepEqual(found, { status: 200, body: new TextEncoder().encode('a note') });
  assert.equal((await reader.get('/tile/0/000', 6)).status, 404);
  assert.deepEqual(asked, ['/checkpoint', '/tile/0/000']);
});

test('http log reader: an answer that is too large, never ends, or is none', async (t) => {
  for (const [code, listener] of BROKEN_HOSTS) {
    const timeoutMs = code === 'timeout' ? 60 : 60_000;
    const reader = httpLogReader(await localHost(t, listener), { timeoutMs });
    await assert.rejects(reader.get('/checkpoint', 100_000), { name: 'Fault', code });
  }
  const nobody = httpLogReader(await closedHost());
  await assert.rejects(nobody.get('/checkpoint', 100), { code: 'unreachable' });
});

test('http log reader: a server that is busy or broken has not answered', async (t) => {
  for (const status of [429, 500, 503]) {
    // Whatever it says about that, and however small the answer is that was asked for.
    for (const page of ['', 'a'.repeat(157), 'a'.repeat(1_000_000)]) {
      const address = await localHost(t, (_, response) => response.writeHead(status).end(page));
      await assert.rejects(httpLogReader(address).get('/checkpoint', 128), { code: 'unreachable' });
    }
  }
});

test('http log reader: ends when it is aborted', async (t) => {
  const controller = new AbortController();
  const address = await localHost(t, () => controller.abort());
  const asking = httpLogReader(address).get('/checkpoint', 100, controller.signal);
  await assert.rejects(asking, { code: 'unreachable' });
});
