import assert from 'node:assert/strict';
import { rmSync } from 'node:fs';
import { mkdtemp, readdir, readFile, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Writable } from 'node:stream';
import { test } from 'node:test';
import { commitmentOf } from '@assay/core/hash/commitment';
import { toHashHex } from '@assay/core/hash/hash';
import type { ClosePayload } from '@assay/core/answer/close';
import type { IndexDetailPayload } from '@assay/core/answer/index';
import type { ReportPayload } from '@assay/core/answer/report';
import { parseRule, type Rule } from '@assay/core/rule/rule';
import { parseTime } from '@assay/core/time/time';
import { formatTilePath, tilesOf } from '@assay/core/log/tile';
import { wire } from '@assay/core/wire/wire';
import { makeBundle } from '@assay/verifier/client/bundle-maker';
import { httpReader } from '@assay/cli/reader/http-reader';
import { runClose } from '@assay/node/day/close-round';
import { dataFolder } from '@assay/node/platform/data-folder';
import { claimsCsv, claimsJson } from './fixture/claims-pages.ts';
import { initData, NO_POLICIES } from '@assay/node/data/init';
import { openLevelStore } from '@assay/node/ledger/store/level-store';
import { nodeSha256 } from '@assay/node/platform/node-sha256';
import { nodeVerifySignatureAsync } from '@assay/node/platform/node-signature';
import { startNode } from '@assay/node/node';
import { openData } from '@assay/node/data/open-data';
import { enactRule } from '@assay/node/rule/rule-file';
import { SettlementFolder } from '@assay/node/day/settlement-mirror';
import type { Source } from '@assay/node/source/source';
import { OPEN_POLICY } from '@assay/verifier/verdict/policy';
import { verify } from '@assay/verifier/verify';
import { pino } from 'pino';
import { assay } from '../cli/fixture/run.ts';
import { HIDDEN_RULE } from './fixture/closes-world.ts';
import { type Exhibit, findLeaks, formsOfLevel, formsOfSalt } from './fixture/leak-search.ts';
import { rowsOf, rowText } from './ledger/ledger-fixture.ts';
import { CLAIMS_RULE, page, weeksOf } from './fixture/round-fixture.ts';
import { NO_ANCHORING } from './fixture/no-anchoring.ts';

const FIRST = { applies_from: '2026-07-04' };
const OPEN: Rule = withMembers(CLAIMS_RULE, FIRST);
const HIDDEN: Rule = withMembers(HIDDEN_RULE, FIRST);

function withMembers(rule: Rule, change: object): Rule {
  return parseRule(nodeSha256, wire({ ...rule, ...change }));
}

/** Weeks, their releases, a level that is published and, in the same places, one that is not. */
const WEEKS: readonly (readonly [string, string, number, number])[] = [
  ['2026-07-04', '2026-07-09', 123_456_781_098, 987_654_321_098],
  ['2026-07-11', '2026-07-16', 123_456_785_098, 987_654_328_098],
  ['2026-07-18', '2026-07-23', 123_456_780_098, 987_654_320_098],
  ['2026-07-25', '2026-07-30', 123_456_789_098, 987_654_350_098],
];
/** Levels that come to no final: two reads that differ, and one on a page that no rule can read. */
const STRAY = [987_654_361_098, 987_654_372_098, 987_654_383_098];

const HIDDEN_LEVELS = [...WEEKS.map(([, , , level]) => level), ...STRAY].map(BigInt);
const OPEN_LEVELS = WEEKS.map(([, , level]) => BigInt(level));

interface Lived {
  /** Everything that is served or stored, by what it belongs to. */
  readonly exhibits: ReadonlyMap<string, readonly Exhibit[]>;
  readonly openings: readonly Exhibit[];
  readonly details: IndexDetailPayload;
  readonly reports: readonly ReportPayload[];
  readonly close: ClosePayload;
  readonly csv: string;
  readonly kit: { readonly error: string; readonly detail: string };
  readonly notChecked: readonly string[];
  readonly outcomes: readonly string[];
}

