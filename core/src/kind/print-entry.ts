import type { HashHex } from '../hash/hash.ts';
import {
  array,
  date,
  hashHex,
  hex,
  integer,
  malformed,
  nullable,
  object,
  oneOf,
  type Parse,
  string,
} from '../wire/schema.ts';
import { MAX_COSIGNERS } from '../report/cosigner-set.ts';
import { parseTicker, type Ticker } from '../rule/ticker.ts';
import type { DateText } from '../time/time.ts';

/** What an account on chain can hold of a log. */
export const ON_CHAIN = ['print', 'close'] as const;
export type OnChain = (typeof ON_CHAIN)[number];

/** A print or a Close that is permanently on chain: the chain had finalized it when this entry was written. */
export interface PrintEntry {
  readonly of: OnChain;
  /** The index whose feed it is under. */
  readonly ticker: Ticker;
  /** The print's period; the Close's day. */
  readonly period: DateText;
  /** The report's hash; the Close's content hash. */
  readonly digest: HashHex;
  /** Address of the feed, base58. */
  readonly feed: string;
  /** Address of the page, or of the Close account, base58. */
  readonly account: string;
  /** First signature of the transaction, base58; null where somebody else sent it. */
  readonly transaction: string | null;
  /** Slot of the chain at which it was written, according to the account. */
  readonly slot: number;
  /** The co-signers that the account shows for it, hex, ascending; none for a Close. */
  readonly cosigners: readonly string[];
}

const BASE58 = /^[1-9A-HJ-NP-Za-km-z]+$/;

const parseShape: Parse<PrintEntry> = object<PrintEntry>({
  of: oneOf(ON_CHAIN),
  ticker: parseTicker,
  period: date,
  digest: hashHex,
  feed: string(32, 44, BASE58),
  account: string(32, 44, BASE58),
  transaction: nullable(string(64, 88, BASE58)),
  slot: integer(0, Number.MAX_SAFE_INTEGER),
  cosigners: array(hex(32), 0, MAX_COSIGNERS),
});

export const parsePrintEntry: Parse<PrintEntry> = (value, at) => {
  const entry = parseShape(value, at);
  for (const [i, key] of entry.cosigners.entries()) {
    const before = entry.cosigners[i - 1];
    if (before !== undefined && before >= key) {
      throw malformed(`${at}.cosigners[${i}]`, `after ${before}`, key);
    }
  }
  if (entry.of === 'close' && entry.cosigners.length > 0) {
    throw malformed(`${at}.cosigners`, 'none of a Close', entry.cosigners.length);
  }
  return entry;
};
