import assert from 'node:assert/strict';
import { readdir, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { setTimeout as delay } from 'node:timers/promises';
import { NOTE_COSIGNATURE, parseNoteKey } from '@assay/core/log/note';
import { formatRule } from '@assay/core/rule/rule';
import { parseUtf8 } from '@assay/core/bytes/utf8';
import { mirrorPath } from '@assay/node/recounter/mirror-routes';
import { nodeSha256 } from '@assay/node/platform/node-sha256';
import { parseRecounterConfig } from '@assay/node/recounter/recounter-config';
import { hostsOfRule } from '@assay/node/recounter/rule-hosts';
import { CLAIMS_RULE } from '../../node/fixture/round-fixture.ts';
import { assay, listen, type Ran, scratch, startAssay } from '../fixture/run.ts';

const ORIGIN = 'development/publisher';

/** A publisher's log in `folder`/publisher; its checkpoint key and its id. */
async function publisherIn(
  folder: string,
): Promise<{ readonly vkey: string; readonly id: string }> {
  const options = ['--origin', ORIGIN, '--data', 'publisher', '--contact', 'data@example.org'];
  const { out } = await assay(folder, ['init', ...options]);
  const [, vkey = ''] = /checkpoint key {2}(\S+)/.exec(out) ?? [];
  const [, id = ''] = /log id {10}(\S+)/.exec(out) ?? [];
  return { vkey, id };
}

function init(folder: string, change: Record<string, string>, more = {}): Promise<Ran> {
  const options: Record<string, string> = {
    '--publisher': 'http://127.0.0.1:1/',
    '--checkpoint-vkey': '',
    '--origin': 'development/recount',
    '--name': 'Recount One',
    '--contact': 'ops@example.org',
    ...change,
  };
  return assay(folder, ['recount', 'init', 'own', ...Object.entries(options).flat()], more);
}

test('recount init: keys for their owner alone, a config, and what to give to whom', async (t) => {
  const folder = await scratch(t);
  const { vkey, id } = await publisherIn(folder);
  const { code, out, err } = await init(folder, { '--checkpoint-vkey': vkey, '--log-id': id });
  assert.deepEqual([code, err], [0, '']);
  assert.match(out, /^A new recounter: Recount One, with the log development\/recount\n/);
  const [, witness = ''] = /witness key {5}(\S+)/.exec(out) ?? [];
  assert.equal(parseNoteKey(nodeSha256, witness, NOTE_COSIGNATURE).name, 'development/recount');
  assert.match(out, /\n {2}\{"name":"Recount One","key":"[0-9a-f]{64}"\}\n/);
  assert.match(out, /\nThe publisher's rules could not be read: log server, found no answer\.\n/);
  assert.match(out, /\nNext: assay recount run \S+recount\.json\n$/);
  const own = join(folder, 'own');
  const keys = (await readdir(join(own, 'keys'))).sort();
  assert.deepEqual(keys, [
    'checkpoint.json',
    'next.json',
    'recovery.json',
    'statement.json',
    'witness.json',
  ]);
  for (const key of keys) {
    assert.equal(((await stat(join(own, 'keys', key))).mode & 0o777).toString(8), '600', key);
  }
  const written = JSON.parse(await readFile(join(own, 'recount.json'), 'utf8')) as unknown;
  const config = parseRecounterConfig(written, {}, own);
  assert.equal(config.data, own);
  assert.deepEqual(config.publisher, {
    url: 'http://127.0.0.1:1',
    checkpoint_vkey: vkey,
    log_id: id,
    witnesses: [],
  });
  const verdict = await assay(folder, ['verify', 'own']);
  assert.equal(verdict.code, 0);
  const again = await init(folder, { '--checkpoint-vkey': vkey });
  assert.deepEqual([again.code, again.out], [3, '']);
  assert.match(again.err, /\[not_empty\]/);
});

test('recount init: the hosts of the rules in force are reported, written, and not confirmed', async (t) => {
  const folder = await scratch(t);
  const { vkey } = await publisherIn(folder);
  const canonical = parseUtf8(formatRule(CLAIMS_RULE));
  const answers: Readonly<Record<string, object>> = {
    '/v1/indices': [{ ticker: 'Claims' }],
    '/v1/indices/Claims/rule': { canonical },
  };
  const server = createServer(({ url = '' }, response) => {
    const answer = answers[url];
    if (answer === undefined) response.writeHead(404);
    response.end(JSON.stringify(answer ?? {}));
  });
  const publisher = await listen(t, server);
  const { code, out } = await init(folder, { '--checkpoint-vkey': vkey, '--publisher': publisher });
  assert.equal(code, 0);
  const hosts = [...hostsOfRule(CLAIMS_RULE)].sort();
  assert.ok(hosts.length > 0);
  for (const host of hosts) assert.ok(out.includes(`\n  ${host}  Claims\n`), out);
  const text = await readFile(join(folder, 'own', 'recount.json'), 'utf8');
  const written = JSON.parse(text) as { readonly source_hosts: readonly string[] };
  assert.deepEqual(
    written.source_hosts,
    hosts.map((host) => `?${host}`),
  );
  assert.deepEqual(parseRecounterConfig(written, {}, '/').source_hosts, []);
});

test('recount init: what it does not take', async (t) => {
  const folder = await scratch(t);
  const { vkey } = await publisherIn(folder);
  for (const change of [
    { '--checkpoint-vkey': 'a key' },
    { '--log-id': 'ABCD' },
    { '--origin': 'Development' },
    { '--name': ' One' },
    { '--contact': 'two words' },
    { '--publisher': 'ftp://127.0.0.1/' },
    { '--publisher': 'http://user:word@127.0.0.1/' },
  ]) {
    const { code, out } = await init(folder, { '--checkpoint-vkey': vkey, ...change });
    assert.deepEqual([code, out], [2, ''], JSON.stringify(change));
  }
  for (const args of [[], ['start'], ['init'], ['init', 'own'], ['run', 'a', 'b'], ['run']]) {
    assert.equal((await assay(folder, ['recount', ...args])).code, 2, args.join(' '));
  }
  assert.deepEqual((await readdir(folder)).sort(), ['publisher']);
});

interface Status {
  readonly status: string;
  readonly log: { readonly size: number };
  readonly publisher: { readonly size: number };
}

/** Waits until the recounter at `url` has followed its publisher. */
async function followed(url: string): Promise<Status> {
  for (;;) {
    const status = (await (await fetch(`${url}/status`)).json()) as Status;
    if (status.publisher.size > 0) return status;
    // A client has 120 requests a minute.
    await delay(600);
  }
}

async function runOwn(t: TestContext, folder: string, more = {}) {
  return startAssay(t, folder, ['recount', 'run', join('own', 'recount.json')], ' by ', more);
}

test('recount run: it follows, serves its own log and the copy, and refuses where a memory is gone', async (t) => {
  const folder = await scratch(t);
  const locked = { ASSAY_PASSPHRASE: 'of the recounter' };
  const { vkey, id } = await publisherIn(folder);
  const config = ['--config', join('publisher', 'assay.json')];
  const publisher = await startAssay(t, folder, ['node', ...config], ' by ');
  await init(folder, { '--checkpoint-vkey': vkey, '--publisher': publisher.url }, locked);
  const path = join(folder, 'own', 'recount.json');
  const missing = await assay(folder, ['recount', 'run', path]);
  assert.equal(missing.code, 3);
  assert.match(missing.err, /\[key_locked\]/);
  const own = await runOwn(t, folder, locked);
  const status = await followed(own.url);
  assert.deepEqual([status.log.size, status.publisher.size], [1, 1]);
  const copy = `${own.url}${mirrorPath(nodeSha256, ORIGIN)}/checkpoint`;
  assert.equal(
    await (await fetch(copy)).text(),
    await (await fetch(`${publisher.url}/checkpoint`)).text(),
  );
  const verdict = await assay(folder, ['verify', own.url, '--no-pin']);
  assert.ok(verdict.out.includes('development/recount, 1 entry'), verdict.out);
  const second = await assay(folder, ['recount', 'run', path], { ...locked, ASSAY_PORT: '0' });
  assert.equal(second.code, 3);
  assert.match(second.err, /\[refused\]/);
  const { code, err } = await own.stop();
  assert.equal(code, 0, err);
  for (const part of ['witness', 'memory'] as const) {
    await rm(join(folder, 'own', part), { recursive: true });
    const refused = await assay(folder, ['recount', 'run', path], locked);
    assert.equal(refused.code, 3);
    assert.match(refused.err, /\[not_found\]/, part);
  }
  const { publisher: named } = JSON.parse(await readFile(path, 'utf8')) as { publisher: object };
  await writeFile(path, JSON.stringify({ publisher: { ...named, log_id: id, more: 1 } }));
  const wrong = await assay(folder, ['recount', 'run', path], locked);
  assert.equal(wrong.code, 2);
  assert.match(wrong.err, /\[bad_config\]/);
});