async function filesBelow(folder: string, skip: readonly string[] = []): Promise<Exhibit[]> {
  const found: Exhibit[] = [];
  for (const name of await readdir(folder, { recursive: true })) {
    const full = join(folder, name);
    if (skip.some((each) => name === each || name.startsWith(`${each}/`))) continue;
    if ((await stat(full)).isFile()) found.push({ place: name, bytes: await readFile(full) });
  }
  return found;
}

async function live(home: string): Promise<Lived> {
  let now = parseTime('2026-07-01T00:00:00Z');
  const at = (time: string): void => {
    now = parseTime(time);
  };
  const clock = (): number => now;
  const folder = dataFolder(join(home, 'data'));
  await initData(folder, nodeSha256, clock, {
    origin: 'development/withheld',
    passphrase: undefined,
    policies: NO_POLICIES,
  });
  const shown: Record<'sample' | 'hidden', Record<string, number>> = { sample: {}, hidden: {} };
  const instead = new Map<string, string>();
  const source: Source = {
    read({ url }) {
      const { hostname } = new URL(url);
      const text = instead.get(hostname);
      if (text !== undefined) return Promise.resolve(page(text));
      const weeks = weeksOf(url.includes('.hidden.') ? shown.hidden : shown.sample);
      return Promise.resolve(page(url.endsWith('.csv') ? claimsCsv(weeks) : claimsJson(weeks)));
    },
  };
  const lines: Buffer[] = [];
  const log = pino(
    { level: 'trace' },
    new Writable({
      write(chunk: Buffer, _encoding, done) {
        lines.push(Buffer.from(chunk));
        done();
      },
    }),
  );
  const data = await openData(folder, nodeSha256, { passphrase: undefined });
  const settlements = new SettlementFolder(folder.mirror);
  const node = await startNode({
    ledger: {
      store: data.store,
      guard: data.guard,
      signed: data.signed,
      signer: data.checkpoints,
      askHeads: null,
    },
    blobs: data.blobs,
    openings: data.openings,
    settlements,
    places: { publicUrl: null, mirrorUrl: null },
    source,
    reportSigner: data.report,
    sha256: nodeSha256,
    now: clock,
    log,
    host: '127.0.0.1',
    port: 0,
    transport: 'node',
    server: {},
    quotas: { default: 100_000, log: 100_000 },
    metrics: true,
    pollMs: 3_600_000,
    notice: null,
    ...NO_ANCHORING,
    limits: { degradedAfterS: 3600, haltedAfterS: 7200 },
    async prepare(ledger, scheduler) {
      await enactRule(ledger, nodeSha256, OPEN);
      await enactRule(ledger, nodeSha256, HIDDEN);
      const close = () =>
        runClose({
          ledger,
          signer: data.report,
          mirror: settlements,
          sha256: nodeSha256,
        });
      for (const [period, release, claims, level] of WEEKS) {
        shown.sample[period] = claims;
        shown.hidden[period] = level;
        at(`${release}T12:30:00Z`);
        await scheduler.runDue();
        at(`${release}T14:30:00Z`);
        await scheduler.runDue();
        now += 9 * 3600 + 1810;
        await close();
      }
      // The week after has reads that differ, and then a page that no rule can read.
      const [first, second, third] = STRAY as [number, number, number];
      at('2026-08-06T12:30:00Z');
      instead.set('claims.hidden.invalid', `week_ending,claims\n2026-08-01,${first}\n`);
      instead.set(
        'mirror.hidden.invalid',
        `{"weeks":[{"week_ending":"08/01/2026","initial_claims_sa":"${second}"}]}`,
      );
      await scheduler.runDue();
      instead.set('claims.hidden.invalid', `<html>${third}</html>`);
      at('2026-08-06T13:30:00Z');
      await scheduler.runDue();
      at('2026-08-07T00:00:10Z');
      await close();
    },
  });
  const base = `http://127.0.0.1:${node.port}`;
  const answers: Exhibit[] = [];
  const get = async (path: string): Promise<Buffer> => {
    const response = await fetch(`${base}${path}`);
    const body = Buffer.from(await response.arrayBuffer());
    const headers = Buffer.from(JSON.stringify([...response.headers]));
    answers.push({ place: path, bytes: Buffer.concat([headers, body]) });
    return body;
  };
  const json = async <T>(path: string): Promise<T> => JSON.parse((await get(path)).toString()) as T;
  const details = await json<IndexDetailPayload>('/indices/hidden');
  const reports: ReportPayload[] = [];
  for (const { period } of details.periods) {
    reports.push(await json<ReportPayload>(`/indices/hidden/report?period=${period}`));
    await get(`/indices/LAYOFFS/report?period=${period}`);
  }
  const csv = (await get('/indices/hidden/history.csv')).toString();
  const kit = await json<Lived['kit']>('/indices/hidden/listing.json');
  for (const path of [
    '/indices',
    '/indices/LAYOFFS',
    '/indices/LAYOFFS/history.csv',
    '/indices/LAYOFFS/listing.json',
    '/indices/LAYOFFS/rule',
    '/indices/hidden/rule',
    '/indices/hidden/report',
    '/indices/hidden/nothing',
    '/.well-known/assay-signer.json',
    '/status',
    '/metrics',
    '/openapi.json',
    '/docs',
    '/llms.txt',
    '/checkpoint',
    '/openings',
  ]) {
    await get(path);
  }
  const closes: ClosePayload[] = [];
  for (const day of ['2026-07-09', '2026-07-16', '2026-07-23', '2026-07-30', '2026-08-06']) {
    const close = await json<ClosePayload>(`/indices/close?day=${day}`);
    closes.push(close);
    for (const { path } of close.content.files) await get(`/settlement/${path}`);
  }
  for (const tile of tilesOf(node.ledger.published?.size ?? 0))
    await get(`/${formatTilePath(tile)}`);
  for await (const hash of data.blobs.list()) await get(`/blob/${hash}`);
  const reader = httpReader(base);
  const bundles: Exhibit[] = [];
  for (const index of ['hidden', 'LAYOFFS']) {
    const bytes = await makeBundle(reader, { index, period: '2026-07-25' }, nodeSha256);
    bundles.push({ place: `${index}.json`, bytes });
  }
  const verdict = await verify({ kind: 'log', reader }, OPEN_POLICY, {
    environment: { sha256: nodeSha256, verifySignature: nodeVerifySignatureAsync },
  });
  await node.close();
  const out = join(home, 'export');
  const ran = await assay(home, ['export', folder.root, '-o', out]);
  assert.equal(ran.code, 0, ran.err);
  const checks = [await assay(home, ['verify', out]), await assay(home, ['verify', folder.root])];
  const store = await openLevelStore(folder.ledger);
  const rows = await rowsOf(store);
  await store.close();
  const spoken = [ran, ...checks].map(({ out: text, err }) => Buffer.from(text + err));
  return {
    exhibits: new Map<string, readonly Exhibit[]>([
      ['API', answers],
      ['log lines', lines.map((bytes, i) => ({ place: `line ${i}`, bytes }))],
      ['data folder', await filesBelow(folder.root, ['openings', 'ledger'])],
      ['database files', await filesBelow(folder.ledger)],
      [
        'database rows',
        rows.map((row) => ({ place: rowText(row).slice(0, 60), bytes: rowBytes(row) })),
      ],
      ['export', await filesBelow(out)],
      ['bundles', bundles],
      [
        'verdicts',
        [...spoken, Buffer.from(JSON.stringify(verdict))].map((bytes, i) => ({
          place: `${i}`,
          bytes,
        })),
      ],
    ]),
    openings: await filesBelow(folder.openings),
    details,
    reports,
    close: closes[3] as ClosePayload,
    csv,
    kit,
    notChecked: verdict.not_checked.map(({ what }) => what),
    outcomes: [verdict.outcome, ...checks.map(({ code }) => String(code))],
  };
}

