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
