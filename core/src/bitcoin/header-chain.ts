import type { Sha256 } from '../hash/hash.ts';
import type { BitcoinNetwork } from './bitcoin-network.ts';
import { HEADER_BYTES } from './header.ts';
import { type HeaderChain, HeaderChecker, PAGE_HEADERS } from './header-checker.ts';

export type { HeaderChain } from './header-checker.ts';

/**
 * The chain that `bytes`, 80 a header, are, from height `first` on: see `HeaderChecker` for what is
 * checked. `progress` is told how many headers are, every 2016 of them. Throws `bad_header` at
 * `height N`; TypeError unless `first` is 0 or, on `BITCOIN`, 832608.
 */
export function checkHeaders(
  sha256: Sha256,
  network: BitcoinNetwork,
  bytes: Uint8Array,
  { first }: { readonly first: number },
  progress?: (count: number) => void,
): HeaderChain {
  const checker = new HeaderChecker(sha256, network, first);
  const step = PAGE_HEADERS * HEADER_BYTES;
  for (let at = 0; at < bytes.length; at += step) {
    checker.add(bytes.subarray(at, at + step));
    progress?.(checker.count);
  }
  return checker.end();
}
