import type { BitcoinNetwork } from '@assay/core/bitcoin/bitcoin-network';
import { DEVELOPMENT } from '@assay/core/bitcoin/bitcoin-network';
import { formatHeader, HEADER_BYTES, headerHash } from '@assay/core/bitcoin/header';
import { meetsTarget } from '@assay/core/bitcoin/work';
import type { Sha256 } from '@assay/core/hash/hash';
import { nodeSha256 } from '@assay/node/platform/node-sha256';

/** A network of easy work whose bits change as the main chain's do. */
export const EASY: BitcoinNetwork = { ...DEVELOPMENT, retargets: true };

/** A hash that meets any target of the main chain: what no work can reach is tested with it. */
export const weakSha256: Sha256 = (bytes) => nodeSha256(bytes).fill(0, 8);

/** Ten minutes after the header before, from the development network's first. */
export const evenTime = (height: number): number => 1_296_688_602 + 600 * height;

export interface Mined {
  readonly time?: (height: number) => number;
  readonly bits?: (height: number) => number;
  /** What sets two chains apart. */
  readonly root?: number;
}

/** A header after `before` (80 bytes), with its work done. */
export function mineAfter(
  before: Uint8Array,
  { time, bits, root = 0 }: { time: number; bits: number; root?: number },
): Uint8Array {
  const prev = headerHash(nodeSha256, before);
  const merkleRoot = new Uint8Array(32).fill(root);
  const out = formatHeader({ version: 1, prev, merkleRoot, time, bits, nonce: 0 });
  const view = new DataView(out.buffer);
  for (let nonce = 0; !meetsTarget(headerHash(nodeSha256, out), bits); nonce += 1) {
    view.setUint32(76, nonce, true);
  }
  return out;
}

/** `count` headers of the development network's kind from its first on, 80 bytes each. */
export function mineChain(count: number, options: Mined = {}): Uint8Array {
  const { time = evenTime, bits = () => DEVELOPMENT.limit, root = 0 } = options;
  const out = new Uint8Array(count * HEADER_BYTES);
  out.set(DEVELOPMENT.genesis);
  for (let height = 1; height < count; height += 1) {
    const at = height * HEADER_BYTES;
    const before = out.subarray(at - HEADER_BYTES, at);
    out.set(mineAfter(before, { time: time(height), bits: bits(height), root }), at);
  }
  return out;
}

/** The bytes of `count` headers from number `from` on. */
export function cut(headers: Uint8Array, from: number, count: number): Uint8Array {
  return headers.slice(from * HEADER_BYTES, (from + count) * HEADER_BYTES);
}

/** Headers that link by `weakSha256`, with version 1, no root and nonce 0, after the hash `prev`. */
export function weakChain(
  prev: Uint8Array,
  fields: readonly { readonly time: number; readonly bits: number }[],
): Uint8Array {
  const out = new Uint8Array(fields.length * HEADER_BYTES);
  let hash = prev;
  for (const [i, { time, bits }] of fields.entries()) {
    const merkleRoot = new Uint8Array(32);
    const header = formatHeader({ version: 1, prev: hash, merkleRoot, time, bits, nonce: 0 });
    out.set(header, i * HEADER_BYTES);
    hash = headerHash(weakSha256, header);
  }
  return out;
}
