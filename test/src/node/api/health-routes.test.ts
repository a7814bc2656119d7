import assert from 'node:assert/strict';
import { test } from 'node:test';
import { healthRoutes } from '@assay/node/api/health-routes';
import { limiter } from '@assay/node/http/limiter';
import { pipeline } from '@assay/node/http/pipeline';
import { httpServer } from '@assay/node/http/server';
import { SERVER_LIMITS } from '@assay/node/http/transport';
import type { Published } from '@assay/node/ledger/publishing';

test('health routes: they answer whatever else the address has asked, and say whether there is a record', async () => {
  const record: { published: Published | undefined } = { published: undefined };
  const served = pipeline(healthRoutes(record), {
    requestId: () => 'id',
    now: () => 0,
    onError: (error) => assert.fail(String(error)),
    admit: limiter({ default: 1, log: 1 }, (size) => new Uint8Array(size)).admit,
  });
  const server = await httpServer('node', served);
  const listening = await server.listen({ host: '127.0.0.1', port: 0 });
  const ask = async (path: string): Promise<readonly [number, string, string | null]> => {
    const response = await fetch(`http://127.0.0.1:${listening.port}${path}`);
    return [response.status, await response.text(), response.headers.get('ratelimit')];
  };
  try {
    assert.equal((await ask('/nothing'))[0], 404);
    assert.equal((await ask('/nothing'))[0], 429, 'the budget of this address is spent');
    for (let i = 0; i < 5; i += 1) {
      assert.deepEqual(await ask('/healthz'), [200, 'ok\n', null]);
      assert.equal((await ask('/readyz'))[0], 503);
    }
    record.published = { size: 1, root: new Uint8Array(32) as never, note: new Uint8Array() };
    assert.deepEqual(await ask('/readyz'), [200, 'ready\n', null]);
  } finally {
    await listening.close();
  }
});

test('server limits: what a closing server waits for leaves Docker’s ten seconds for the rest', () => {
  assert.ok(SERVER_LIMITS.drainMs <= 5000);
});
