import { concatBytes, requireLength } from '../bytes/bytes.ts';
import { contentHash, type HashHex, hashHex as toHex, type Sha256 } from '../hash/hash.ts';
import { parseHex } from '../bytes/hex.ts';
import {
  array,
  date,
  hashHex,
  i64,
  malformed,
  nullable,
  object,
  type Parse,
  string,
} from '../wire/schema.ts';
import { parseTicker, type Ticker } from '../rule/ticker.ts';
import { type DateText, parseDate } from '../time/time.ts';
import { formatUtf8 } from '../bytes/utf8.ts';
import { formatWire } from '../wire/wire.ts';

/** An index's newest complete period on the day of a Close. */
export interface CloseItem {
  readonly ticker: Ticker;
  readonly period: DateText;
  /** The period's newest report. */
  readonly report: HashHex;
  /** Scaled as in the report; null when void or withheld. */
  readonly value: string | null;
}

/** A settlement file of the day, of which every mirror has a copy. */
export interface CloseFile {
  /** Relative to the address at which the files are served. */
  readonly path: string;
  readonly sha256: HashHex;
}

/** What a Close freezes: every index at the end of one UTC day. */
export interface CloseContent {
  readonly day: DateText;
  /** By ticker. */
  readonly items: readonly CloseItem[];
  /** By path. */
  readonly files: readonly CloseFile[];
}

const parseShape: Parse<CloseContent> = object<CloseContent>({
  day: date,
  items: array(
    object<CloseItem>({
      ticker: parseTicker,
      period: date,
      report: hashHex,
      value: nullable(i64),
    }),
    1,
    256,
  ),
  files: array(
    object<CloseFile>({
      path: string(1, 256, /^[A-Za-z0-9-]+(\/[A-Za-z0-9-]+(\.[A-Za-z0-9]+)*)*$/),
      sha256: hashHex,
    }),
    0,
    512,
  ),
});

/** The content of a Close, or `malformed`: each ticker and each path once, ascending. */
export const parseCloseContent: Parse<CloseContent> = (value, at) => {
  const content = parseShape(value, at);
  requireRising(
    content.items.map(({ ticker }) => ticker),
    `${at}.items`,
  );
  requireRising(
    content.files.map(({ path }) => path),
    `${at}.files`,
  );
  return content;
};

function requireRising(names: readonly string[], at: string): void {
  for (const [i, name] of names.entries()) {
    const before = names[i - 1];
    if (before !== undefined && before >= name)
      throw malformed(`${at}[${i}]`, `after ${before}`, name);
  }
}

/** `sha256(canonical { day, items, files })`. */
export function closeHash(sha256: Sha256, content: CloseContent): HashHex {
  return toHex(contentHash(sha256, formatWire(content)));
}

/** Bytes of what the publisher signs of a Close. */
export const CLOSE_MESSAGE_BYTES = 76;

/**
 * What the publisher signs of a Close, 76 bytes, little endian:
 *
 *     0   8  "assayCL1"
 *     8  32  log id
 *    40   4  day i32, days since 1970-01-01
 *    44  32  content hash
 */
export function closeMessage(log: HashHex, day: DateText, hash: HashHex): Uint8Array {
  const number = new Uint8Array(4);
  new DataView(number.buffer).setInt32(0, parseDate(day), true);
  const message = concatBytes(
    formatUtf8('assayCL1'),
    parseHex(log, 32),
    number,
    parseHex(hash, 32),
  );
  return requireLength(message, CLOSE_MESSAGE_BYTES, 'close message');
}
