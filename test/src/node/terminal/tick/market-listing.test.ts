import assert from 'node:assert/strict';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';
import { parseEntry } from '@assay/core/log/entry';
import { type ScoreRule, scoreRuleHash } from '@assay/core/terminal/rule/score-rule';
import { CRYPTO_RULE, LIVE_RULES, STOCK_RULE } from '@assay/core/terminal/rule/score-rules';
import { newestScoreRule } from '@assay/core/view/score-rules';
import { formatTime, toTime } from '@assay/core/time/time';
import { assetRow } from '@assay/core/view/assets';
import { nodeSha256 } from '@assay/node/platform/node-sha256';
import {
  type EnactedListing,
  enactListing,
  lateSplitConcerns,
  type MarketListing,
  namesOf,
  readMarketListing,
} from '@assay/node/terminal/tick/market-listing';
import { TickRound } from '@assay/node/terminal/tick/tick-round';
import {
  entriesOf,
  GENESIS_DRAFT,
  memoryPlace,
  openAt,
  temporaryFolder,
} from '../../ledger/ledger-fixture.ts';
import { never, RULE, START, TICK, tickWorld } from '../tick-world.ts';

const BTC = {
  symbol: 'BTC',
  name: 'Bitcoin',
  class: 'crypto',
  decimals: 8,
  listed: true,
  display: true,
} as const;
const SPY = { ...BTC, symbol: 'SPY', name: 'A fund', class: 'stock', decimals: 4 } as const;
/** What may follow it. */
const NEXT = { ...CRYPTO_RULE, version: 2, event: { ...CRYPTO_RULE.event, open: 71 } };
const LISTING: MarketListing = {
  assets: [
    { asset: BTC, names: { coingecko: 'bitcoin', binance: 'BTCUSDT' } },
    { asset: SPY, names: { tiingo: 'SPY' } },
  ],
  splits: [],
};

test('market listing: what the log lacks is appended, once', async () => {
  const place = await memoryPlace();
  const ledger = await openAt(place);
  await ledger.write(() => [GENESIS_DRAFT]);
  const kinds = async (): Promise<readonly string[]> =>
    (await entriesOf(place.store)).map((bytes) => parseEntry(bytes).kind).slice(1);
  const enact = async (listing: MarketListing): Promise<number> =>
    (await enactListing(ledger, nodeSha256, [CRYPTO_RULE], listing)).entries;
  assert.equal(await enact(LISTING), 3);
  assert.deepEqual(await kinds(), ['score-rule/1', 'asset/1', 'asset/1']);
  assert.equal(await enact(LISTING), 0);
  // An asset that the listing leaves out stays; one that has changed has a new entry.
  const split = {
    symbol: 'BTC',
    effective_at: toTime('2030-01-01T00:00:00Z'),
    numerator: 2,
    denominator: 1,
  };
  const later = { assets: [{ asset: { ...BTC, listed: false }, names: {} }], splits: [split] };
  assert.equal(await enact(later), 2);
  assert.equal(await enact(later), 0);
  assert.equal(assetRow(ledger.tip, 'BTC')?.listed, false);
  assert.equal(assetRow(ledger.tip, 'SPY')?.listed, true);
  const size = ledger.nextSeq;
  // What the log has already is there, though a listing leaves it out.
  assert.equal(await enact({ assets: [{ asset: SPY, names: {} }], splits: [] }), 0);
  const refused: readonly (readonly [MarketListing, typeof CRYPTO_RULE])[] = [
    [{ assets: [{ asset: { ...BTC, decimals: 2 }, names: {} }], splits: [] }, CRYPTO_RULE],
    [{ assets: [{ asset: { ...BTC, class: 'stock' }, names: {} }], splits: [] }, CRYPTO_RULE],
    [{ ...later, splits: [{ ...split, symbol: 'ETH' }] }, CRYPTO_RULE],
    [later, { ...CRYPTO_RULE, version: 3 }],
    [later, { ...NEXT, receipts: { ...NEXT.receipts, void_after_s: 1 } }],
    [later, { ...CRYPTO_RULE, event: { ...CRYPTO_RULE.event, open: 71 } }],
  ];
  for (const [listing, rule] of refused) {
    await assert.rejects(enactListing(ledger, nodeSha256, [rule], listing), { code: 'bad_config' });
  }
  assert.equal(ledger.nextSeq, size);
});

test('market listing: the next version of a rule is handed over to, once, and there is no way back', async () => {
  const place = await memoryPlace();
  const ledger = await openAt(place);
  await ledger.write(() => [GENESIS_DRAFT]);
  const enact = async (rule: typeof CRYPTO_RULE): Promise<number> =>
    (await enactListing(ledger, nodeSha256, [rule], LISTING)).entries;
  assert.deepEqual([await enact(CRYPTO_RULE), await enact(NEXT), await enact(NEXT)], [3, 1, 0]);
  assert.equal(newestScoreRule(ledger.tip, 'crypto')?.hash, scoreRuleHash(nodeSha256, NEXT));
  await assert.rejects(enact(CRYPTO_RULE), { code: 'bad_config' });
  assert.equal(ledger.nextSeq, 5);
});

test('market listing: a log of studies of version 1 goes over to those of version 2, and not back', async () => {
  const ledger = await openAt(await memoryPlace());
  await ledger.write(() => [GENESIS_DRAFT]);
  const enact = async (rule: ScoreRule): Promise<number> =>
    (await enactListing(ledger, nodeSha256, [rule], LISTING)).entries;
  const { crypto } = LIVE_RULES;
  assert.deepEqual([await enact(CRYPTO_RULE), await enact(crypto), await enact(crypto)], [3, 1, 0]);
  const { rule } = newestScoreRule(ledger.tip, 'crypto') ?? {};
  assert.deepEqual(rule, crypto);
  await assert.rejects(enact({ ...CRYPTO_RULE, version: 3 }), {
    code: 'bad_config',
    message: /assay-score-rule\/2/,
  });
  assert.equal(await enact({ ...crypto, version: 3 }), 1);
});

