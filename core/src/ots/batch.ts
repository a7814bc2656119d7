import { requireLength } from '../bytes/bytes.ts';
import { type Hash, type Sha256, taggedBytes, toHash } from '../hash/hash.ts';
import { emptyOutput, writeBytes, written } from './output.ts';
import { type Operation, operationBytes, writeOperation } from './operation.ts';
import { type Proof, proofHeadBytes, writeProofHead } from './proof.ts';
import type { Timestamp } from './timestamp.ts';

export interface BatchLeaf {
  /** What is stamped, 32 bytes. */
  readonly digest: Uint8Array;
  /** 16 bytes. For whoever does not know them, the proof of a neighbour reveals nothing about the digest. */
  readonly nonce: Uint8Array;
}

/** One tip over many digests. */
export interface BatchTree {
  /** What a calendar is sent. */
  readonly tip: Hash;
  /** The operations from a leaf's digest to the tip. Throws TypeError for an index without a leaf. */
  readonly pathOf: (index: number) => readonly Operation[];
}

export const NONCE_BYTES = 16;

const SHA256: Operation = { op: 'sha256' };

/**
 * The tree over `leaves`, pairs from the left, as the reference client builds it
 * (python-opentimestamps `make_merkle_tree`):
 *
 *     leaf = sha256(digest || nonce)
 *     node = sha256(left || right); an odd one at the end moves up as it is
 *     tip  = the last one left
 *
 * Throws `bad_length` for a digest or nonce, and TypeError without leaves.
 */
export function batchTree(sha256: Sha256, leaves: readonly BatchLeaf[]): BatchTree {
  if (leaves.length === 0) throw new TypeError('batchTree: no leaves');
  const leafInput = new Uint8Array(32 + NONCE_BYTES);
  const nodeInput = new Uint8Array(64);
  const nonces: Operation[] = [];
  let level: Hash[] = [];
  for (const { digest, nonce } of leaves) {
    requireLength(digest, 32, 'digest');
    requireLength(nonce, NONCE_BYTES, 'nonce');
    nonces.push({ op: 'append', argument: nonce });
    leafInput.set(digest);
    leafInput.set(nonce, 32);
    level.push(toHash(sha256(leafInput)));
  }
  // A level's step for each of its nodes; none for an odd one at the end.
  const levels: Operation[][] = [];
  while (level.length > 1) {
    const steps: Operation[] = [];
    const above: Hash[] = [];
    for (let i = 0; i + 1 < level.length; i += 2) {
      const left = level[i] as Hash;
      const right = level[i + 1] as Hash;
      steps.push({ op: 'append', argument: right }, { op: 'prepend', argument: left });
      nodeInput.set(left);
      nodeInput.set(right, 32);
      above.push(toHash(sha256(nodeInput)));
    }
    if (level.length % 2 === 1) above.push(level.at(-1) as Hash);
    levels.push(steps);
    level = above;
  }
  return {
    tip: level[0] as Hash,
    pathOf(index) {
      const nonce = nonces[index];
      if (nonce === undefined) throw new TypeError(`batchTree: no leaf ${index}`);
      const path = [nonce, SHA256];
      let at = index;
      for (const steps of levels) {
        const step = steps[at];
        if (step !== undefined) path.push(step, SHA256);
        at = Math.floor(at / 2);
      }
      return path;
    },
  };
}

/** The proof of a leaf: its path, and at the end of it the tip's timestamp. */
export function proofOf(digest: Uint8Array, path: readonly Operation[], tip: Timestamp): Proof {
  const timestamp = path.reduceRight<Timestamp>(
    (next, operation) => ({ items: [{ operation, next }] }),
    tip,
  );
  return { hash: 'sha256', digest, timestamp };
}

/**
 * The file of a leaf from the bytes of the tip's timestamp, the same as of its proof:
 * a path has no forks, so that `head || path || tip` is the whole. The caller sees to it that path
 * and tip together are not deeper than `MAX_NESTED_OPERATIONS` (`depthOf`).
 */
export function formatLeafProof(
  digest: Uint8Array,
  path: readonly Operation[],
  tip: Uint8Array,
): Uint8Array {
  let length = proofHeadBytes('sha256') + tip.length;
  for (const operation of path) length += operationBytes(operation);
  const output = emptyOutput(length);
  writeProofHead(output, 'sha256', digest);
  for (const operation of path) writeOperation(output, operation);
  writeBytes(output, tip);
  return written(output);
}

/**
 * The nonce of a batch's leaf: the first 16 bytes of
 * `sha256("assay/nonce/v1" 0x00 || salt (32) || index (u32, little endian))`.
 */
export function nonceOf(sha256: Sha256, salt: Uint8Array, index: number): Uint8Array {
  requireLength(salt, 32, 'salt');
  if (!Number.isInteger(index) || index < 0 || index > 0xffff_ffff) {
    throw new TypeError(`nonceOf: index ${index}`);
  }
  const place = Uint8Array.of(index, index >>> 8, index >>> 16, index >>> 24);
  return new Uint8Array(
    sha256(taggedBytes('assay/nonce/v1', salt, place)).subarray(0, NONCE_BYTES),
  );
}
