import { Fault, messageOf } from '@assay/core/fault';
import { entryBody, type EntryLayout, entryPrev, scanEntry } from '@assay/core/log/entry';
import {
  type Hash,
  hashHex,
  type HashHex,
  type Sha256,
  ZERO_HASH_HEX,
} from '@assay/core/hash/hash';
import { bodyParser, type BodyParser, type KnownBody } from '@assay/core/kind/kinds';
import { formatTime, type TimeText } from '@assay/core/time/time';
import { logDiffers } from './log-differs.ts';

/** The end of a chain of entries, which the next one must continue. */
export interface ChainEnd {
  /** Entries so far. */
  readonly size: number;
  /** The leaf hash of the newest entry; 64 zeros before the first. */
  readonly prev: HashHex;
  /** The time of the newest entry. */
  readonly at: TimeText;
}

export const CHAIN_START: ChainEnd = { size: 0, prev: ZERO_HASH_HEX, at: formatTime(0) };

/** An entry of somebody else's log, as far as it can be judged by itself and by the entries before it. */
export interface ReadEntry {
  readonly seq: number;
  readonly bytes: Uint8Array;
  readonly leaf: Hash;
  readonly at: TimeText;
  /** Undefined for a kind that this version does not know. Such an entry is stored, but changes no view. */
  readonly known: KnownBody | undefined;
}

/**
 * Reads the next entry of a log that somebody else signs. Throws `not_canonical`, `bad_utf8`, `too_large` or
 * `malformed` for what is no entry or has a body that does not match its kind, and `ledger_corrupt` for one
 * that breaks the log: its number, the hash chain, a time that goes back, or a genesis elsewhere than at the
 * start.
 */
export function readNext(
  parseBody: BodyParser,
  end: ChainEnd,
  bytes: Uint8Array,
  leaf: Hash,
): ReadEntry {
  const seq = end.size;
  const layout = scanEntry(bytes);
  if (layout.seq !== seq) throw broken(seq, `seq ${seq}`, `seq ${layout.seq}`);
  const prev = entryPrev(bytes, layout);
  if (prev !== end.prev) throw broken(seq, `prev ${end.prev}`, `prev ${prev}`);
  if (layout.at < end.at) throw broken(seq, `a time of ${end.at} or later`, layout.at);
  if ((layout.kind === 'genesis/1') !== (seq === 0)) {
    throw broken(seq, seq === 0 ? 'genesis/1' : 'any kind but genesis', layout.kind);
  }
  return { seq, bytes, leaf, at: layout.at, known: readBody(parseBody, bytes, layout) };
}

/** Reads the next entry of one log. Throws as `readNext` does, and `ledger_differs` for another log. */
export type EntryReader = (end: ChainEnd, bytes: Uint8Array, leaf: Hash) => ReadEntry;

/** The reader of a log whose entry 0 has the leaf hash `logId`; null where it is not known. */
export function entryReader(sha256: Sha256, logId: HashHex | null): EntryReader {
  const parseBody = bodyParser(sha256);
  return (end, bytes, leaf) => {
    const read = readNext(parseBody, end, bytes, leaf);
    if (read.known?.kind !== 'genesis/1') return read;
    const log = hashHex(leaf);
    if (logId !== null && log !== logId) throw logDiffers('log id', logId, log);
    return read;
  };
}

export function endOf({ seq, leaf, at }: ReadEntry): ChainEnd {
  return { size: seq + 1, prev: hashHex(leaf), at };
}

function readBody(
  parseBody: BodyParser,
  bytes: Uint8Array,
  layout: EntryLayout,
): KnownBody | undefined {
  try {
    return parseBody(layout.kind, entryBody(bytes, layout));
  } catch (cause) {
    throw new Fault('malformed', 'entry', {
      at: `entry ${layout.seq}`,
      expected: `a body of ${layout.kind}`,
      found: messageOf(cause),
      cause,
    });
  }
}

function broken(seq: number, expected: string, found: string): Fault {
  return new Fault('ledger_corrupt', 'log of another', { at: `entry ${seq}`, expected, found });
}
