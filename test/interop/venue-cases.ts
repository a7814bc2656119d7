// Accounts as the program writes them, what a venue asks of them, and the same with bytes that are not right.
import { concatBytes } from '@assay/core/bytes/bytes';
import { parseHex } from '@assay/core/bytes/hex';
import { type FeedAccount, formatFeed, ruleNumberOf } from '@assay/core/feed/feed-account';
import { pagePlace, periodOfOrdinal } from '@assay/core/feed/ordinal';
import { formatPage, type PageSlot } from '@assay/core/feed/page-account';
import type { ChainRecord } from '@assay/core/feed/record';
import type { Status } from '@assay/core/report/report';
import { formatDate } from '@assay/core/time/time';
import type { FinalRequest } from '@assay/chain/reader';
import fc from 'fast-check';
import { hashOf } from '../src/chain/fixture/party.ts';
import { feedAccounts, recordOf } from '../src/core/feed/arbitrary.ts';

/** What a reader is asked; `period` in days since 1970-01-01. */
export interface VenueCase {
  readonly feedAt: Uint8Array;
  readonly feed: Uint8Array;
  readonly page: Uint8Array;
  readonly period: number;
  readonly rule: Uint8Array;
  readonly own: readonly Uint8Array[];
  readonly required: number;
}

const PROGRAM = parseHex(hashOf('program'), 32);
/** After every `published_at` of a case. */
const NOW = 2 ** 33;

/** Few enough that a list and a set often share some. */
const POOL = Array.from({ length: 10 }, (_, i) => hashOf(`co-signer ${i}`));

const feeds: fc.Arbitrary<FeedAccount> = fc
  .tuple(
    feedAccounts,
    fc.array(fc.subarray(POOL, { minLength: 1, maxLength: 8 }), { minLength: 1, maxLength: 16 }),
    fc.uniqueArray(fc.integer({ min: -100, max: 40_000 }), { minLength: 1, maxLength: 16 }),
    fc.integer({ min: 0, max: 18 }),
  )
  .map(([feed, sets, firsts, decimals]) => ({
    ...feed,
    decimals,
    rules: firsts
      .sort((a, b) => a - b)
      .map((first, i) => ({
        hash: hashOf(`rule ${i}`),
        first: i === 0 ? -200 : first,
        effective: 0n,
      })),
    sets: sets.map((keys) => ({ effective: 0n, threshold: 1, keys })),
  }));

/** A record that the program could have written for `period`. */
function soundRecord(feed: FeedAccount, period: number, status: Status): fc.Arbitrary<ChainRecord> {
  return recordOf(status).map((record) => {
    const set = record.set % feed.sets.length;
    const bits = 2 ** (feed.sets[set]?.keys.length ?? 0) - 1;
    const none = status === 'void' || record.withheld;
    return {
      ...record,
      value: none ? 0n : record.value,
      publishedAt: BigInt.asUintN(32, record.publishedAt),
      decimals: feed.decimals,
      settleable: status === 'final' && !record.withheld && record.settleable,
      issue: status === 'final' || status === 'void' ? 0 : Math.max(1, record.issue),
      rule: ruleNumberOf(feed, period) ?? 0,
      set,
      cosigners: record.cosigners & bits,
      dissents: record.dissents & bits,
    };
  });
}

/** Mostly finals that may settle, so that many cases have a value. */
function soundSlot(feed: FeedAccount, period: number): fc.Arbitrary<PageSlot> {
  const record = (status: Status): fc.Arbitrary<ChainRecord> => soundRecord(feed, period, status);
  const good = record('final').map((final) => ({ ...final, withheld: false, settleable: true }));
  const settled = fc.oneof(
    { weight: 6, arbitrary: good },
    { weight: 1, arbitrary: record('final') },
    { weight: 1, arbitrary: record('void') },
    { weight: 1, arbitrary: fc.constant(null) },
  );
  return fc
    .tuple(record('provisional'), settled, fc.option(record('corrected')))
    .map(([provisional, first, corrected]) => {
      const slot = { period, provisional, settled: first, corrected: first && corrected };
      const dissents = [slot.provisional, slot.settled, slot.corrected].some(
        (each) => (each?.dissents ?? 0) !== 0,
      );
      return { ...slot, dissent: dissents };
    });
}

const ordinals = fc.integer({ min: 0, max: 1000 });

