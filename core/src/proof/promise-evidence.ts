import { formatBase64 } from '../bytes/base64.ts';
import { formatHex, parseHex } from '../bytes/hex.ts';
import { parseUtf8 } from '../bytes/utf8.ts';
import { type Hash, type HashHex, leafHash, type Sha256, toHash } from '../hash/hash.ts';
import type { SubmissionReceipt } from '../intake/submission-receipt.ts';
import { parseAnswers } from '../kind/answers.ts';
import { parseFreeze } from '../kind/freeze.ts';
import { parseEntry } from '../log/entry.ts';
import { inclusionRanges, rootOf } from '../log/tree.ts';
import type { PromiseEvidence, ProvenGenesis } from './evidence.ts';

/** What ends a batch: how many leaves it has, and the root over them. */
export interface BatchEnd {
  /** The id of the question or of the round. */
  readonly subject: string;
  readonly count: number;
  readonly root: HashHex;
  /**
   * What the 32 bytes of a submission are in the tree: the data of its leaf, as of an answer, or the hash of it, as of a
   * forecast.
   */
  readonly leaves: 'data' | 'hashes';
}

/**
 * The end of a batch in an entry: closed `answers/1`, or `freeze/1`; undefined in any other. Throws `malformed` and what
 * `parseEntry` throws.
 */
export function batchEndIn(bytes: Uint8Array): BatchEnd | undefined {
  const { kind, body } = parseEntry(bytes);
  if (kind === 'answers/1') {
    const answers = parseAnswers(body, 'body');
    if (answers.type !== 'closed') return undefined;
    const { question: subject, count, root } = answers;
    return { subject, count, root, leaves: 'data' };
  }
  if (kind !== 'freeze/1') return undefined;
  const { round, count, root } = parseFreeze(body, 'body');
  return { subject: round, count, root, leaves: 'hashes' };
}

/** The hash of a submission in the tree of its batch. */
export function submissionLeaf(
  sha256: Sha256,
  leaf: HashHex,
  { leaves }: Pick<BatchEnd, 'leaves'>,
): Hash {
  const bytes = parseHex(leaf, 32);
  return leaves === 'data' ? leafHash(sha256, bytes) : toHash(bytes);
}

export interface PromiseParts {
  readonly genesis: ProvenGenesis;
  readonly vkey: string;
  readonly receipt: SubmissionReceipt;
  /** A signed note, with its original signature lines. */
  readonly checkpoint: Uint8Array;
  /** The entry that ends the batch, its index, and its inclusion proof in the tree of the checkpoint. */
  readonly entry: Uint8Array;
  readonly index: number;
  readonly proof: readonly Hash[];
  /** Every leaf of the batch, by ordinal. */
  readonly leaves: readonly HashHex[];
}

/**
 * The evidence of a receipt whose leaf is not in its place; undefined if it is there, or if the entry ends no batch. Signatures and proofs are checked by
 * the checker.
 */
export function promiseEvidence(sha256: Sha256, parts: PromiseParts): PromiseEvidence | undefined {
  const { genesis, vkey, receipt, leaves } = parts;
  const { ordinal } = receipt;
  const leaf = leaves[ordinal];
  const ending = batchEndIn(parts.entry);
  if (leaf === receipt.leaf || ending === undefined) return undefined;
  const hashes = leaves.map((each) => submissionLeaf(sha256, each, ending));
  const path = leaf === undefined ? [] : inclusionRanges(ordinal, leaves.length);
  const toHex = (hash: Hash): HashHex => formatHex(toHash(hash)) as HashHex;
  return {
    type: 'assay-evidence/1',
    kind: 'promise',
    genesis,
    vkey,
    receipt,
    checkpoint: parseUtf8(parts.checkpoint),
    batch: {
      entry: formatBase64(parts.entry),
      index: parts.index,
      proof: parts.proof.map(toHex),
    },
    other:
      leaf === undefined
        ? null
        : {
            leaf,
            proof: path.map(({ start, end }) => toHex(rootOf(sha256, hashes.slice(start, end)))),
          },
  };
}
