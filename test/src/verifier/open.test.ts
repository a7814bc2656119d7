import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer, type RequestListener } from 'node:http';
import type { AddressInfo } from 'node:net';
import { test, type TestContext } from 'node:test';
import { hashHex, leafHash } from '@assay/core/hash/hash';
import { formatNoteKey, NOTE_COSIGNATURE } from '@assay/core/log/note';
import { ruleHash } from '@assay/core/rule/rule';
import { DAY_SECONDS, formatDate, formatTime, parseDate, parseTime } from '@assay/core/time/time';
import { recomputeIndex } from '@assay/core/view/completeness-fold';
import { logRow } from '@assay/core/view/log';
import { wire } from '@assay/core/wire/wire';
import { checkpointSigner } from '@assay/node/ledger/checkpoint-signer';
import { nodeSha256 } from '@assay/node/platform/node-sha256';
import { open, type NumberAnswer, type OpenOptions } from '@assay/verifier';
import { settlementLacks } from '@assay/verifier/client/number-answer';
import { timedFetch } from '@assay/verifier/client/timed-fetch';
import { chained, keyOf, TICKER } from './fixture/chained-log.ts';
import { bundleFor, numberOf } from './fixture/recounted-bundle.ts';
import { Forge, type LooseDraft, wireBytes } from './fixture/forge.ts';
import { chain, draftsOf, judge, publish, type Site, siteOf } from './fixture/published.ts';
import { sampleLog } from './fixture/sample-log.ts';
import { fetchOf, memoryPin, ServedLog, URL_OF_LOG } from './fixture/served-log.ts';

const PERIOD = '2025-04-26';
const REPORT = `/indices/LAYOFFS/report?period=${PERIOD}`;
const log = await sampleLog();
const of = (size: number): ReturnType<typeof publish> =>
  publish(log.entries.slice(0, size), log.blobs, log.checkpoints);
/** Behind the final of the period, and long behind it. */
const [young, old] = [of(8), of(40)];

async function ask(
  site: Site,
  options: Partial<OpenOptions> = {},
  index = 'LAYOFFS',
  period = PERIOD,
): Promise<NumberAnswer> {
  const key = log.checkpoints.vkey;
  const client = await open(URL_OF_LOG, { key, fetch: fetchOf(site), ...options });
  return client.number(index, period);
}

function refused(answer: NumberAnswer, code: string): void {
  assert.equal(answer.ok ? 'a number' : answer.code, code, answer.ok ? '' : answer.why);
  assert.equal('value' in answer, false);
}

test('open: a number comes with its verdict', async () => {
  for (const published of [young, old]) {
    const answer = await ask(siteOf(published));
    assert.ok(answer.ok, JSON.stringify(answer));
    assert.equal(answer.value, '241000');
    assert.equal(answer.status, 'final');
    assert.equal(answer.verdict.trust, 'policy');
    // Nobody but the publisher states it, and no index entry covers it.
    assert.equal(answer.settleable, false);
    assert.deepEqual(
      answer.lacks.filter((each) => each !== 'governing_rule'),
      ['index', 'own_cosigners'],
    );
  }
});

test('open: what is changed on the way is refused', async () => {
  const text = (body: Uint8Array): string => Buffer.from(body).toString('latin1');
  const changed = (path: string, from: string, to: string): Site => {
    const site = siteOf(young);
    const answer = site.get(path);
    assert.ok(answer !== undefined && text(answer.body).includes(from), path);
    site.set(path, {
      ...answer,
      body: Buffer.from(text(answer.body).replaceAll(from, to), 'latin1'),
    });
    return site;
  };
  const served = JSON.parse(text(siteOf(young).get(REPORT)?.body ?? new Uint8Array())) as {
    readonly hash: string;
    readonly signature: string;
    readonly print: string;
  };
  const other = (hex: string): string => (hex.startsWith('0') ? '1' : '0') + hex.slice(1);
  refused(await ask(changed(REPORT, served.hash, other(served.hash))), 'bundle_incomplete');
  refused(
    await ask(changed(REPORT, served.signature, other(served.signature))),
    'report_bad_signature',
  );
  refused(await ask(changed(REPORT, served.print, other(served.print))), 'print_differs');
  const entries = '/tile/entries/000.p/8';
  refused(await ask(changed(entries, '241000', '341000')), 'proof_invalid');
  const note = text(siteOf(young).get('/checkpoint')?.body ?? new Uint8Array());
  const root = note.split('\n')[2] ?? '';
  const moved = `${root.startsWith('A') ? 'B' : 'A'}${root.slice(1)}`;
  refused(await ask(changed('/checkpoint', root, moved)), 'checkpoint_bad_signature');
});

