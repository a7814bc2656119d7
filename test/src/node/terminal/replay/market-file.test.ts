import assert from 'node:assert/strict';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';
import { gzipSync } from 'node:zlib';
import { Fault } from '@assay/core/fault';
import { formatTime, parseTime } from '@assay/core/time/time';
import { LineReader } from '@assay/node/terminal/replay/line-reader';
import { MarketFile, marketSymbol, scanMarketFile } from '@assay/node/terminal/replay/market-file';
import { CRYPTO_FORMAT } from '@assay/node/terminal/replay/market-formats';
import { temporaryFolder } from '../../ledger/ledger-fixture.ts';

const HEADER = 'close_time,close,volume';

test('market file: the symbol is the name without its quote', () => {
  const names = [
    ['/a/BTCUSDT.15m.csv.gz', 'BTC'],
    ['1000PEPEUSDT.15m.csv', '1000PEPE'],
    ['TUSDT.15m.csv', 'T'],
    ['README.md', undefined],
    ['BTCUSDT.1h.csv', undefined],
  ] as const;
  for (const [name, symbol] of names) assert.equal(marketSymbol(name, CRYPTO_FORMAT), symbol);
  assert.equal(marketSymbol('USDT.15m.csv', { ...CRYPTO_FORMAT, quote: '' }), 'USDT');
  assert.throws(() => marketSymbol('btcUSDT.15m.csv', CRYPTO_FORMAT), { code: 'malformed' });
});

test('market file: what a whole file holds', async (t) => {
  const path = join(await temporaryFolder(t), 'XUSDT.15m.csv');
  const rows = [
    '2025-01-01T00:15:00Z,7,0',
    '2025-01-01T00:30:00Z,0.50,12.125',
    '2025-01-03T00:00:00Z,10.5,3.1',
  ];
  const text = `${[HEADER, ...rows].join('\n')}\n`;
  await writeFile(path, text);
  const { extent, ...summary } = await scanMarketFile(path, CRYPTO_FORMAT);
  assert.deepEqual([extent.priceDecimals, extent.volumeDecimals], [2, 3]);
  assert.deepEqual([extent.price, extent.volume], [10.5, 12.125]);
  assert.deepEqual(summary, {
    path,
    symbol: 'X',
    decimals: 2,
    first: parseTime('2025-01-01T00:15:00Z'),
    last: parseTime('2025-01-03T00:00:00Z'),
    rows: 3,
    outliers: [],
  });
  // Cut in its last number, or before its last newline: it might have gone on.
  for (const cut of [2, 1]) {
    await writeFile(path, text.slice(0, -cut));
    await assert.rejects(scanMarketFile(path, CRYPTO_FORMAT), {
      code: 'malformed',
      at: `${path}: line 4`,
    });
  }
});

test('market file: each row in turn, the close unchanged, whole days of volume alone', async (t) => {
  const path = join(await temporaryFolder(t), 'XUSDT.15m.csv.gz');
  const start = parseTime('2024-02-28T00:15:00Z');
  // Larger than several pieces, over a leap day and the end of a month.
  const lines = Array.from({ length: 12_000 }, (_, i) => {
    const time = new Date((start + 900 * i) * 1000).toISOString().replace('.000', '');
    return `${time},${(100 + (i % 7) / 10).toFixed(1)},${1000 + i}.5\n`;
  });
  await writeFile(path, gzipSync(`${HEADER}\n${lines.join('')}`));
  const file = new MarketFile(await scanMarketFile(path, CRYPTO_FORMAT), CRYPTO_FORMAT);
  let i = 0;
  for (;;) {
    if (!file.next()) await file.fill();
    if (Number.isNaN(file.ts)) break;
    assert.equal(file.ts, start + 900 * i);
    assert.equal(file.price, (100 + (i % 7) / 10).toFixed(1));
    assert.equal(file.volume24h === null, i < 91);
    i += 1;
  }
  assert.equal(i, lines.length);
});

