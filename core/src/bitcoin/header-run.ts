import { type Hash, type HashHex, type Sha256 } from '../hash/hash.ts';
import type { BitcoinNetwork } from './bitcoin-network.ts';
import { blockId, HEADER_BYTES } from './header.ts';
import { HeaderWalk } from './header-walk.ts';

/** Consecutive headers from anywhere in a chain. */
export interface Run {
  /** The height of the first header, as the caller claims it. */
  readonly height: number;
  /** 80 bytes each, as given. */
  readonly headers: Uint8Array;
  /** The work on these headers, in hashes. */
  readonly work: bigint;
  /** Block ids, in order. */
  readonly ids: readonly HashHex[];
}

/**
 * Checks headers (80 bytes each, one at least) that claim to begin at `height`: each links to the one
 * before it in the run and meets its own target, and its bits fit.
 *
 * Which bits fit depends on what is known. Up to height 832,607 on `BITCOIN`: those of the table. In
 * an epoch: the same throughout. At an epoch's first header: the retarget, if the run holds the whole
 * epoch before or the table does; else at most four times easier or harder. For a run's first header
 * after the table: at most four times easier an epoch than the table's last.
 *
 * A run proves that someone spent `work` on these bytes, nothing else. That its first header follows
 * from the chain, and its height, are the claimer's word, except at height 0 and at 832,608, where
 * what comes before is known. The bound on bits after the table grows loose with the claimed height:
 * compare `work` with that of as many of the table's last headers before money rests on a run.
 *
 * Throws `bad_header` at `height N`, TypeError for a height that is none.
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
