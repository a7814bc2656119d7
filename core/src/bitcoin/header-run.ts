import { type Hash, type HashHex, type Sha256 } from '../hash/hash.ts';
import type { BitcoinNetwork } from './bitcoin-network.ts';
import { blockId, HEADER_BYTES } from './header.ts';
import { HeaderWalk } from './header-walk.ts';

/** Consecutive headers from anywhere in a chain. */
export interface Run {
  /** The height of the first header, as the caller claims it. */
  readonly height: number;
  /** The headers as given, 80 bytes each. */
  readonly headers: Uint8Array;
  /** The work on these headers, in hashes. */
  readonly work: bigint;
  /** Block ids, in order. */
  readonly ids: readonly HashHex[];
}

/**
 * Checks headers (80 bytes each, at least one) that claim to begin at `height`: each links to the one before it
 * in the run and meets its own target, and its bits are allowed.
 *
 * Which bits are allowed depends on what is known. Up to height 832,607 on `BITCOIN` they are those of the
 * table. Within an epoch they are the same throughout. At the first header of an epoch they follow from the
 * retarget if the run or the table contains the whole epoch before; otherwise they are at most four times
 * easier or harder. For the first header of a run after the table they are, for each epoch since, at most four
 * times easier than the last bits of the table.
 *
 * A run proves that someone spent `work` on these bytes and nothing else. Its height, and that its first header
 * follows from the chain, are only claimed, except at heights 0 and 832,608, where what comes before is known.
 * The bound on bits after the table becomes weaker as the claimed height grows: compare `work` with that of as
 * many of the table's last headers before money depends on a run.
 *
 * Throws `bad_header` at `height N`, and a TypeError for an invalid height.
 */
export function checkRun(
  sha256: Sha256,
  network: BitcoinNetwork,
  headers: Uint8Array,
  height: number,
): Run {
  const walk = new HeaderWalk(sha256, network, height);
  const view = new DataView(headers.buffer, headers.byteOffset, headers.byteLength);
  const ids: HashHex[] = [];
  let at = 0;
  for (; at + HEADER_BYTES <= headers.length; at += HEADER_BYTES) {
    walk.step(headers, view, at);
    ids.push(blockId(walk.hash as Hash));
  }
  if (at < headers.length || at === 0) {
    throw walk.bad(`${HEADER_BYTES} bytes`, `${headers.length - at} bytes`);
  }
  return { height, headers, work: walk.work, ids };
}