test('market file: closes and volumes of any length, each as the decimal that it means', async (t) => {
  const path = join(await temporaryFolder(t), 'XUSDT.15m.csv');
  const start = parseTime('2025-01-01T00:15:00Z');
  const times = Array.from({ length: 96 }, (_, i) => formatTime(start + 900 * i));
  const rows = times.map((time) => `${time},121943.12000000001,5e11\n`);
  rows[3] = `${times[3]},1.2E+5,0.00000000000001\n`;
  rows[4] = `${times[4]},1.25e2x,0\n`;
  await writeFile(path, `${HEADER}\n${rows.join('')}`);
  await assert.rejects(scanMarketFile(path, CRYPTO_FORMAT), { at: `${path}: line 6` });
  // The last row, which is no outlier, far below the others.
  rows[4] = '';
  rows[95] = `${times[95]},1.25e-07,0\n`;
  await writeFile(path, `${HEADER}\n${rows.join('')}`);
  await assert.rejects(scanMarketFile(path, CRYPTO_FORMAT), {
    code: 'malformed',
    at: `${path}: line 96`,
    expected: /at most 10 decimals/,
  });
  rows[95] = `${times[95]},121943.12000000001,5e11\n`;
  rows[4] = `${times[4]},1.25e5,0\n`;
  await writeFile(path, `${HEADER}\n${rows.join('')}`);
  const summary = await scanMarketFile(path, CRYPTO_FORMAT);
  assert.equal(summary.decimals, 10);
  const file = new MarketFile(summary, CRYPTO_FORMAT);
  const prices: string[] = [];
  for (;;) {
    if (!file.next()) await file.fill();
    if (Number.isNaN(file.ts)) break;
    prices.push(file.price);
    // 94 rows of 60971560000000005 are above 2^53 - 1 from the first on.
    assert.equal(file.volume24h, null);
  }
  assert.deepEqual(prices.slice(2, 6), [
    '121943.12000000001',
    '120000',
    '125000',
    '121943.12000000001',
  ]);
});

test('market file: a bad row is named with its file and line', async (t) => {
  const folder = await temporaryFolder(t);
  const good = '2025-01-01T00:15:00Z,7.5,100';
  const bad = [
    ['2025-01-01T00:20:00Z,7.5,100', /a time of a tick/],
    ['2025-01-01T00:15:00Z,7.5,100', /after the one before/],
    ['2025-01-01T00:00:00Z,7.5,100', /after the one before/],
    ['2025-02-29T00:00:00Z,7.5,100', /a day of the calendar/],
    ['2025-01-01T24:00:00Z,7.5,100', /a time YYYY/],
    ['2025-01-01 00:30:00Z,7.5,100', /a time YYYY/],
    ['2025-01-0xT00:30:00Z,7.5,100', /a time YYYY/],
    ['2025-01-01T00:30:00,7.5,100', /a time that ends in Z/],
    ['2025-01-01T00:30:00Z;7.5,100', /a comma behind the time/],
    ['2025-01-01T00:30:00Z,7.5', /a comma behind the close/],
    ['2025-01-01T00:30:00Z,,100', /its close/],
    ['2025-01-01T00:30:00Z,-7.5,100', /its close/],
    ['2025-01-01T00:30:00Z,07.5,100', /its close/],
    ['2025-01-01T00:30:00Z,.5,100', /its close/],
    ['2025-01-01T00:30:00Z,7.,100', /its close/],
    ['2025-01-01T00:30:00Z,7.5e,100', /its close, which may have an exponent/],
    ['2025-01-01T00:30:00Z,7.5e3;100', /its close/],
    ['2025-01-01T00:30:00Z,7.5e100,100', /its close, .* at most 100 characters/],
    ['2025-01-01T00:30:00Z,7.5e3', /a comma behind the close/],
    [
      '2025-01-01T00:30:00Z,0.0000000000000000001,100',
      /a close of 0 or of 10000 units or more: at most 15 decimals/,
    ],
    ['2025-01-01T00:30:00Z,9007199254740992,100', /a close below 2\^53/],
    ['9999-01-01T00:00:00Z,7.5,100', /a time before 9999/],
    ['2025-01-01T00:30:00Z,7.5,', /its volume/],
    ['2025-01-01T00:30:00Z,7.5,100,1', /the end of the line/],
    ['2025-01-01T00:30:00Z,7.5,1e3,1', /the end of the line/],
    ['2025-01-01T00:30:00Z,7.5,100\r', /its volume/],
    [`2025-01-01T00:30:00Z,7.5,${'9'.repeat(101)}`, /its volume/],
    [`2025-01-01T00:30:00Z,7.5,0.${'0'.repeat(101)}`, /its volume/],
    ['', /a time YYYY/],
    ['x'.repeat(2000), /a time YYYY/],
  ] as const;
  const path = join(folder, 'XUSDT.15m.csv');
  for (const [line, expected] of bad) {
    await writeFile(path, `${HEADER}\n${good}\n${line}\n`);
    await assert.rejects(scanMarketFile(path, CRYPTO_FORMAT), (error) => {
      assert.ok(error instanceof Fault, String(error));
      assert.equal(error.code, 'malformed', line);
      assert.equal(error.at, `${path}: line 3`);
      assert.match(`${error.expected}`, expected, line);
      return true;
    });
  }
  await writeFile(path, `close,volume\n${good}\n`);
  await assert.rejects(scanMarketFile(path, CRYPTO_FORMAT), { at: `${path}: line 1` });
  for (const text of ['', `${HEADER}\n`]) {
    await writeFile(path, text);
    await assert.rejects(scanMarketFile(path, CRYPTO_FORMAT), { code: 'malformed' });
  }
});

