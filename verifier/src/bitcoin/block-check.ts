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

/** A block that holds a stamp, and those on top of it that a log keeps. */
export const RUN_HEADERS = 7;

/**
 * The part of the table's last difficulty that a header must have for its work to vouch for it: what was
 * hard to make in Bitcoin's first years takes a moment now.
 */
const WORTH = 2n;

/** What headers are held to. */
export interface BlockRules {
  readonly sha256: Sha256;
  readonly network: BitcoinNetwork;
  /** Of the same network; undefined where there is none. */
  readonly lookup: HeaderLookup | undefined;
}

export interface CheckedBlock {
  readonly facts: BlockFacts;
  /** What the lookup has at that height, where it is another header; both in hex. */
  readonly differs: BlockDifference | undefined;
}

export interface BlockDifference {
  readonly expected: string;
  readonly found: string;
  /** It stands on the header before and has the bits of that height: it was mined in its place, and lost. */
  readonly stale: boolean;
}

/**
 * The block that the first of `headers` (80 bytes each, linked) is at a claimed height, and what vouches
 * for it. Throws `bad_header` for headers without their work, their links or their network's bits.
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
        ? `those headers end at height ${lookup.tip.height}, before them: newer ones tell`
        : 'those headers begin after them',
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

/** Whether the shipped table says what bits the headers up to `last` must have, and they cost something. */
function isPriced(network: BitcoinNetwork, last: number, bits: number): boolean {
  if (network.name === 'development') return true;
  return bitsAt(last) !== undefined && workOf(bits) * WORTH >= workOf(LAST_EPOCH.bits);
}