/** Sound accounts and a request of them. */
export const soundCases: fc.Arbitrary<VenueCase> = fc
  .tuple(feeds, ordinals, fc.nat(31))
  .chain(([feed, ordinal, other]) => {
    const { index, slot } = pagePlace(ordinal);
    const slots = Array.from({ length: 32 }, (_, i) =>
      i === slot || i === other
        ? soundSlot(feed, periodOfOrdinal(feed.cadence, 32 * index + i))
        : fc.constant(null),
    );
    const period = periodOfOrdinal(feed.cadence, ordinal);
    const rule = ruleNumberOf(feed, period) ?? 0;
    return fc.record({
      feed: fc.constant(formatFeed(feed)),
      feedAt: fc.constant(parseHex(hashOf('feed'), 32)),
      page: fc
        .tuple(...slots)
        .map((all) => formatPage({ bump: 1, index, feed: hashOf('feed'), slots: all })),
      period: fc.oneof(
        { weight: 12, arbitrary: fc.constant(period) },
        { weight: 1, arbitrary: fc.constant(period + 1) },
        { weight: 1, arbitrary: fc.constant(0) },
      ),
      rule: fc
        .oneof({ weight: 12, arbitrary: fc.constant(rule) }, { weight: 1, arbitrary: fc.nat(15) })
        .map((number) => parseHex(hashOf(`rule ${number}`), 32)),
      own: fc.subarray(POOL, { minLength: 1 }).map((keys) => keys.map((key) => parseHex(key, 32))),
      required: fc.oneof(
        { weight: 6, arbitrary: fc.integer({ min: 1, max: 3 }) },
        { weight: 1, arbitrary: fc.nat(11) },
      ),
    });
  });

/** One part changed: bytes turned, cut off or added. */
export const brokenCases: fc.Arbitrary<VenueCase> = fc
  .tuple(
    soundCases,
    fc.constantFrom('feed' as const, 'page' as const, 'feedAt' as const),
    fc.array(fc.tuple(fc.nat(6480), fc.integer({ min: 1, max: 255 })), { maxLength: 8 }),
    fc.oneof(
      { weight: 4, arbitrary: fc.constant(0) },
      { weight: 1, arbitrary: fc.integer({ min: -7000, max: 40 }) },
    ),
  )
  .map(([sound, part, turned, longer]) => {
    const before = sound[part];
    const fixed = part === 'feedAt';
    const bytes = fixed
      ? before.slice()
      : concatBytes(
          before.slice(0, Math.max(0, before.length + Math.min(longer, 0))),
          new Uint8Array(Math.max(longer, 0)),
        );
    for (const [at, flip] of turned) {
      const place = fixed ? at % 32 : at;
      if (place < bytes.length) bytes[place] = (bytes[place] ?? 0) ^ flip;
    }
    return { ...sound, [part]: bytes };
  });

/** A case as the TypeScript reader takes it; its age is never in question. */
export function requestOf(asked: VenueCase): FinalRequest {
  return {
    program: PROGRAM,
    feed: { address: asked.feedAt, owner: PROGRAM, data: asked.feed },
    page: { owner: PROGRAM, data: asked.page },
    period: formatDate(asked.period),
    ticker: tickerOf(asked.feed),
    ruleHash: asked.rule,
    cosigners: asked.own,
    required: asked.required,
    maxAge: Number.MAX_SAFE_INTEGER,
    now: NOW,
  };
}

function tickerOf(feed: Uint8Array): string {
  return String.fromCharCode(...feed.subarray(16, 32)).replace(/\0.*$/s, '');
}

/**
 * A case as the compiled readers take it, one after the other: feed address (32), feed, page, period i32,
 * rule (32), number of own keys, own keys (32 each), required. Accounts have their length before them;
 * numbers are u32, little endian.
 */
export function caseBytes({
  feedAt,
  feed,
  page,
  period,
  rule,
  own,
  required,
}: VenueCase): Uint8Array {
  const u32 = (value: number): Uint8Array => {
    const out = new Uint8Array(4);
    new DataView(out.buffer).setUint32(0, value >>> 0, true);
    return out;
  };
  const sized = (bytes: Uint8Array): readonly Uint8Array[] => [u32(bytes.length), bytes];
  return concatBytes(
    feedAt,
    ...sized(feed),
    ...sized(page),
    u32(period),
    rule,
    u32(own.length),
    ...own,
    u32(required),
  );
}
