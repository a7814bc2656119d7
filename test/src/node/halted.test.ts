import assert from 'node:assert/strict';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { Fault } from '@assay/core/fault';
import { contentHash, hashHex } from '@assay/core/hash/hash';
import { startHalted } from '@assay/node/halted';
import { makeLogger } from '@assay/node/production/logger';
import { MemoryBlobStore } from '@assay/node/blob/memory-blob-store';
import { Metrics } from '@assay/node/metrics';
import { nodeSha256 } from '@assay/node/platform/node-sha256';
import { SettlementFolder } from '@assay/node/day/settlement-mirror';
import { REPORT_SIGNER } from './ledger/ledger-fixture.ts';
import { signedLatest } from './fixture/signed-latest.ts';
import { noTransport } from './api/world-service.ts';

const KIT = {
  ticker: 'LAYOFFS',
  question: 'At least {strike}?',
  period: '2026-08-01',
  decimals: 0,
  strikes: ['0', '5'],
  strike_step: '5',
  reference: null,
  settlement: { release_at: '2026-08-06T12:30:00Z' },
};

const CSV = Buffer.from('period,value\n');

async function folder(t: { after(done: () => Promise<void>): void }): Promise<SettlementFolder> {
  const path = await mkdtemp(join(tmpdir(), 'assay-halted-'));
  t.after(() => rm(path, { recursive: true, force: true }));
  return new SettlementFolder(join(path, 'mirror'));
}

async function fill(mirror: SettlementFolder): Promise<void> {
  const files = [];
  for (const [ticker, kit] of [
    ['LAYOFFS', KIT],
    ['jobs', null],
  ] as const) {
    const path = `2026-07-30/${ticker}.json`;
    const body = Buffer.from(
      JSON.stringify({
        type: 'assay-settlement/1',
        day: '2026-07-30',
        log: '22'.repeat(32),
        index: { ticker, slug: `slug-${ticker.toLowerCase()}`, format: 'count' },
        kit,
        no_kit: kit === null ? 'Monthly figures are not offered.' : null,
      }),
    );
    await mirror.put(path, body);
    const sha256 = hashHex(contentHash(nodeSha256, body));
    const csv = {
      path: path.replace('json', 'csv'),
      sha256: hashHex(contentHash(nodeSha256, CSV)),
    };
    await mirror.put(csv.path, CSV);
    files.push({ ticker, slug: `slug-${ticker.toLowerCase()}`, path, sha256, csv });
  }
  await mirror.setLatest(signedLatest(files));
}

const CASES = [
  ['uws', REPORT_SIGNER.publicKey],
  ['node', REPORT_SIGNER.publicKey],
  ['node', undefined],
] as const;

for (const [transport, key] of CASES) {
  const skip = noTransport(transport);
  const known = key === undefined ? 'the report key is not known' : 'kits come from the mirror';
  test(`halted over ${transport}: everything says so, and ${known}`, { skip }, async (t) => {
    const settlements = await folder(t);
    const blobs = new MemoryBlobStore();
    const kept = Buffer.from('a page of a source');
    const hash = await blobs.put(kept);
    const service = await startHalted({
      settlements: settlements.read,
      reportKey: key,
      places: { publicUrl: 'https://assay.example', mirrorUrl: 'https://mirror.example' },
      sha256: nodeSha256,
      now: () => 1_785_456_000,
      notice: null,
      blobs,
      metrics: new Metrics(),
      log: makeLogger('silent'),
      address: {
        host: '127.0.0.1',
        port: 0,
        transport,
        server: {},
        quotas: { default: 60_000, log: 60_000 },
      },
      reason: new Fault('ledger_behind', 'ledger', { expected: '5 entries', found: '4' }),
    });
    t.after(service.close);
    const get = async (path: string) => {
      const response = await fetch(`http://127.0.0.1:${service.port}${path}`);
      const body = (await response.json()) as Record<string, unknown>;
      return { status: response.status, headers: response.headers, body };
    };
    for (const path of [
      '/indices',
      '/indices/LAYOFFS',
      '/indices/LAYOFFS/rule',
      '/indices/LAYOFFS/report',
      '/indices/LAYOFFS/history.csv',
      '/indices/close',
      '/checkpoint',
      '/tile/0/000',
      '/tile/entries/000.p/2',
      `/blob/${'0'.repeat(64)}`,
      '/settlement/latest.json',
      '/settlement/2026-07-30/LAYOFFS.csv',
      '/status',
    ]) {
      const { status, body } = await get(path);
      assert.deepEqual([path, status, body['error']], [path, 503, 'halted']);
    }
    const { body: said } = await get('/status');
    assert.match(
      String(said['reasons']),
      /The record cannot be read: the database has fewer entries than were published/,
    );

    const unchecked = /Nothing of the settlement mirror is relayed/.test(String(said['reasons']));
    assert.equal(unchecked, key === undefined, 'that its key is not known, it says');
    const at = (path: string) => fetch(`http://127.0.0.1:${service.port}${path}`);
    const blob = await at(`/blob/${hash}`);
    assert.deepEqual([blob.status, await blob.text()], [200, String(kept)]);
    const metrics = await (await at('/metrics')).text();
    assert.match(metrics, /^assay_log_writable 0$/m);

    const unread = await get('/indices/LAYOFFS/listing.json');
    assert.deepEqual([unread.status, unread.body['error']], [503, 'halted']);
    await fill(settlements);
    if (key === undefined) {
      const paths = ['latest.json', '2026-07-30/LAYOFFS.json', '2026-07-30/LAYOFFS.csv'];
      for (const path of [
        '/indices/LAYOFFS/listing.json',
        ...paths.map((each) => `/settlement/${each}`),
      ]) {
        const { status, headers, body } = await get(path);
        assert.deepEqual([path, status, body['error']], [path, 503, 'halted']);
        assert.equal(headers.get('x-assay-source'), null, path);
      }
      return;
    }
    for (const name of ['LAYOFFS', 'layoffs', 'slug-layoffs']) {
      const { status, headers, body } = await get(`/indices/${name}/listing.json`);
      assert.equal(status, 200);
      assert.equal(headers.get('x-assay-source'), 'mirror');
      const { where, ...kit } = body as { where: Record<string, unknown> };
      assert.deepEqual(kit, { ...KIT, strikes: ['5'] }, 'no certain strike');
      assert.equal(where['mirror'], 'https://mirror.example/latest.json');
    }
    for (const file of ['LAYOFFS.json', 'LAYOFFS.csv', 'jobs.csv']) {
      assert.equal((await at(`/settlement/2026-07-30/${file}`)).status, 200, file);
    }
    const none = await get('/indices/jobs/listing.json');
    assert.deepEqual(
      [none.status, none.body['error'], none.body['detail']],
      [404, 'no_kit', 'Monthly figures are not offered.'],
    );
    const unknown = await get('/indices/NOPE/listing.json');
    assert.deepEqual([unknown.status, unknown.body['error']], [404, 'not_found']);
  });
}
