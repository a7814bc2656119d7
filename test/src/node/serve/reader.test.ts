import assert from 'node:assert/strict';
import { mkdir, mkdtemp, rm } from 'node:fs/promises';
import { createServer, type IncomingMessage, type RequestListener } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test, type TestContext } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Quotas } from '@assay/node/http/limiter';
import { memoryClosingPlace } from '@assay/node/mirror/closing-place';
import { FileNoteSlot } from '@assay/node/ledger/guard/file-note-slot';
import { openLevelStore } from '@assay/node/ledger/store/level-store';
import { LogMirror } from '@assay/node/mirror/log-mirror';
import { makeLogger } from '@assay/node/production/logger';
import { nodeSha256 } from '@assay/node/platform/node-sha256';
import { formatFrame } from '@assay/node/readers/follow-frame';
import { ROUTE_CLASSES } from '@assay/node/readers/route-class';
import { type ReaderOptions, type RunningReader, startReader } from '@assay/node/serve/reader';
import { verify } from '@assay/verifier/verify';
import { OPEN_POLICY } from '@assay/verifier/verdict/policy';
import { httpReader } from '@assay/verifier/reader/http-reader';
import { CHECKPOINTS, note } from '../ledger/ledger-fixture.ts';
import { ChangingKeys } from '../mirror/changing-ledger.ts';
import { forkOf, KEY, serverOf } from '../mirror/mirror-fixture.ts';
import { type PublisherWorld, publisherWorld, QUOTAS, TOKEN } from '../readers/publisher-world.ts';

async function folderOf(t: TestContext): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'assay-reader-'));
  t.after(() => rm(folder, { recursive: true, force: true }));
  return folder;
}

async function readerOf(
  t: TestContext,
  url: string,
  change: Partial<ReaderOptions> & { readonly quotas?: Quotas } = {},
): Promise<{ readonly reader: RunningReader; readonly at: string }> {
  const { quotas = QUOTAS, ...options } = change;
  const reader = await startReader({
    publisher: { url, token: TOKEN },
    folder: null,
    vkey: CHECKPOINTS.vkey,
    address: { host: '127.0.0.1', port: 0, transport: 'auto', server: {}, quotas },
    sharesPort: false,
    sha256: nodeSha256,
    log: makeLogger('silent'),
    pollMs: 20,
    ...options,
  });
  t.after(() => reader.close());
  return { reader, at: `http://127.0.0.1:${reader.port}` };
}

/** Waits until `test` holds, and fails after ten seconds. */
async function until(holds: () => boolean | Promise<boolean>, what: string): Promise<void> {
  for (let i = 0; i < 1000; i += 1) {
    if (await holds()) return;
    await sleep(10);
  }
  assert.fail(`${what} within ten seconds`);
}

/** What belongs to a connection or to one answer: its id and what its client has left. */
const OWN = new Set([
  'connection',
  'date',
  'keep-alive',
  'ratelimit',
  'uwebsockets',
  'x-request-id',
]);

