import assert from 'node:assert/strict';
import { createServer, type RequestListener } from 'node:http';
import type { AddressInfo } from 'node:net';
import { test, type TestContext } from 'node:test';
import { gzipSync } from 'node:zlib';
import { isKnownCoding, type SourceAsk, sourceSender } from '@assay/node/source/source-request';

async function served(t: TestContext, listener: RequestListener): Promise<URL> {
  const server = createServer(listener);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  t.after(() => {
    server.closeAllConnections();
    server.close();
  });
  return new URL(`http://127.0.0.1:${(server.address() as AddressInfo).port}/`);
}

function ask(url: URL, change: Partial<SourceAsk> = {}): SourceAsk {
  const { signal } = new AbortController();
  return { method: 'GET', url, headers: new Headers(), body: null, signal, ...change };
}

async function bytesOf(body: AsyncIterable<Uint8Array>): Promise<Buffer> {
  const parts: Uint8Array[] = [];
  for await (const part of body) parts.push(part);
  return Buffer.concat(parts);
}

test('source request: a body that breaks off is no body, encoded or not', async (t) => {
  const zipped = gzipSync(Buffer.alloc(100_000, 'assay '));
  const url = await served(t, (request, response) => {
    if (request.url === '/cut') {
      response.writeHead(200, { 'content-length': 100 }).write('half', () => response.destroy());
    } else {
      response.writeHead(200, { 'content-encoding': 'gzip' }).end(zipped.subarray(0, -9));
    }
  });
  const send = sourceSender();
  for (const path of ['/cut', '/zipped']) {
    const { status, body } = await send(ask(new URL(path, url)));
    assert.equal(status, 200);
    await assert.rejects(bytesOf(body), path);
  }
});

test('source request: headers of the connection are no rule’s', async (t) => {
  const asked: (string | undefined)[] = [];
  const url = await served(t, (request, response) => {
    asked.push(request.url);
    response.end();
  });
  const send = sourceSender();
  for (const name of ['connection', 'transfer-encoding', 'upgrade', 'expect']) {
    await assert.rejects(send(ask(url, { headers: new Headers({ [name]: 'x' }) })), {
      code: 'unreachable',
    });
  }
  assert.deepEqual(asked, []);
});

test('source request: the signal gives up on a body too', async (t) => {
  const url = await served(t, (_, response) => response.writeHead(200).write('x'));
  const controller = new AbortController();
  const { body } = await sourceSender()(ask(url, { signal: controller.signal }));
  controller.abort();
  await assert.rejects(bytesOf(body));
});

test('source request: codings', () => {
  for (const coding of ['identity', 'gzip', 'X-GZIP', 'deflate, br'])
    assert.ok(isKnownCoding(coding));
  for (const coding of ['zstd', 'gzip, zstd', '', 'constructor']) assert.ok(!isKnownCoding(coding));
});
