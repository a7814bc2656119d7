import type { BitcoinNetwork } from '@assay/core/bitcoin/bitcoin-network';
import { bitsAt, LAST_EPOCH } from '@assay/core/bitcoin/epochs';
import { headerHash, parseHeader } from '@assay/core/bitcoin/header';
import { checkRun } from '@assay/core/bitcoin/header-run';
import { workOf } from '@assay/core/bitcoin/work';
import { equalBytes } from '@assay/core/bytes/bytes';
import { formatHex } from '@assay/core/bytes/hex';
import type { Sha256 } from '@assay/core/hash/hash';
import { formatTime } from '@assay/core/time/time';
import { type HeaderLookup, whyNone } from './header-lookup.ts';
import type { BitcoinTrust, BlockFacts, NotCheckedList } from '../verdict/verdict.ts';

/** The headers that a log keeps for a stamp: of the block that holds it, and of those on top of it. */
export const RUN_HEADERS = 7;

/**
 * The divisor of the table's last difficulty that a header must reach for its work to vouch for it, because what was
 * hard to make in Bitcoin's first years takes a moment now.
 */
const WORTH = 2n;

/** What headers are checked against. */
export interface BlockRules {
  readonly sha256: Sha256;
  readonly network: BitcoinNetwork;
  /** Headers of the same network; undefined where there are none. */
  readonly lookup: HeaderLookup | undefined;
}

export interface CheckedBlock {
  readonly facts: BlockFacts;
  /** The header that the lookup has at that height, where it is another one; both in hex. */
  readonly differs: BlockDifference | undefined;
}

export interface BlockDifference {
  readonly expected: string;
  readonly found: string;
  /** It follows the header before it and has the bits of its height: it was mined at that height and then lost. */
  readonly stale: boolean;
}

/**
 * The block that the first of `headers` (80 bytes each, linked) is at the claimed height, and what vouches for it.
 * Throws `bad_header` for headers without their work, their links or their network's bits.
 */
export async function checkBlock(
  height: number,
  headers: Uint8Array,
  { sha256, network, lookup }: BlockRules,
  notChecked: NotCheckedList,
): Promise<CheckedBlock> {
  const { ids, work } = checkRun(sha256, network, headers, height);
  const header = headers.subarray(0, 80);
  const { prev, time, bits } = parseHeader(header);
  const facts = (trust: BitcoinTrust, doubt: string | null = null): BlockFacts => ({
    height,
    block: ids[0] as string,
    time: formatTime(time),
    headers: ids.length,
    work: work.toString(),
    trust,
    doubt,
  });
  const alone = isPriced(network, height + ids.length - 1, bits) ? 'work' : 'none';
  const own = facts(alone);
  if (lookup === undefined) return { facts: own, differs: undefined };
  const known = height > lookup.tip.height ? undefined : await lookup.header(height);
  if (known === undefined) {
    const after = height > lookup.tip.height;
    notChecked.add(
      'times',
      'some blocks against the headers given',
      after
        ? `those headers end at height ${lookup.tip.height}, before them: newer ones show it`
        : 'those headers begin after them',
      'headers',
    );
    return { facts: own, differs: undefined };
  }
  if (equalBytes(known, header)) {
    const doubt = whyNone(lookup, height);
    return {
      facts: doubt === undefined ? facts(lookup.kind) : facts(alone, doubt),
      differs: undefined,
    };
  }
  const parent = height === 0 ? undefined : await lookup.header(height - 1);
  const stale =
    parent !== undefined &&
    parseHeader(known).bits === bits &&
    equalBytes(headerHash(sha256, parent), prev);
  const differs = { expected: formatHex(known), found: formatHex(header), stale };
  return { facts: own, differs };
}

/** Whether the shipped table determines the bits of the headers up to `last`, and these bits cost something. */
function isPriced(network: BitcoinNetwork, last: number, bits: number): boolean {
  if (network.name === 'development') return true;
  return bitsAt(last) !== undefined && workOf(bits) * WORTH >= workOf(LAST_EPOCH.bits);
}
