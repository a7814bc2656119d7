import assert from 'node:assert/strict';
import { test } from 'node:test';
import { nodeServer } from '@assay/node/http/node-server';
import { pipeline } from '@assay/node/http/pipeline';
import { httpContract } from './contract.ts';
import { RawClient } from './raw-client.ts';

httpContract('node:http', nodeServer);

test('node:http: an idle connection is kept for longer than the 60 s of load balancers', async () => {
  const served = pipeline([], { requestId: () => 'r', now: () => 1, onError: () => {} });
  const listening = await nodeServer(served).listen({ host: '127.0.0.1', port: 0 });
  try {
    const answer = await fetch(`http://127.0.0.1:${listening.port}/`);
    await answer.text();
    const [, seconds] = /^timeout=(\d+)$/.exec(answer.headers.get('keep-alive') ?? '') ?? [];
    assert.ok(Number(seconds) > 60, seconds);
  } finally {
    await listening.close();
  }
});

test('node:http: what the parser refuses is a problem', async () => {
  const served = pipeline([], { requestId: () => 'test', now: () => 0, onError: () => {} });
  const listening = await nodeServer(served).listen({ host: '127.0.0.1', port: 0 });
  try {
    for (const [sent, status, title] of [
      ['no request\r\n\r\n', 400, 'Bad Request'],
      [`GET /${'a'.repeat(20_000)} HTTP/1.1\r\n\r\n`, 431, 'Request Header Fields Too Large'],
    ] as const) {
      const client = await RawClient.connect(listening.port);
      client.send(sent);
      const reply = await client.reply();
      assert.equal(reply?.headers.get('content-type'), 'application/problem+json');
      const body: unknown = JSON.parse(reply.body.toString());
      assert.deepEqual([reply.status, body], [status, { type: 'about:blank', title, status }]);
      assert.ok(await client.ends());
    }
  } finally {
    await listening.close();
  }
});
