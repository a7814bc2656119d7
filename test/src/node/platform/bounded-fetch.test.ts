import assert from 'node:assert/strict';
import { test } from 'node:test';
import { boundedFetch } from '@assay/node/platform/bounded-fetch';
import { withDeadline } from '@assay/node/platform/deadline';
import { BROKEN_HOSTS, closedHost, localHost } from '../bitcoin/local-host.ts';

const SECRET = 'Basic c2VjcmV0OnNlY3JldA==';

function ask(url: string, ms = 60_000) {
  return withDeadline(ms, 'peer', (signal) =>
    boundedFetch({
      title: 'peer',
      method: 'POST',
      url,
      headers: { authorization: SECRET },
      body: Uint8Array.of(1, 2, 3),
      maxBytes: 100,
      signal,
    }),
  );
}

test('bounded fetch: sends what it is given, and hands on any status', async (t) => {
  const seen: unknown[] = [];
  const address = await localHost(t, (request, response) => {
    const { method, url, headers } = request;
    seen.push([method, url, headers.authorization, headers['accept-encoding'], headers.cookie]);
    request.on('data', (part: Buffer) => seen.push([...part]));
    request.on('end', () => response.writeHead(404).end('a'.repeat(100)));
  });
  const { status, body } = await ask(`${address}/path`);
  assert.equal(status, 404);
  assert.equal(body.length, 100);
  assert.deepEqual(seen, [
    ['POST', '/path', SECRET, 'identity', undefined],
    [1, 2, 3],
  ]);
});

test('bounded fetch: an error has no more of its body than fits', async (t) => {
  for (const length of [101, 65_536, 1_000_000]) {
    const address = await localHost(t, (_, response) =>
      response.writeHead(502).end('a'.repeat(length)),
    );
    const { status, body } = await ask(address);
    assert.equal(status, 502);
    assert.equal(body.length, Math.min(length, 65_536));
  }
});

test('bounded fetch: a body of one byte too many', async (t) => {
  const address = await localHost(t, (_, response) => response.end('a'.repeat(101)));
  await assert.rejects(ask(address), { code: 'too_large' });
});

test('bounded fetch: a broken host is a fault that names no address and no secret', async (t) => {
  const addresses = [
    ...(await Promise.all(
      BROKEN_HOSTS.map(async ([code, listener]) => [code, await localHost(t, listener)] as const),
    )),
    ['unreachable', await closedHost()],
    ['unreachable', 'http://user:password@127.0.0.1/'],
    ['unreachable', 'no address'],
  ] as const;
  for (const [code, address] of addresses) {
    await assert.rejects(ask(address, code === 'timeout' ? 60 : 60_000), (error: Error) => {
      assert.equal((error as Error & { code: string }).code, code, error.message);
      const { port } = URL.canParse(address) ? new URL(address) : { port: 'password' };
      for (const word of [SECRET, 'password', port].filter((each) => each !== '')) {
        assert.ok(!`${error.stack} ${String(error.cause)}`.includes(word), error.stack);
      }
      return true;
    });
  }
});
