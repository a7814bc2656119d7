import assert from 'node:assert/strict';
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';
import { parseTime } from '@assay/core/time/time';
import { makeMarket } from '../../node/terminal/made-market.ts';
import { assay, scratch } from '../fixture/run.ts';

const FROM = parseTime('2025-01-01T00:00:00Z');
const SYMBOLS = ['BTC', 'ETH', 'SOL'];

test('replay: a market into a log, again, further, and against other files', async (t) => {
  const folder = await scratch(t);
  const root = join(folder, 'market');
  await makeMarket(root, { symbols: SYMBOLS, from: FROM, ticks: 200, seed: 8 });
  const replay = (...more: readonly string[]): ReturnType<typeof assay> =>
    assay(folder, ['replay', '--market', 'market', '--data', 'data', ...more]);

  const first = await replay('--to', '2025-01-02');
  assert.deepEqual([first.code, first.err], [0, '']);
  assert.match(
    first.out,
    /^96 ticks of 3 assets, 0 events, 0 receipts, 0 benchmarks, 0 studies in \d+\.\d s\n101 entries appended of 101\nlog  [0-9a-f]{64}\nsize 101\nroot [0-9a-f]{64}\n$/,
  );
  const again = await replay('--to', '2025-01-02T00:00:00Z');
  const rest = (out: string): readonly string[] => out.split('\n').slice(2);
  assert.deepEqual(rest(again.out), rest(first.out));
  assert.match(again.out, /\n0 entries appended of 101\n/);
  const further = await replay();
  assert.match(further.out, /\n105 entries appended of 206\n/);

  const shorter = await replay('--to', '2025-01-02');
  assert.deepEqual(rest(shorter.out).slice(0, 3), rest(first.out).slice(0, 3));
  assert.deepEqual(rest(shorter.out).slice(3, -1), [
    'The log goes on behind these entries, from an earlier replay:',
    ...rest(further.out)
      .slice(1, 3)
      .map((line) => `log's ${line}`),
  ]);

  const path = join(root, 'BTCUSDT.15m.csv');
  const text = await readFile(path, 'utf8');
  await writeFile(
    path,
    text.replace(/(?<=T06:00:00Z,)\d/, (digit) => `${(Number(digit) % 9) + 1}`),
  );
  const other = await replay();
  assert.deepEqual([other.code, other.out], [3, '']);
  assert.match(
    other.err,
    /^assay replay: ledger at entry 29: expected tick\/1 of 2025-01-01T06:01:00Z as these files give it, found another entry, tick\/1 of 2025-01-01T06:01:00Z \[replay_differs\]\n$/,
  );
  await writeFile(path, `${text}2025-01-09T00:00:00Z,x,1\n`);
  const bad = await replay();
  assert.equal(bad.code, 3);
  assert.match(
    bad.err,
    /BTCUSDT\.15m\.csv: line \d+: expected a decimal without a sign as its close, .* \[malformed\]\n$/,
  );
});

test('replay: rows that were left out are told, by the replay and by the check of it', async (t) => {
  const folder = await scratch(t);
  const root = join(folder, 'market');
  await makeMarket(root, { symbols: SYMBOLS, from: FROM, ticks: 200, seed: 8, gaps: 1000 });
  const path = join(root, 'BTCUSDT.15m.csv');
  const text = await readFile(path, 'utf8');
  const spiked = (time: string, all: string): string => all.replace(`T${time}:00Z,`, '$&98');
  await writeFile(path, spiked('06:15', text));
  const one = await assay(folder, ['replay', '--market', 'market', '--data', 'data']);
  const place = 'BTC at 2025-01-01T06:15:00Z (market/BTCUSDT.15m.csv: line 27)';
  assert.equal(one.out.split('\n')[1], `1 row of the files left out as an outlier: ${place}`);
  const check = await assay(folder, ['receipts', 'check', '--market', 'market', '--data', 'data']);
  assert.equal(check.code, 0);
  assert.equal(check.out.split('\n')[2], `1 row of the files left out as an outlier: ${place}`);
  await writeFile(path, spiked('07:30', spiked('06:15', text)));
  const two = await assay(folder, ['replay', '--market', 'market', '--data', 'data2']);
  assert.equal(
    two.out.split('\n')[1],
    `2 rows of the files left out as outliers: the first is ${place}`,
  );
});

test('replay: files that are not there are reported with a code', async (t) => {
  const folder = await scratch(t);
  const none = await assay(folder, ['replay', '--market', 'none', '--data', 'data']);
  assert.deepEqual([none.code, none.out], [3, '']);
  assert.match(none.err, /^assay replay: market folder at none: .* \[not_found\]\n$/);
  const check = await assay(folder, ['receipts', 'check', '--market', 'm', '--data', 'none']);
  assert.deepEqual([check.code, check.out], [2, '']);
  assert.match(check.err, /^assay receipts check: none holds no data of a node\n/);
});

test('replay: what it is given must be understood', async (t) => {
  const folder = await scratch(t);
  for (const args of [
    [],
    ['--market', 'm'],
    ['--data', 'd'],
    ['--market', 'm', '--data', 'd', '--from', 'yesterday'],
    ['--market', 'm', '--data', 'd', '--to', '2025-02-30'],
    ['--market', 'm', '--data', 'd', 'more'],
    ['--market', 'm', '--data', 'd', '--from', '2025-03-02', '--to', '2025-03-01'],
    ['--market', 'm', '--data', 'd', '--from', '2025-03-02', '--to', '2025-03-02'],
  ]) {
    const { code, err } = await assay(folder, ['replay', ...args]);
    assert.equal(code, 2, args.join(' '));
    assert.match(err, /^assay replay: /);
  }
});
