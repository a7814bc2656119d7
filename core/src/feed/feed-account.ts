import { requireLength } from '../bytes/bytes.ts';
import type { HashHex } from '../hash/hash.ts';
import { parseHex } from '../bytes/hex.ts';
import type { PeriodKind } from '../rule/period.ts';
import { isTicker, type Ticker } from '../rule/ticker.ts';
import { formatUtf8 } from '../bytes/utf8.ts';
import { hexAt, malformed, requireExact, viewOf } from './account-bytes.ts';
import { CADENCES } from './ordinal.ts';

/**
 * The feed of one index, 5,424 bytes, little endian; address `["series", genesis key, ticker]`:
 *
 *        0   8  "assayFD1"
 *        8   1  bump
 *        9   1  cadence: 1 utc_day, 2 week_ending_saturday, 3 month
 *       10   1  decimals
 *       11   1  rules used
 *       12   1  sets used
 *       13   3  zero
 *       16  16  ticker, zero padded
 *       32  32  genesis publisher key
 *       64  32  log id
 *       96  32  series
 *      128  32  publisher key
 *      160  32  sha256(next key)
 *      192  32  sha256(recovery key)
 *      224   8  the rotation takes effect, unix seconds i64; 0 none
 *      232  32  the key that comes with it
 *      264  32  sha256 of the key after that
 *      296   4  latest final or void period i32; i32::MIN none
 *      300   4  zero
 *      304 768  16 rules: hash 32, first period i32, zero 4, takes effect i64
 *     1072 ...  16 sets: takes effect i64, keys used 1, threshold 1, zero 6, 8 keys
 */
export interface FeedAccount {
  readonly bump: number;
  readonly cadence: PeriodKind;
  readonly decimals: number;
  readonly ticker: Ticker;
  readonly genesis: HashHex;
  readonly log: HashHex;
  readonly series: HashHex;
  /** The key before any rotation that has taken effect; see `publisherAt`. */
  readonly publisher: HashHex;
  readonly nextHash: HashHex;
  readonly recoveryHash: HashHex;
  readonly rotation: FeedRotation | null;
  /** Days since 1970-01-01; null before the first. */
  readonly latest: number | null;
  readonly rules: readonly FeedRule[];
  readonly sets: readonly FeedSet[];
}

export interface FeedRotation {
  /** Unix seconds. */
  readonly effective: bigint;
  readonly coming: HashHex;
  readonly afterHash: HashHex;
}

export interface FeedRule {
  readonly hash: HashHex;
  /** Days since 1970-01-01. */
  readonly first: number;
  readonly effective: bigint;
}

export interface FeedSet {
  readonly effective: bigint;
  readonly threshold: number;
  readonly keys: readonly HashHex[];
}

export const FEED_BYTES = 5424;
export const FEED_MAGIC = 'assayFD1';
export const MAX_RULES = 16;
export const MAX_SETS = 16;
export const MAX_COSIGNERS = 8;

/** The value in the account if no period is final or void. */
export const NO_PERIOD: number = -(2 ** 31);

export const FEED_OFFSETS = {
  bump: 8,
  cadence: 9,
  decimals: 10,
  rulesUsed: 11,
  setsUsed: 12,
  ticker: 16,
  genesis: 32,
  log: 64,
  series: 96,
  publisher: 128,
  next: 160,
  recovery: 192,
  rotationAt: 224,
  coming: 232,
  after: 264,
  latest: 296,
  rules: 304,
  sets: 1072,
} as const;

const AT = FEED_OFFSETS;
export const RULE_BYTES = 48;
export const SET_BYTES = 272;
export const SET_KEYS = 16;

/** The account's bytes. */
export function formatFeed(feed: FeedAccount): Uint8Array {
  const out = new Uint8Array(FEED_BYTES);
  const view = viewOf(out);
  out.set(formatUtf8(FEED_MAGIC));
  out[AT.bump] = feed.bump;
  out[AT.cadence] = CADENCES.indexOf(feed.cadence) + 1;
  out[AT.decimals] = feed.decimals;
  out[AT.rulesUsed] = feed.rules.length;
  out[AT.setsUsed] = feed.sets.length;
  out.set(formatUtf8(feed.ticker), AT.ticker);
  const put = (at: number, hex: HashHex): void => out.set(parseHex(hex, 32), at);
  put(AT.genesis, feed.genesis);
  put(AT.log, feed.log);
  put(AT.series, feed.series);
  put(AT.publisher, feed.publisher);
  put(AT.next, feed.nextHash);
  put(AT.recovery, feed.recoveryHash);
  if (feed.rotation !== null) {
    view.setBigInt64(AT.rotationAt, feed.rotation.effective, true);
    put(AT.coming, feed.rotation.coming);
    put(AT.after, feed.rotation.afterHash);
  }
  view.setInt32(AT.latest, feed.latest ?? NO_PERIOD, true);
  for (const [number, rule] of feed.rules.entries()) {
    const at = AT.rules + RULE_BYTES * number;
    put(at, rule.hash);
    view.setInt32(at + 32, rule.first, true);
    view.setBigInt64(at + 40, rule.effective, true);
  }
  for (const [number, set] of feed.sets.entries()) {
    const at = AT.sets + SET_BYTES * number;
    view.setBigInt64(at, set.effective, true);
    out.set([set.keys.length, set.threshold], at + 8);
    for (const [i, key] of set.keys.entries()) put(at + SET_KEYS + 32 * i, key);
  }
  return out;
}

