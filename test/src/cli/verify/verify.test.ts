import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { mkdir, readFile, stat, writeFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import { dirname, join } from 'node:path';
import { test, type TestContext } from 'node:test';
import { promisify } from 'node:util';
import { newestAnchor } from '@assay/core/view/anchors';
import { formatUtf8 } from '@assay/core/bytes/utf8';
import { exportFile } from '@assay/core/answer/copy/export-file';
import { BITCOIN } from '@assay/core/bitcoin/bitcoin-network';
import { startDevelopmentServer } from '@assay/node/dev/bitcoin/development-server';
import type { Answer } from '@assay/verifier/reader/log-reader';
import { FINDING_CODES } from '@assay/verifier/verdict/finding';
import type { Verdict } from '@assay/verifier/verdict/verdict';
import { anchoredLog } from '../../verifier/fixture/anchored-log.ts';
import { anchoredBundle, HELD } from '../../verifier/fixture/anchored-misdeeds.ts';
import { type Loose, wireBytes } from '../../verifier/fixture/forge.ts';
import { bundleOf } from '../../verifier/fixture/misdeeds.ts';
import {
  genesisLog,
  type Published,
  publish,
  siteOf,
  youngLog,
} from '../../verifier/fixture/published.ts';
import { makeSampleLog, sampleLog } from '../../verifier/fixture/sample-log.ts';
import { assay, listen, scratch, serve } from '../fixture/run.ts';

const log = await sampleLog();
const young = youngLog(log);
const KEY = log.checkpoints.vkey;

/** A site with one answer's text changed. */
function withText(
  site: ReadonlyMap<string, Answer>,
  path: string,
  change: (text: string) => string,
): Map<string, Answer> {
  const answer = site.get(path) as Answer;
  const body = formatUtf8(change(new TextDecoder().decode(answer.body)));
  return new Map(site).set(path, { ...answer, body });
}

/** Writes a log as `assay export` does. */
async function writeExport(folder: string, published: Published): Promise<void> {
  for (const [path, { status, body }] of siteOf(published)) {
    const file = join(folder, exportFile(path, status as 200));
    await mkdir(dirname(file), { recursive: true });
    await writeFile(file, body);
  }
}

async function writeBundle(folder: string): Promise<string> {
  const path = join(folder, 'number.json');
  await writeFile(path, wireBytes(await bundleOf(young)));
  return path;
}

test('a URL: verified, then pinned and held to', async (t) => {
  const folder = await scratch(t);
  const url = await serve(t, siteOf(young));
  const first = await assay(folder, ['verify', url]);
  assert.deepEqual([first.code, first.err], [0, '']);
  assert.match(
    first.out,
    /^VERIFIED \(DEVELOPMENT, key not vouched for\): no fault was found in the 8 entries/,
  );
  assert.match(first.out, /\n {2}log {10}development\/tamper, 8 entries\n/);
  assert.match(first.out, /first use: nobody has vouched for this key\n/);
  assert.match(first.out, /\n {2}pin {10}remembered: the next visit is compared with this one\n/);
  assert.match(first.out, /\n {2}1 This is a development log: nothing of it may be settled on\.\n/);
  assert.match(first.out, /\n\d+ limits that no check can lift: --details lists them\n$/);
  for (const line of first.out.split('\n')) assert.equal(line.length <= 96, true, line);
  // A pin shows the same log again, and vouches for nobody.
  const next = await assay(folder, ['verify', `${url}/`, '--details']);
  assert.equal(next.code, 0);
  assert.match(next.out, /^VERIFIED \(DEVELOPMENT, key not vouched for\): /);
  assert.match(next.out, /pinned on an earlier visit/);
  assert.match(next.out, /\n {2}2 Nobody has vouched for the key of this log: an earlier visit/);
  assert.match(next.out, /\n {2}scope {8}- live answers such as \/status/);
  assert.doesNotMatch(next.out, /remembered/);
  // Whoever names the key once has vouched for it, also for later visits.
  const named = await assay(folder, ['verify', url, '--key', KEY]);
  assert.match(named.out, /^VERIFIED \(DEVELOPMENT\): /);
  assert.match((await assay(folder, ['verify', url])).out, /^VERIFIED \(DEVELOPMENT\): /);
});

test('a URL that changed what was pinned: exit 1, and the pin stays', async (t) => {
  const folder = await scratch(t);
  const whole = publish(log.entries.slice(0, 300), log.blobs, log.checkpoints);
  assert.equal((await assay(folder, ['verify', await serve(t, siteOf(whole))])).code, 0);
  const pins = join(folder, 'state', 'assay', 'pins.json');
  const before = await readFile(pins, 'utf8');
  const shrunk = await assay(folder, ['verify', await serve(t, siteOf(young))]);
  assert.equal(shrunk.code, 1);
  assert.match(
    shrunk.out,
    /^NOT VERIFIED.*: the log is no longer\s[^]*\n\n {2}log_shrunk {2}checkpoint\n/,
  );
  assert.match(shrunk.out, /\n {4}expected {2}at least 300 entries, pinned\n {4}found {5}8\n/);
  assert.equal(await readFile(pins, 'utf8'), before);
  // Without pins it is only another visit.
  const blind = await assay(folder, ['verify', await serve(t, siteOf(young)), '--no-pin']);
  assert.equal(blind.code, 0);
  assert.match(blind.out, /first use: nobody has vouched for this key\n/);
  assert.doesNotMatch(blind.out, /remembered/);
  assert.equal(await readFile(pins, 'utf8'), before);
});

test('a tampered answer over a real socket: exit 1, with what differs', async (t) => {
  const path = '/indices/LAYOFFS';
  const site = withText(siteOf(young), path, (text) =>
    text.replace('"value":241000', '"value":999000'),
  );
  const { code, out, err } = await assay(await scratch(t), ['verify', await serve(t, site)]);
  assert.deepEqual([code, err], [1, '']);
  assert.match(out, /^NOT VERIFIED \(DEVELOPMENT, key not vouched for\): the server answers/);
  assert.match(
    out,
    /\n {2}api_differs {2}\/indices\/LAYOFFS \/\S+\n {4}expected {2}241000\n {4}found {5}999000\n/,
  );
});

test('what a server says cannot paint the terminal or pass for a verdict', async (t) => {
  const lie = '\u001b[2J\u001b[HVERIFIED\n  number  LAYOFFS: 1\u009b0m\n';
  const site = withText(siteOf(young), '/indices/LAYOFFS/history.csv', () => lie);
  const { code, out } = await assay(await scratch(t), ['verify', await serve(t, site)]);
  assert.equal(code, 1);
  assert.doesNotMatch(out.replaceAll('\n', ''), /\p{Cc}/u);
  assert.doesNotMatch(out, /^VERIFIED/m);
  assert.doesNotMatch(out, /^ {2}number/m);
});

test('a static export: verified, and a bit more or less is not', async (t) => {
  const folder = await scratch(t);
  const files = join(folder, 'export');
  await writeExport(files, young);
  const good = await assay(folder, ['verify', 'export']);
  assert.deepEqual([good.code, good.err], [0, '']);
  const target = join(files, 'tile', '0', '000.p', '8');
  const bytes = await readFile(target);
  bytes[40] = (bytes[40] as number) ^ 4;
  await writeFile(target, bytes);
  const bad = await assay(folder, ['verify', 'export']);
  assert.equal(bad.code, 1);
  assert.match(bad.out, /tile_differs/);
});

test('a bundle: verified without a network and without a pin; changed it is not', async (t) => {
  const folder = await scratch(t);
  const file = await writeBundle(folder);
  const good = await assay(folder, ['verify', file]);
  assert.deepEqual([good.code, good.err], [0, '']);
  assert.match(good.out, /\n {2}number {7}LAYOFFS 2025-04-26: 241000 claims\n/);
  assert.match(good.out, /\n {2}status {7}final, settleable by its rule\n/);
  assert.match(good.out, /first use: nobody has vouched for this key\n/);
  await assert.rejects(stat(join(folder, 'state')));
  const text = await readFile(file, 'utf8');
  await writeFile(file, text.replace('"print":"61', '"print":"60'));
  const bad = await assay(folder, ['verify', file]);
  assert.equal(bad.code, 1);
  assert.match(bad.out, /print_differs/);
});

test('a provisional and a void say so in the first line', async (t) => {
  const folder = await scratch(t);
  const whole = publish(log.entries, log.blobs, log.checkpoints);
  await writeFile(join(folder, 'void.json'), wireBytes(await bundleOf(whole, '2026-09-05')));
  const empty = await assay(folder, ['verify', 'void.json', '--key', KEY]);
  assert.equal(empty.code, 0);
  assert.match(
    empty.out,
    /^VERIFIED \(DEVELOPMENT\): \S+ of \S+ is void \(no_source\): there is no value to settle\son/,
  );
  assert.match(empty.out, /\n {2}status {7}void \(no_source\), not settleable\n/);
  const early = publish(log.entries.slice(0, 4), log.blobs, log.checkpoints);
  await writeFile(join(folder, 'early.json'), wireBytes(await bundleOf(early)));
  const first = await assay(folder, ['verify', 'early.json', '--key', KEY]);
  assert.equal(first.code, 0);
  assert.match(
    first.out,
    /is 241000 claims, provisional\s\(freeze_window\):\snothing settles on it yet/,
  );
  assert.match(first.out, /\n {2}status {7}provisional \(freeze_window\), not settleable\n/);
});

test('a key, an id or a policy is held to', async (t) => {
  const folder = await scratch(t);
  const file = await writeBundle(folder);
  const other = (await makeSampleLog('development/other')).checkpoints.vkey;
  const good = await assay(folder, ['verify', file, '--key', KEY, '--key', other, '--strict']);
  assert.equal(good.code, 0);
  assert.match(
    good.out,
    /^VERIFIED \(DEVELOPMENT\): LAYOFFS of 2025-04-26 is 241000 claims, final, recounted by nobody;/,
  );
  const warned = good.out.replaceAll(/\n +/g, ' ');
  assert.match(
    warned,
    /first number printed, that it is the only .* and which version of its rule/,
  );
  assert.match(warned, /No block holds this number yet/);
  assert.match(good.out, /trust {8}the key or the log id that you named/);
  const wrong = await assay(folder, ['verify', file, '--key', other]);
  assert.equal(wrong.code, 1);
  assert.match(wrong.out, /key_not_trusted/);
  const id = await assay(folder, ['verify', file, '--log-id', 'ab'.repeat(32)]);
  assert.equal(id.code, 1);
  assert.match(id.out, /log_id_differs/);
  const policy = { type: 'assay-policy/1', checkpoint_keys: [KEY], log_id: null, strict: true };
  await writeFile(join(folder, 'policy.json'), JSON.stringify(policy, null, 2));
  const named = await assay(folder, ['verify', file, '--policy', 'policy.json']);
  assert.equal(named.code, 0);
});

test('--json: the whole verdict and nothing else', async (t) => {
  const folder = await scratch(t);
  const file = await writeBundle(folder);
  const { code, out } = await assay(folder, ['verify', file, '--json']);
  assert.equal(code, 0);
  const verdict = JSON.parse(out) as Verdict;
  assert.equal(verdict.outcome, 'verified');
  assert.equal(verdict.outcome === 'verified' && verdict.number?.value, '241000');
  assert.deepEqual(Object.keys(verdict).sort(), [
    'bitcoin',
    'checked',
    'demands',
    'key_vouched',
    'log',
    'not_checked',
    'number',
    'onchain',
    'outcome',
    'pin',
    'reservations',
    'subject',
    'summary',
    'terminal',
    'trust',
    'type',
    'verifier',
    'witnesses',
    'words',
  ]);
  await writeFile(file, '{"type":"assay-bundle/1"}');
  const bad = await assay(folder, ['verify', file, '--json']);
  assert.equal(bad.code, 1);
  const found = JSON.parse(bad.out) as Verdict;
  assert.equal(found.outcome, 'findings');
  if (found.outcome !== 'findings') return;
  assert.equal(found.findings_count, 1);
  assert.equal(
    found.findings.every(({ code: each }) => FINDING_CODES.includes(each)),
    true,
  );
  const none = await assay(folder, ['verify', 'http://127.0.0.1:1', '--json']);
  assert.equal(none.code, 3);
  assert.equal((JSON.parse(none.out) as Verdict).outcome, 'incomplete');
});

test('a server that is not there, or is busy, or stops: exit 3, and nothing about the log', async (t) => {
  const folder = await scratch(t);
  const gone = await assay(folder, ['verify', 'http://127.0.0.1:9']);
  assert.deepEqual([gone.code, gone.err], [3, '']);
  assert.match(gone.out, /^NOT COMPLETED: .*; this says nothing about any\slog\.\n/);
  const busy = createServer((_request, response) => {
    response.writeHead(503, { 'retry-after': '600' }).end('<html>');
  });
  const closed = await assay(folder, ['verify', await listen(t, busy)]);
  assert.equal(closed.code, 3);
  assert.match(closed.out, /found\s+status 503/);
  const site = siteOf(young);
  const dying = createServer((request, response) => {
    const answer = site.get(request.url ?? '');
    if (request.url?.startsWith('/blob') === true) response.destroy();
    else response.end(answer?.body);
  });
  assert.equal((await assay(folder, ['verify', await listen(t, dying)])).code, 3);
});

test('a server that never answers is given up on after the time given', async (t) => {
  const silent = createServer(() => undefined);
  const started = performance.now();
  const { code, out } = await assay(await scratch(t), [
    'verify',
    await listen(t, silent),
    '--timeout',
    '1',
  ]);
  assert.equal(code, 3);
  assert.match(
    out.replaceAll(/\s+/g, ' '),
    /work: expected an end (?:within 1 s|before the deadline)/,
  );
  assert.equal(performance.now() - started < 20_000, true);
});

test('a log over the limit is not begun with', async (t) => {
  const url = await serve(t, siteOf(young));
  const { code, out } = await assay(await scratch(t), ['verify', url, '--max-entries', '7']);
  assert.equal(code, 3);
  assert.match(out, /at most 7 entries, the limit of this verification, found 8/);
});

test('what cannot be understood: exit 2, reported on standard error', async (t) => {
  const folder = await scratch(t);
  const file = await writeBundle(folder);
  await mkdir(join(folder, 'empty'));
  await promisify(execFile)('mkfifo', [join(folder, 'pipe')]);
  await writeFile(join(folder, 'policy.json'), '{"type":"assay-policy/1"}');
  const cases: readonly (readonly [readonly string[], RegExp])[] = [
    [[], /verify: TARGET is missing\n/],
    [['a', 'b'], /verify: there is one argument too many: "b"\n/],
    [['missing.json'], /missing\.json is no URL, folder or file/],
    [['empty', '--index', ''], /the option --index has an empty value/],
    [['empty', '--index', 'CPI', '--index', 'CPI'], /the option --index may be given only once/],
    [['empty'], /empty holds neither a node's data nor an export/],
    [['pipe'], /pipe is no plain file/],
    [['/dev/zero'], /\/dev\/zero is no plain file/],
    [['http://'], /is no URL/],
    [['http://127.0.0.1:1/?a=b'], /without a query/],
    [['http://user:word@127.0.0.1:1/'], /a fragment or a user/],
    [[file, '--key', 'nonsense'], /./],
    [[file, '--key'], /--key/],
    [[file, '--log-id', 'xyz'], /sha256/],
    [[file, '--policy', 'policy.json'], /policy\.json cannot be read/],
    [[file, '--policy', 'none.json'], /none\.json cannot be read/],
    [[file, '--policy', 'policy.json', '--key', KEY], /--policy takes the place of --key\n/],
    [[file, '--timeout', '0'], /--timeout is a whole number above 0/],
    [[file, '--max-entries', '1e9'], /--max-entries is a whole number above 0/],
  ];
  for (const [args, words] of cases) {
    const { code, out, err } = await assay(folder, ['verify', ...args]);
    assert.deepEqual([code, out], [2, ''], args.join(' '));
    assert.match(err, words);
  }
});

test('a pin file that cannot be read is an error, not a first visit', async (t) => {
  const folder = await scratch(t);
  const pins = join(folder, 'pins.json');
  const url = await serve(t, siteOf(young));
  for (const text of [
    '',
    '{}',
    '[{}]',
    '[1]',
    '[null]',
    'null',
    '[{"pin":{},"seen_at":[]}]',
    '[',
  ]) {
    await writeFile(pins, text);
    const { code, out } = await assay(folder, ['verify', url, '--pins', pins]);
    assert.equal(code, 3, text);
    assert.match(out, /^NOT COMPLETED/);
    assert.match(out, /pin file at/);
    assert.equal(await readFile(pins, 'utf8'), text);
  }
});

test('a pin that cannot be kept is reported, beside the verdict', async (t) => {
  const url = await serve(t, siteOf(young));
  // Nobody can make a file there, root included.
  const pins = '/sys/pins.json';
  const { code, out, err } = await assay(await scratch(t), ['verify', url, '--pins', pins]);
  assert.equal(code, 3);
  assert.match(out, /^VERIFIED/);
  assert.doesNotMatch(out, /remembered: the next visit/);
  assert.match(
    err,
    /^assay verify: the pin of this visit could not be stored \(--no-pin avoids it\)/,
  );
});

test('no colour where nobody watches', async (t) => {
  const folder = await scratch(t);
  const file = await writeBundle(folder);
  for (const args of [[file], [file, '--json'], ['missing']]) {
    const { out, err } = await assay(folder, ['verify', ...args]);
    assert.equal((out + err).includes('\u001b'), false);
  }
});

/** Two visits to one address, with another log there at the second. */
async function seenAt(
  t: TestContext,
  first: Published,
  then: Published,
): Promise<{ readonly code: number | null; readonly out: string }> {
  const folder = await scratch(t);
  let site = siteOf(first);
  const server = createServer((request, response) => {
    const answer = site.get(request.url ?? '');
    response.statusCode = answer?.status ?? 404;
    if (answer?.logSize !== undefined) response.setHeader('assay-log-size', answer.logSize);
    response.end(answer?.body);
  });
  const url = await listen(t, server);
  assert.equal((await assay(folder, ['verify', url])).code, 0);
  site = siteOf(then);
  return assay(folder, ['verify', url]);
}

test('a server that comes with another log than it had: not a first visit', async (t) => {
  const { code, out } = await seenAt(
    t,
    genesisLog('example.org/assay'),
    genesisLog('example.org/assay2'),
  );
  assert.equal(code, 1);
  assert.match(out, /key_not_trusted/);
  assert.match(out, /log_id_differs/);
  // The development network begins a new log each time.
  const other = youngLog(await makeSampleLog('development/other'));
  const again = await seenAt(t, young, other);
  assert.equal(again.code, 0);
});

const stamped = await anchoredLog();
const stampedSite = siteOf(publish(stamped.entries, stamped.blobs, stamped.checkpoints));

/** The rows of a text from the one of a name on, to the next empty line. */
function rowsFrom(out: string, name: string): string {
  const at = out.indexOf(`\n  ${name}`);
  return out.slice(at + 1, out.indexOf('\n\n', at));
}

/** The headers of the stamped log's chain in a file. */
async function writeHeaders(folder: string): Promise<string> {
  const { height } = stamped.chain.tip;
  const headers = Array.from({ length: height + 1 }, (_, i) => stamped.chain.block(i)?.header);
  const path = join(folder, 'headers');
  await writeFile(path, Buffer.concat(headers as Uint8Array[]));
  return path;
}

test('a stamped log: how far it is stamped, what is pending, and the blocks of an entry', async (t) => {
  const folder = await scratch(t);
  const url = await serve(t, stampedSite);
  const headers = await writeHeaders(folder);
  const batch = newestAnchor(stamped.ledger.tip);
  const { from = 0, to = 0 } = batch ?? {};
  const args = ['verify', url, '--entry', '9', '--entry', `${from + 1}`];
  const details = [...args, '--headers', headers, '--details'];
  const { code, out, err } = await assay(folder, details);
  assert.deepEqual([code, err], [0, '']);
  const promise =
    'the publisher says that http://prompt.calendar.invalid and http://silent.calendar.invalid have promised a block (not asked)';
  const rows = rowsFrom(out, 'bitcoin').replaceAll(/\n +(?!\w+ {4})/g, ' ');
  for (const words of [
    `bitcoin      development, not Bitcoin: its blocks prove nothing. block 2164 (2026-07-17T00:20:01Z) holds entries 0 to ${from - 1}; by headers checked from the genesis block, tip 3171 of 2026-07-24`,
    `unstamped    entries ${to} to ${stamped.entries.length - 1} are in no batch`,
    `entries ${from} to ${to - 1}, said to be stamped 2026-07-24T00:20:00Z: not in a development block yet; ${promise}`,
    'window       entry 9 (report/1) was written after development block 1081 (2026-07-09T12:00:00Z), which proves nothing before development block 1156 (2026-07-10T00:30:00Z), which proves nothing',
    `before no block yet: said to be stamped 2026-07-24T00:20:00Z; ${promise}`,
  ]) {
    assert.equal(rows.includes(words), true, `${words}\n${rows}`);
  }
  const { bitcoin } = JSON.parse((await assay(folder, [...args, '--json'])).out) as Loose;
  assert.deepEqual([bitcoin.trust, bitcoin.windows.length, bitcoin.source], ['work', 2, null]);
});

test("headers of one's own node, and an explorer's", async (t) => {
  const folder = await scratch(t);
  const url = await serve(t, stampedSite);
  const now = (): number => stamped.chain.tip.time;
  const options = { chain: stamped.chain, now, calendars: [{ name: 'own', port: 0 }] };
  const node = await startDevelopmentServer(options);
  t.after(() => node.close());
  const own = await assay(folder, ['verify', url, '--bitcoin-rpc', node.rpc], {
    ASSAY_BITCOIN_RPC_AUTH: 'user:password',
  });
  assert.equal(own.code, 0, own.out);
  assert.match(
    own.out.replaceAll(/\n +/g, ' '),
    /by headers of your own node, tip 3171 of 2026-07-24/,
  );
  const explorer = await listen(
    t,
    createServer((request, response) => {
      const [, , height] = /^\/(block-height|block)\/([0-9a-f]+)/.exec(request.url ?? '') ?? [];
      const { chain } = stamped;
      if (request.url === '/blocks/tip/height') response.end(`${chain.tip.height}`);
      else if (request.url?.startsWith('/block-height/'))
        response.end(chain.block(Number(height))?.id);
      else
        response.end(
          Buffer.from(chain.block(chain.heightOf(height ?? '') ?? 0)?.header ?? []).toString('hex'),
        );
    }),
  );
  const word = await assay(folder, ['verify', url, '--explorer', explorer]);
  assert.equal(word.code, 0, word.out);
  assert.match(
    word.out.replaceAll(/\n +/g, ' '),
    /NOT PROVEN: according to an explorer alone \(the word of 127\.0\.0\.1/,
  );
  const gone = await assay(folder, ['verify', url, '--bitcoin-rpc', 'http://127.0.0.1:1/']);
  assert.equal(gone.code, 3, gone.out);
});

test('the number that was asked for: a bundle must be of it, and a whole log must have it settled', async (t) => {
  const folder = await scratch(t);
  const file = await writeBundle(folder);
  const right = ['--index', 'layoffs', '--period', '2025-04-26'];
  assert.equal((await assay(folder, ['verify', file, ...right])).code, 0);
  for (const wrong of [
    ['--period', '2025-05-03'],
    ['--index', 'JOBS'],
  ]) {
    const { code, out } = await assay(folder, ['verify', file, ...wrong]);
    assert.equal(code, 1);
    assert.match(out, /\n {2}bundle_other {2}bundle\n/);
  }
  const day = await assay(folder, ['verify', file, '--period', 'May']);
  assert.deepEqual([day.code, day.out], [2, '']);
  await writeExport(join(folder, 'export'), young);
  const whole = await assay(folder, ['verify', 'export', ...right]);
  assert.equal(whole.code, 0, whole.out);
  assert.match(whole.out, /\n {2}number {7}LAYOFFS 2025-04-26: /);
  const missing = await assay(folder, ['verify', 'export', '--index', 'JOBS']);
  assert.equal(missing.code, 1);
  assert.match(
    missing.out,
    /\n {2}number_unsettled {2}JOBS, the newest period\n[^]*no index with this ticker\n/,
  );
  const alone = await assay(folder, ['verify', 'export', '--period', '2025-04-26']);
  assert.deepEqual([alone.code, alone.out], [2, '']);
  assert.match(alone.err, /--period of a whole log is of an --index/);
  const all = await assay(folder, ['verify', file, '--complete']);
  assert.equal(all.code, 1);
  assert.match(all.out, /\n {2}log_incomplete {2}bundle\n/);
});

test('a bundle of a stamped report is verified with the headers that it carries', async (t) => {
  const folder = await scratch(t);
  const path = join(folder, 'number.json');
  await writeFile(path, wireBytes(await anchoredBundle(HELD)));
  const { code, out } = await assay(folder, ['verify', path]);
  assert.equal(code, 0, out);
  assert.match(
    out,
    /\n {2}bitcoin {6}development, not Bitcoin: its blocks prove nothing\. by work: 7 blocks worth 14\n {15}hashes\n/,
  );
  assert.match(out, /\n {15}before development block 2164 /);
});

test('headers that cannot be used: exit 2, and reported', async (t) => {
  const folder = await scratch(t);
  const url = await serve(t, stampedSite);
  const short = join(folder, 'short');
  await writeFile(short, BITCOIN.genesis);
  const broken = join(folder, 'broken');
  await writeFile(broken, Buffer.alloc(160));
  const cases: readonly (readonly [readonly string[], RegExp])[] = [
    [['--headers', short], /expected headers to height 832607 at least.*found to height 0/],
    [['--headers', broken], /headers file cannot be used/],
    [['--headers', join(folder, 'none')], /headers file cannot be used/],
    [
      ['--headers', short, '--explorer', 'http://127.0.0.1:1'],
      /only one of --headers and --explorer may be given\n/,
    ],
    [['--explorer', 'nowhere'], /--explorer is an address/],
    [['--bitcoin-rpc', 'http://u:p@127.0.0.1:1/'], /must not contain a user/],
    [['--entry', '-1'], /entry/],
    [['--entry', '1.5'], /--entry is a number of an entry/],
  ];
  for (const [args, words] of cases) {
    const { code, err } = await assay(folder, ['verify', url, ...args]);
    assert.equal(code, 2, args.join(' '));
    assert.match(err, words);
  }
});
