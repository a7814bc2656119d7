import assert from 'node:assert/strict';
import { test } from 'node:test';
import { parseEntry } from '@assay/core/log/entry';
import { httpReader } from '@assay/cli/reader/http-reader';
import type { LogReader } from '@assay/verifier/reader/log-reader';
import type { NumberAnswer, PinStorage } from '@assay/verifier';
import { OPEN_POLICY } from '@assay/verifier/verdict/policy';
import type { Verdict } from '@assay/verifier/verdict/verdict';
import { verify } from '@assay/verifier/verify';
import { wireBytes } from '../src/verifier/fixture/forge.ts';
import { bundleOf } from '../src/verifier/fixture/misdeeds.ts';
import { publish, siteReader, siteOf, youngLog } from '../src/verifier/fixture/published.ts';
import { sampleLog } from '../src/verifier/fixture/sample-log.ts';
import { findChromium, withBrowserPage } from './browser.ts';
import { serveSample } from './sample-node.ts';

/** What the page is told to verify. */
interface Task {
  /** Paths of bundles on the page's own server. */
  readonly bundles: readonly string[];
  /** Address of a log's server, which is another one. */
  readonly url: string;
}

/** Runs in the page, with nothing but what a browser has: bundles, and a whole log over fetch. */
async function verifyInPage({ bundles, url }: Task): Promise<Verdict[]> {
  const { verify: check } = await import('@assay/verifier/verify');
  const { OPEN_POLICY: policy } = await import('@assay/verifier/verdict/policy');
  const verdicts: Verdict[] = [];
  for (const path of bundles) {
    const bytes = new Uint8Array(await (await fetch(path)).arrayBuffer());
    verdicts.push(await check({ kind: 'bundle', bytes }, policy));
  }
  const reader: LogReader = {
    live: true,
    async get(path) {
      const response = await fetch(`${url}${path}`, { redirect: 'error' });
      const size = response.headers.get('assay-log-size');
      return {
        status: response.status,
        body: new Uint8Array(await response.arrayBuffer()),
        logSize: size === null ? undefined : Number(size),
      };
    },
  };
  verdicts.push(await check({ kind: 'log', reader }, policy));
  return verdicts;
}

/** Runs in the page: one number, the first entries of the stream, and a second visit with what the first has kept. */
async function openInPage({ url, key }: { url: string; key: string }): Promise<OpenedInPage> {
  const { open } = await import('@assay/verifier/open');
  const { localStorage } = globalThis as unknown as { localStorage: PinStorage & object };
  const log = await open(url, { key, storage: localStorage });
  const number = await log.number('LAYOFFS', '2025-04-26');
  const kinds: string[] = [];
  for await (const event of log.events({ from: 0 })) {
    kinds.push(event.ok ? event.entry.kind : event.code);
    if (kinds.length === 5) break;
  }
  const pinned = Object.keys(localStorage);
  const again = await open(url, { key, storage: localStorage });
  const second = await again.number('LAYOFFS', '2025-04-26');
  const other = await open(url, {
    key: key.replace(/\+[0-9a-f]/, '+0'),
    storage: localStorage,
  }).catch((error: Error) => error.name);
  return { number, kinds, pinned, second, other: typeof other === 'string' ? other : 'opened' };
}

interface OpenedInPage {
  readonly number: NumberAnswer;
  readonly kinds: readonly string[];
  readonly pinned: readonly string[];
  readonly second: NumberAnswer;
  readonly other: string;
}

test('Chromium gives the verdicts that Node gives', { timeout: 600_000 }, async (t) => {
  const path = findChromium();
  if (path === undefined) return t.skip('Chromium is not here');
  const log = await sampleLog();
  const whole = publish(log.entries, log.blobs, log.checkpoints);
  const good = wireBytes(await bundleOf(whole));
  const young = wireBytes(await bundleOf(youngLog(log)));
  const bad = new TextEncoder().encode(
    new TextDecoder().decode(good).replace('"print":"61', '"print":"60'),
  );
  const files = new Map([
    ['/good.json', good],
    ['/young.json', young],
    ['/bad.json', bad],
  ]);
  const url = await serveSample(t);
  const task: Task = { bundles: [...files.keys()], url };
  await withBrowserPage(path, files, async ({ page, origin, requests, errors }) => {
    const inPage = await page.evaluate(verifyInPage, task);
    // The console names each 404 that it saw: the voids, which are answered so.
    assert.deepEqual(
      errors.filter((error) => !error.includes('404')),
      [],
    );
    const inNode: Verdict[] = [];
    for (const bytes of files.values()) {
      inNode.push(await verify({ kind: 'bundle', bytes }, OPEN_POLICY));
    }
    inNode.push(await verify({ kind: 'log', reader: httpReader(url) }, OPEN_POLICY));
    assert.deepEqual(inPage, inNode);
    assert.deepEqual(
      inPage.map(({ outcome }) => outcome),
      ['verified', 'verified', 'findings', 'verified'],
    );
    assert.equal(inPage.at(-1)?.checked.entries, log.entries.length);
    const elsewhere = requests.filter(
      (address) =>
        !address.startsWith(`${origin}/`) &&
        !address.startsWith(`${url}/`) &&
        !address.startsWith('data:'),
    );
    assert.deepEqual(elsewhere, []);
  });
});

test('a page reads numbers and events with open', { timeout: 600_000 }, async (t) => {
  const path = findChromium();
  if (path === undefined) return t.skip('Chromium is not here');
  const log = await sampleLog();
  const url = await serveSample(t);
  const { vkey: key } = log.checkpoints;
  await withBrowserPage(path, new Map(), async ({ page, errors }) => {
    const found = await page.evaluate(openInPage, { url, key });
    // What the log does not have yet is answered with 404, and the console names each.
    assert.deepEqual(
      errors.filter((error) => !error.includes('404')),
      [],
    );
    assert.ok(found.number.ok, JSON.stringify(found.number));
    assert.equal(found.number.value, '241000');
    assert.deepEqual(
      found.kinds,
      log.entries.slice(0, 5).map((bytes) => parseEntry(bytes).kind),
    );
    assert.deepEqual(found.pinned, [`assay-head/1 ${key}`]);
    assert.deepEqual(found.second, found.number);
    assert.equal(found.other, 'Fault');
  });
});

test('what a node serves over its socket is what the log alone decides', async (t) => {
  const log = await sampleLog();
  const url = await serveSample(t);
  const server = httpReader(url);
  const whole = publish(log.entries, log.blobs, log.checkpoints);
  const alone = siteReader(siteOf(whole));
  for (const path of siteOf(whole).keys()) {
    // A kit stands until the clock says that its print is due: no word of the log's.
    if (path.endsWith('/listing.json')) continue;
    const [served, expected] = [await server.get(path), await alone.get(path)];
    assert.equal(served.status, expected.status, path);
    assert.deepEqual(Buffer.from(served.body), Buffer.from(expected.body), path);
    assert.equal(served.logSize, expected.logSize, path);
  }
});
