import type { BitcoinNetwork } from '@assay/core/bitcoin/bitcoin-network';
import { LAST_EPOCH } from '@assay/core/bitcoin/epochs';
import { blockId, HEADER_BYTES, headerHash, parseHeader } from '@assay/core/bitcoin/header';
import { checkRun } from '@assay/core/bitcoin/header-run';
import { targetOf } from '@assay/core/bitcoin/work';
import { equalBytes } from '@assay/core/bytes/bytes';
import { messageOf } from '@assay/core/fault';
import { formatHex } from '@assay/core/bytes/hex';
import { formatTime } from '@assay/core/time/time';
import { nodeSha256 } from '@assay/node/platform/node-sha256';
import {
  FOLLOWING,
  type HeaderLookup,
  isCheap,
  worthOf,
  worthText,
} from '@assay/verifier/bitcoin/header-lookup';

/**
 * After the table's end an explorer's blocks may be at most four times easier than the last of it. A run proves
 * no height, and with a high claimed height `checkRun` accepts blocks as easy as in 2009.
 */
const EASIEST: bigint = 4n * targetOf(LAST_EPOCH.bits);

/**
 * The result for a Bitcoin attestation. `word`: only an explorer claims that it holds, which proves nothing.
 * `recent`: fewer than six headers follow that block. `not_checked`: there was no header to compare with.
 */
export type BlockResult = 'proven' | 'word' | 'wrong' | 'recent' | 'not_checked';

export interface BlockCheck {
  readonly kind: 'bitcoin';
  readonly height: number;
  /** The message in the order of explorers; null if its length is not a Merkle root's. */
  readonly merkle_root: string | null;
  readonly standing: BlockResult;
  /** The block that the headers have there; null if none was found. `time` is the miner's. */
  readonly block: {
    readonly id: string;
    readonly time: string;
    readonly merkle_root: string;
  } | null;
  readonly trust: HeaderLookup['kind'] | null;
  /** The headers that were compared with; null if there were none. */
  readonly headers: string | null;
  /** Why it is not proven; null if it is. */
  readonly reason: string | null;
}

export interface CheckedWith {
  readonly network: BitcoinNetwork;
  /**
   * The lookups for this network, the most trusted first. An attestation is compared with the first that has
   * its block and six more.
   */
  readonly lookups: readonly HeaderLookup[];
}

/** Whether `message` is the Merkle root of the block at `height`. Never throws because of a lookup. */
export async function checkBlock(
  height: number,
  message: Uint8Array,
  { network, lookups }: CheckedWith,
): Promise<BlockCheck> {
  const claim = {
    kind: 'bitcoin',
    height,
    merkle_root: message.length === 32 ? formatHex(message.toReversed()) : null,
    block: null,
    trust: null,
    headers: null,
  } as const;
  if (message.length !== 32) {
    const reason = `a Merkle root has 32 bytes, this message has ${message.length}`;
    return { ...claim, standing: 'wrong', reason };
  }
  const reasons: string[] = [];
  /** The result for headers that end too soon after the block. Others may have more. */
  let recent: BlockCheck | undefined;
  for (const lookup of lookups) {
    let header: Uint8Array;
    try {
      header = await headerAt(height, lookup, network);
    } catch (error) {
      reasons.push(messageOf(error));
      continue;
    }
    const { merkleRoot, time } = parseHeader(header);
    const block = {
      id: blockId(headerHash(nodeSha256, header)),
      time: formatTime(time),
      merkle_root: formatHex(merkleRoot.toReversed()),
    };
    const known = { ...claim, block, trust: lookup.kind, headers: lookup.description } as const;
    const same = equalBytes(merkleRoot, message);
    const following = lookup.tip.height - height;
    if (following < FOLLOWING) {
      const which = same ? '' : 'there is another block, and ';
      const reason = `${which}only ${following} of ${FOLLOWING} blocks follow it: it may still be reorganised`;
      recent ??= { ...known, standing: 'recent', reason };
      continue;
    }
    if (!same) return { ...known, standing: 'wrong', reason: 'its Merkle root is another' };
    if (lookup.kind === 'explorer') {
      return { ...known, standing: 'word', reason: 'only an explorer claims so' };
    }
    return { ...known, standing: 'proven', reason: null };
  }
  if (recent !== undefined) return recent;
  const reason = lookups.length === 0 ? 'there are no headers to compare with' : reasons.join('; ');
  return { ...claim, standing: 'not_checked', reason };
}

/**
 * The header with its own work and, if the table covers it, its bits. From an explorer, it comes with those
 * that follow, each linked to the one before. Throws an error with a text.
 */
async function headerAt(
  height: number,
  lookup: HeaderLookup,
  network: BitcoinNetwork,
): Promise<Uint8Array> {
  const { description: where, tip, kind, work } = lookup;
  if (height > tip.height) {
    throw new Error(`${where}: they end at height ${tip.height}, before this block`);
  }
  if (work !== null && height > LAST_EPOCH.height && isCheap(worthOf(work))) {
    throw new Error(`${where}: they are ${worthText(worthOf(work))} of the shipped table's end`);
  }
  const header = await lookup.header(height);
  if (header === undefined) throw new Error(`${where}: they begin after this block`);
  if (kind !== 'explorer') {
    checkRun(nodeSha256, network, header, height);
    return header;
  }
  const last = Math.min(height + FOLLOWING, tip.height);
  const run = new Uint8Array(HEADER_BYTES * (last - height + 1));
  for (let at = height; at <= last; at += 1) {
    const each = at === height ? header : await lookup.header(at);
    if (each?.length !== HEADER_BYTES) throw new Error(`${where}: no header of block ${at}`);
    if (network.name === 'bitcoin') requireHard(each, at, where);
    run.set(each, HEADER_BYTES * (at - height));
    // An error in a header is more useful than the message that the next one is missing.
    checkRun(nodeSha256, network, run.subarray(0, HEADER_BYTES * (at - height + 1)), height);
  }
  return header;
}

/** Throws for a header whose height is after the table's end although its work is far below that. */
function requireHard(header: Uint8Array, height: number, where: string): void {
  if (height <= LAST_EPOCH.height || targetOf(parseHeader(header).bits) <= EASIEST) return;
  throw new Error(
    `${where}: its block ${height} took less than a quarter of the work of block ${LAST_EPOCH.height}`,
  );
}
