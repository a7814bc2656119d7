import assert from 'node:assert/strict';
import { readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';
import { scoreRuleHash } from '@assay/core/terminal/score-rule';
import { parseTime } from '@assay/core/time';
import { dataFolder } from '@assay/node/data-folder';
import { nodeSha256 } from '@assay/node/node-sha256';
import { openReplayPlace } from '@assay/node/terminal/replay-place';
import { writeReplay } from '@assay/node/terminal/write-replay';
import { makeMarket } from '../../node/terminal/made-market.ts';
import { market, RULE, stepsOf } from '../../node/terminal/replay-world.ts';
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
    /^log {2}development\/replay, 1\d\d entries\nroot [0-9a-f]{64}\ncrypto: 2025-01-01T00:00:00Z to 2025-01-02T05:45:00Z\ncrypto: score rule 1, the one of replays; 1 source\n {14}recomputed {3}different\nentries +1\d\d +0\nrules +1 +0\nassets +2 +0\nsplits +0 +0\nticks +1\d\d +0\nleaves +2\d\d +0\nevents +0 +0\ncloses +0 +0\nreceipts +0 +0\nbenchmarks +0 +0\n$/,
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

test('receipts check: files that were cut say why they differ; lost leaves are no leaves', async (t) => {
  const folder = await scratch(t);
  const root = join(folder, 'market');
  await makeMarket(root, { symbols: ['BTC', 'ETH'], from: FROM, ticks: 20, seed: 8 });
  const made = await assay(folder, ['replay', '--market', 'market', '--data', 'data']);
  assert.equal(made.code, 0, made.err);
  const path = join(root, 'BTCUSDT.15m.csv');
  const text = await readFile(path, 'utf8');
  await writeFile(path, `${text}2025-01-03T00:00:00Z,1.23456,1\n`);
  const check = (...more: readonly string[]): ReturnType<typeof assay> =>
    assay(folder, ['receipts', 'check', '--data', 'data', '--market', 'market', ...more]);
  const cut = await check();
  assert.deepEqual([cut.code, cut.err], [1, '']);
  assert.match(cut.out, /\n {2}assets {2}entry 2 BTC\/decimals\n {4}expected {2}5\n/);
  assert.match(cut.out, /\n\nDecimals are the most of any close in a whole file: .*\n$/);
  await writeFile(path, text);
  await rm(join(folder, 'data', 'blobs'), { recursive: true });
  const lost = await check();
  assert.deepEqual([lost.code, lost.err], [1, '']);
  assert.match(lost.out, /\nleaves +\d\d +20\n/);
  assert.match(lost.out, /\n {4}expected {2}the bytes of [0-9a-f]{64}\n {4}found {5}nothing\n/);
  assert.doesNotMatch(lost.out, /Decimals/);
});

test('receipts check: a replay under another rule differs, unless the rule is named', async (t) => {
  const folder = await scratch(t);
  const root = await market(t, 60);
  await writeReplay(
    await openReplayPlace(dataFolder(join(folder, 'data')), nodeSha256),
    nodeSha256,
    (async function* () {
      yield* await stepsOf(root);
    })(),
  );
  const check = (...more: readonly string[]): ReturnType<typeof assay> =>
    assay(folder, ['receipts', 'check', '--data', 'data', '--market', root, ...more]);
  const other = await check();
  assert.deepEqual([other.code, other.err], [1, '']);
  assert.match(other.out, /, NOT the one of replays; 1 source\n/);
  assert.match(other.out, /\nrules +1 +1\n/);
  const hash = scoreRuleHash(nodeSha256, RULE);
  const named = await check('--rule', 'ab'.repeat(32), '--rule', hash);
  assert.deepEqual([named.code, named.err], [0, '']);
  assert.ok(named.out.includes(`${hash}, as named; 1 source\n`), named.out);
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
    ['check', '--market', 'm', '--data', 'd', '--rule', 'ab'],
  ]) {
    const { code, out } = await assay(folder, ['receipts', ...args]);
    assert.deepEqual([code, out], [2, ''], args.join(' '));
  }
  const url = await serve(t, siteOf(genesisLog('development/other')));
  const live = await assay(folder, ['receipts', 'check', '--market', 'm', '--url', url]);
  assert.deepEqual([live.code, live.out], [2, '']);
  assert.match(live.err, /development\/other is no replay/);
});
