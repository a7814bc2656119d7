import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import { originHex } from '@assay/node/witness/server/file-witness-memory';
import { witnessRoutes } from '@assay/node/witness/server/witness-routes';
import { noTransport, TRANSPORTS } from '../../api/world-service.ts';
import { serveRoutes } from '../served-routes.ts';
import { LOG_ORIGIN, PaperLog, witnessWith } from '../witness-fixture.ts';

const log = new PaperLog(20);

for (const transport of TRANSPORTS) {
  const open = (t: TestContext, witness = witnessWith()): Promise<string> =>
    serveRoutes(t, witnessRoutes({ witness }), transport);
  const skip = noTransport(transport);

  test(`witness routes, ${transport}: answers to the byte`, { skip }, async (t) => {
    const witness = witnessWith();
    const base = await open(t, witness);
    const post = async (body: Uint8Array): Promise<readonly unknown[]> => {
      const answer = await fetch(`${base}/add-checkpoint`, {
        method: 'POST',
        body: Buffer.from(body),
      });
      return [answer.status, answer.headers.get('content-type'), await answer.text()];
    };
    const [status, type, line] = await post(log.request(0, 5));
    assert.deepEqual([status, type], [200, 'text/plain; charset=utf-8']);
    assert.match(String(line), /^— witness\.example\/w1 [A-Za-z0-9+/]+={0,2}\n$/);
    assert.deepEqual(await post(log.request(0, 9)), [409, 'text/x.tlog.size', '5\n']);
    assert.equal((await post(Buffer.from('old')))[0], 400);
    const kept = await fetch(`${base}/${originHex(LOG_ORIGIN)}/checkpoint`);
    assert.equal(kept.status, 200);
    assert.equal(kept.headers.get('content-type'), 'text/plain; charset=utf-8');
    assert.equal(kept.headers.get('cache-control'), 'public, no-cache');
    const note = (await witness.head(LOG_ORIGIN))?.note;
    assert.ok(Buffer.from(await kept.arrayBuffer()).equals(note ?? Buffer.alloc(0)));
  });

  test(
    `witness routes, ${transport}: what is not there is 404, and a memory that fails 500`,
    {
      skip,
    },
    async (t) => {
      const base = await open(t);
      for (const path of ['0'.repeat(64), originHex(LOG_ORIGIN), 'mirror']) {
        assert.equal((await fetch(`${base}/${path}/checkpoint`)).status, 404, path);
      }
      assert.equal((await fetch(`${base}/add-checkpoint`)).status, 405);
      const failing = witnessWith({
        memory: {
          read: () => Promise.resolve(undefined),
          swap: () => Promise.reject(new Error('disk: EIO')),
        },
      });
      const answer = await fetch(`${await open(t, failing)}/add-checkpoint`, {
        method: 'POST',
        body: Buffer.from(log.request(0, 5)),
      });
      assert.equal(answer.status, 500);
      assert.doesNotMatch(await answer.text(), /—|EIO/);
    },
  );
}