interface Shown {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

async function shownAt(base: string, path: string): Promise<Shown> {
  const answer = await fetch(base + path, { headers: { 'accept-encoding': 'identity' } });
  const headers = Object.fromEntries([...answer.headers].filter(([name]) => !OWN.has(name)));
  const body = Buffer.from(await answer.arrayBuffer()).toString('base64');
  return { status: answer.status, headers, body };
}

async function firstBlob({ blobs }: PublisherWorld['world']): Promise<string> {
  for await (const hash of blobs.list()) return hash;
  throw new Error('the world has no blob');
}

/** Paths of every route that follows from the log, and of those that a reader asks for. */
async function pathsOf({ world, base }: PublisherWorld): Promise<readonly string[]> {
  const latest = (await (await fetch(`${base}/settlement/latest.json`)).json()) as {
    readonly files: readonly { readonly path: string }[];
  };
  const settlement = latest.files[0]?.path ?? '';
  const blob = await firstBlob(world);
  const size = world.ledger.published?.size ?? 0;
  return [
    '/indices',
    '/v1/indices',
    '/indices/LAYOFFS',
    '/indices/nothing',
    '/indices/LAYOFFS/rule',
    '/indices/LAYOFFS/report?period=2026-07-04',
    '/indices/LAYOFFS/report?period=1999-01-02',
    '/indices/LAYOFFS/history.csv',
    '/indices/LAYOFFS/settlement.csv',
    '/indices/LAYOFFS/recount?period=2026-07-04',
    '/indices/LAYOFFS/listing.json',
    '/indices/LAYOFFS/periods',
    '/indices/close',
    '/.well-known/assay-signer.json',
    '/settlement/latest.json',
    `/settlement/${settlement}`,
    '/settlement/nothing.json',
    '/index',
    '/anchors',
    `/proof/${'ab'.repeat(32)}`,
    '/receipts',
    '/receipts/dataset',
    '/questions',
    '/checkpoint',
    '/closing-head/0',
    `/tile/entries/000.p/${size}`,
    `/tile/0/000.p/${size}`,
    `/blob/${blob}`,
    `/blob/${'00'.repeat(32)}`,
    `/pack/0/000.p/${size}`,
    '/record/figures.json',
    '/problems',
    '/openapi.json',
    '/asyncapi.json',
    '/llms.txt',
    '/robots.txt',
    '/sitemap.xml',
    '/healthz',
    '/readyz',
    '/board',
    '/asset/NOPE',
    '/base-rates',
    '/changelog.atom',
    '/arena',
    '/arena/rounds',
    '/arena/handles/nobody',
    '/statements?report=' + 'cd'.repeat(32),
    '/webhooks/subscription',
    '/history/BTC',
    '/nothing/at/all',
  ];
}

test('reader: what follows from the log is answered as by the publisher, byte for byte, and verified', async (t) => {
  const publisher = await publisherWorld(t, await folderOf(t));
  const { at, reader } = await readerOf(t, publisher.inside);
  const { ledger } = publisher.world;
  assert.equal(reader.size(), ledger.published?.size);
  for (const path of await pathsOf(publisher)) {
    assert.deepEqual(await shownAt(at, path), await shownAt(publisher.base, path), path);
  }
  // And again once both have grown.
  await publisher.world.week(2);
  await until(() => reader.size() === ledger.published?.size, 'the new week is shown');
  // What a reader asks for, it shows for a second: the board, and which Close is the newest.
  await sleep(1100);
  for (const path of await pathsOf(publisher)) {
    assert.deepEqual(await shownAt(at, path), await shownAt(publisher.base, path), path);
  }
  const verdict = await verify({ kind: 'log', reader: httpReader(at, fetch) }, OPEN_POLICY);
  assert.equal(verdict.outcome, 'verified');
  const html = { headers: { accept: 'text/html' } };
  for (const path of ['/', '/log', '/status', '/i/initial-claims', '/record']) {
    const own = await fetch(at + path, html);
    const theirs = await fetch(publisher.base + path, html);
    assert.equal(own.status, theirs.status, path);
    if (path !== '/status') assert.equal(await own.text(), await theirs.text(), path);
  }
});

test('reader: every class of route was asked for above', async (t) => {
  const publisher = await publisherWorld(t, await folderOf(t));
  const asked = await pathsOf(publisher);
  const patterns = [...ROUTE_CLASSES]
    .filter(([name, of]) => of === 'log' && name.startsWith('GET '))
    .map(([name]) => name.slice(4));
  const unasked = patterns.filter((pattern) => {
    const text = pattern.replaceAll(/[.]/g, '\\.').replaceAll(/:[a-z_]+/g, '[^/?]+');
    return !asked.some((path) => new RegExp(`^${text.replace('*', '.+')}(\\?|$)`).test(path));
  });
  // These need a log with more in it than two weeks of numbers, or have no end.
  assert.deepEqual(unasked, [
    '/index/:report',
    '/receipts/proof',
    '/arena/rounds/:round',
    '/events',
    '/questions/:id',
  ]);
});

test('reader: the stream has each entry as it is published, and the status what the publisher says', async (t) => {
  const reasons = ['Something is wrong with the publisher.'];
  const publisher = await publisherWorld(t, await folderOf(t), {
    inputs: [() => reasons.map((reason) => ({ level: 'degraded', reason }))],
  });
  const { at } = await readerOf(t, publisher.inside);
  const { ledger } = publisher.world;
  const stop = new AbortController();
  const answer = await fetch(`${at}/events?ticks=true`, { signal: stop.signal });
  let text = '';
  const reading = (async () => {
    for await (const chunk of answer.body ?? [])
      text += Buffer.from(chunk as Uint8Array).toString();
  })().catch(() => undefined);
  const size = ledger.nextSeq;
  await ledger.write(() => [note('one more')]);
  await until(() => text.includes(`id: ${size}-`), 'the event');
  publisher.hub.tick('crypto', { class: 'crypto', scores: { BTC: 1 } });
  await until(() => text.includes('event: tick'), 'live scores');
  stop.abort();
  await reading;
  const status = (await (await fetch(`${at}/status`)).json()) as {
    readonly state: string;
    readonly reasons: readonly string[];
    readonly notice: string;
    readonly now: string;
  };
  assert.equal(status.state, 'degraded');
  assert.deepEqual(status.reasons, reasons);
  assert.equal(status.notice, 'A notice of the publisher.');
  // The clock of a development log is the publisher's.
  assert.match(status.now, /^2026-07-17T/);
});

test('reader: without its publisher it answers what follows from the log, says so, and goes on when it is back', async (t) => {
  const folder = await folderOf(t);
  const publisher = await publisherWorld(t, folder);
  const { at, reader } = await readerOf(t, publisher.inside, { folder: join(folder, 'copy') });
  assert.equal((await fetch(`${at}/arena`)).status, 200);
  publisher.hub.stop();
  await publisher.service.close();
  const post = await fetch(`${at}/statements`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: '{}',
  });
  assert.equal(post.status, 503);
  assert.equal(((await post.json()) as { error: string }).error, 'writer_away');
  assert.equal(post.headers.get('retry-after'), '5');
  assert.equal((await fetch(`${at}/indices`)).status, 200);
  assert.equal((await fetch(`${at}/arena`)).status, 200, 'what it said last is given for a while');
  assert.equal((await fetch(`${at}/board`)).status, 503, 'it was never asked for');
  assert.equal((await fetch(`${at}/readyz`)).status, 200);
  const port = Number(new URL(publisher.inside).port);
  const again = await publisherWorld(t, folder, { port });
  // Random salts make it another history, which the reader does not take, and it says so.
  await until(async () => {
    const { reasons } = (await (await fetch(`${at}/status`)).json()) as {
      readonly reasons: readonly string[];
    };
    return reasons.some((reason) => reason.includes('ledger_differs'));
  }, 'the other history is refused');
  assert.equal((await fetch(`${at}/board`)).status, 503);
  assert.equal(reader.size(), again.world.ledger.published?.size);
});