test('open: another key, another number, and no number are refused', async () => {
  const key = logRow(chained().published.views)?.checkpoint_vkey ?? '';
  refused(await ask(siteOf(young), { key }), 'checkpoint_origin');
  refused(await ask(siteOf(young), {}, 'JOBS'), 'not_found');
  refused(await ask(siteOf(young), {}, 'LAYOFFS', '2031-07-25'), 'not_found');
  const site = siteOf(old);
  const later = [...site.keys()].find((path) => /report\?period=2025-09/.test(path));
  const answer = site.get(later ?? '');
  assert.ok(answer !== undefined && answer.status === 200);
  site.set(REPORT, answer);
  refused(await ask(site), 'refused');
});

test('open: the pinned head only grows', async () => {
  const storage = memoryPin();
  assert.ok((await ask(siteOf(young), { storage })).ok);
  assert.ok((await ask(siteOf(old), { storage })).ok);
  refused(await ask(siteOf(young), { storage }), 'log_shrunk');
  // The same key signs another history of the same size, and of a larger one.
  const drafts = draftsOf(log.entries.slice(0, 60));
  drafts.splice(20, 1);
  for (const size of [40, 50]) {
    const fork = publish(chain(drafts.slice(0, size)), log.blobs, log.checkpoints);
    refused(await ask(siteOf(fork), { storage }), 'history_changed');
  }
  assert.ok((await ask(siteOf(old), { storage })).ok);
  // A damaged pin is no first visit.
  const damaged = { getItem: () => 'no note', setItem: () => undefined };
  refused(await ask(siteOf(old), { storage: damaged }), 'bad_note');
});

test('open: the pinned head only grows where the storage forgets it, or is written by others', async () => {
  const server = new ServedLog(young);
  const storages = [
    { getItem: () => null, setItem: () => undefined },
    { getItem: () => undefined, setItem: () => undefined },
  ];
  const drafts = draftsOf(log.entries.slice(0, 60));
  drafts.splice(20, 1);
  const fork = publish(chain(drafts.slice(0, 50)), log.blobs, log.checkpoints);
  for (const storage of storages) {
    server.show(young);
    const key = log.checkpoints.vkey;
    const client = await open(URL_OF_LOG, { key, fetch: server.fetch, storage });
    assert.ok((await client.number('LAYOFFS', PERIOD)).ok);
    server.show(old);
    assert.ok((await client.number('LAYOFFS', PERIOD)).ok);
    server.show(fork);
    refused(await client.number('LAYOFFS', PERIOD), 'history_changed');
    server.show(young);
    refused(await client.number('LAYOFFS', PERIOD), 'log_shrunk');
  }
  // Two clients share a storage, and each is shown another history at the same time.
  const storage = memoryPin();
  const answers = await Promise.all([
    ask(siteOf(old), { storage }),
    ask(siteOf(fork), { storage }),
  ]);
  assert.deepEqual(answers.map((each) => (each.ok ? 'a number' : each.code)).sort(), [
    'a number',
    'history_changed',
  ]);
});

test('open: a refusal has no verdict that says yes, and no text that a terminal acts on', async () => {
  const provisional = siteOf(of(4)).get(REPORT);
  assert.ok(provisional !== undefined);
  const site = siteOf(old);
  site.set(REPORT, provisional);
  const answer = await ask(site);
  assert.ok(!answer.ok && answer.code === 'superseded');
  assert.equal(answer.verdict, null);
  const detail = `\u001b[2K\u202eok${'!'.repeat(100_000)}`;
  const body = new TextEncoder().encode(JSON.stringify({ detail }));
  site.set(REPORT, { status: 404, body, logSize: undefined });
  const loud = await ask(site);
  assert.ok(!loud.ok && loud.code === 'not_found');
  assert.ok(loud.why.length <= 1000 && !/[\p{Cc}\p{Cf}]/u.test(loud.why), loud.why);
});

