import assert from 'node:assert/strict';
import { mkdir, rename, rm, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';
import { gzipSync } from 'node:zlib';
import { parseTime } from '@assay/core/time/time';
import { CRYPTO_FORMAT } from '@assay/node/terminal/replay/market-formats';
import {
  MarketFolder,
  type MarketInstant,
  type MarketSpan,
} from '@assay/node/terminal/replay/market-folder';
import { temporaryFolder } from '../../ledger/ledger-fixture.ts';
import { fileText, type MadeRow, makeMarket } from '../made-market.ts';

const FROM = parseTime('2025-01-01T00:00:00Z');
const ALL: MarketSpan = { from: 0, to: Number.POSITIVE_INFINITY };

async function instants(folder: MarketFolder, span: MarketSpan): Promise<readonly MarketInstant[]> {
  const all: MarketInstant[] = [];
  for await (const each of folder.instants(span)) all.push(each);
  return all;
}

/** Quote volume of a day in thousandths of thousandths, by whole numbers alone. */
function volumeOf(rows: readonly MadeRow[], ts: number): number | null {
  const day = rows.filter((row) => row.ts > ts - 86_400 && row.ts <= ts);
  if (day.length < 92) return null;
  const units = (text: string): bigint => BigInt(text.replace('.', ''));
  const sum = day.reduce((all, { close, volume }) => all + units(close) * units(volume), 0n);
  return Number((2n * sum + 10_000n) / 20_000n);
}

test('market folder: files are merged by time, each reading as its file has it', async (t) => {
  const root = join(await temporaryFolder(t), 'market');
  const symbols = ['AAA', 'B', '1000C', 'DD'];
  const { rows } = await makeMarket(root, { symbols, from: FROM, ticks: 400, seed: 3, gaps: 30 });
  await writeFile(join(root, 'README.md'), 'not a market');
  const folder = await MarketFolder.open(root, CRYPTO_FORMAT);
  assert.deepEqual(
    folder.files.map(({ symbol }) => symbol),
    ['1000C', 'AAA', 'B', 'DD'],
  );
  const times = [...new Set([...rows.values()].flat().map(({ ts }) => ts))].sort((a, b) => a - b);
  const expected = times.map((ts) => ({
    ts,
    readings: new Map(
      [...rows].flatMap(([symbol, all]) => {
        const row = all.find((each) => each.ts === ts);
        if (row === undefined) return [];
        return [[symbol, { price: row.close, volume24h: volumeOf(all, ts) }] as const];
      }),
    ),
  }));
  const found = await instants(folder, ALL);
  assert.deepEqual(found, expected);
  assert.deepEqual(
    [...(found[0]?.readings.keys() ?? [])],
    [...(expected[0]?.readings.keys() ?? [])],
  );
  assert.ok(
    found.some(({ readings }) => [...readings.values()].some((each) => each.volume24h === null)),
  );

  // A span has the same readings: the volume of its first day counts what came before.
  for (const span of [
    { from: FROM + 150 * 900, to: FROM + 300 * 900 },
    { from: FROM + 1, to: FROM + 901 },
    { from: FROM + 900 * 400, to: Number.POSITIVE_INFINITY },
    { from: 0, to: FROM },
  ]) {
    const some = expected.filter(({ ts }) => ts >= span.from && ts < span.to);
    assert.deepEqual(await instants(folder, span), some);
  }
});

test('market folder: an asset that comes late and one that ends early', async (t) => {
  const root = await temporaryFolder(t);
  const row = (k: number): MadeRow => ({ ts: FROM + 900 * k, close: '1.5', volume: '2' });
  const write = (name: string, rows: readonly MadeRow[]): Promise<void> =>
    writeFile(join(root, name), gzipSync(fileText(rows)));
  await write('OLDUSDT.15m.csv.gz', [row(0), row(1)]);
  await write('NEWUSDT.15m.csv.gz', [row(1), row(3)]);
  const found = await instants(await MarketFolder.open(root, CRYPTO_FORMAT), ALL);
  assert.deepEqual(
    found.map(({ ts, readings }) => [(ts - FROM) / 900, [...readings.keys()].join()]),
    [
      [0, 'OLD'],
      [1, 'NEW,OLD'],
      [3, 'NEW'],
    ],
  );
});

test('market folder: two files of an asset, or none at all, are refused', async (t) => {
  const root = join(await temporaryFolder(t), 'market');
  await makeMarket(root, { symbols: ['A', 'B'], from: FROM, ticks: 3, seed: 1 });
  await rename(join(root, 'BUSDT.15m.csv.gz'), join(root, 'AUSDT.15m.csv.gz'));
  await assert.rejects(MarketFolder.open(root, CRYPTO_FORMAT), { code: 'malformed', at: root });
  const empty = await temporaryFolder(t);
  await assert.rejects(MarketFolder.open(empty, CRYPTO_FORMAT), { code: 'not_found', at: empty });
});

test('market folder: a name that is nearly right, a folder, a link to nothing and no folder are refused', async (t) => {
  const root = join(await temporaryFolder(t), 'market');
  await makeMarket(root, { symbols: ['A'], from: FROM, ticks: 3, seed: 1 });
  // Neither of these looks like a market.
  await writeFile(join(root, 'README.md'), 'text');
  await mkdir(join(root, 'notes'));
  assert.equal((await MarketFolder.open(root, CRYPTO_FORMAT)).files.length, 1);
  for (const name of [
    'ETHUSDT-15m.csv',
    'SOLUSDT.15M.csv',
    'XRPUSDT.15m.csv.part',
    'BTCUSDT.csv.gz',
    'BTCUSDT.15m.gz',
    'btcUSDT.15m.csv',
  ]) {
    await writeFile(join(root, name), 'text');
    const at = join(root, name);
    await assert.rejects(MarketFolder.open(root, CRYPTO_FORMAT), { code: 'malformed', at });
    await rm(at);
  }
  const at = join(root, 'BTCUSDT.15m.csv');
  await mkdir(at);
  await assert.rejects(MarketFolder.open(root, CRYPTO_FORMAT), { code: 'malformed', at });
  await rm(at, { recursive: true });
  await symlink(join(root, 'gone'), at);
  await assert.rejects(MarketFolder.open(root, CRYPTO_FORMAT), { code: 'not_found', at });
  for (const none of [join(root, 'gone'), join(root, 'README.md')]) {
    await assert.rejects(MarketFolder.open(none, CRYPTO_FORMAT), { code: 'not_found', at: none });
  }
});

test('market folder: a file whose last row is the first of the span is read', async (t) => {
  const root = await temporaryFolder(t);
  const row = (k: number): MadeRow => ({ ts: FROM + 900 * k, close: '1.5', volume: '2' });
  await writeFile(join(root, 'AUSDT.15m.csv'), fileText([row(0), row(1)]));
  await writeFile(join(root, 'BUSDT.15m.csv'), fileText([row(0), row(3)]));
  const span = { from: FROM + 900, to: Number.POSITIVE_INFINITY };
  const found = await instants(await MarketFolder.open(root, CRYPTO_FORMAT), span);
  assert.deepEqual(
    found.map(({ ts, readings }) => [(ts - FROM) / 900, [...readings.keys()].join()]),
    [
      [1, 'A'],
      [3, 'B'],
    ],
  );
});