test('reader: a process that was killed in its first copy goes on with it', async (t) => {
  const folder = await folderOf(t);
  const publisher = await publisherWorld(t, folder);
  const { ledger } = publisher.world;
  await ledger.write(() => Array.from({ length: 600 }, (_, i) => note(`${i}`)));
  const copy = join(folder, 'copy');
  await mkdir(copy);
  const store = await openLevelStore(join(copy, 'ledger'), { sync: false });
  const mirror = await LogMirror.open({
    reader: serverOf(ledger),
    store,
    accepted: await FileNoteSlot.open(join(copy, 'accepted'), { sync: false }),
    closing: memoryClosingPlace(),
    blobs: null,
    key: KEY,
    logId: null,
    sha256: nodeSha256,
    witnesses: null,
    onFork: () => undefined,
    batchEntries: 256,
    mostEntries: 256,
  });
  await mirror.follow();
  assert.notEqual(await store.entry(255), undefined);
  assert.equal(await store.entry(600), undefined);
  assert.equal(mirror.published, undefined);
  await mirror.close();
  const { reader } = await readerOf(t, publisher.inside, { folder: copy });
  assert.equal(reader.size(), ledger.published?.size);
});

test('reader: a change of the checkpoint key is followed, while it runs, after it was away, and from nothing', async (t) => {
  const keys = new ChangingKeys();
  const folder = await folderOf(t);
  const publisher = await publisherWorld(t, folder, { checkpoints: keys.options });
  const { ledger } = publisher.world;
  const { reader, at } = await readerOf(t, publisher.inside);
  const away = await readerOf(t, publisher.inside, { folder: join(folder, 'away') });
  await away.reader.close();
  await keys.promise(ledger);
  await keys.change(ledger, 'rotation');
  await ledger.write(() => [note('under the second key')]);
  await until(() => reader.size() === ledger.published?.size, 'the rotation is followed');
  await keys.change(ledger, 'recovery');
  await ledger.write(() => [note('under the third key')]);
  await until(() => reader.size() === ledger.published?.size, 'the recovery is followed');
  const readers = [
    at,
    (await readerOf(t, publisher.inside, { folder: join(folder, 'away') })).at,
    (await readerOf(t, publisher.inside)).at,
    (await readerOf(t, publisher.inside, { vkey: keys.options.signer.vkey })).at,
    // As anybody can, with no key, and with the one that was in force when it was written down.
    (
      await readerOf(t, publisher.base, {
        publisher: { url: publisher.base, token: undefined },
        vkey: null,
      })
    ).at,
    (await readerOf(t, publisher.base, { publisher: { url: publisher.base, token: undefined } }))
      .at,
  ];
  for (const [i, each] of readers.entries()) {
    for (const path of ['/checkpoint', '/closing-head/0', '/closing-head/1', '/closing-head/2']) {
      const shown = async (): Promise<boolean> => {
        const [own, theirs] = [await shownAt(each, path), await shownAt(publisher.base, path)];
        return own.status === theirs.status && own.body === theirs.body;
      };
      await until(shown, `reader ${i}: ${path}`);
    }
  }
});

