import assert from 'node:assert/strict';
import { createServer } from 'node:http';
import { test } from 'node:test';
import { httpCaller } from '@assay/cli/mcp/http-caller';
import { listen } from '../fixture/run.ts';

test('http caller: the seconds after which to ask again, and no date of a server', async (t) => {
  let retryAfter = '30';
  const server = createServer((_, response) => {
    response.statusCode = 503;
    response.setHeader('retry-after', retryAfter);
    response.end('{"error":"halted"}');
  });
  const { call } = httpCaller(await listen(t, server));
  const first = await call({ method: 'GET', target: '/v1/indices' });
  assert.deepEqual([first.status, first.retryAfter], [503, '30']);
  for (retryAfter of ['Wed, 21 Oct 2026 07:28:00 GMT', '1e9', '-1', 'soon', '99999999']) {
    const { retryAfter: found } = await call({ method: 'GET', target: '/v1/indices' });
    assert.equal(found, undefined, retryAfter);
  }
});

test('http caller: nobody is waited for who is not waited for any more', async (t) => {
  let end: () => void = () => undefined;
  const closed = new Promise<void>((resolve) => {
    end = resolve;
  });
  const server = createServer((request) => {
    request.on('close', end);
    leave.abort();
  });
  const leave = new AbortController();
  const { call } = httpCaller(await listen(t, server));
  const asked = call({ method: 'GET', target: '/v1/indices', signal: leave.signal });
  await assert.rejects(asked, /given up/);
  await closed;
});
