import type { BitcoinNetwork } from '@assay/core/bitcoin/bitcoin-network';
import { bitsAt, LAST_EPOCH } from '@assay/core/bitcoin/epochs';
import { BITS_AT, HEADER_BYTES } from '@assay/core/bitcoin/header';
import { checkRun } from '@assay/core/bitcoin/header-run';
import { formatBits, targetOf, workOf } from '@assay/core/bitcoin/work';
import { concatBytes } from '@assay/core/bytes/bytes';
import { Fault } from '@assay/core/fault';
import type { HashHex } from '@assay/core/hash/hash';
import { nodeSha256 } from '../platform/node-sha256.ts';

/** The newest headers of a chain: linked, each with its own work, and at least one. */
export interface Branch {
  /** The height of the first header. */
  readonly first: number;
  /** 80 bytes each. */
  readonly headers: readonly Uint8Array[];
  /** Their ids, in the same order. */
  readonly ids: readonly HashHex[];
}

export function tipHeight(branch: Branch): number {
  return branch.first + branch.headers.length - 1;
}

/** The id at `height`; `undefined` outside the branch. */
export function idAt(branch: Branch, height: number): HashHex | undefined {
  return branch.ids[height - branch.first];
}

/**
 * Checks headers that claim to begin at `first`: their links, work and bits. On a chain that retargets, no
 * header after the epoch table may be easier than a quarter of `near`, the bits of a header that is already
 * held. Throws `bad_header`.
 */
export function checkBranch(
  network: BitcoinNetwork,
  headers: readonly Uint8Array[],
  first: number,
  near: number = LAST_EPOCH.bits,
): Branch {
  const { ids } = checkRun(nodeSha256, network, concatBytes(...headers), first);
  if (network.retargets) requireWork(headers, first, near);
  return { first, headers, ids };
}

function requireWork(headers: readonly Uint8Array[], first: number, near: number): void {
  const easiest = 4n * targetOf(near);
  let checked: number | undefined;
  for (const [i, header] of headers.entries()) {
    const bits = bitsOf(header);
    if (bits === checked || bitsAt(first + i) !== undefined) continue;
    if (targetOf(bits) > easiest) {
      throw new Fault('bad_header', 'Bitcoin header', {
        at: `height ${first + i}`,
        expected: `bits at most four times easier than ${formatBits(near)}`,
        found: formatBits(bits),
      });
    }
    checked = bits;
  }
}

export function bitsOf(header: Uint8Array): number {
  return new DataView(header.buffer, header.byteOffset, HEADER_BYTES).getUint32(BITS_AT, true);
}

/** `branch` up to `height`, which it contains, followed by `more`. */
export function joined(branch: Branch, height: number, more: Branch): Branch {
  const kept = height - branch.first + 1;
  return {
    first: branch.first,
    headers: [...branch.headers.slice(0, kept), ...more.headers],
    ids: [...branch.ids.slice(0, kept), ...more.ids],
  };
}

/** The newest `count` headers of a branch. */
export function newest(branch: Branch, count: number): Branch {
  const drop = branch.headers.length - count;
  if (drop <= 0) return branch;
  return {
    first: branch.first + drop,
    headers: branch.headers.slice(drop),
    ids: branch.ids.slice(drop),
  };
}

/** The work of a branch's headers from `height` on, in hashes. */
export function workFrom(branch: Branch, height: number): bigint {
  let work = 0n;
  let bits = -1;
  let each = 0n;
  for (const header of branch.headers.slice(Math.max(0, height - branch.first))) {
    if (bitsOf(header) !== bits) {
      bits = bitsOf(header);
      each = workOf(bits);
    }
    work += each;
  }
  return work;
}

/** The greatest height at which both have the same header; `undefined` if they share none. */
export function lastCommon(a: Branch, b: Branch): number | undefined {
  const least = Math.max(a.first, b.first);
  for (let height = Math.min(tipHeight(a), tipHeight(b)); height >= least; height -= 1) {
    if (idAt(a, height) === idAt(b, height)) return height;
  }
  return undefined;
}