test('open: a report that is published between two requests is the answer, and no accusation', async () => {
  const server = new ServedLog(of(4));
  const fetch: typeof server.fetch = (url, init) => {
    if (url.endsWith('/checkpoint')) server.show(young);
    return server.fetch(url, init);
  };
  const client = await open(URL_OF_LOG, { key: log.checkpoints.vkey, fetch });
  const answer = await client.number('LAYOFFS', PERIOD);
  assert.ok(answer.ok, JSON.stringify(answer));
  assert.equal(answer.status, 'final');
});

test('open: a server that names more entries than a bundle holds is not asked for them', async () => {
  const site = siteOf(young);
  const path = '/.well-known/assay-signer.json';
  const signer = site.get(path);
  assert.ok(signer !== undefined);
  const value = JSON.parse(new TextDecoder().decode(signer.body)) as { keys: unknown[] };
  const [key] = value.keys;
  value.keys = Array.from({ length: 10_002 }, (_, i) => ({ ...(key as object), from_seq: i + 1 }));
  site.set(path, { ...signer, body: new TextEncoder().encode(JSON.stringify(value)) });
  refused(await ask(site), 'too_large');
});

test('open: what is no period is refused, and not answered with the newest', async () => {
  const site = siteOf(young);
  const newest = site.get(REPORT);
  assert.ok(newest !== undefined);
  for (const period of [
    undefined,
    null,
    '',
    '2025-4-26',
    '2025-04-26&x=1',
    '2025-04-26T00:00:00Z',
  ]) {
    const client = await open(URL_OF_LOG, { key: log.checkpoints.vkey, fetch: fetchOf(site) });
    refused(await client.number('LAYOFFS', period as string), 'malformed');
  }
});

test('open: a report that a later one replaced is refused', async () => {
  const provisional = siteOf(of(4)).get(REPORT);
  assert.ok(provisional !== undefined);
  const site = siteOf(old);
  site.set(REPORT, provisional);
  refused(await ask(site), 'superseded');
});

test('open: another entry than that of the report is refused', async () => {
  const site = siteOf(young);
  const answer = site.get(REPORT);
  assert.ok(answer !== undefined);
  const served = JSON.parse(Buffer.from(answer.body).toString()) as { readonly seq: number };
  // The true entry is in the proof all the same, and so is that of the rule, so that the bundle verifies.
  const lie = { ...served, seq: 1, clock_seqs: [served.seq] };
  site.set(REPORT, { ...answer, body: Buffer.from(JSON.stringify(lie)) });
  refused(await ask(site), 'refused');
});

test('open: what a server says of a report beside its proof is not taken over', async () => {
  const site = siteOf(young);
  const answer = site.get(REPORT);
  assert.ok(answer !== undefined);
  const served = JSON.parse(Buffer.from(answer.body).toString()) as { readonly report: object };
  const lie = { ...served, report: { ...served.report, decimals: 6, value: '1' } };
  site.set(REPORT, { ...answer, body: Buffer.from(JSON.stringify(lie)) });
  const number = await ask(site);
  assert.ok(number.ok, JSON.stringify(number));
  assert.deepEqual([number.value, number.decimals], ['241000', 0]);
});

test('open: a settlement needs an index entry and own co-signers', async () => {
  const recounted = chained();
  const bytes = wireBytes(await bundleFor(recounted, '2026-07-18', null));
  const named = ['ada', 'cleo'].map((operator) => ({ operator, key: keyOf(operator) }));
  const policy = { cosigners: named, cosigners_required: 2 };
  const facts = numberOf(await judge({ kind: 'bundle', bytes }, policy));
  const index = {
    day: '2026-07-30',
    seq: 9,
    at: '',
    prints: 1,
    rules: 1,
    provisional: 0,
    settled: 'final',
    corrected: 0,
    followed: false,
  } as const;
  const whole = { ...facts, index, governs: 'index', versions: 1 } as const;
  assert.deepEqual(settlementLacks(whole), []);
  assert.deepEqual(settlementLacks({ ...whole, index: null }), ['index']);
  assert.deepEqual(settlementLacks({ ...whole, rests_on: 'bundle' }), ['own_cosigners']);
  assert.deepEqual(settlementLacks({ ...whole, rests_on: 'publisher' }), ['own_cosigners']);
  assert.deepEqual(settlementLacks({ ...whole, governs: 'not_shown' }), ['governing_rule']);
  assert.deepEqual(settlementLacks({ ...whole, clocks: 'not_shown' }), ['clocks']);
  assert.deepEqual(settlementLacks({ ...whole, settleable: false, settled: false }), [
    'rule',
    'quorum',
  ]);
  assert.deepEqual(settlementLacks({ ...whole, settled: false }), ['quorum']);
  assert.deepEqual(settlementLacks({ ...whole, status: 'corrected' }), ['not_final']);
});

