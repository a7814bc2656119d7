import { HEADER_BYTES, parseHeader } from '@assay/core/bitcoin/header';
import { equalBytes } from '@assay/core/bytes/bytes';
import { parseHex } from '@assay/core/bytes/hex';
import { type AnchorBlock, MAX_REORGANISED } from '@assay/core/kind/anchor';
import type { Attestation } from '@assay/core/ots/attestation';
import { evaluate } from '@assay/core/ots/evaluate';
import type { OtsHashes } from '@assay/core/ots/hashes';
import { prune } from '../bitcoin/merge.ts';
import type { Timestamp } from '@assay/core/ots/timestamp';
import type { ConfirmedBlock } from '../bitcoin/header-follower.ts';

/** Returns the block at a height with six more on top of it; undefined if none is known. */
export type ConfirmedAt = (height: number) => Promise<ConfirmedBlock | undefined>;

/** The result of checking a calendar's answer. */
export type Sounded =
  /** `timestamp` is the part that leads to the lowest block that holds the commitment. */
  | { readonly kind: 'sound'; readonly timestamp: Timestamp }
  /** The answer names a block that is not known yet, or not deep enough. */
  | { readonly kind: 'early' }
  | { readonly kind: 'wrong'; readonly reason: string };

/** The most blocks that one answer may name, because each costs a lookup in the chain. A calendar names one. */
const MAX_NAMED = 16;

/**
 * Looks up the blocks that an answer to `commitment` names. The block at `floor` existed before the commitment
 * was made, and so did every lower one, unless the block at `floor` has been lost since.
 */
export async function sound(
  timestamp: Timestamp,
  commitment: Uint8Array,
  floor: number,
  confirmed: ConfirmedAt,
  hashes: OtsHashes,
): Promise<Sounded> {
  const named: { attestation: Attestation; height: number; message: Uint8Array }[] = [];
  for (const { attestation, message } of evaluate(timestamp, commitment, hashes)) {
    if (attestation.kind !== 'bitcoin') continue;
    named.push({ attestation, height: attestation.height, message });
  }
  if (named.length > MAX_NAMED) return { kind: 'wrong', reason: `it names ${named.length} blocks` };
  let early = false;
  let reason = 'it names no block';
  for (const { attestation, height, message } of named.sort((a, b) => a.height - b.height)) {
    if (height <= floor - MAX_REORGANISED) {
      reason = `block ${height} is far below ${floor}, which was there before`;
      continue;
    }
    const block = await confirmed(height);
    if (block === undefined) {
      early = true;
    } else if (equalBytes(rootOf(headerOf(block)), message)) {
      const part = prune(timestamp, (each) => each === attestation);
      if (part !== undefined) return { kind: 'sound', timestamp: part };
    } else {
      reason = `block ${height} has another Merkle root than it says`;
    }
  }
  return early ? { kind: 'early' } : { kind: 'wrong', reason };
}

/** The part of a batch's timestamp that holds on the current chain. */
export interface HeldProof {
  readonly tree: Timestamp;
  /** Ascending by height. A recorded block stays as it was if it still holds. */
  readonly blocks: readonly (AnchorBlock | ConfirmedBlock)[];
  /** Heights whose blocks no longer hold. */
  readonly gone: readonly number[];
}

/**
 * The tree over `message` without the attestations that the chain contradicts. A recorded block that no source
 * shows at the moment stays. Undefined if nothing of the tree is left.
 */
export async function heldProof(
  timestamp: Timestamp,
  message: Uint8Array,
  recorded: readonly AnchorBlock[],
  confirmed: ConfirmedAt,
  hashes: OtsHashes,
): Promise<HeldProof | undefined> {
  const blocks = new Map<number, AnchorBlock | ConfirmedBlock>();
  const bad = new Set<Attestation>();
  const gone = new Set<number>();
  for (const { attestation, message: root } of evaluate(timestamp, message, hashes)) {
    if (attestation.kind !== 'bitcoin') continue;
    const { height } = attestation;
    const before = recorded.find((block) => block.height === height);
    const shown = await confirmed(height);
    const same =
      before !== undefined &&
      (shown === undefined || equalBytes(headerOf(shown), headerOf(before)));
    const block = same ? before : shown;
    if (block !== undefined && equalBytes(rootOf(headerOf(block)), root)) {
      blocks.set(height, block);
    } else {
      bad.add(attestation);
      gone.add(height);
    }
  }
  const tree = prune(timestamp, (each) => !bad.has(each));
  if (tree === undefined) return undefined;
  const ascending = [...blocks.values()].sort((a, b) => a.height - b.height);
  return { tree, blocks: ascending, gone: [...gone] };
}

/** The header of the block itself, 80 bytes. */
export function headerOf(block: AnchorBlock | ConfirmedBlock): Uint8Array {
  return 'header' in block
    ? parseHex(block.header, HEADER_BYTES)
    : block.headers.subarray(0, HEADER_BYTES);
}

function rootOf(header: Uint8Array): Uint8Array {
  return parseHeader(header).merkleRoot;
}
