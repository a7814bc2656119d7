import { requireLength } from '../bytes/bytes.ts';
import type { HashHex } from '../hash/hash.ts';
import { parseHex } from '../bytes/hex.ts';
import { formatUtf8 } from '../bytes/utf8.ts';
import { hexAt, malformed, requireExact, viewOf } from './account-bytes.ts';

/**
 * The Closes of one day under one feed, 608 bytes, little endian; address `["close", feed, day i32]`:
 *
 *      0   8  "assayCA1"
 *      8   1  bump
 *      9   1  versions
 *     10   2  zero
 *     12   4  day i32, days since 1970-01-01
 *     16  32  feed
 *     48  32  log id
 *     80   8  slot u64 of the newest version
 *     88   8  zero
 *     96 512  16 content hashes, the newest last
 */
export interface CloseAccount {
  readonly bump: number;
  readonly day: number;
  readonly feed: HashHex;
  readonly log: HashHex;
  readonly slot: bigint;
  /** 1 to 16, in the order in which they were written. */
  readonly hashes: readonly HashHex[];
}

export const CLOSE_ACCOUNT_BYTES = 608;
export const CLOSE_MAGIC = 'assayCA1';
export const MAX_VERSIONS = 16;

export const CLOSE_OFFSETS = {
  bump: 8,
  versions: 9,
  day: 12,
  feed: 16,
  log: 48,
  slot: 80,
  hashes: 96,
} as const;

const AT = CLOSE_OFFSETS;

/** The account's bytes. */
export function formatCloseAccount(close: CloseAccount): Uint8Array {
  const out = new Uint8Array(CLOSE_ACCOUNT_BYTES);
  const view = viewOf(out);
  out.set(formatUtf8(CLOSE_MAGIC));
  out[AT.bump] = close.bump;
  out[AT.versions] = close.hashes.length;
  view.setInt32(AT.day, close.day, true);
  out.set(parseHex(close.feed, 32), AT.feed);
  out.set(parseHex(close.log, 32), AT.log);
  view.setBigUint64(AT.slot, close.slot, true);
  for (const [number, hash] of close.hashes.entries()) {
    out.set(parseHex(hash, 32), AT.hashes + 32 * number);
  }
  return out;
}

/** The Close in an account's bytes. Throws `bad_length` or `malformed` as `parseFeed`. */
export function parseCloseAccount(bytes: Uint8Array): CloseAccount {
  requireLength(bytes, CLOSE_ACCOUNT_BYTES, 'Close account');
  const view = viewOf(bytes);
  const versions = view.getUint8(AT.versions);
  if (versions < 1 || versions > MAX_VERSIONS) {
    throw malformed('Close account', `1 to ${MAX_VERSIONS} versions`, versions);
  }
  const close: CloseAccount = {
    bump: view.getUint8(AT.bump),
    day: view.getInt32(AT.day, true),
    feed: hexAt(bytes, AT.feed),
    log: hexAt(bytes, AT.log),
    slot: view.getBigUint64(AT.slot, true),
    hashes: Array.from({ length: versions }, (_, number) => hexAt(bytes, AT.hashes + 32 * number)),
  };
  return requireExact('Close account', bytes, close, formatCloseAccount);
}
