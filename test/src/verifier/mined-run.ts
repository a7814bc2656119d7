import { DEVELOPMENT } from '@assay/core/bitcoin/bitcoin-network';
import { formatHeader, headerHash } from '@assay/core/bitcoin/header';
import { meetsTarget } from '@assay/core/bitcoin/work';
import { concatBytes } from '@assay/core/bytes';
import { nodeSha256 } from '@assay/node/node-sha256';

/** What a miner says of its time here, 25 July 2026, in seconds since 1970. */
export const MINED: number = 1_785_000_000;

/** A development header on top of `prev` (32 bytes); without its work where `worked` says so. */
export function mine(
  prev: Uint8Array,
  merkleRoot: Uint8Array,
  worked = true,
  time: number = MINED,
): Uint8Array {
  const { limit: bits } = DEVELOPMENT;
  for (let nonce = 0; ; nonce += 1) {
    const fields = { version: 1, prev, merkleRoot, time, bits, nonce };
    const header = formatHeader(fields);
    if (meetsTarget(headerHash(nodeSha256, header), bits) === worked) return header;
  }
}

/** Seven linked development headers, the first of them over `merkleRoot`. */
export function minedRun(merkleRoot: Uint8Array, time: number = MINED): Uint8Array {
  const headers = [mine(new Uint8Array(32).fill(7), merkleRoot, true, time)];
  while (headers.length < 7) {
    const last = headers.at(-1) as Uint8Array;
    const root = new Uint8Array(32).fill(headers.length);
    headers.push(mine(headerHash(nodeSha256, last), root, true, time + headers.length));
  }
  return concatBytes(...headers);
}
