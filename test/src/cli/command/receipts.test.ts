import assert from 'node:assert/strict';
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';
import { parseTime } from '@assay/core/time';
import { makeMarket } from '../../node/terminal/made-market.ts';
import { genesisLog, siteOf } from '../../verifier/published.ts';
import { assay, scratch, serve } from '../run.ts';

const FROM = parseTime('2025-01-01T00:00:00Z');

test('receipts check: a replay is recomputed from its files, and is not what others make', async (t) => {
  const folder = await scratch(t);
  const root = join(folder, 'market');
  await makeMarket(root, { symbols: ['BTC', 'ETH'], from: FROM, ticks: 120, seed: 8 });
  const made = await assay(folder, ['replay', '--market', 'market', '--data', 'data']);
  assert.equal(made.code, 0, made.err);
  const check = (...more: readonly string[]): ReturnType<typeof assay> =>
    assay(folder, ['receipts', 'check', '--data', 'data', ...more]);
  const good = await check('--market', 'market');
  assert.deepEqual([good.code, good.err], [0, '']);
  assert.match(
    good.out,
    /^crypto: score rule 1, the one of replays; 1 source\n {14}recomputed {3}different\nticks +1\d\d +0\nleaves +2\d\d +0\nevents +0 +0\ncloses +0 +0\nreceipts +0 +0\nbenchmarks +0 +0\n$/,
  );
  const path = join(root, 'BTCUSDT.15m.csv');
  const text = await readFile(path, 'utf8');
  await writeFile(
    path,
    text.replace(/(?<=T06:00:00Z,)\d/, (digit) => `${(Number(digit) % 9) + 1}`),
  );
  const other = await check('--market', 'market');
  assert.deepEqual([other.code, other.err], [1, '']);
  assert.match(other.out, /\nleaves +2\d\d +[1-9]/);
  assert.match(
    other.out,
    /\n {2}leaves {2}entry \d+ BTC\n {4}expected {2}score none, .*\n {4}found/,
  );
});

test('receipts check: what it is given must be understood, and be a replay', async (t) => {
  const folder = await scratch(t);
  for (const args of [
    [],
    ['check'],
    ['check', '--market', 'm'],
    ['check', '--data', 'd'],
    ['check', '--market', 'm', '--data', 'd', '--url', 'http://127.0.0.1:9'],
    ['check', '--market', 'm', '--url', 'file:///tmp'],
    ['list', '--market', 'm', '--data', 'd'],
  ]) {
    const { code, out } = await assay(folder, ['receipts', ...args]);
    assert.deepEqual([code, out], [2, ''], args.join(' '));
  }
  const url = await serve(t, siteOf(genesisLog('development/other')));
  const live = await assay(folder, ['receipts', 'check', '--market', 'm', '--url', url]);
  assert.deepEqual([live.code, live.out], [2, '']);
  assert.match(live.err, /development\/other is no replay/);
});
