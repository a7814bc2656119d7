import type { CloseAccount } from '@assay/core/feed/close-account';
import type { FeedAccount, FeedSet } from '@assay/core/feed/feed-account';
import { CADENCES } from '@assay/core/feed/ordinal';
import type { PageAccount, PageSlot } from '@assay/core/feed/page-account';
import type { ChainRecord } from '@assay/core/feed/record';
import type { HashHex } from '@assay/core/hash/hash';
import { formatHex } from '@assay/core/bytes/hex';
import type { Status } from '@assay/core/report/report';
import type { Ticker } from '@assay/core/rule/ticker';
import fc from 'fast-check';

/** Accounts of every shape that the formats allow. */

/** Plain objects, as parsers make them. */
function shapeOf<T>(model: { [K in keyof T]: fc.Arbitrary<T[K]> }): fc.Arbitrary<T> {
  return fc.record(model, { noNullPrototype: true }) as fc.Arbitrary<T>;
}

const hash = fc
  .uint8Array({ minLength: 32, maxLength: 32 })
  .map((bytes) => formatHex(bytes) as HashHex);
const byte = fc.integer({ min: 0, max: 255 });
const i32 = fc.integer({ min: -(2 ** 31) + 1, max: 2 ** 31 - 1 });
const i64 = fc.bigInt({ min: -(2n ** 63n), max: 2n ** 63n - 1n });
const u64 = fc.bigInt({ min: 0n, max: 2n ** 64n - 1n });

const feedSet: fc.Arbitrary<FeedSet> = shapeOf({
  effective: i64,
  threshold: byte,
  keys: fc.array(hash, { minLength: 1, maxLength: 8 }),
});

export const feedAccounts: fc.Arbitrary<FeedAccount> = shapeOf({
  bump: byte,
  cadence: fc.constantFrom(...CADENCES),
  decimals: byte,
  ticker: fc.constantFrom(...(['JOBS', 'A', 'ABCDEFGHIJKLMNOP'] as Ticker[])),
  genesis: hash,
  log: hash,
  series: hash,
  publisher: hash,
  nextHash: hash,
  recoveryHash: hash,
  rotation: fc.option(
    shapeOf({
      effective: i64.filter((at) => at !== 0n),
      coming: hash,
      afterHash: hash,
    }),
  ),
  latest: fc.option(i32),
  rules: fc.array(shapeOf({ hash, first: i32, effective: i64 }), {
    minLength: 1,
    maxLength: 16,
  }),
  sets: fc.array(feedSet, { minLength: 1, maxLength: 16 }),
});

export function recordOf(status: Status): fc.Arbitrary<ChainRecord> {
  return shapeOf({
    value: i64,
    publishedAt: i64,
    report: hash,
    status: fc.constant(status),
    decimals: byte,
    settleable: fc.boolean(),
    withheld: fc.boolean(),
    issue: byte,
    rule: byte,
    set: byte,
    cosigners: byte,
    dissents: byte,
    slot: u64,
  });
}

const pageSlot: fc.Arbitrary<PageSlot> = shapeOf<PageSlot>({
  period: i32,
  provisional: fc.option(recordOf('provisional')),
  settled: fc.option(fc.oneof(recordOf('final'), recordOf('void'))),
  corrected: fc.option(recordOf('corrected')),
  dissent: fc.boolean(),
}).filter(({ provisional, settled }) => provisional !== null || settled !== null);

export const pageAccounts: fc.Arbitrary<PageAccount> = shapeOf({
  bump: byte,
  index: fc.integer({ min: 0, max: 2 ** 32 - 1 }),
  feed: hash,
  slots: fc.array(fc.option(pageSlot), { minLength: 32, maxLength: 32 }),
});

export const closeAccounts: fc.Arbitrary<CloseAccount> = shapeOf({
  bump: byte,
  day: i32,
  feed: hash,
  log: hash,
  slot: u64,
  hashes: fc.array(hash, { minLength: 1, maxLength: 16 }),
});
