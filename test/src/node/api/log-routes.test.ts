import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import type { HashHex } from '@assay/core/hash/hash';
import { logRoutes } from '@assay/node/api/log-routes';
import { FileBlobStore } from '@assay/node/blob/file-blob-store';
import { pipeline } from '@assay/node/http/pipeline';
import { httpServer } from '@assay/node/http/server';
import type { Listening } from '@assay/node/http/transport';
import { loadUws } from '@assay/node/http/uws';
import type { ApiReply } from '@assay/node/http/request';
import type { LogRecord } from '@assay/node/ledger/record';
import { RawClient } from '../http/raw-client.ts';

const SIZE = 8 * 1024 * 1024;

interface Running {
  readonly listening: Listening;
  readonly base: string;
  readonly hash: HashHex;
  readonly path: string;
  readonly errors: unknown[];
  /** What the routes told of. */
  readonly damaged: string[][];
}

async function running(t: TestContext, transport: 'uws' | 'node'): Promise<Running> {
  const folder = await mkdtemp(join(tmpdir(), 'assay-blobs-'));
  t.after(() => rm(folder, { recursive: true, force: true }));
  const blobs = await FileBlobStore.open(folder);
  const hash = await blobs.put(Buffer.alloc(SIZE, 'a page of a source, '));
  const published = { size: 0, root: new Uint8Array(32), note: new Uint8Array(0) };
  const record = { published } as unknown as LogRecord; // no other route is asked
  const errors: unknown[] = [];
  const damaged: string[][] = [];
  const routes = logRoutes(record, blobs, {
    note: (part, name) => damaged.push([part, name]),
    whole: () => undefined,
  });
  const served = pipeline(routes, {
    requestId: () => 'test',
    now: () => 0,
    onError: (error) => {
      errors.push(error);
    },
  });
  const listening = await (
    await httpServer(transport, served)
  ).listen({ host: '127.0.0.1', port: 0 });
  t.after(() => listening.close());
  const base = `http://127.0.0.1:${listening.port}/blob/${hash}`;
  return { listening, base, hash, path: join(folder, hash.slice(0, 2), hash), errors, damaged };
}

for (const transport of ['uws', 'node'] as const) {
  const skip = transport === 'uws' && (await loadUws()) === undefined;

  void test(`${transport}: a blob has its length and its hash as its ETag`, { skip }, async (t) => {
    const { base, hash, path, errors } = await running(t, transport);
    const whole = await fetch(base);
    assert.equal(whole.status, 200);
    assert.equal(whole.headers.get('content-length'), String(SIZE));
    assert.equal(whole.headers.get('etag'), `"${hash}"`);
    assert.match(whole.headers.get('cache-control') ?? '', /immutable/);
    const bytes = new Uint8Array(await whole.arrayBuffer());
    assert.equal(createHash('sha256').update(bytes).digest('hex'), hash);
    const head = await fetch(base, { method: 'HEAD' });
    assert.equal(head.headers.get('content-length'), String(SIZE));
    await writeFile(path, ''); // what is not opened cannot be missed
    for (const known of [`"${hash}"`, `"x", W/"${hash}"`, '*']) {
      const same = await fetch(base, { headers: { 'if-none-match': known } });
      assert.equal(same.status, 304);
      assert.equal(same.headers.get('etag'), `"${hash}"`);
      assert.match(same.headers.get('cache-control') ?? '', /immutable/);
    }
    await rm(path);
    const gone = await fetch(base, { headers: { 'if-none-match': `"${hash}"` } });
    assert.equal(gone.status, 404);
    assert.deepEqual(errors, []);
  });

  void test(
    `${transport}: a blob that no longer has its hash is not served`,
    { skip },
    async (t) => {
      const { base, hash, path, errors, damaged } = await running(t, transport);
      const good = await readFile(path);
      const status = async (): Promise<number> => {
        const whole = await fetch(base);
        await whole.arrayBuffer();
        return whole.status;
      };
      assert.equal(await status(), 200);
      const bad = Buffer.from(good);
      bad[SIZE - 1] = (bad[SIZE - 1] as number) ^ 1;
      await writeFile(path, bad);
      const answer = await fetch(base);
      assert.equal(answer.status, 500);
      assert.equal(((await answer.json()) as { error: string }).error, 'damaged');
      assert.equal(answer.headers.get('cache-control'), 'no-store');
      assert.deepEqual(damaged, [['blob', hash]]);
      await writeFile(path, good);
      assert.equal(await status(), 200);
      assert.deepEqual(errors, []);
    },
  );

  void test(`${transport}: many readers of a large blob hold a piece each`, { skip }, async (t) => {
    const { listening, hash, errors } = await running(t, transport);
    const readers: RawClient[] = [];
    t.after(() => {
      for (const raw of readers) raw.close();
    });
    const before = process.memoryUsage().rss;
    for (let i = 0; i < 60; i += 1) {
      const raw = await RawClient.connect(listening.port);
      raw.socket.pause();
      raw.ask('GET', `/blob/${hash}`);
      readers.push(raw);
    }
    let most = 0;
    for (let i = 0; i < 20; i += 1) {
      most = Math.max(most, process.memoryUsage().rss);
      await sleep(20);
    }
    assert.equal(listening.inFlight(), 60);
    const grown = (most - before) / (1024 * 1024);
    assert.ok(grown < 100, `60 readers of 8 MiB hold ${grown.toFixed(0)} MiB`);
    for (const raw of readers.splice(2)) raw.close();
    for (const raw of readers) {
      raw.socket.resume();
      const { body = '' } = (await raw.reply()) ?? {};
      assert.equal(createHash('sha256').update(body).digest('hex'), hash);
    }
    assert.deepEqual(errors, []);
  });
}

test('log routes: the closing head of a key that ended never changes, and there is none of another', async () => {
  const note = new TextEncoder().encode('a note');
  const asked: number[] = [];
  const record = (published: unknown): LogRecord =>
    ({
      published,
      closingHead: (number: number) => {
        asked.push(number);
        return Promise.resolve(number === 0 ? note : undefined);
      },
    }) as never;
  const ask = async (number: string, isShown = true): Promise<ApiReply> => {
    const routes = logRoutes(record(isShown ? {} : undefined), {} as never);
    const found = routes.find(({ path }) => path === '/closing-head/:number');
    const path = `/closing-head/${number}`;
    return found?.handle({ path, params: { number }, query: '' } as never) as Promise<ApiReply>;
  };
  const given = (await ask('0')) as Extract<ApiReply, { kind: 'whole' }>;
  assert.deepEqual([given.status, given.body], [200, note]);
  const headers = new Map(given.headers);
  assert.equal(headers.get('cache-control'), 'public, max-age=31536000, immutable');
  assert.match(headers.get('content-type') ?? '', /^text\/plain/);
  for (const number of ['1', '00', '-1', '+0', '0x0', '99999', '100000', 'x']) {
    assert.equal((await ask(number)).status, 404, number);
  }
  assert.deepEqual(asked, [0, 1, 99_999]);
  assert.equal((await ask('0', false)).status, 503);
});