function rowBytes(row: Awaited<ReturnType<typeof rowsOf>>[number]): Uint8Array {
  if (row.part === 'view') return row.value;
  return row.part === 'unknown' ? row.key : row.bytes;
}

const home = await mkdtemp(join(tmpdir(), 'assay-withheld-'));
process.once('exit', () => rmSync(home, { recursive: true, force: true }));
const lived = await live(home);
const opened = lived.openings.map(({ place, bytes }) => {
  const raw = Buffer.from(Buffer.from(bytes).toString('latin1').trim(), 'hex');
  return { commitment: toHashHex(place), salt: raw.subarray(0, 32), value: raw.readBigInt64LE(32) };
});

test('withheld: a level that the publisher read is found nowhere but in its openings', () => {
  const forms = HIDDEN_LEVELS.flatMap(formsOfLevel);
  for (const [what, exhibits] of lived.exhibits) {
    assert.ok(exhibits.length > 0, what);
    assert.deepEqual(findLeaks(exhibits, forms), [], what);
  }
});

test('withheld: a salt is found nowhere but in the openings', () => {
  assert.ok(opened.length >= WEEKS.length);
  const forms = opened.flatMap(({ salt }) => formsOfSalt(salt));
  for (const [what, exhibits] of lived.exhibits) {
    assert.deepEqual(findLeaks(exhibits, forms), [], what);
  }
});

