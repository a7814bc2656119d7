import assert from 'node:assert/strict';
import { test, type TestContext } from 'node:test';
import { hashHex, leafHash } from '@assay/core/hash/hash';
import { utcGrid } from '@assay/core/terminal/calendar/grid';
import { formatHashTile } from '@assay/core/log/tile';
import { formatTime } from '@assay/core/time/time';
import { paidResources, type TierParts } from '@assay/node/api/tier/paid-resources';
import type { ApiReply, ApiRequest } from '@assay/node/http/request';
import type { LogRecord } from '@assay/node/ledger/record';
import type { PaidAnswer, PaidResource } from '@assay/node/payment/paid-resource';
import { MOST_WAITING } from '@assay/node/tier/stored-ticks';
import { sha256 } from '../../../core/fixture/fixture.ts';
import { tierWorld } from '../../tier/tier-world.ts';
import { shownRecord } from '../terminal-world.ts';

interface Shop {
  readonly errors: string[];
  readonly newest: number;
  readonly resource: (path: string) => PaidResource;
  readonly leaf: string;
}

const BOOK = ['/history/:symbol', '/board/at', '/receipts/full'];

async function shop(t: TestContext, change: Partial<TierParts> = {}, days = 2): Promise<Shop> {
  const { log, market, blobs, openings } = await tierWorld(t, days);
  const errors: string[] = [];
  const leaves = log.entries.map((bytes) => leafHash(sha256, bytes));
  const record: LogRecord = {
    ...shownRecord(log),
    published: shownRecord(log).published,
    tile: async ({ index, width }) =>
      formatHashTile(leaves.slice(index * 256, index * 256 + width)),
  };
  const resources = paidResources({
    record,
    blobs,
    sha256,
    now: () => market.newest + 60,
    grids: { crypto: utcGrid, stock: utcGrid },
    openings: { crypto: openings },
    shownSources: ['sample'],
    proofOf: async () => undefined,
    onError: (path, reason) => errors.push(`${path} ${reason}`),
    ...change,
  });
  return {
    errors,
    newest: market.newest,
    resource: (path) => resources.find((each) => each.path === path) as PaidResource,
    leaf: hashHex(leaves.at(-1) as never),
  };
}

function asking(query = '', params: Readonly<Record<string, string>> = {}): ApiRequest {
  return {
    method: 'GET',
    path: '/x',
    query,
    params,
    client: '127.0.0.1',
    signal: new AbortController().signal,
    header: () => undefined,
    body: () => Promise.resolve(new Uint8Array()),
  };
}

function jsonOf(reply: ApiReply | PaidAnswer): Record<string, never> & { readonly status: number } {
  const body = reply.kind === 'stream' ? '' : Buffer.from(reply.body as Uint8Array).toString();
  const status = reply.kind === 'paid' ? 0 : reply.status;
  return { ...(JSON.parse(body) as object), status } as never;
}

const ETH = { symbol: 'eth' };

test('paid resources: an answer is made once, and names the newest leaf of the log', async (t) => {
  const { resource, leaf } = await shop(t);
  for (const [path, params] of [
    ['/history/:symbol', ETH],
    ['/board/at', {}],
    ['/receipts/full', {}],
  ] as const) {
    assert.equal(await resource(path).check?.(asking('', params)), undefined, path);
    const answer = await resource(path).prepare(asking('', params));
    assert.ok(answer.kind === 'paid', path);
    assert.equal(answer.leafHash, leaf);
    assert.equal(typeof answer.seq, 'number');
    assert.ok(answer.body.length > 500);
    assert.equal('sample' in jsonOf(answer), false);
  }
});

