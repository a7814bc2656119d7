import { formatCheckpoint } from '../log/checkpoint.ts';
import { closeHash } from '../report/close.ts';
import { contentHash, hashHex, type HashHex, type Sha256, toHash } from '../hash/hash.ts';
import { parseHex } from '../bytes/hex.ts';
import { recordDigest } from '../kind/record-digest.ts';
import { formatUtf8 } from '../bytes/utf8.ts';
import { reportDigest } from './report-digest.ts';
import type { FoldedEntry } from './view.ts';

/** What a stamp is of. */
export const STAMPED = [
  'report',
  'close',
  'event',
  'receipt',
  'question',
  'answers',
  'outcome',
  'checkpoint',
] as const;
export type Stamped = (typeof STAMPED)[number];

/** A digest that a batch includes. */
export interface Stamp {
  readonly of: Stamped;
  readonly digest: HashHex;
}

/**
 * The stamp that an entry needs: a report's hash, a Close's content hash, or the hash of the body of an event, a receipt,
 * a question, its closed answers or its outcome. The checkpoint of their batch covers entries of other kinds.
 */
export function stampOf(entry: FoldedEntry, sha256: Sha256): Stamp | undefined {
  switch (entry.kind) {
    case 'report/1':
      return { of: 'report', digest: reportDigest(sha256, entry.body) };
    case 'close/1':
      return { of: 'close', digest: closeHash(sha256, entry.body.content) };
    case 'event/1':
      return { of: 'event', digest: recordDigest(sha256, entry.body) };
    case 'receipt/1':
      return { of: 'receipt', digest: recordDigest(sha256, entry.body) };
    case 'question/1':
      return { of: 'question', digest: recordDigest(sha256, entry.body) };
    case 'answers/1':
      return entry.body.type === 'closed'
        ? { of: 'answers', digest: recordDigest(sha256, entry.body) }
        : undefined;
    case 'outcome/1':
      return { of: 'outcome', digest: recordDigest(sha256, entry.body) };
    default:
      return undefined;
  }
}

/**
 * What is stamped for a checkpoint: the SHA-256 of its three lines, without the signatures, of which more may be added
 * later.
 */
export function checkpointDigest(
  sha256: Sha256,
  origin: string,
  size: number,
  root: HashHex,
): HashHex {
  const text = formatCheckpoint({ origin, size, root: toHash(parseHex(root, 32)) });
  return hashHex(contentHash(sha256, formatUtf8(text)));
}
