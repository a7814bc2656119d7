import type { BitcoinNetwork } from '@assay/core/bitcoin/bitcoin-network';
import { LAST_EPOCH, worthInHeaders } from '@assay/core/bitcoin/epochs';
import { formatTime } from '@assay/core/time/time';
import type { BitcoinFacts } from '../verdict/verdict.ts';

/** Consecutive headers that were all seen: how many they are, and how many hashes they took. */
export interface HeaderWork {
  readonly count: number;
  readonly hashes: bigint;
}

/**
 * Headers that the verifying side has from elsewhere, which a log's claims about Bitcoin are compared with. `headers`
 * is a chain checked from a known block on, or the verifier's own node; `explorer` is only an explorer's statement.
 */
export interface HeaderLookup {
  readonly kind: 'headers' | 'explorer';
  readonly network: BitcoinNetwork['name'];
  /** The height of its first header. */
  readonly first: number;
  /** The headers after the shipped table; null where they were not all seen, or no table prices them. */
  readonly work: HeaderWork | null;
  /** The newest header; `time` in Unix seconds, as its miner put it. */
  readonly tip: { readonly height: number; readonly time: number };
  /** The 80 bytes of the header at a height up to the tip's; undefined where there is none. */
  readonly header: (height: number) => Promise<Uint8Array | undefined>;
  /** For the verdict, such as `headers checked from the genesis block`. */
  readonly description: string;
}

/** What headers are worth, counted in headers at the end of the shipped table, and how many they are. */
export interface HeadersWorth {
  readonly worth: number;
  readonly of: number;
}

/** The part of its price at the table's end that a chain must have cost; a cheaper chain may have been forged. */
const ENOUGH = 1 / 2;

/** What headers after the shipped table are worth, in headers at its end. */
export function worthOf({ count, hashes }: HeaderWork): HeadersWorth {
  return { worth: worthInHeaders(hashes), of: count };
}

/**
 * Whether headers cost so little that they vouch for nothing after the table. Each period of 2016 may be four times
 * easier than the one before it. With false times, a chain of any length then costs little more than its first periods.
 */
export function isCheap({ worth, of }: HeadersWorth): boolean {
  return worth < of * ENOUGH;
}

/** As text: `worth N of M headers`. */
export function worthText({ worth, of }: HeadersWorth): string {
  return `worth ${worth} of ${of} headers`;
}

/** Why headers that contain a block at this height do not vouch for it; undefined where they do. */
export function whyNone({ kind, tip, work }: HeaderLookup, height: number): string | undefined {
  // Up to the table's end, a chain must lead to the table's last block.
  if (kind === 'headers' && work !== null && height > LAST_EPOCH.height) {
    const worth = worthOf(work);
    if (isCheap(worth)) {
      return `the headers given are ${worthText(worth)} of the shipped table's end: made for less than Bitcoin's cost`;
    }
  }
  const following = tip.height - height;
  return following >= FOLLOWING ? undefined : `recent: ${following} of ${FOLLOWING} headers follow`;
}

/** Headers that must follow a block before it counts, because until then another may replace it. */
export const FOLLOWING = 6;

/** What a verdict states about the given headers; null where there were none. */
export function sourceFacts(lookup: HeaderLookup | undefined): BitcoinFacts['source'] {
  if (lookup === undefined) return null;
  const { description, tip, work } = lookup;
  return {
    description,
    height: tip.height,
    time: formatTime(tip.time),
    work: work === null ? null : worthOf(work),
  };
}