test('paid resources: what is refused is refused before a payment, by both', async (t) => {
  const { resource, newest } = await shop(t);
  const cases: readonly (readonly [string, string, Record<string, string>, number])[] = [
    ['/history/:symbol', '', { symbol: 'NOPE' }, 404],
    // Hidden assets are not sold either.
    ['/history/:symbol', '', { symbol: 'HID' }, 404],
    ['/history/:symbol', 'days=0', ETH, 400],
    ['/history/:symbol', 'days=366', ETH, 400],
    ['/history/:symbol', 'days=x', ETH, 400],
    ['/history/:symbol', 'other=1', ETH, 400],
    ['/board/at', 'ts=yesterday', {}, 400],
    ['/board/at', 'ts=2026-02-30T00:00:00Z', {}, 400],
    ['/board/at', 'ts=2026-09-01T00:00:00', {}, 400],
    ['/board/at', `ts=2026-08-28T00:00:00.${'0'.repeat(15)}Z`, {}, 400],
    ['/board/at', `ts=2026-08-28T00:00:00.${'0'.repeat(3000)}Z`, {}, 400],
    ['/board/at', 'ts=0000-01-01T00:00:00Z', {}, 400],
    ['/board/at', 'ts=1969-12-31T23:59:59Z', {}, 400],
    ['/board/at', 'ts=1970-01-01T00:00:00%2B01:00', {}, 400],
    ['/board/at', 'ts=1970-01-01T00:00:00Z', {}, 200],
    ['/board/at', 'ts=1970-01-01T00:00:00.123456789-01:00', {}, 200],
    ['/board/at', 'ts=9999-12-31T23:59:59Z', {}, 400],
    ['/board/at', `ts=${formatTime(newest + 3600)}`, {}, 400],
    ['/receipts/full', 'limit=501', {}, 400],
    ['/receipts/full', 'offset=-1', {}, 400],
    ['/receipts/full', 'since=2026-13-01', {}, 400],
  ];
  for (const [path, query, params, status] of cases) {
    const request = asking(query, params);
    const found = await resource(path).check?.(request);
    assert.equal(found?.status, status, `${path} ${query}`);
    const made = await resource(path).prepare(request);
    assert.ok(made.kind !== 'paid' && made.status === status, `${path} ${query}`);
  }
});

test('paid resources: a moment may be written with another zone', async (t) => {
  const { resource, newest } = await shop(t);
  const at = async (ts: string): Promise<unknown> => {
    const made = await resource('/board/at').prepare(asking(`ts=${encodeURIComponent(ts)}`));
    assert.ok(made.kind === 'paid', ts);
    return jsonOf(made);
  };
  const utc = new Date((newest - 3600) * 1000).toISOString();
  const east = new Date((newest + 3600) * 1000).toISOString().replace('Z', '+02:00');
  assert.deepEqual(await at(east), await at(utc));
});

test('paid resources: an answer without a row is free', async (t) => {
  const { resource } = await shop(t);
  for (const [path, query] of [
    ['/board/at', 'ts=2020-01-01T00:00:00Z'],
    ['/receipts/full', 'offset=1000'],
  ] as const) {
    const found = await resource(path).check?.(asking(query));
    assert.ok(found !== undefined, path);
    assert.equal(found.status, 200);
    const made = await resource(path).prepare(asking(query));
    assert.ok(made.kind !== 'paid' && made.status === 200);
  }
});

test('paid resources: an answer turns out to have no row, and is free', async (t) => {
  // The class had ticks then, but no displayed asset had a score in them.
  const { resource } = await shop(t, {}, 2);
  const { log } = await tierWorld(t, 2);
  const hidden = await shop(t, {
    record: {
      ...shownRecord(log),
      published: shownRecord(log).published,
      shown: {
        get: (table: string, key: string) => log.views.get(table, key),
        list: (table: string) => (table === 'assets' ? [] : log.views.list(table)),
        descend: (table: string, before?: string) => log.views.descend(table, before),
      } as never,
      tile: async () => undefined,
    },
  });
  assert.ok((await resource('/board/at').prepare(asking())).kind === 'paid');
  const made = await hidden.resource('/board/at').prepare(asking());
  assert.ok(made.kind !== 'paid' && made.status === 200);
  assert.deepEqual(jsonOf(made)['assets'], []);
});