test('withheld: the same search finds a level that is published, wherever it is', () => {
  const forms = OPEN_LEVELS.flatMap(formsOfLevel);
  for (const what of [
    'API',
    'log lines',
    'data folder',
    'database files',
    'database rows',
    'export',
    'bundles',
  ]) {
    const exhibits = lived.exhibits.get(what) ?? [];
    assert.notEqual(findLeaks(exhibits, forms).length, 0, what);
  }
  const all = findLeaks(
    ['API', 'data folder', 'bundles'].flatMap((what) => lived.exhibits.get(what) ?? []),
    forms,
  ).join('\n');
  for (const place of [
    '/indices/LAYOFFS/history.csv: text',
    '/indices/close?day=2026-07-30: text',
    '/settlement/2026-07-30/LAYOFFS.json: text',
    '/settlement/2026-07-30/LAYOFFS.csv: text',
    '/tile/entries/',
    '/blob/',
    'mirror/2026-07-30/LAYOFFS.json',
    'LAYOFFS.json: text 123456789098, base64',
    // The print message has it as i64, and the answer shows that in hex.
    'i64 little endian, hex',
    // The mirror's page has it grouped.
    'text 123,456,789,098',
  ]) {
    assert.ok(all.includes(place), place);
  }
});

test('withheld: the same search finds the levels and the salts where they are kept', () => {
  for (const { value } of opened) {
    assert.notEqual(findLeaks(lived.openings, formsOfLevel(value)).length, 0, String(value));
  }
  for (const { salt } of opened) {
    assert.notEqual(findLeaks(lived.openings, formsOfSalt(salt)).length, 0);
  }
});

