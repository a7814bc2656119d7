import assert from 'node:assert/strict';
import { test } from 'node:test';
import { nodeServer } from '@assay/node/http/node-server';
import { pipeline } from '@assay/node/http/pipeline';
import { httpContract } from './contract.ts';

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
