import assert from 'node:assert/strict';
import { once } from 'node:events';
import { readdir, readFile, writeFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import { join } from 'node:path';
import { test } from 'node:test';
import { formatNoteKey } from '@assay/core/log/note';
import { logRow } from '@assay/core/view/log';
import { nodeSha256 } from '@assay/node/platform/node-sha256';
import type { Answer } from '@assay/verifier/reader/log-reader';
import { testSigner } from '../../node/ledger/ledger-fixture.ts';
import { Forge, type LooseDraft, noteDraft } from '../../verifier/fixture/forge.ts';
import { chained } from '../../verifier/fixture/chained-log.ts';
import { ownSite, signStatement } from '../../verifier/fixture/cosigner-log.ts';
import { type Published, publish, siteOf } from '../../verifier/fixture/published.ts';
import {
  CHECKPOINT_KEYS,
  CHECKPOINT_VKEYS,
  PLACES,
  replaced,
  replacedSite,
} from '../../verifier/fixture/replaced-log.ts';
import { sampleLog } from '../../verifier/fixture/sample-log.ts';
import { assay, listen, scratch, serve, spawnAssay } from '../fixture/run.ts';

const log = await sampleLog();
const grown = (size: number): Published =>
  publish(log.entries.slice(0, size), log.blobs, log.checkpoints);

function forked(size: number): Published {
  const forge = new Forge(log, size);
  const early = forge.drafts.find(({ kind }) => kind === 'note/1') as LooseDraft;
  early.body['text'] = 'This is for other eyes.';
  return forge.publish();
}

test('one history: nothing found, and what was seen is kept', async (t) => {
  const folder = await scratch(t);
  const here = await serve(t, siteOf(grown(40)));
  const there = `${await serve(t, new Map())}/mirror/${'ab'.repeat(32)}`;
  const alone = await assay(folder, ['watch', here, '--once']);
  assert.deepEqual([alone.code, alone.err], [0, '']);
  assert.match(
    alone.out,
    /^NOTHING FOUND; 1 of 1 address compared with no other\n {2}seen {9}http:\S+ development\/tamper, 40 entries\n/,
  );
  for (const line of alone.out.split('\n')) assert.equal(line.length <= 96, true, line);
  const lines = await readFile(
    join(folder, 'state', 'assay', 'watch', 'checkpoints.jsonl'),
    'utf8',
  );
  assert.equal(lines.split('\n').length, 2);
  assert.equal((JSON.parse(lines) as { readonly url: string }).url, here);
  const missed = await assay(folder, ['watch', here, there, '--once']);
  assert.equal(missed.code, 3);
  assert.match(missed.out, /^NOT COMPLETED: 1 of 2 addresses missed\n/);
});

test('a fork between two addresses: a file that assay evidence check proves', async (t) => {
  const folder = await scratch(t);
  const here = await serve(t, siteOf(grown(40)));
  const there = await serve(t, siteOf(forked(30)));
  const found = await assay(folder, ['watch', here, there, '--once', '--state', 'watched']);
  assert.deepEqual([found.code, found.err], [1, '']);
  assert.match(found.out, /^1 FINDING\n\n {2}fork {2}http:/);
  const [file, ...others] = await readdir(join(folder, 'watched', 'evidence'));
  assert.deepEqual(others, []);
  const path = join('watched', 'evidence', String(file));
  const check = (...args: readonly string[]): ReturnType<typeof assay> =>
    assay(folder, ['evidence', 'check', path, ...args]);
  const proven = await check();
  assert.equal(proven.code, 4, proven.out);
  const named = logRow(grown(1).views);
  assert.equal((await check('--key', named?.checkpoint_vkey ?? '')).code, 0);
  assert.equal((await check('--log', named?.log ?? '')).code, 0);
  assert.equal((await check('--log', 'ab'.repeat(32))).code, 5);
});

test('a fork over time: another history than an earlier watch saw, and less of it', async (t) => {
  const folder = await scratch(t);
  let site: ReadonlyMap<string, Answer> = siteOf(grown(30));
  const server = createServer((request, response) => {
    const answer = site.get(request.url ?? '');
    response.statusCode = answer?.status ?? 404;
    response.end(answer?.body);
  });
  const url = await listen(t, server);
  assert.equal((await assay(folder, ['watch', url, '--once'])).code, 0);
  site = siteOf(grown(20));
  const less = await assay(folder, ['watch', url, '--once']);
  assert.equal(less.code, 1);
  assert.match(less.out, /head_behind[^]*at least 30 entries[^]*found {5}20/);
  site = siteOf(forked(40));
  const other = await assay(folder, ['watch', url, '--once', '--json']);
  assert.equal(other.code, 1);
  const { findings } = JSON.parse(other.out) as {
    readonly findings: readonly { readonly code: string; readonly evidence: string }[];
  };
  assert.deepEqual(
    findings.map(({ code }) => code),
    ['fork'],
  );
  assert.equal((await assay(folder, ['evidence', 'check', findings[0]?.evidence ?? ''])).code, 4);
});

test('a head of a key that its entries end leaves nothing for the next watch', async (t) => {
  const folder = await scratch(t);
  const whole = replaced();
  const stolen = whole.head(PLACES.size, [CHECKPOINT_KEYS[0]]);
  const site = new Map<string, Answer>(replacedSite(replaced(undefined, PLACES.promise + 1)));
  const show = (of: ReadonlyMap<string, Answer>): void => {
    site.clear();
    for (const [path, answer] of of) site.set(path, answer);
  };
  const here = await serve(t, site);
  const command = ['watch', here, '--once', '--state', 'of-keys'];
  const first = await assay(folder, command);
  assert.equal(first.code, 0, first.out);
  show(replacedSite({ ...whole, checkpoint: stolen, closing: new Map() }));
  const of = await assay(folder, command);
  assert.equal(of.code, 1, of.out);
  const path = join(folder, 'of-keys', 'checkpoints.jsonl');
  const lines = (await readFile(path, 'utf8')).trim().split('\n');
  assert.deepEqual(
    lines.map((line) => {
      const { pin, withdrawn } = JSON.parse(line) as Record<string, unknown>;
      return [pin !== null, withdrawn];
    }),
    [
      [true, false],
      [true, false],
      [false, true],
    ],
  );
  show(replacedSite(whole));
  const honest = await assay(folder, command);
  assert.equal(honest.code, 0, honest.out);
  const { pin } = JSON.parse(
    (await readFile(path, 'utf8')).trim().split('\n').at(-1) ?? '',
  ) as Record<string, unknown>;
  assert.ok(String(pin).includes(CHECKPOINT_VKEYS[3] as string), String(pin));
});

test('an address that goes back is found by the state, and so is what a head was first refused for', async (t) => {
  const folder = await scratch(t);
  const first: Map<string, Answer> = siteOf(grown(30));
  const show = (size: number): void => {
    for (const [path, answer] of siteOf(grown(size))) first.set(path, answer);
  };
  const here = await serve(t, first);
  const there = await serve(t, siteOf(grown(30)));
  const witness = `Acme=${formatNoteKey(nodeSha256, 'w.example', testSigner(77).publicKey, 4)}`;
  const refused = await assay(folder, ['watch', here, '--once', '--witness', witness]);
  assert.equal(refused.code, 1, refused.out);
  assert.equal((await assay(folder, ['watch', here, '--once'])).code, 0);
  show(20);
  for (const urls of [[here, there], [here]]) {
    const back = await assay(folder, ['watch', ...urls, '--once']);
    assert.equal(back.code, 1, back.out);
    assert.match(back.out, /head_behind[^]*at least 30 entries[^]*found {5}20/);
  }
});

test('a poll that is interrupted: a fork of its heads is reported, and nothing else is reported as sound', async (t) => {
  const folder = await scratch(t);
  const site = siteOf(grown(300));
  let asked = (): void => undefined;
  const server = createServer((request, response) => {
    const answer = site.get(request.url ?? '');
    if (request.url?.startsWith('/tile/entries/001') === true) {
      asked();
      return;
    }
    response.statusCode = answer?.status ?? 404;
    response.end(answer?.body);
  });
  const here = await listen(t, server);
  const there = await serve(t, siteOf(forked(280)));
  for (const [urls, code, words] of [
    [[here], 3, /^$/],
    [[here, there], 1, /^1 FINDING\n\n {2}fork {2}http:[^]*evidence /],
  ] as const) {
    const following = new Promise<void>((resolve) => (asked = resolve));
    const child = spawnAssay(folder, ['watch', ...urls, '--state', `of ${urls.length}`]);
    let out = '';
    child.stdout.on('data', (part: Buffer) => (out += part.toString()));
    const ended = once(child, 'close');
    await Promise.race([following, ended]);
    child.kill('SIGTERM');
    assert.deepEqual(await ended, [code, null], out);
    assert.match(out, words);
  }
  assert.equal((await readdir(join(folder, 'of 2', 'evidence'))).length, 1);
  const turn = await assay(folder, ['watch', here, '--once', '--turn', '5', '--state', 'turn']);
  assert.equal(turn.code, 3, turn.out + turn.err);
  assert.match(turn.out, /^NOT COMPLETED[^]*entries are followed so far/);
});

test('what the key of a log has not signed is not kept', async (t) => {
  const folder = await scratch(t);
  const site = siteOf(grown(30));
  const here = await serve(t, site);
  const [text = ''] = new TextDecoder().decode(site.get('/checkpoint')?.body).split('\n\n');
  const body = new TextEncoder().encode(`${text}\n\n\u2014 x ${'A'.repeat(96)}\n`);
  const there = await serve(
    t,
    new Map([['/checkpoint', { status: 200, body, logSize: undefined }]]),
  );
  assert.equal((await assay(folder, ['watch', here, there, '--once', '--state', 'w'])).code, 1);
  const lines = await readFile(join(folder, 'w', 'checkpoints.jsonl'), 'utf8');
  assert.equal(lines.includes(here), true);
  assert.equal(lines.includes(there), false);
});

test('a hidden dissent is found over real sockets', async (t) => {
  let word: LooseDraft | undefined;
  const about = chained({
    entry: (name, draft) => {
      if (name !== '2026-07-04 final 0 dissent cleo') return;
      word = structuredClone(draft);
      Object.assign(draft, noteDraft(draft.at));
    },
  });
  const { at, body } = word as unknown as LooseDraft;
  const said = { at, kind: 'statement/1', body: signStatement('cleo', body['statement']) };
  const publisher = await serve(t, siteOf(about.published));
  const cleo = await serve(
    t,
    ownSite('cleo', (drafts) => drafts.splice(0, 0, said), about),
  );
  const { code, out } = await assay(await scratch(t), ['watch', publisher, cleo, '--once']);
  assert.equal(code, 1);
  assert.match(out, /dissent_hidden {2}development\/cleo, entry 1, LAYOFFS 2026-07-04 final\n/);
  assert.match(out, /\n {2}compared {5}the words at http:/);
});

test('a watch goes on until it is stopped, and says again what has changed', async (t) => {
  const folder = await scratch(t);
  let asked = 0;
  let site: ReadonlyMap<string, Answer> = siteOf(grown(30));
  const server = createServer((request, response) => {
    if (request.url === '/checkpoint') asked += 1;
    const answer = site.get(request.url ?? '');
    response.statusCode = answer?.status ?? 404;
    response.end(answer?.body);
  });
  const url = await listen(t, server);
  const child = spawnAssay(folder, ['watch', url, '--every', '1']);
  let out = '';
  const until = (word: string): Promise<void> =>
    new Promise((resolve) => {
      child.stdout.on('data', () => {
        if (out.includes(word)) resolve();
      });
    });
  child.stdout.setEncoding('utf8').on('data', (part: string) => (out += part));
  await until('NOTHING FOUND');
  const found = until('1 FINDING');
  site = siteOf(forked(31));
  await found;
  const code = new Promise((resolve) => child.on('close', resolve));
  child.kill('SIGINT');
  assert.equal(await code, 1);
  assert.equal(asked >= 2, true);
});

test('what cannot be understood, and a state that cannot be read', async (t) => {
  const folder = await scratch(t);
  for (const [args, words] of [
    [[], /watch: URL is missing\n/],
    [['folder'], /folder is no URL/],
    [['http://127.0.0.1:1', 'http://127.0.0.1:1/'], /each URL is given once\n/],
    [
      ['http://127.0.0.1:1', '--once', '--every', '5'],
      /only one of --once and --every may be given\n/,
    ],
    [['http://127.0.0.1:1', '--every', '0'], /--every is a whole number above 0/],
  ] as const) {
    const { code, err } = await assay(folder, ['watch', ...args]);
    assert.equal(code, 2, args.join(' '));
    assert.match(err, words);
  }
  await writeFile(join(folder, 'checkpoints.jsonl'), '{"url":1}\n');
  const { code, err } = await assay(folder, ['watch', 'http://127.0.0.1:1', '--state', folder]);
  assert.equal(code, 3);
  assert.match(err, /watch state at .*line 1/);
});
