import { createHash } from 'node:crypto';
import { type Blockhash, getBase58Decoder } from '@solana/kit';

/** How many blocks after its own a blockhash is valid (MAX_PROCESSING_AGE of Agave). */
export const BLOCKHASH_AGE = 150;

const DOMAIN = 'assay/development-block/v1';

/** A blockhash, and the last block height at which a transaction with it can run. */
export interface LatestBlockhash {
  readonly blockhash: Blockhash;
  readonly lastValidBlockHeight: number;
}

/** The blockhashes that are valid now. litesvm itself knows only one. */
export interface BlockhashWindow {
  /** Advances to a height, over any number of blocks. */
  advance(height: number): void;
  latest(): LatestBlockhash;
  /** Whether a hash is valid now, or will be after so many blocks. The next block is the transaction's own. */
  isValid(blockhash: string, blocks?: number): boolean;
}

/** A window that starts at height 0. */
export function blockhashWindow(genesis: string): BlockhashWindow {
  let height = 0;
  /** Oldest first. */
  let hashes = new Map<string, number>([[blockhashAt(genesis, 0), 0]]);
  return {
    advance(to) {
      if (to <= height) return;
      const from = Math.max(height + 1, to - BLOCKHASH_AGE);
      hashes = new Map([...hashes].filter(([, at]) => at >= to - BLOCKHASH_AGE));
      for (let at = from; at <= to; at += 1) hashes.set(blockhashAt(genesis, at), at);
      height = to;
    },
    latest: () => ({
      blockhash: blockhashAt(genesis, height),
      lastValidBlockHeight: height + BLOCKHASH_AGE,
    }),
    isValid: (blockhash, blocks = 0) =>
      (hashes.get(blockhash) ?? Number.NEGATIVE_INFINITY) >= height + blocks - BLOCKHASH_AGE,
  };
}

/**
 * sha256(domain 0x00 || genesis hash, base58 || 0x00 || height, decimal), which is the same after a restart.
 */
export function blockhashAt(genesis: string, height: number): Blockhash {
  const bytes = createHash('sha256').update(`${DOMAIN}\0${genesis}\0${height}`).digest();
  return getBase58Decoder().decode(bytes) as Blockhash;
}
