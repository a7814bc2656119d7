import assert from 'node:assert/strict';
import { cp, mkdir, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { parseEntry } from '@assay/core/log/entry';
import { toHashHex } from '@assay/core/hash/hash';
import { formatHex } from '@assay/core/bytes/hex';
import { bodyParser } from '@assay/core/kind/kinds';
import { scoreRuleHash } from '@assay/core/terminal/rule/score-rule';
import { CRYPTO_REPLAY_RULE } from '@assay/core/terminal/rule/score-rules';
import type { TickDraft } from '@assay/core/terminal/terminal';
import { parseTime } from '@assay/core/time/time';
import { dataFolder } from '@assay/node/platform/data-folder';
import { nodeSha256 } from '@assay/node/platform/node-sha256';
import { openReplayPlace, replayGenesis } from '@assay/node/terminal/replay/replay-place';
import { TickRound } from '@assay/node/terminal/tick/tick-round';
import { writeReplay } from '@assay/node/terminal/replay/write-replay';
import { entriesOf } from '../../node/ledger/ledger-fixture.ts';
import { makeMarket } from '../../node/terminal/made-market.ts';
import { ALL, market, RULE, stepsOf } from '../../node/terminal/replay-world.ts';
import { SEED, START, tickWorld } from '../../node/terminal/tick-world.ts';
import { genesisLog, siteOf } from '../../verifier/fixture/published.ts';
import { assay, scratch, serve } from '../fixture/run.ts';

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
    /^log {2}development\/replay, 1\d\d entries\nroot [0-9a-f]{64}\ncrypto: 2025-01-01T00:00:00Z to 2025-01-02T05:45:00Z\ncrypto: score rule 2, the one of replays; 1 source\n {14}recomputed {3}different\nentries +1\d\d +0\nrules +1 +0\nassets +2 +0\nsplits +0 +0\nticks +1\d\d +0\nleaves +2\d\d +0\nevents +0 +0\ncloses +0 +0\nreceipts +0 +0\nbenchmarks +0 +0\nstudies +1 +0\n$/,
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
  assert.match(cut.out, /\n\nDecimals follow from every close of a whole file: .*\n$/);
  await writeFile(path, text);
  await rm(join(folder, 'data', 'blobs'), { recursive: true });
  const lost = await check();
  assert.deepEqual([lost.code, lost.err], [1, '']);
  assert.match(lost.out, /\nleaves +\d\d +20\n/);
  assert.match(lost.out, /\n {4}expected {2}the bytes of [0-9a-f]{64}\n {4}found {5}nothing\n/);
  assert.doesNotMatch(lost.out, /Decimals/);
});

