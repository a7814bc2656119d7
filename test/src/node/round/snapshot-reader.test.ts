import assert from 'node:assert/strict';
import { test } from 'node:test';
import { contentHash, hashHex } from '@assay/core/hash/hash';
import type { Provider, Rule } from '@assay/core/rule/rule';
import { parseSnapshot } from '@assay/core/read/snapshot';
import { parseDate } from '@assay/core/time/time';
import { nodeSha256 } from '@assay/node/platform/node-sha256';
import { readProvider, type SourceRead } from '@assay/node/round/snapshot-reader';
import type { SourceAnswer } from '@assay/node/source/source';
import { pressRelease } from '../source/small-pdf.ts';
import { CLAIMS_RULE, page, RECORD, ScriptedSource } from '../fixture/round-fixture.ts';

const WEEK = parseDate('2026-07-25');
const SALT = new Uint8Array(32).fill(3);
const CSV = 'week_ending,claims\n2026-07-18,188000\n2026-07-25,197000\n';

async function read(
  answer: SourceAnswer,
  change: Partial<Provider> = {},
  rule: Rule = CLAIMS_RULE,
): Promise<SourceRead & { readonly source: ScriptedSource }> {
  const source = new ScriptedSource();
  const provider = { ...RECORD, ...change };
  source.answers.set(provider.request.url, answer);
  for (const url of ['https://a.invalid/2026-07-25']) source.answers.set(url, answer);
  const parts = { source, sha256: nodeSha256, now: () => 1_785_414_600, salt: SALT };
  return { ...(await readProvider(rule, provider, WEEK, parts)), source };
}

const hash = (bytes: Uint8Array): string => hashHex(contentHash(nodeSha256, bytes));

test('snapshot reader: the manifest says what was asked and what came', async () => {
  const { read: made, pages, blobs } = await read(page(CSV));
  assert.deepEqual(
    [made.provider, made.role, made.retain, made.outcome, made.value, made.read_at],
    [RECORD.id, 'record', 'bytes', 'ok', '197000', '2026-07-30T12:30:00Z'],
  );
  assert.equal(blobs.length, 2);
  const [manifest, bytes] = blobs as readonly [Uint8Array, Uint8Array];
  assert.equal(made.snapshot, hash(manifest));
  assert.deepEqual(parseSnapshot(manifest), {
    type: 'assay-snapshot/1',
    provider: RECORD.id,
    request: RECORD.request,
    pages: [
      {
        status: 200,
        sha256: hash(Buffer.from(CSV)),
        length: CSV.length,
        content_type: 'text/plain',
      },
    ],
    extractor: null,
    retain: 'bytes',
  });
  assert.equal(Buffer.from(bytes).toString(), CSV);
  assert.equal(pages.length, 1);
});

test('snapshot reader: two readers of the same bytes make the same snapshot, whenever they read', async () => {
  const source = new ScriptedSource();
  source.say(RECORD, page(CSV));
  const snapshots = new Set<unknown>();
  for (const now of [1, 1_785_414_600]) {
    const parts = { source, sha256: nodeSha256, now: () => now, salt: SALT };
    snapshots.add((await readProvider(CLAIMS_RULE, RECORD, WEEK, parts)).read.snapshot);
  }
  assert.equal(snapshots.size, 1);
});

test('snapshot reader: terms that keep the bytes out keep them out', async () => {
  for (const retain of ['hash', 'none'] as const) {
    const { read: made, blobs } = await read(page(CSV), { retain });
    assert.equal(made.outcome, 'ok');
    assert.equal(made.retain, retain);
    assert.equal(blobs.length, 1, 'the manifest alone');
    assert.equal(parseSnapshot(blobs[0] as Uint8Array).retain, retain);
    assert.ok(!Buffer.concat(blobs).includes('197000'));
  }
});

test('snapshot reader: a read that failed has its reason and no snapshot', async () => {
  for (const reason of ['unreachable', 'timeout', 'too_large', 'redirect_refused'] as const) {
    const made = await read({ kind: 'failed', reason, detail: 'words' });
    assert.deepEqual(
      [made.read.outcome, made.read.value, made.read.snapshot, made.pages, made.blobs],
      [reason, null, null, [], []],
    );
  }
});

test('snapshot reader: an answer that is no good is a snapshot with its reason', async () => {
  const { read: made, blobs } = await read(page('<html>', 503));
  assert.deepEqual([made.outcome, made.value], ['bad_status', null]);
  assert.equal(parseSnapshot(blobs[0] as Uint8Array).pages[0]?.status, 503);
  assert.equal(Buffer.from(blobs[1] as Uint8Array).toString(), '<html>');
});

test('snapshot reader: the period goes into the request, secrets do not', async () => {
  const request = {
    ...RECORD.request,
    url: 'https://a.invalid/{Y}-{M}-{D}',
    headers: [{ name: 'x-key', value: '{secret:KEY}' }],
  };
  const { read: made, blobs, source } = await read(page(CSV), { request });
  assert.equal(made.outcome, 'ok');
  const manifest = parseSnapshot(blobs[0] as Uint8Array);
  assert.equal(manifest.request.url, 'https://a.invalid/2026-07-25');
  assert.deepEqual(manifest.request.headers, request.headers);
  assert.deepEqual(source.asked[0], manifest.request);
});

test('snapshot reader: more bytes than a verifier holds are no read', async () => {
  const bytes = new Uint8Array(32 * 1024 * 1024 + 1);
  const pages = [bytes, bytes].map((each) => ({ status: 200, contentType: null, bytes: each }));
  const { read: made, blobs } = await read({ kind: 'pages', pages });
  assert.deepEqual([made.outcome, made.snapshot, blobs], ['too_large', null, []]);
});

test('snapshot reader: where terms keep the bytes out, the text stays out as well', async () => {
  const pdf = pressRelease('196,000', '206,000');
  const { read: made, blobs, snapshot } = await read(page(pdf), { text: 'pdf', retain: 'hash' });
  assert.equal(made.outcome, 'malformed', 'no table');
  assert.equal(snapshot?.extractor?.name, 'unpdf');
  assert.equal(blobs.length, 1);
});

test('snapshot reader: under terms that keep nothing, the manifest does not say how much came', async () => {
  const one = { status: 200, contentType: 'text/plain', bytes: Buffer.from('a') };
  const two = { status: 200, contentType: null, bytes: Buffer.from('bb') };
  const pagesOf = async (...pages: readonly (typeof one | typeof two)[]) => {
    const { snapshot, blobs } = await read({ kind: 'pages', pages }, { retain: 'none' });
    assert.equal(blobs.length, 1);
    return snapshot?.pages;
  };
  const hashes = Buffer.from(hash(one.bytes) + hash(two.bytes), 'hex');
  const both = Buffer.concat([SALT, hashes]);
  assert.deepEqual(await pagesOf(one, two), [
    { status: 200, sha256: hash(both), length: 0, content_type: null },
  ]);
  assert.notDeepEqual(await pagesOf(two, one), await pagesOf(one, two));
  const [bad] = (await pagesOf(one, { ...two, status: 503 })) ?? [];
  assert.equal(bad?.status, 503);
});