test('open: a final with an index entry and own co-signers is to be settled on', async () => {
  const bare = chained().published;
  const size = bare.entries.length;
  const { at } = draftsOf(bare.entries).at(-1) as { readonly at: string };
  const day = at.slice(0, 10);
  const next = formatTime(parseTime(`${day}T00:05:00Z`) + DAY_SECONDS);
  const body = wire({ day, size, ...recomputeIndex(bare.views, nodeSha256, size) });
  const behind = (name: string): LooseDraft[] =>
    name === `close ${formatDate(parseDate(day) - 1)}` ? [{ at: next, kind: 'index/1', body }] : [];
  const { published } = chained({ behind });
  assert.equal(published.entries.length, size + 1);
  const key = logRow(published.views)?.checkpoint_vkey ?? '';
  const named = ['ada', 'cleo'].map((operator) => ({ operator, key: keyOf(operator) }));
  const policy = { cosigners: named, cosigners_required: 2 };
  const answer = await ask(siteOf(published), { key, policy }, TICKER, '2026-07-18');
  assert.ok(answer.ok, JSON.stringify(answer));
  assert.deepEqual([answer.value, answer.settleable, answer.lacks], ['216000', true, []]);
  // Of a correction beside it, and of the same without own co-signers, it is not.
  const corrected = await ask(siteOf(published), { key, policy }, TICKER, '2026-07-25');
  assert.ok(corrected.ok && !corrected.settleable);
  const trusting = await ask(siteOf(published), { key }, TICKER, '2026-07-18');
  assert.ok(trusting.ok && !trusting.settleable);
  assert.deepEqual(trusting.lacks, ['own_cosigners']);
});

test('open: a head is pinned only with the witnesses that the policy requires', async () => {
  const storage = memoryPin();
  const pinned = (): unknown => storage.getItem(`assay-head/1 ${log.checkpoints.vkey}`);
  const vkey = formatNoteKey(nodeSha256, 'w.example', log.keys.report.publicKey, NOTE_COSIGNATURE);
  const policy = { witnesses: [{ operator: 'Alpha', vkey }], witnesses_required: 1 };
  refused(await ask(siteOf(young), { storage, policy }), 'witnesses_missing');
  assert.equal(pinned(), null);
  assert.ok((await ask(siteOf(young), { storage })).ok);
  assert.notEqual(pinned(), null);
});

test('open: a number of a production log whose newest entry is old is refused', async () => {
  // The sample's own log, under the name of one in production.
  const origin = 'index.example.org/log';
  const checkpoints = checkpointSigner(nodeSha256, origin, log.keys.checkpoint);
  const forge = new Forge({ ...log, checkpoints }, young.entries.length);
  const [first] = forge.drafts;
  assert.ok(first !== undefined);
  const named = { origin, network: 'production', checkpoint_vkey: checkpoints.vkey };
  Object.assign(first.body, named);
  const id = hashHex(leafHash(nodeSha256, chain([first] as never)[0] as Uint8Array));
  const hashes = new Map<string, string>();
  for (const { body } of forge.drafts.filter(({ kind }) => kind === 'rule/1')) {
    const before = ruleHash(nodeSha256, body['rule']);
    body['rule'].network = 'production';
    hashes.set(before, ruleHash(nodeSha256, body['rule']));
  }
  for (const draft of forge.drafts.filter(({ kind }) => kind === 'report/1')) {
    const { report } = draft.body;
    report.log = id;
    report.rule.hash = hashes.get(report.rule.hash);
    forge.sign(draft);
  }
  const bare = forge.publish();
  const newest = parseTime(forge.drafts.at(-1)?.at ?? '');
  const key = checkpoints.vkey;
  const at = (now: number): Promise<NumberAnswer> => ask(siteOf(bare), { key, now: () => now });
  const fresh = await at(newest + 172_800);
  assert.ok(fresh.ok, JSON.stringify(fresh));
  refused(await at(newest + 172_801), 'head_stale');
});