test('receipts check: a replay of an earlier release, with its study of version 1, is recomputed and verified', async (t) => {
  const folder = await scratch(t);
  const root = join(folder, 'market');
  await makeMarket(root, { symbols: ['BTC', 'ETH'], from: FROM, ticks: 120, seed: 8 });
  const place = await openReplayPlace(dataFolder(join(folder, 'data')), nodeSha256);
  const steps = await stepsOf(root, ALL, CRYPTO_REPLAY_RULE);
  assert.equal(steps.at(-1)?.drafts[0]?.kind, 'study/1');
  await writeReplay(
    place,
    nodeSha256,
    (async function* () {
      yield* await Promise.resolve(steps);
    })(),
  );
  const check = ['receipts', 'check', '--data', 'data', '--market', 'market'];
  const good = await assay(folder, check);
  assert.deepEqual([good.code, good.err], [0, '']);
  assert.match(good.out, /\ncrypto: score rule 1, an earlier one of replays; 1 source\n/);
  assert.match(good.out, /\nstudies +1 +0\n$/);
  const verified = await assay(folder, ['verify', 'data']);
  assert.equal(verified.code, 0, verified.out);
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

/** A data folder with a log of live ticks, three days of them, and its openings and seed beside it. */
async function tickedFolder(
  t: TestContext,
  invented: (drafts: readonly TickDraft[]) => readonly TickDraft[] = () => [],
): Promise<string> {
  const folder = await scratch(t);
  const world = await tickWorld(t);
  await world.run(new TickRound(world.parts), 0, 3 * 96);
  const parse = bodyParser(nodeSha256);
  const drafts: TickDraft[] = [{ kind: 'genesis/1', body: replayGenesis(nodeSha256) }];
  for (const bytes of (await entriesOf(world.place.store)).slice(1)) {
    const { kind, body } = parseEntry(bytes);
    drafts.push(parse(kind, body) as TickDraft);
  }
  drafts.push(...invented(drafts));
  const blobs: Uint8Array[] = [];
  for await (const hash of world.blobs.list()) {
    if (hash !== undefined) blobs.push((await world.blobs.get(hash)) as Uint8Array);
  }
  await writeReplay(
    await openReplayPlace(dataFolder(join(folder, 'data')), nodeSha256),
    nodeSha256,
    (async function* () {
      yield await Promise.resolve({ at: START, drafts, blobs, rows: 0 });
    })(),
  );
  await cp(world.folder, join(folder, 'openings', 'crypto'), { recursive: true });
  await writeFile(join(folder, 'tick-seed'), `${formatHex(SEED)}\n`);
  return folder;
}

test('receipts check: whoever was handed the openings recomputes what they cover', async (t) => {
  const folder = await tickedFolder(t);
  const check = (...more: readonly string[]): ReturnType<typeof assay> =>
    assay(folder, ['receipts', 'check', '--data', 'data', '--openings', 'openings', ...more]);
  const whole = await check('--seed', 'tick-seed');
  assert.deepEqual([whole.code, whole.err], [0, ''], whole.out);
  assert.match(
    whole.out,
    /^log {2}development\/replay, \d+ entries\nroot [0-9a-f]{64}\ncrypto: 2026-10-01T00:00:00Z to 2026-10-03T23:45:00Z\ncrypto: score rule 1, [0-9a-f]{64}, NOT the one of live ticks; 2 sources\n {14}recomputed {3}committed {3}different\nleaves +864 +0 +0\nscores +\d+ +0 +0\nevents +[1-9]\d* +0 +0\ncloses +[1-9]\d* +0 +0\nreceipts +[1-9]\d* +0 +0\nbenchmarks +[1-9]\d* +0 +0\nprices +[1-9]\d* +0 +0\nstudies +0 +0 +0\n$/,
  );
  const [, second] = (await readdir(join(folder, 'openings', 'crypto'))).sort();
  await rm(join(folder, 'openings', 'crypto', second as string));
  const part = await check();
  assert.deepEqual([part.code, part.err], [0, ''], part.out);
  assert.match(part.out, /\nleaves +576 +288 +0\n/);
  assert.match(part.out, /\nprices +0 +[1-9]\d* +0\nstudies/);
  await writeFile(join(folder, 'other-seed'), `${'ab'.repeat(32)}\n`);
  const other = await check('--seed', 'other-seed');
  assert.deepEqual([other.code, other.err], [1, '']);
  assert.match(
    other.out,
    /\n {2}leaves {2}entry \d+ BTC\n {4}expected {2}the salt that comes of the seed\n {4}found {5}another\n/,
  );
  assert.match(other.out, /\n {2}and \d+ more\n$/);
});

test('receipts check: a study under a rule that the log lacks, and an event of a class without ticks, are differences', async (t) => {
  const checked = async (
    invented: (drafts: readonly TickDraft[]) => readonly TickDraft[],
  ): ReturnType<typeof assay> => {
    const folder = await tickedFolder(t, invented);
    return assay(folder, ['receipts', 'check', '--data', 'data', '--openings', 'openings']);
  };
  const hash = toHashHex('ab'.repeat(32));
  const body = { class: 'crypto', rule: hash, from: 0, to: 100, blob: hash } as const;
  const study = await checked(() => [{ kind: 'study/1', body }]);
  assert.deepEqual([study.code, study.err], [1, ''], study.out);
  assert.match(study.out, /\nstudies +0 +0 +1\n\n {2}studies {2}entry \d+\/rule\n {4}expected/);
  const event = await checked((drafts) => {
    const each = drafts.find(({ kind }) => kind === 'event/1');
    assert.ok(each?.kind === 'event/1');
    const id = '0199f3a0-0000-8000-8000-000000000abc';
    return [{ ...each, body: { ...each.body, id, class: 'stock' } }];
  });
  assert.deepEqual([event.code, event.err], [1, ''], event.out);
  assert.match(event.out, /\n {2}events {2}entry \d+\n {4}expected {2}none that the leaves make\n/);
});

test('receipts check: openings of nothing compare nothing, and what cannot be read is reported', async (t) => {
  const folder = await tickedFolder(t);
  const check = (...more: readonly string[]): ReturnType<typeof assay> =>
    assay(folder, ['receipts', 'check', '--data', 'data', ...more]);
  await mkdir(join(folder, 'none', 'crypto'), { recursive: true });
  const none = await check('--openings', 'none');
  assert.deepEqual([none.code, none.err], [3, '']);
  assert.match(none.out, /\nleaves +0 +864 +0\n/);
  await mkdir(join(folder, 'stocks', 'stock'), { recursive: true });
  const stocks = await check('--openings', 'stocks');
  assert.equal(stocks.code, 3);
  assert.match(stocks.out, /\ncrypto: not recomputed, no openings of it were given\n/);
  for (const args of [
    ['--openings', 'data'],
    ['--openings', 'openings', '--market', 'm'],
    ['--openings', 'openings', '--rule', 'ab'.repeat(32)],
    ['--market', 'm', '--seed', 'tick-seed'],
  ]) {
    const { code, out } = await check(...args);
    assert.deepEqual([code, out], [2, ''], args.join(' '));
  }
  assert.equal((await check('--openings', 'openings', '--seed', 'no-seed')).code, 3);
  assert.equal((await check('--openings', 'nowhere')).code, 3);
});
