import assert from 'node:assert/strict';
import { test } from 'node:test';
import { noTransport, TRANSPORTS } from './world-service.ts';
import { terminalWorld } from './terminal-world.ts';

for (const transport of TRANSPORTS) {
  const skip = noTransport(transport);
  test(`machine tier over ${transport}: closed, whatever is asked`, { skip }, async (t) => {
    const world = await terminalWorld(t, transport, 1);
    for (const target of [
      '/history/BTC',
      '/v1/history/nope?days=7',
      '/history/BTC?days=0&other=1',
      '/board/at',
      '/v1/board/at?ts=yesterday',
      '/receipts/full',
      '/v1/receipts/full?limit=9999&limit=1',
    ]) {
      const answer = await world.ask(target);
      const body = answer.json<{ readonly error: string; readonly detail: string }>();
      assert.deepEqual([answer.status, body.error], [503, 'tier_closed'], target);
      assert.ok(body.detail.length > 0);
      assert.equal(answer.header('retry-after'), null, 'nobody knows when it opens');
    }
    // A free read with nearly the same name is not closed.
    assert.equal((await world.ask('/receipts')).status, 200);
  });
}
