// The module in samples/python, before a served log and before the CSV files of an index.
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { test, type TestContext } from 'node:test';
import { nodeSha256 } from '@assay/node/platform/node-sha256';
import { open, OPEN_POLICY } from '@assay/verifier';
import { makeBundle } from '@assay/verifier/client/bundle-maker';
import { CHECKPOINTS } from '../src/node/ledger/ledger-fixture.ts';
import { type Chained, chained } from '../src/verifier/fixture/chained-log.ts';
import { wireBytes } from '../src/verifier/fixture/forge.ts';
import { bundleOf } from '../src/verifier/fixture/misdeeds.ts';
import {
  chain,
  draftsOf,
  publish,
  type Site,
  siteOf,
  siteReader,
} from '../src/verifier/fixture/published.ts';
import { bundleFor } from '../src/verifier/fixture/recounted-bundle.ts';
import { sampleLog } from '../src/verifier/fixture/sample-log.ts';
import { type PythonAnswer, PythonClient, pythonOf } from './python-peers.ts';

const PERIOD = '2025-04-26';
const REPORT = `/indices/LAYOFFS/report?period=${PERIOD}`;
const log = await sampleLog();
const KEY = log.checkpoints.vkey;
const of = (size: number): ReturnType<typeof publish> =>
  publish(log.entries.slice(0, size), log.blobs, log.checkpoints);

