import assert from 'node:assert/strict';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';
import { parseEntry } from '@assay/core/entry';
import { CRYPTO_RULE } from '@assay/core/terminal/score-rules';
import { toTime } from '@assay/core/time';
import { assetRow } from '@assay/core/view/assets';
import { nodeSha256 } from '@assay/node/node-sha256';
import {
  enactListing,
  type MarketListing,
  namesOf,
  readMarketListing,
} from '@assay/node/terminal/market-listing';
import {
  entriesOf,
  GENESIS_DRAFT,
  memoryPlace,
  openAt,
  temporaryFolder,
} from '../ledger/ledger-fixture.ts';

const BTC = {
  symbol: 'BTC',
  name: 'Bitcoin',
  class: 'crypto',
  decimals: 8,
  listed: true,
  display: true,
} as const;
const SPY = { ...BTC, symbol: 'SPY', name: 'A fund', class: 'stock', decimals: 4 } as const;
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
  await ledger.append([GENESIS_DRAFT], 0);
  const kinds = async (): Promise<readonly string[]> =>
    (await entriesOf(place.store)).map((bytes) => parseEntry(bytes).kind).slice(1);
  assert.equal(await enactListing(ledger, nodeSha256, [CRYPTO_RULE], LISTING), 3);
  assert.deepEqual(await kinds(), ['score-rule/1', 'asset/1', 'asset/1']);
  assert.equal(await enactListing(ledger, nodeSha256, [CRYPTO_RULE], LISTING), 0);
  // An asset that the listing leaves out stays; one that has changed has a new entry.
  const split = {
    symbol: 'BTC',
    effective_at: toTime('2030-01-01T00:00:00Z'),
    numerator: 2,
    denominator: 1,
  };
  const later = { assets: [{ asset: { ...BTC, listed: false }, names: {} }], splits: [split] };
  assert.equal(await enactListing(ledger, nodeSha256, [CRYPTO_RULE], later), 2);
  assert.equal(await enactListing(ledger, nodeSha256, [CRYPTO_RULE], later), 0);
  assert.equal(assetRow(ledger.tip, 'BTC')?.listed, false);
  assert.equal(assetRow(ledger.tip, 'SPY')?.listed, true);
  const size = ledger.nextSeq;
  const refused: readonly (readonly [MarketListing, typeof CRYPTO_RULE])[] = [
    [{ assets: [{ asset: { ...BTC, decimals: 2 }, names: {} }], splits: [] }, CRYPTO_RULE],
    [{ assets: [{ asset: { ...BTC, class: 'stock' }, names: {} }], splits: [] }, CRYPTO_RULE],
    [{ ...later, splits: [{ ...split, symbol: 'ETH' }] }, CRYPTO_RULE],
    [
      { ...later, splits: [{ ...split, effective_at: toTime('2020-01-01T00:00:00Z') }] },
      CRYPTO_RULE,
    ],
    [later, { ...CRYPTO_RULE, version: 2 }],
    [later, { ...CRYPTO_RULE, event: { ...CRYPTO_RULE.event, open: 71 } }],
  ];
  for (const [listing, rule] of refused) {
    await assert.rejects(enactListing(ledger, nodeSha256, [rule], listing), { code: 'bad_config' });
  }
  assert.equal(ledger.nextSeq, size);
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
    { assets: [{ ...first, extra: 1 }], splits: [] },
    { assets: [7], splits: [] },
    { assets: plain, splits: [{}] },
  ]) {
    await write(value);
    await assert.rejects(readMarketListing(path), { code: 'bad_config' }, JSON.stringify(value));
  }
});
