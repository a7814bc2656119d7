import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import { tilesOf } from '@assay/core/log/tile';
import { pipeline } from '@assay/node/http/pipeline';
import { httpServer } from '@assay/node/http/server';
import { httpLogReader } from '@assay/node/mirror/http-log-reader';
import { type MirroredLog, mirrorPath, mirrorRoutes } from '@assay/node/recounter/mirror-routes';
import { nodeSha256 } from '@assay/node/platform/node-sha256';
import { contents, ORIGIN } from '../ledger/ledger-fixture.ts';
import { PaperPublisher } from '../mirror/paper-publisher.ts';
import { grow, logOf, mirrorPlace, openMirror, serverOf } from '../mirror/mirror-fixture.ts';

async function serve(t: TestContext, mirrors: readonly MirroredLog[]): Promise<string> {
  const served = pipeline(mirrorRoutes(nodeSha256, mirrors), {
    requestId: () => 'test',
    now: () => 0,
    onError: (error) => {
      throw error;
    },
  });
  const server = await httpServer('node', served);
  const listening = await server.listen({ host: '127.0.0.1', port: 0 });
  t.after(() => listening.close());
  return `http://127.0.0.1:${listening.port}`;
}

test('mirror routes: a copy can be copied, to the byte', async (t) => {
  const log = await logOf(599);
  const first = await openMirror(await mirrorPlace(), serverOf(log));
  const base = await serve(t, [{ origin: ORIGIN, record: first }]);
  const address = `${base}${mirrorPath(nodeSha256, ORIGIN)}`;
  const none = await fetch(`${address}/checkpoint`);
  assert.equal(none.status, 503);
  await first.follow();
  const place = await mirrorPlace();
  const second = await openMirror(place, httpLogReader(address));
  assert.deepEqual(await second.follow(), { kind: 'followed', size: 600, grew: 600 });
  await grow(log, 30);
  await first.follow();
  assert.deepEqual(await second.follow(), { kind: 'followed', size: 630, grew: 30 });
  assert.deepEqual(second.published, log.published);
  for (const tile of tilesOf(630)) {
    assert.deepEqual(await second.tile(tile), await log.tile(tile));
  }
  assert.ok((await contents(place.store)).length > 630);
});

test('mirror routes: a copy of a log whose key was replaced can be copied by whoever knows the first', async (t) => {
  const log = new PaperPublisher().promise().notes(2).rotate().notes(1).recover().notes(1);
  const first = await openMirror(await mirrorPlace(), log.serve());
  await first.follow();
  const base = await serve(t, [{ origin: ORIGIN, record: first }]);
  const address = `${base}${mirrorPath(nodeSha256, ORIGIN)}`;
  const second = await openMirror(await mirrorPlace(), httpLogReader(address));
  assert.deepEqual(await second.follow(), { kind: 'followed', size: log.size, grew: log.size });
  assert.deepEqual(await second.closingHead(1), log.closing.get(1));
  for (const number of ['2', '00', '1e1', '-1', '65536', 'x']) {
    const { status } = await fetch(`${address}/closing-head/${number}`);
    assert.equal(status, number === '00' ? 200 : 404, number);
  }
});

test('mirror routes: another log, and a tile that there is not, are not found', async (t) => {
  const mirror = await openMirror(await mirrorPlace(), serverOf(await logOf(3)));
  await mirror.follow();
  const base = await serve(t, [{ origin: ORIGIN, record: mirror }]);
  const own = mirrorPath(nodeSha256, ORIGIN);
  for (const path of [
    `${mirrorPath(nodeSha256, 'development/another')}/checkpoint`,
    `${mirrorPath(nodeSha256, 'development/another')}/tile/0/000.p/4`,
    `${own}/tile/0/000.p/5`,
    `${own}/tile/0/0`,
    '/mirror/x/checkpoint',
    '/v1/mirror/x/checkpoint',
  ]) {
    const { status } = await fetch(`${base}${path}`);
    assert.equal(status, 404, path);
  }
  const checkpoint = await fetch(`${base}${own}/checkpoint`);
  assert.equal(checkpoint.headers.get('content-type'), 'text/plain; charset=utf-8');
  assert.match(checkpoint.headers.get('cache-control') ?? '', /no-cache/);
  const tile = await fetch(`${base}${own}/tile/entries/000.p/4`);
  assert.match(tile.headers.get('cache-control') ?? '', /immutable/);
});