/** A server of whatever site the test puts there. */
async function serve(t: TestContext): Promise<{ readonly url: string; site: Site }> {
  const served = { url: '', site: new Map() as Site };
  const server = createServer((request, response) => {
    const answer = served.site.get(request.url ?? '');
    response.writeHead(answer?.status ?? 404);
    response.end(answer === undefined || answer.body.length === 0 ? '{}' : answer.body);
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  t.after(() => server.close());
  served.url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  return served;
}

const codeOf = (answer: PythonAnswer): string => (answer.ok ? 'a number' : answer.code);

test('python client: a served log, one number at a time', { timeout: 300_000 }, async (t) => {
  const python = await pythonOf(t);
  if (python === undefined) return;
  const client = new PythonClient(python, t);
  const served = await serve(t);
  const now = Math.floor(Date.now() / 1000);
  const ask = async (site: Site, given: object = {}): Promise<PythonAnswer> => {
    served.site = site;
    const asked = { url: served.url, key: KEY, index: 'LAYOFFS', period: PERIOD, now, ...given };
    return client.ask(asked);
  };
  const [young, old] = [of(8), of(40)];
  for (const published of [young, old]) {
    const answer = await ask(siteOf(published));
    assert.ok(answer.ok, JSON.stringify(answer));
    const ours = await (await open(served.url, { key: KEY })).number('LAYOFFS', PERIOD);
    assert.ok(ours.ok);
    assert.deepEqual(
      [answer.value, answer.unit, answer.status, answer.decimals, answer.settleable],
      [ours.value, ours.unit, ours.status, ours.decimals, ours.settleable],
    );
    assert.deepEqual(new Set(answer.lacks), new Set(ours.lacks));
  }
  // The pinned head only grows.
  assert.equal(codeOf(await ask(siteOf(young))), 'log_shrunk');
  const drafts = draftsOf(log.entries.slice(0, 60));
  drafts.splice(20, 1);
  for (const size of [40, 50]) {
    const fork = publish(chain(drafts.slice(0, size)), log.blobs, log.checkpoints);
    assert.equal(codeOf(await ask(siteOf(fork))), 'history_changed');
  }
  assert.equal(codeOf(await ask(siteOf(old))), 'a number');
  // A server that shows an earlier report, another number, another log, or none.
  const stale = siteOf(old);
  stale.set(REPORT, siteOf(of(4)).get(REPORT) as never);
  assert.equal(codeOf(await ask(stale)), 'superseded');
  const other = siteOf(old);
  const later = [...other.keys()].find((path) => /report\?period=2025-09/.test(path)) ?? '';
  other.set(REPORT, other.get(later) as never);
  assert.equal(codeOf(await ask(other)), 'bundle_other');
  assert.equal(codeOf(await ask(siteOf(old), { index: 'JOBS' })), 'not_found');
  const strange = 'development/example+610b6b2e+AddamAGCsQq31Uv+08lkBzoO4XLz2qYjJa8CGmj3B1Ea';
  assert.equal(codeOf(await ask(siteOf(old), { key: strange })), 'checkpoint_origin');
  assert.equal(
    codeOf(
      await client.ask({ url: 'http://127.0.0.1:9', key: KEY, index: 'A', period: PERIOD, now }),
    ),
    'unreachable',
  );
});

test(
  'python client: no changed answer of a server makes another number',
  { timeout: 600_000 },
  async (t) => {
    const python = await pythonOf(t);
    if (python === undefined) return;
    const client = new PythonClient(python, t);
    const served = await serve(t);
    const now = Math.floor(Date.now() / 1000);
    const published = of(8);
    const asked = { url: served.url, key: KEY, index: 'LAYOFFS', period: PERIOD, now };
    served.site = siteOf(published);
    const good = await client.ask(asked);
    assert.ok(good.ok);
    let refused = 0;
    for (const [path, answer] of siteOf(published)) {
      if (
        !/^\/(?:tile|blob|checkpoint|indices\/LAYOFFS\/(?:report\?period=2025-04-26|rule)|index|proof)/.test(
          path,
        )
      )
        continue;
      for (
        let at = 0;
        at < answer.body.length;
        at += Math.max(1, Math.floor(answer.body.length / 6))
      ) {
        const body = new Uint8Array(answer.body);
        body[at] = (body[at] as number) ^ (1 << (at % 8));
        served.site = new Map([...siteOf(published), [path, { ...answer, body }]]);
        const found = await client.ask(asked);
        if (!found.ok) refused += 1;
        else assert.equal(found.report_hash, good.report_hash, `${path} byte ${at}`);
        if (found.ok) assert.equal(found.value, good.value, `${path} byte ${at}`);
      }
    }
    assert.ok(refused > 20, `${refused} refused`);
    t.diagnostic(`${refused} changed answers refused`);
  },
);

test(
  'python client: a row of a CSV that differs from its number is found',
  { timeout: 600_000 },
  async (t) => {
    const python = await pythonOf(t);
    if (python === undefined) return;
    const client = new PythonClient(python, t);
    const published = publish(log.entries, log.blobs, log.checkpoints);
    const site = siteOf(published);
    const textOf = (name: string): string =>
      Buffer.from(site.get(`/indices/LAYOFFS/${name}`)?.body ?? []).toString('latin1');
    const files = { history: textOf('history.csv'), settlement: textOf('settlement.csv') };
    const policy = { ...OPEN_POLICY, checkpoint_keys: [KEY] };
    let found = 0;
    for (const period of ['2026-09-05', '2026-10-03', '2027-04-03']) {
      const bundle = Buffer.from(wireBytes(await bundleOf(published, period))).toString('base64');
      for (const [name, text] of Object.entries(files)) {
        const ask = async (csv: string): Promise<PythonAnswer> => {
          const [file, number] = [
            Buffer.from(csv, 'latin1').toString('base64'),
            { index: 'LAYOFFS', period },
          ];
          return client.ask({ bundle, policy, number, now: null, [name]: file });
        };
        const honest = await ask(text);
        assert.ok(honest.ok, JSON.stringify(honest));
        const start = text.indexOf(`LAYOFFS,${period},`);
        const line = text.slice(start, text.indexOf('\n', start));
        assert.ok(start > 0);
        assert.equal(codeOf(await ask(text.replace(`${line}\n`, ''))), 'csv_missing');
        const fields = line.split(',');
        const starts = fields.map(
          (_, i) => fields.slice(0, i).join(',').length + (i === 0 ? 0 : 1),
        );
        // What the source revised, and where the stamp is, the proof of a number does not show.
        const proven = fields.flatMap((field, i) => {
          const shown = name === 'settlement' || [0, 1, 2, 3, 6, 7].includes(i);
          return shown ? Array.from(field, (_, place) => (starts[i] as number) + place) : [];
        });
        for (const at of proven) {
          const other = line[at] === '7' ? '8' : '7';
          const changed = text.slice(0, start + at) + other + text.slice(start + at + 1);
          const answer = await ask(changed);
          assert.ok(!answer.ok, `${name} ${period} ${line} at ${at}`);
          assert.match(answer.code, /^(?:superseded|csv_(?:differs|missing|malformed))$/);
          found += 1;
        }
      }
    }
    t.diagnostic(`${found} changed rows found`);
  },
);

test('python client: the rows of a corrected period, beside its final and its correction', async (t) => {
  const python = await pythonOf(t);
  if (python === undefined) return;
  const client = new PythonClient(python, t);
  const { published, seqOf } = chained();
  const period = '2026-07-25';
  const site = siteOf(published);
  const before = siteOf(
    publish(
      published.entries.slice(0, seqOf(`${period} corrected 1`)),
      published.blobs,
      CHECKPOINTS,
    ),
  );
  const corrected = await bundleFor({ published } as Chained, period, null);
  const final = await makeBundle(siteReader(before), { index: 'LAYOFFS', period }, nodeSha256);
  const ask = async (bytes: Uint8Array, from: Site, name: 'history' | 'settlement') => {
    const csv = Buffer.from(from.get(`/indices/LAYOFFS/${name}.csv`)?.body ?? []).toString(
      'base64',
    );
    const bundle = Buffer.from(bytes).toString('base64');
    const number = { index: 'LAYOFFS', period };
    return client.ask({ bundle, policy: OPEN_POLICY, number, now: null, [name]: csv });
  };
  for (const name of ['history', 'settlement'] as const) {
    const honest = [
      await ask(wireBytes(corrected), site, name),
      await ask(final, before, name),
    ] as const;
    assert.deepEqual(
      honest.map((each) => each.ok && each.value),
      ['198000', '197000'],
      JSON.stringify(honest),
    );
    assert.equal(codeOf(await ask(final, site, name)), 'superseded');
    assert.equal(codeOf(await ask(wireBytes(corrected), before, name)), 'csv_differs');
  }
});