/** A publisher of the tests that lies; its address. */
async function liar(t: TestContext, answer: RequestListener): Promise<string> {
  const server = createServer(answer);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  t.after(() => {
    server.closeAllConnections();
    server.close();
  });
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

/** Passes everything on to `inside`, but for the paths that `lie` answers. */
function passing(
  inside: () => string,
  lie: (request: IncomingMessage, body: Uint8Array) => Uint8Array | undefined,
): RequestListener {
  return (request, response) => {
    const headers = Object.fromEntries(
      Object.entries(request.headers).filter(([name]) => name !== 'connection'),
    ) as Record<string, string>;
    const stop = new AbortController();
    response.on('close', () => stop.abort());
    void (async () => {
      const answer = await fetch(inside() + (request.url ?? ''), { headers, signal: stop.signal });
      response.writeHead(answer.status, {
        'content-type': answer.headers.get('content-type') ?? '',
      });
      if (request.url?.startsWith('/follow') === true) {
        for await (const chunk of answer.body ?? []) {
          response.write(lie(request, chunk as Uint8Array) ?? chunk);
        }
        response.end();
        return;
      }
      const body = new Uint8Array(await answer.arrayBuffer());
      response.end(lie(request, body) ?? body);
    })().catch(() => response.destroy());
  };
}

test('reader: a publisher that shows two histories, changed entries or changed blobs is not followed', async (t) => {
  const publisher = await publisherWorld(t, await folderOf(t));
  const other = await forkOf(40, 1);
  const blob = await firstBlob(publisher.world);
  let lies = false;
  const url = await liar(
    t,
    passing(
      () => publisher.inside,
      (request, body) => {
        if (request.url === `/blob/${blob}`) return Uint8Array.of(...body, 1);
        if (!lies || request.url?.startsWith('/follow') !== true) return undefined;
        lies = false;
        return formatFrame({
          kind: 'head',
          note: other.published?.note as Uint8Array,
          start: publisher.world.ledger.nextSeq,
          entries: [],
        });
      },
    ),
  );
  const { at, reader } = await readerOf(t, url);
  const size = reader.size();
  assert.equal((await fetch(`${at}/blob/${blob}`)).status, 500, 'other bytes under the hash');
  lies = true;
  await publisher.world.ledger.write(() => [note('the truth')]);
  await until(() => reader.size() === size + 1, 'the truth is taken after the lie');
  assert.deepEqual(await shownAt(at, '/checkpoint'), await shownAt(publisher.base, '/checkpoint'));
});

test('reader: clients are counted by the publisher too, and nobody without the token is answered by it', async (t) => {
  const publisher = await publisherWorld(t, await folderOf(t), { quotas: { default: 3, log: 3 } });
  const { at } = await readerOf(t, publisher.inside);
  const ask = (): Promise<Response> => fetch(`${at}/statements?report=${'cd'.repeat(32)}`);
  const errors = [];
  for (let i = 0; i < 4; i += 1) {
    errors.push(((await (await ask()).json()) as { error: string }).error);
  }
  // It takes no statements in this test, and it is the publisher that says so.
  assert.deepEqual(errors, ['halted', 'halted', 'halted', 'rate_limited']);
  for (const headers of [{}, { 'assay-reader': 'a-guess itself', 'x-forwarded-for': '10.1.2.3' }]) {
    const refused = await fetch(`${publisher.inside}/indices`, { headers });
    assert.equal(refused.status, 403);
    assert.equal(((await refused.json()) as { error: string }).error, 'not_a_reader');
  }
  assert.equal((await fetch(`${publisher.inside}/healthz`)).status, 200);
  // A client cannot speak for a reader through a reader.
  const through = await fetch(`${at}/statements?report=${'cd'.repeat(32)}`, {
    headers: { 'assay-reader': `${TOKEN} itself` },
  });
  assert.equal(through.status, 429);
});

test('reader: without the token a log is followed as anybody can, and what only the publisher knows is asked for', async (t) => {
  const publisher = await publisherWorld(t, await folderOf(t));
  const { at, reader } = await readerOf(t, publisher.base, {
    publisher: { url: publisher.base, token: undefined },
    vkey: null,
  });
  for (const path of [
    '/indices',
    '/checkpoint',
    '/arena',
    `/statements?report=${'cd'.repeat(32)}`,
  ]) {
    assert.deepEqual(await shownAt(at, path), await shownAt(publisher.base, path), path);
  }
  await publisher.world.ledger.write(() => [note('one more')]);
  await until(() => reader.size() === publisher.world.ledger.nextSeq, 'the entry is shown');
});

test('reader: a monitor behind the address of a flood is answered by it and by the publisher', async (t) => {
  const quotas = { default: 5, log: 5 };
  const publisher = await publisherWorld(t, await folderOf(t), { quotas });
  const { at } = await readerOf(t, publisher.inside, { quotas });
  for (const base of [at, publisher.base]) {
    const flood = await Promise.all(
      Array.from({ length: 50 }, () => fetch(`${base}/indices`).then(({ status }) => status)),
    );
    assert.ok(flood.includes(429), 'the flood is refused');
    for (let i = 0; i < 20; i += 1) {
      for (const path of ['/healthz', '/readyz', '/status']) {
        assert.equal((await fetch(base + path)).status, 200, path);
      }
    }
  }
});