test('paid resources: an asset that was listed after the newest tick is free, and costs one blob', async (t) => {
  const { log, blobs } = await tierWorld(t, 2);
  let read = 0;
  const eth = log.views.get('assets', 'ETH') as object;
  const { resource } = await shop(t, {
    blobs: {
      read: (hash) => {
        read += 1;
        return blobs.read(hash);
      },
    },
    openings: { crypto: { day: () => Promise.reject(new Error('nothing is opened')) } },
    record: {
      ...shownRecord(log),
      published: shownRecord(log).published,
      shown: {
        get: (table: string, key: string) =>
          table === 'assets' && key === 'NEW'
            ? { ...eth, symbol: 'NEW', seq: 1_000_000 }
            : log.views.get(table, key),
        list: (table: string) => log.views.list(table),
        descend: (table: string, before?: string) => log.views.descend(table, before),
      } as never,
      tile: async () => undefined,
    },
  });
  const request = asking('days=365', { symbol: 'new' });
  const found = await resource('/history/:symbol').check(request);
  assert.equal(found?.status, 200);
  assert.deepEqual(jsonOf(found)['points'], []);
  assert.equal(read, 1);
  const made = await resource('/history/:symbol').prepare(request);
  assert.ok(made.kind !== 'paid' && made.status === 200);
  assert.equal(read, 2);
});

test('paid resources: beside the answer that is made only so many wait', async (t) => {
  let release = (): void => undefined;
  const held = new Promise<void>((resolve) => {
    release = resolve;
  });
  let began = (): void => undefined;
  const isReading = new Promise<void>((resolve) => {
    began = resolve;
  });
  const day = async (): Promise<undefined> => {
    began();
    await held;
  };
  const { resource } = await shop(t, { openings: { crypto: { day } } });
  const history = resource('/history/:symbol');
  const bought = Array.from({ length: MOST_WAITING + 1 }, () => history.prepare(asking('', ETH)));
  await isReading;
  for (let i = 0; i < 100; i += 1) await new Promise(setImmediate);
  for (const path of ['/history/:symbol', '/board/at']) {
    const refused = await resource(path).prepare(asking('', ETH));
    assert.ok(refused.kind === 'whole' && refused.status === 503, path);
    assert.equal(jsonOf(refused)['error'], 'busy');
    assert.match(Object.fromEntries(refused.headers)['retry-after'] ?? '', /^[0-9]+$/);
  }
  assert.equal(await history.check(asking('', ETH)), undefined, 'nobody is kept from asking');
  release();
  for (const made of await Promise.all(bought)) assert.equal(made.kind, 'paid');
  assert.equal((await history.prepare(asking('', ETH))).kind, 'paid');
});

test('paid resources: a record that cannot be read, and stored ticks that cannot, are 503', async (t) => {
  const record = { published: undefined } as unknown as LogRecord;
  const halted = await shop(t, { record });
  for (const path of BOOK) {
    const found = await halted.resource(path).check?.(asking('', ETH));
    assert.equal(found?.status, 503, path);
  }
  const gone = await shop(t, { blobs: { read: async () => undefined } });
  const made = await gone.resource('/history/:symbol').prepare(asking('', ETH));
  assert.ok(made.kind !== 'paid' && made.status === 503);
  assert.equal(gone.errors.length, 1);
});

test('paid resources: a sample has the members of the answer, and says what it is', async (t) => {
  const { resource } = await shop(t, {}, 32);
  for (const path of BOOK) {
    const sample = jsonOf(resource(path).sample(asking('sample=true', ETH)));
    assert.equal(sample['sample'], true, path);
    const answer = await resource(path).prepare(asking('', ETH));
    assert.ok(answer.kind === 'paid');
    const made = jsonOf(answer);
    const names = (value: object): readonly string[] =>
      Object.keys(value)
        .filter((name) => !['sample', 'status'].includes(name))
        .sort();
    assert.deepEqual(names(sample), names(made), path);
    for (const list of ['points', 'assets', 'rows']) {
      const [one] = (sample[list] ?? []) as readonly object[];
      const [other] = (made[list] ?? []) as readonly object[];
      if (one === undefined && other === undefined) continue;
      assert.deepEqual(names(one ?? {}), names(other ?? {}), `${path} ${list}`);
    }
    // Its parameters are checked like those of any other request.
    const bad = resource(path).sample(asking('sample=true&nonsense=1', ETH));
    assert.equal(bad.status, 400);
    assert.equal(resource(path).sample(asking('sample=yes', ETH)).status, 400);
  }
});
