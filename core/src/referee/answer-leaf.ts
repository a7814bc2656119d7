import { parseHex } from '../bytes/hex.ts';
import { requireLength } from '../bytes/bytes.ts';
import { uuidBytes } from '../bytes/uuid.ts';
import {
  contentHash,
  type HashHex,
  hashHex,
  leafHash,
  type Sha256,
  taggedBytes,
  toHashHex,
} from '../hash/hash.ts';
import { rootOf } from '../log/tree.ts';

export const ANSWERS = ['yes', 'no'] as const;
export type Answer = (typeof ANSWERS)[number];

/** What a leaf commits to, besides its question and its ordinal. */
export interface AnswerOpening {
  /** 32 bytes that the client chose, hex. */
  readonly nonce: string;
  /** 32 random bytes of the publisher, hex: without them the answer could be found by trying both. */
  readonly salt: string;
  readonly answer: Answer;
}

/**
 * The commitment to an answer, 32 bytes as hex:
 *
 *     sha256("assay/answer/v1" 0x00 || question 16 || ordinal u64 LE || nonce 32 || salt 32 || 1 for yes, 0 for no)
 *
 * Throws `bad_hex` for parts of another form.
 */
export function answerLeaf(
  sha256: Sha256,
  question: string,
  ordinal: number,
  { nonce, salt, answer }: AnswerOpening,
): HashHex {
  const place = new Uint8Array(8);
  new DataView(place.buffer).setBigUint64(0, BigInt(ordinal), true);
  const bytes = taggedBytes(
    'assay/answer/v1',
    requireLength(uuidBytes(question), 16, 'question'),
    place,
    parseHex(nonce, 32),
    parseHex(salt, 32),
    Uint8Array.of(answer === 'yes' ? 1 : 0),
  );
  return hashHex(contentHash(sha256, bytes));
}

/** The RFC 6962 root over leaves in the order of their ordinals; the data of a tree leaf are the 32 bytes of an answer's. */
export function batchRoot(sha256: Sha256, leaves: readonly HashHex[]): HashHex {
  return toHashHex(
    hashHex(
      rootOf(
        sha256,
        leaves.map((leaf) => batchLeaf(sha256, leaf)),
      ),
    ),
  );
}

/** The hash of a leaf in the tree of its batch. */
export function batchLeaf(sha256: Sha256, leaf: HashHex): ReturnType<typeof leafHash> {
  return leafHash(sha256, parseHex(leaf, 32));
}