test('open: a number is kept while the head stays, and read again when the log grows', async () => {
  const server = new ServedLog(of(4));
  const paths: string[] = [];
  const fetch: typeof server.fetch = (url, init) => {
    paths.push(url.slice(URL_OF_LOG.length));
    return server.fetch(url, init);
  };
  const client = await open(URL_OF_LOG, { key: log.checkpoints.vkey, fetch });
  const first = await client.number('LAYOFFS', PERIOD);
  assert.ok(first.ok && first.status === 'provisional');
  paths.length = 0;
  assert.equal(await client.number('LAYOFFS', PERIOD), first);
  assert.deepEqual(paths, ['/checkpoint']);
  server.show(young);
  const second = await client.number('LAYOFFS', PERIOD);
  assert.ok(second.ok && second.status === 'final');
  // A server that shows an older log than before is not answered from what is kept.
  server.show(of(4));
  refused(await client.number('LAYOFFS', PERIOD), 'log_shrunk');
});

async function serve(t: TestContext, handle: RequestListener): Promise<string> {
  const server = createServer(handle).listen(0, '127.0.0.1');
  await once(server, 'listening');
  t.after(() => {
    server.closeAllConnections();
    server.close();
  });
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

test('open: a server that is slow, endless or away is refused in time', async (t) => {
  const key = log.checkpoints.vkey;
  const silent = await serve(t, () => undefined);
  const dripping = await serve(t, (_, response) => {
    const timer = setInterval(() => response.write('x'), 20);
    response.on('close', () => clearInterval(timer));
  });
  for (const url of [silent, dripping]) {
    const client = await open(url, { key, timeoutMs: 300 });
    refused(await client.number('LAYOFFS', PERIOD), 'timeout');
  }
  const away = await open('http://127.0.0.1:9', { key, timeoutMs: 300 });
  refused(await away.number('LAYOFFS', PERIOD), 'unreachable');
});

test('open: no timer is left of an answer that broke off, and a limit may be as long as one likes', async (t) => {
  const url = await serve(t, (request, response) => {
    if (request.url === '/whole') {
      response.end('there');
      return;
    }
    response.writeHead(200, { 'content-length': '10' });
    response.write('half');
    setTimeout(() => response.destroy(), 50);
  });
  const timers = (): number =>
    process.getActiveResourcesInfo().filter((each) => each === 'Timeout').length;
  const response = await timedFetch(Infinity)(`${url}/whole`, { redirect: 'error' });
  assert.equal(response.status, 200);
  await response.body?.getReader().cancel();
  const before = timers();
  const half = await timedFetch(60_000)(url, { redirect: 'error' });
  const reader = half.body?.getReader();
  await assert.rejects(async () => {
    while ((await reader?.read())?.done === false);
  });
  await new Promise((resolve) => setTimeout(resolve, 100));
  assert.ok(timers() <= before, `${timers()} timers, ${before} before`);
});

test('open: a server that is slow with each of its answers is refused in time', async () => {
  const site = fetchOf(siteOf(young));
  const fetch: typeof site = async (url, init) => {
    await new Promise((resolve) => setTimeout(resolve, 50));
    return site(url, init);
  };
  const key = log.checkpoints.vkey;
  const client = await open(URL_OF_LOG, { key, fetch, numberMs: 200 });
  refused(await client.number('LAYOFFS', PERIOD), 'timeout');
  const patient = await open(URL_OF_LOG, { key, fetch });
  assert.ok((await patient.number('LAYOFFS', PERIOD)).ok);
});

test('open: a busy server is asked again after the time that it names', async (t) => {
  let count = 0;
  const url = await serve(t, (_, response) => {
    count += 1;
    if (count === 1) response.writeHead(503, { 'retry-after': '0' }).end('busy');
    else response.end('there');
  });
  const response = await timedFetch(2000)(url, { redirect: 'error' });
  assert.equal(response.status, 200);
  assert.equal(count, 2);
});
