import assert from 'node:assert/strict';
import { mkdir, readdir, readFile, symlink, writeFile } from 'node:fs/promises';
import { createServer, type RequestListener } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { test, type TestContext } from 'node:test';
import { parseTime } from '@assay/core/time/time';
import { nodeSha256 } from '@assay/node/platform/node-sha256';
import {
  firstMirror,
  isMirrorPath,
  type LatestFile,
  mirrorAt,
  mirroredFile,
  mirroredLatest,
  mirroredListing,
  type MirrorReader,
  SettlementFolder,
} from '@assay/node/day/settlement-mirror';
import fc from 'fast-check';
import { closesWorld, sha256Of } from '../fixture/closes-world.ts';
import { REPORT_SIGNER, temporaryFolder } from '../ledger/ledger-fixture.ts';
import { signedLatest } from '../fixture/signed-latest.ts';

const GOOD = ['latest.json', '2026-07-30/LAYOFFS.json', '2026-07-30/v12/jobs.csv', 'a-b/c.json'];
const BAD = [
  '',
  '/',
  '.',
  '..',
  '../latest.json',
  '2026-07-30/../latest.json',
  '2026-07-30/..',
  './latest.json',
  '/etc/passwd',
  '//host/latest.json',
  'latest.json/',
  'a//b.json',
  '.hidden.json',
  'a/.json',
  'a.b/c.json',
  'a.json.json',
  'a.txt',
  'a',
  'a\\b.json',
  'a%2Fb.json',
  'a b.json',
  'ä.json',
  'a.json\n',
  'a.json\0',
  'https://host/a.json',
];

const TRUST = { sha256: nodeSha256, reportKey: REPORT_SIGNER.publicKey };
const CSV = Buffer.from('period,value\n');
/** The day after the Close of `listing`. */
const NOW = parseTime('2026-07-31T12:00:00Z');

/** A listing as a mirror must have it, and the bytes of its two files. */
function listing(change: object = {}, named: Partial<LatestFile> = {}) {
  const settlement = { release_at: '2026-08-06T12:30:00Z' };
  const struck = { decimals: 0, strikes: ['5'], strike_step: '5', reference: null };
  const print = { period: '2026-08-01', ...struck, settlement };
  const kit = { ticker: 'jobs', question: 'At {strike}?', ...print };
  const file = {
    type: 'assay-settlement/1',
    day: '2026-07-30',
    log: '22'.repeat(32),
    index: { ticker: 'jobs', slug: 'us-jobs', format: 'count' },
    kit,
    no_kit: null,
    ...change,
  };
  const body = Buffer.from(JSON.stringify(file));
  const path = '2026-07-30/jobs.json';
  const csv = { path: '2026-07-30/jobs.csv', sha256: sha256Of(CSV) };
  const entry = { ticker: 'jobs', slug: 'us-jobs', path, sha256: sha256Of(body), csv, ...named };
  const latest = signedLatest([entry]);
  return { body, path, latest, kit };
}

function reader(files: Readonly<Record<string, Uint8Array | string | undefined>>): MirrorReader {
  return (path) => {
    const found = files[path];
    return Promise.resolve(found === undefined ? undefined : Buffer.from(found as string));
  };
}