test('withheld: every form of a level is found when it is there', () => {
  const forms = formsOfLevel(987_654_321_098n);
  const [be, le] = [Buffer.alloc(8), Buffer.alloc(8)];
  be.writeBigInt64BE(987_654_321_098n);
  le.writeBigInt64LE(987_654_321_098n);
  const planted: readonly (readonly [string, Buffer])[] = [
    ['JSON', Buffer.from('{"value":987654321098}')],
    ['JSON text', Buffer.from('{"value":"987654321098"}')],
    ['grouped', Buffer.from('a 987,654,321,098 b')],
    ['thin spaces', Buffer.from('987\u202f654\u202f321\u202f098')],
    ['a double', Buffer.from('9.87654321098e+11')],
    ['bytes', Buffer.concat([Buffer.from('x'), le, Buffer.from('y')])],
    ['other bytes', be],
    ['hex', Buffer.from(`00${le.toString('hex')}11`)],
    ['four bytes of it are not enough', be.subarray(4)],
    ...[0, 1, 2].map((shift): readonly [string, Buffer] => [
      `base64 at ${shift}`,
      Buffer.from(Buffer.from(`${'x'.repeat(shift)}"987654321098",`).toString('base64')),
    ]),
    ...[0, 1, 2].map((shift): readonly [string, Buffer] => [
      `base64 of bytes at ${shift}`,
      Buffer.from(Buffer.concat([Buffer.alloc(shift, 7), le]).toString('base64')),
    ]),
  ];
  for (const [name, bytes] of planted) {
    const found = findLeaks([{ place: name, bytes }], forms);
    assert.equal(found.length > 0, !name.startsWith('four bytes'), name);
  }
});

test('withheld: what is shown is a commitment, z and band', () => {
  const { details, reports, csv, kit, close } = lived;
  const finals = reports.filter(({ report }) => report?.status === 'final');
  assert.equal(finals.length, WEEKS.length);
  for (const { report } of finals) {
    assert.deepEqual(
      [report.value, report.dispersion, report.withheld, report.settleable],
      [null, null, true, false],
    );
    assert.ok(report.reads.every(({ value, retain }) => value === null && retain === 'none'));
  }
  const newest = details.periods.find(({ period }) => period === '2026-07-25');
  assert.equal(newest?.value, null);
  assert.equal(newest.settlement_value, null);
  assert.equal(newest.withheld, true);
  assert.match(newest.commitment ?? '', /^[0-9a-f]{64}$/);
  assert.notEqual(newest.z, null);
  assert.notEqual(newest.band, null);
  assert.equal(details.periods[0]?.status, 'provisional');
  const row = csv.split('\n').find((line) => line.startsWith('hidden,2026-07-25,'));
  assert.equal(row, `hidden,2026-07-25,,,,,${newest.band},${newest.z?.toFixed(1)},,,`);
  assert.deepEqual([kit.error, kit.detail], ['no_kit', 'The level is withheld.']);
  assert.deepEqual(
    close.indices.map(({ ticker, withheld, value_decimal: value }) => [ticker, withheld, value]),
    [
      ['hidden', true, null],
      ['LAYOFFS', false, '123456789098'],
    ],
  );
});

test('withheld: the log is verified, and what cannot be run again is named', () => {
  assert.deepEqual(lived.outcomes, ['verified', '0', '0']);
  const named = lived.notChecked.filter((what) => what.startsWith('not_reexecutable'));
  assert.equal(named.length, 1);
  assert.match(named[0] ?? '', /levels and z of hidden/);
});

test('withheld: the export has the newest Close and its files, and is verified with them', () => {
  const places = (lived.exhibits.get('export') ?? []).map(({ place }) => place);
  for (const file of [
    'indices/close.json',
    'indices/close/2026-08-06.json',
    'settlement/2026-08-06/LAYOFFS.json',
    'settlement/2026-08-06/hidden.csv',
  ]) {
    assert.ok(places.includes(file), file);
  }
});

test('withheld: the openings open the commitments of the reports', () => {
  for (const { commitment, salt, value } of opened) {
    assert.equal(commitmentOf(nodeSha256, salt, value), commitment);
  }
  for (const [i, [period]] of WEEKS.entries()) {
    const report = lived.reports.find((each) => each.report?.period === period)?.report;
    const opening = opened.find(({ commitment }) => commitment === report?.commitment);
    assert.equal(opening?.value, HIDDEN_LEVELS[i], period);
  }
});