/**
 * The feed in an account's bytes. Throws `bad_length`, or `malformed` for bytes that the program does not write. The
 * caller must check the owner and the address of the account.
 */
export function parseFeed(bytes: Uint8Array): FeedAccount {
  requireLength(bytes, FEED_BYTES, 'feed account');
  const view = viewOf(bytes);
  const cadence = CADENCES[view.getUint8(AT.cadence) - 1];
  if (cadence === undefined)
    throw malformed('feed account', 'a cadence', view.getUint8(AT.cadence));
  const rotationAt = view.getBigInt64(AT.rotationAt, true);
  const latest = view.getInt32(AT.latest, true);
  const feed: FeedAccount = {
    bump: view.getUint8(AT.bump),
    cadence,
    decimals: view.getUint8(AT.decimals),
    ticker: tickerAt(bytes, AT.ticker),
    genesis: hexAt(bytes, AT.genesis),
    log: hexAt(bytes, AT.log),
    series: hexAt(bytes, AT.series),
    publisher: hexAt(bytes, AT.publisher),
    nextHash: hexAt(bytes, AT.next),
    recoveryHash: hexAt(bytes, AT.recovery),
    rotation:
      rotationAt === 0n
        ? null
        : {
            effective: rotationAt,
            coming: hexAt(bytes, AT.coming),
            afterHash: hexAt(bytes, AT.after),
          },
    latest: latest === NO_PERIOD ? null : latest,
    rules: Array.from({ length: usedAt(view, AT.rulesUsed, MAX_RULES) }, (_, number) => {
      const at = AT.rules + RULE_BYTES * number;
      return {
        hash: hexAt(bytes, at),
        first: view.getInt32(at + 32, true),
        effective: view.getBigInt64(at + 40, true),
      };
    }),
    sets: Array.from({ length: usedAt(view, AT.setsUsed, MAX_SETS) }, (_, number) => {
      const at = AT.sets + SET_BYTES * number;
      const used = usedAt(view, at + 8, MAX_COSIGNERS);
      return {
        effective: view.getBigInt64(at, true),
        threshold: view.getUint8(at + 9),
        keys: Array.from({ length: used }, (_key, i) => hexAt(bytes, at + SET_KEYS + 32 * i)),
      };
    }),
  };
  return requireExact('feed account', bytes, feed, formatFeed);
}

/** Whose feed it is, for which index, and since when: as much of an account as a listing of feeds shows. */
export interface FeedHead {
  readonly ticker: Ticker;
  readonly genesis: HashHex;
  readonly log: HashHex;
  /** When the feed's first rule took effect, which is when the feed was made, in Unix seconds. */
  readonly effective: bigint;
}

/** Bytes of the head of an account: up to the end of the first rule. */
export const FEED_HEAD_BYTES: number = FEED_OFFSETS.rules + RULE_BYTES;

/**
 * Parses the head from the first `FEED_HEAD_BYTES` bytes of a feed, or from more of them. Throws `bad_length`,
 * or `malformed` for bytes that are not a feed.
 */
export function parseFeedHead(bytes: Uint8Array): FeedHead {
  const head = bytes.slice(0, FEED_HEAD_BYTES);
  requireLength(head, FEED_HEAD_BYTES, 'feed account');
  const magic = String.fromCharCode(...head.subarray(0, FEED_MAGIC.length));
  if (magic !== FEED_MAGIC) throw malformed('feed account', FEED_MAGIC, JSON.stringify(magic));
  return {
    ticker: tickerAt(head, AT.ticker),
    genesis: hexAt(head, AT.genesis),
    log: hexAt(head, AT.log),
    effective: viewOf(head).getBigInt64(AT.rules + 40, true),
  };
}

function usedAt(view: DataView, at: number, max: number): number {
  const used = view.getUint8(at);
  if (used < 1 || used > max) throw malformed('feed account', `1 to ${max} used`, used);
  return used;
}

function tickerAt(bytes: Uint8Array, at: number): Ticker {
  const end = bytes.indexOf(0, at);
  const text = String.fromCharCode(
    ...bytes.subarray(at, end < 0 ? at + 16 : Math.min(end, at + 16)),
  );
  if (!isTicker(text)) throw malformed('feed account', 'a ticker', JSON.stringify(text));
  return text;
}

/** The publisher's key at `now`, in Unix seconds. A rotation takes effect by itself. */
export function publisherAt(feed: FeedAccount, now: bigint): HashHex {
  const { rotation, publisher } = feed;
  return rotation !== null && rotation.effective <= now ? rotation.coming : publisher;
}

/** The hash of the key that may follow the publisher's at `now`. */
export function nextHashAt(feed: FeedAccount, now: bigint): HashHex {
  const { rotation, nextHash } = feed;
  return rotation !== null && rotation.effective <= now ? rotation.afterHash : nextHash;
}

/** The number of the one rule of a period, whether or not it has taken effect; `undefined` before the first. */
export function ruleNumberOf(feed: FeedAccount, period: number): number | undefined {
  const number = feed.rules.findLastIndex(({ first }) => first <= period);
  return number < 0 ? undefined : number;
}

/** The number of the newest set that has taken effect at `now`; `undefined` before the first. */
export function setNumberAt(feed: FeedAccount, now: bigint): number | undefined {
  const number = feed.sets.findLastIndex(({ effective }) => effective <= now);
  return number < 0 ? undefined : number;
}