/** A host on a free port, closed when the test ends; its address. */
async function host(t: TestContext, listener: RequestListener): Promise<string> {
  const server = createServer(listener);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  t.after(() => {
    server.closeAllConnections();
    server.close();
  });
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

test('settlement mirror: paths that stay in the folder, and no others', () => {
  for (const path of GOOD) assert.equal(isMirrorPath(path), true, path);
  for (const path of BAD) assert.equal(isMirrorPath(path), false, path);
  fc.assert(
    fc.property(fc.string(), (path) => {
      if (!isMirrorPath(path)) return;
      const { pathname } = new URL(path, 'http://host/mirror/');
      assert.equal(pathname, `/mirror/${path}`);
      assert.equal(join('/mirror', path), `/mirror/${path}`);
    }),
  );
});

test('settlement mirror: a folder gives what was put, and nothing from outside', async (t) => {
  const root = await temporaryFolder(t);
  const folder = new SettlementFolder(join(root, 'mirror'));
  assert.equal(await folder.read('latest.json'), undefined, 'before there is a folder');
  await folder.put('2026-07-30/LAYOFFS.json', Buffer.from('one'));
  await folder.put('2026-07-30/LAYOFFS.json', Buffer.from('two'));
  assert.equal(String(await folder.read('2026-07-30/LAYOFFS.json')), 'two');
  assert.deepEqual(await readdir(join(root, 'mirror/2026-07-30')), ['LAYOFFS.json']);
  for (const path of ['2026-07-31/LAYOFFS.json', '2026-07-30/LAYOFFS.json/x.json', 'none.csv']) {
    assert.equal(await folder.read(path.replace('.json/', '/')), undefined, path);
  }
  await writeFile(join(root, 'secret.json'), '{}');
  for (const path of BAD) {
    await assert.rejects(folder.read(path), { code: 'bad_path' }, path);
    await assert.rejects(folder.put(path, Buffer.from('x')), { code: 'bad_path' }, path);
  }
  await mkdir(join(root, 'mirror/folder.json'));
  assert.equal(await folder.read('folder.json'), undefined);
  await symlink('loop.json', join(root, 'mirror/loop.json'));
  await assert.rejects(folder.read('loop.json'), { code: 'ELOOP' });
});

test('settlement mirror: without a sync each file is whole under its name, and nothing else is left', async (t) => {
  const root = join(await temporaryFolder(t), 'mirror');
  const folder = new SettlementFolder(root, { sync: false });
  for (const text of ['one', 'two']) {
    await folder.put('2026-07-30/LAYOFFS.json', Buffer.from(text));
    assert.equal(String(await folder.read('2026-07-30/LAYOFFS.json')), text);
  }
  assert.deepEqual(await readdir(join(root, '2026-07-30')), ['LAYOFFS.json']);
  await assert.rejects(folder.put(BAD[0] as string, Buffer.from('x')), { code: 'bad_path' });
});

test('settlement mirror: latest.json is written when it says something new', async (t) => {
  const root = await temporaryFolder(t);
  const folder = new SettlementFolder(root);
  const { latest } = listing();
  await folder.setLatest(latest);
  const text = await readFile(join(root, 'latest.json'), 'utf8');
  assert.deepEqual(JSON.parse(text), latest);
  assert.ok(text.endsWith('}\n'));
  const writes: string[] = [];
  class Counted extends SettlementFolder {
    override put(path: string, bytes: Uint8Array): Promise<void> {
      writes.push(path);
      return super.put(path, bytes);
    }
  }
  const counted = new Counted(root);
  await counted.setLatest(latest);
  assert.deepEqual(writes, []);
  await counted.setLatest({ ...latest, version: 1 });
  assert.deepEqual(writes, ['latest.json']);
});

test('settlement mirror: a listing by ticker or slug, in any case', async () => {
  const { body, path, latest, kit } = listing();
  const read = reader({ 'latest.json': JSON.stringify(latest), [path]: body });
  for (const name of ['jobs', 'JOBS', 'Us-Jobs']) {
    const found = await mirroredListing(read, TRUST, name, NOW);
    assert.deepEqual([found?.kit, found?.path, found?.day], [kit, path, '2026-07-30'], name);
  }
  assert.equal(await mirroredListing(read, TRUST, 'LAYOFFS', NOW), undefined);
  const none = listing({ kit: null, no_kit: 'Not offered.' });
  const found = await mirroredListing(
    reader({ 'latest.json': JSON.stringify(none.latest), [none.path]: none.body }),
    TRUST,
    'jobs',
    NOW,
  );
  assert.deepEqual([found?.kit, found?.no_kit], [null, 'Not offered.']);
});

test('settlement mirror: a ticker goes before the slug of another', async () => {
  const one = listing();
  const [file] = one.latest.files as [LatestFile];
  const none = {
    path: '2026-07-30/OTHER.json',
    csv: { ...file.csv, path: '2026-07-30/OTHER.csv' },
  };
  const other = { ...file, ...none, ticker: 'OTHER', slug: 'jobs' };
  const latest = signedLatest([other, file]);
  const read = reader({ 'latest.json': JSON.stringify(latest), [one.path]: one.body });
  assert.equal((await mirroredListing(read, TRUST, 'jobs', NOW))?.path, one.path);
});

test('settlement mirror: what is not whole is no listing', async () => {
  const { body, path, latest } = listing();
  const text = JSON.stringify(latest);
  const cases: Readonly<Record<string, Readonly<Record<string, string | Uint8Array>>>> = {
    'nothing at all': {},
    'no latest.json': { [path]: body },
    'an empty latest.json': { 'latest.json': '', [path]: body },
    'half of latest.json': { 'latest.json': text.slice(0, 50), [path]: body },
    'a page of HTML': { 'latest.json': '<!doctype html>', [path]: body },
    'another type': { 'latest.json': text.replace('index/1', 'index/2'), [path]: body },
    'a member more': { 'latest.json': text.replace('{', '{"more":1,'), [path]: body },
    'no files': { 'latest.json': JSON.stringify({ ...latest, files: null }), [path]: body },
    'no UTF-8': { 'latest.json': Buffer.from([0xff, 0xfe]), [path]: body },
    'no file': { 'latest.json': text },
    'another file': { 'latest.json': text, [path]: Buffer.concat([body, Buffer.from('\n')]) },
  };
  for (const [name, files] of Object.entries(cases)) {
    await assert.rejects(mirroredListing(reader(files), TRUST, 'jobs', NOW), name);
  }
  for (const change of [
    { type: 'assay-settlement/2' },
    { kit: undefined },
    { kit: 'x' },
    { kit: { ticker: 'jobs' } },
    { kit: { ...listing().kit, strike_step: undefined } },
    { log: '33'.repeat(32) },
    { day: '2026-07-29' },
    { index: { ticker: 'LAYOFFS', slug: 'us-jobs', format: 'count' } },
    { index: { ticker: 'jobs', slug: 'layoffs', format: 'count' } },
    { kit: { ...listing().kit, ticker: 'LAYOFFS' } },
    { no_kit: 5 },
    { day: null },
  ]) {
    const wrong = listing(change);
    const read = reader({ 'latest.json': JSON.stringify(wrong.latest), [wrong.path]: wrong.body });
    await assert.rejects(mirroredListing(read, TRUST, 'jobs', NOW), JSON.stringify(change));
  }
});

test('settlement mirror: latest.json cannot lead out of the mirror', async (t) => {
  const root = await temporaryFolder(t);
  const folder = new SettlementFolder(join(root, 'mirror'));
  const { body } = listing();
  await writeFile(join(root, 'secret.json'), body);
  for (const path of ['../secret.json', join(root, 'secret.json'), 'x/../../secret.json']) {
    const { latest } = listing();
    const files = latest.files.map((file) => ({ ...file, path }));
    await folder.setLatest({ ...latest, files });
    await assert.rejects(mirroredListing(folder.read, TRUST, 'jobs', NOW), { code: 'refused' });
  }
});

test('settlement mirror: another host', async (t) => {
  const { body, path, latest, kit } = listing();
  const asked: string[] = [];
  const base = await host(t, ({ url = '' }, response) => {
    asked.push(url);
    if (url === '/m/latest.json') response.end(JSON.stringify(latest));
    else if (url === `/m/${path}`) response.end(body);
    else response.writeHead(404).end('no');
  });
  for (const address of [`${base}/m`, `${base}/m/`]) {
    const read = mirrorAt(address, 5000);
    assert.deepEqual((await mirroredListing(read, TRUST, 'jobs', NOW))?.kit, kit);
    assert.equal(await read('2026-07-31/jobs.json'), undefined, '404');
    asked.length = 0;
    for (const bad of BAD) assert.equal(await read(bad), undefined, bad);
    assert.deepEqual(asked, [], 'a path that could lead out is not even asked for');
  }
});

test('settlement mirror: a host that is broken, endless, moved or silent throws', async (t) => {
  const base = await host(t, ({ url = '' }, response) => {
    switch (url.slice(1)) {
      case 'broken.json':
        response.writeHead(500).end('oops');
        break;
      case 'moved.json':
        response.writeHead(302, { location: '/there.json' }).end();
        break;
      case 'there.json':
        response.end('{}');
        break;
      case 'large.json':
        response.write(Buffer.alloc(4_194_305));
        response.end();
        break;
      case 'most.json':
        response.end(Buffer.alloc(4_194_304));
        break;
      case 'endless.json': {
        const timer = setInterval(() => response.write(Buffer.alloc(1_048_576)), 1);
        response.on('close', () => clearInterval(timer));
        break;
      }
      case 'cut.json':
        response.writeHead(200, { 'content-length': '100' }).write('{');
        setTimeout(() => response.destroy(), 20);
        break;
      case 'slow.json':
        response.writeHead(200).write('{');
        break;
      default:
        break; // no answer at all
    }
  });
  const read = mirrorAt(base, 5000);
  await assert.rejects(read('broken.json'), { code: 'unreachable' });
  await assert.rejects(read('moved.json'));
  await assert.rejects(read('large.json'), { code: 'too_large' });
  await assert.rejects(read('endless.json'), { code: 'too_large' });
  await assert.rejects(read('cut.json'));
  assert.equal((await read('most.json'))?.length, 4_194_304);
  const hasty = mirrorAt(base, 100);
  await assert.rejects(hasty('slow.json'), { code: 'timeout' });
  await assert.rejects(hasty('silent.json'), { code: 'timeout' });
  await assert.rejects(mirrorAt('http://127.0.0.1:1', 5000)('latest.json'));
});

test('settlement mirror: the first that has it, past those that fail', async () => {
  const broken: MirrorReader = () => Promise.reject(new Error('EIO'));
  const [empty, full] = [reader({}), reader({ 'a.json': 'a' })];
  const textOf = async (readers: readonly MirrorReader[]): Promise<string | undefined> => {
    const bytes = await firstMirror(readers)('a.json');
    return bytes && Buffer.from(bytes).toString();
  };
  assert.equal(await textOf([broken, empty, full, broken]), 'a');
  assert.equal(await textOf([empty]), undefined);
  assert.equal(await textOf([]), undefined);
  await assert.rejects(textOf([empty, broken, empty]), /EIO/, 'that it is nowhere, nobody can say');
});

test('settlement mirror: what a Close writes is a listing for whoever reads it', async (t) => {
  const root = await temporaryFolder(t);
  const world = await closesWorld(root);
  await world.week(0);
  const found = await mirroredListing(world.mirror.read, TRUST, 'layoffs', world.closeParts.now());
  assert.deepEqual([found?.kit?.period, found?.day], ['2026-07-11', '2026-07-09']);
  const hidden = await mirroredListing(
    world.mirror.read,
    TRUST,
    'hidden-level',
    world.closeParts.now(),
  );
  assert.deepEqual([hidden?.kit, hidden?.no_kit], [null, 'The level is withheld.']);
});

test('settlement mirror: a Close is too old for kits on the fourth day after it', async () => {
  const { body, path, latest, kit } = listing();
  const read = reader({ 'latest.json': JSON.stringify(latest), [path]: body });
  const kitAt = async (time: string) =>
    (await mirroredListing(read, TRUST, 'jobs', parseTime(time)))?.kit;
  assert.deepEqual(await kitAt('2026-08-02T23:59:59Z'), kit);
  await assert.rejects(kitAt('2026-08-03T00:00:00Z'), { code: 'out_of_range' });
  const none = { ...latest, day: 'yesterday' };
  const broken = reader({ 'latest.json': JSON.stringify(none), [path]: body });
  await assert.rejects(mirroredListing(broken, TRUST, 'jobs', NOW));
});

test('settlement mirror: a file that is named, JSON or CSV, with its hash and no other', async () => {
  const { body, path, latest } = listing();
  const csv = latest.files[0]?.csv.path ?? '';
  const index = JSON.stringify(latest);
  const whole = reader({ 'latest.json': index, [path]: body, [csv]: CSV, 'other.json': '{}' });
  assert.deepEqual(await mirroredFile(whole, TRUST, path), body);
  assert.deepEqual(await mirroredFile(whole, TRUST, csv), CSV);
  assert.equal(await mirroredFile(whole, TRUST, 'other.json'), undefined);
  for (const [name, files] of [
    [path, { [path]: Buffer.concat([body, CSV]) }],
    [csv, { [csv]: 'period,value' }],
    [csv, {}],
  ] as const) {
    const read = reader({ 'latest.json': index, ...files });
    await assert.rejects(mirroredFile(read, TRUST, name), { code: 'blob_differs' });
  }
  await assert.rejects(mirroredFile(reader({}), TRUST, path), { code: 'not_found' });
});

test('settlement mirror: an index that its Close does not say, or that nobody signed', async () => {
  const { body, path, latest } = listing();
  const [file] = latest.files as [LatestFile];
  const { close } = latest;
  const kitOf = async (change: object, reportKey: Uint8Array | undefined) => {
    const index = JSON.stringify({ ...latest, ...change });
    const read = reader({ 'latest.json': index, [path]: body });
    return (await mirroredListing(read, { ...TRUST, reportKey }, 'jobs', NOW))?.kit?.ticker;
  };
  assert.equal(await kitOf({}, REPORT_SIGNER.publicKey), 'jobs');
  await assert.rejects(kitOf({}, undefined), { code: 'refused' }, 'no key to check it with');
  const log = '33'.repeat(32);
  for (const change of [
    { day: '2026-07-31' },
    { version: 1 },
    { files: [{ ...file, sha256: '00'.repeat(32) }] },
    { files: [{ ...file, csv: { ...file.csv, sha256: '00'.repeat(32) } }] },
    { close: { ...close, log } },
    { close: { ...close, signature: '00'.repeat(64) } },
    { close: { ...close, content: { ...close.content, day: '2026-07-29' } }, day: '2026-07-29' },
  ]) {
    for (const key of [REPORT_SIGNER.publicKey, undefined]) {
      await assert.rejects(kitOf(change, key), { code: 'refused' }, JSON.stringify(change));
    }
  }
  await assert.rejects(kitOf({}, new Uint8Array(32)), { code: 'refused' }, 'another key');
});

test('settlement mirror: an index is relayed as it is, and with the files that it names', async () => {
  const { body, path, latest } = listing();
  const csv = latest.files[0]?.csv.path ?? '';
  const index = JSON.stringify(latest);
  const files = { 'latest.json': index, [path]: body, [csv]: CSV };
  assert.equal(String(await mirroredLatest(reader(files), TRUST)), index);
  const asked: string[] = [];
  const counted: MirrorReader = (each) => {
    asked.push(each);
    return reader(files)(each);
  };
  const known = await mirroredLatest(counted, TRUST);
  assert.deepEqual(asked.splice(0), ['latest.json', path]);
  assert.equal(String(await mirroredLatest(counted, TRUST, known)), index);
  assert.deepEqual(asked.splice(0), ['latest.json'], 'the same index is checked once');
  await mirroredLatest(counted, TRUST, Buffer.from('{}'));
  assert.deepEqual(asked, ['latest.json', path]);
  const withFiles = (change: Partial<LatestFile>): string => {
    const [file] = latest.files as [LatestFile];
    return JSON.stringify({ ...latest, files: [{ ...file, ...change }] });
  };
  const other = listing({ index: { ticker: 'jobs', slug: 'cpi', format: 'count' } });
  const cases: Readonly<Record<string, Readonly<Record<string, string | Uint8Array | undefined>>>> =
    {
      'nothing there': {},
      'a page of HTML': { ...files, 'latest.json': '<html>' },
      'another slug': { ...files, 'latest.json': withFiles({ slug: 'layoffs' }) },
      'another index for its file': { ...files, 'latest.json': withFiles({ ticker: 'LAYOFFS' }) },
      'a file that is not there': { 'latest.json': index, [csv]: CSV },
      'a file of another index': {
        'latest.json': JSON.stringify(other.latest),
        [other.path]: other.body,
      },
    };
  for (const [name, each] of Object.entries(cases)) {
    await assert.rejects(mirroredLatest(reader(each), TRUST), name);
  }
  for (const reportKey of [undefined, new Uint8Array(32)]) {
    const trust = { ...TRUST, reportKey };
    await assert.rejects(mirroredLatest(reader(files), trust), { code: 'refused' });
  }
});

test('settlement mirror: a kit of it has no strike that every print meets', async () => {
  const strikesOf = async (format: string): Promise<readonly string[] | undefined> => {
    const { kit } = listing();
    const { body, path, latest } = listing({
      index: { ticker: 'jobs', slug: 'us-jobs', format },
      kit: { ...kit, decimals: 1, strikes: ['-1.0', '0.0', '0.1', '5.0'] },
    });
    const read = reader({ 'latest.json': JSON.stringify(latest), [path]: body });
    return (await mirroredListing(read, TRUST, 'jobs', NOW))?.kit?.strikes;
  };
  assert.deepEqual(await strikesOf('count'), ['0.1', '5.0']);
  assert.deepEqual(await strikesOf('usd'), ['0.1', '5.0']);
  assert.deepEqual(await strikesOf('percent'), ['-1.0', '0.0', '0.1', '5.0']);
});