test('market listing: a file of it, exactly so, and the names of a vendor', async (t) => {
  const path = join(await temporaryFolder(t), 'assets.json');
  const write = (value: unknown): Promise<void> => writeFile(path, JSON.stringify(value));
  const plain = LISTING.assets.map(({ asset, names }) => ({ ...asset, names }));
  await write({ assets: plain, splits: [] });
  const read = await readMarketListing(path);
  assert.deepEqual(read, LISTING);
  assert.deepEqual(namesOf(read, 'crypto', 'binance'), { BTC: 'BTCUSDT' });
  assert.deepEqual(namesOf(read, 'stock', 'binance'), {});
  const [first] = plain;
  for (const value of [
    { assets: [], splits: [] },
    { assets: plain },
    { assets: [first, first], splits: [] },
    { assets: [{ ...first, names: { binance: 'a b' } }], splits: [] },
    { assets: [{ ...first, names: [] }], splits: [] },
    { assets: [{ ...first, names: { binence: 'BTCUSDT' } }], splits: [] },
    { assets: [...plain, { ...first, symbol: 'WBTC', names: { binance: 'BTCUSDT' } }], splits: [] },
    { assets: [{ ...first, extra: 1 }], splits: [] },
    { assets: [7], splits: [] },
    { assets: plain, splits: [{}] },
  ]) {
    await write(value);
    await assert.rejects(readMarketListing(path), { code: 'bad_config' }, JSON.stringify(value));
  }
  // What is not listed any more may have given its name to another.
  await write({ assets: [...plain, { ...first, symbol: 'XBT', listed: false }], splits: [] });
  assert.equal((await readMarketListing(path)).assets.length, 3);
});

test('market listing: a split that is in force is recorded until a tick has come to it, and stops nothing after', async (t) => {
  const { ledger, parts, at } = await tickWorld(t);
  const asset = { ...BTC, decimals: 2 };
  const enact = (second: number): Promise<EnactedListing> => {
    const effective_at = formatTime(START + second);
    const split = { symbol: 'BTC', effective_at, numerator: 4, denominator: 1 };
    const listing = { assets: [{ asset, names: {} }], splits: [split] };
    return enactListing(ledger, nodeSha256, [RULE], listing);
  };
  const round = new TickRound(parts);
  await round.run(at(8), never);
  at(11);
  // Between the tick at 8 and that at 11 it is in force, and no tick has seen it.
  assert.deepEqual(await enact(9 * TICK), { entries: 2, late: [] });
  assert.deepEqual(await enact(9 * TICK), { entries: 0, late: [] });
  const { entries, late } = await enact(8 * TICK);
  assert.deepEqual([entries, late.length], [0, 1]);
  assert.deepEqual(lateSplitConcerns(late), [
    {
      level: 'degraded',
      reason:
        'The split of BTC of 2026-10-01T02:00:00Z came too late for the log: its ticks since then count without it.',
    },
  ]);
  const resumed = new TickRound(parts);
  assert.equal((await resumed.run(at(11), never)).kind, 'ticked');
});

test('market listing: what was delisted stays so until its receipts would be due, and splits are a day apart', async (t) => {
  const { ledger, parts, at } = await tickWorld(t);
  const asset = { ...BTC, decimals: 2 };
  const enact = (listed: boolean, ...splits: MarketListing['splits']): Promise<EnactedListing> =>
    enactListing(ledger, nodeSha256, [RULE], {
      assets: [{ asset: { ...asset, listed }, names: {} }],
      splits,
    });
  const round = new TickRound(parts);
  await round.run(at(8), never);
  await enact(true);
  assert.equal((await enact(false)).entries, 1);
  // No tick has come between.
  assert.equal((await enact(true)).entries, 1);
  assert.equal((await enact(false)).entries, 1);
  await new TickRound(parts).run(at(9), never);
  const refused = { code: 'bad_config', message: /not listed until 31 days after the tick of/ };
  await assert.rejects(enact(true), refused);
  const split = (hours: number, numerator = 2) => ({
    symbol: 'BTC',
    effective_at: formatTime(START + (hours + 24) * 3600),
    numerator,
    denominator: 1,
  });
  const beside = { code: 'bad_config', message: /a day or more from that of/ };
  await assert.rejects(enact(false, split(0), split(23)), beside);
  assert.equal((await enact(false, split(0), split(24))).entries, 2);
  await assert.rejects(enact(false, split(0, 3)), beside);
  await assert.rejects(enact(false, split(47)), beside);
  assert.equal((await enact(false, split(48))).entries, 1);
});

test('market listing: the benchmark of each class, in the listing or in the log', async () => {
  const ledger = await openAt(await memoryPlace());
  await ledger.write(() => [GENESIS_DRAFT]);
  const eth = { ...BTC, symbol: 'ETH', name: 'Ether' };
  const none = { assets: [{ asset: eth, names: {} }], splits: [] };
  for (const [rule, listing] of [
    [CRYPTO_RULE, none],
    [STOCK_RULE, none],
    [STOCK_RULE, { ...none, assets: [{ asset: { ...eth, symbol: 'SPY' }, names: {} }] }],
  ] as const) {
    await assert.rejects(enactListing(ledger, nodeSha256, [rule], listing), {
      code: 'bad_config',
      message: /, which all (crypto|stock) is held against/,
    });
  }
  assert.equal(ledger.nextSeq, 1);
  assert.equal((await enactListing(ledger, nodeSha256, [CRYPTO_RULE], LISTING)).entries, 3);
});