test('market file: a gzip that was cut short is not a shorter market', async (t) => {
  const path = join(await temporaryFolder(t), 'XUSDT.15m.csv.gz');
  const bytes = gzipSync(`${HEADER}\n2025-01-01T00:15:00Z,7.5,100\n`);
  for (const cut of [bytes.subarray(0, -9), Buffer.concat([Buffer.from('no'), bytes])]) {
    await writeFile(path, cut);
    await assert.rejects(scanMarketFile(path, CRYPTO_FORMAT), { code: 'malformed', at: path });
  }
});

test('market file: anything behind a gzip is refused, and a second gzip is its rest', async (t) => {
  const path = join(await temporaryFolder(t), 'XUSDT.15m.csv.gz');
  const bytes = gzipSync(`${HEADER}\n2025-01-01T00:15:00Z,7.5,100\n`);
  const zeros = Buffer.alloc(100);
  for (const rest of [
    zeros,
    Buffer.concat([zeros, Buffer.from('GARBAGE')]),
    Buffer.from('GARBAGE'),
    // Larger than what is read at a time.
    Buffer.alloc(300_000),
  ]) {
    await writeFile(path, Buffer.concat([bytes, rest]));
    await assert.rejects(scanMarketFile(path, CRYPTO_FORMAT), { code: 'malformed', at: path });
  }
  await writeFile(path, Buffer.concat([bytes, gzipSync('2025-01-01T00:30:00Z,7.5,100\n')]));
  assert.equal((await scanMarketFile(path, CRYPTO_FORMAT)).rows, 2);
});

test('line reader: a line without an end is given up', async (t) => {
  const path = join(await temporaryFolder(t), 'long');
  await writeFile(path, 'x'.repeat(200_000));
  const lines = new LineReader(path);
  await assert.rejects(
    async () => {
      while (!lines.next()) await lines.fill();
    },
    { code: 'malformed', at: `${path}: line 1` },
  );
  lines.close();
  await assert.rejects(new LineReader(join(path, 'none')).fill(), { code: 'not_found' });
  const folder = new LineReader(await temporaryFolder(t));
  await assert.rejects(folder.fill(), { code: 'storage_failed' });
});
