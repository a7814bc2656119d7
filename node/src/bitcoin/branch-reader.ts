import type { BitcoinNetwork } from '@assay/core/bitcoin/bitcoin-network';
import { Fault } from '@assay/core/fault';
import { bitsOf, type Branch, checkBranch, idAt, joined, tipHeight } from './header-branch.ts';
import { type HeaderSource, MAX_HEADERS, MAX_HEIGHT } from './header-source.ts';

/** How many headers of a gap are read and checked at once: a quarter of an epoch. */
const PORTION = 504;
/** How many headers of a gap are read before the rest is left for the next time: three epochs. */
export const MAX_GAP = 6048;
/** How many headers before the end of a branch a chain may fork from it: two weeks. */
const MAX_PARTED = 2016;
/** The headers of an epoch. A run that contains a whole epoch shows whether the next one has the right bits. */
const EPOCH = 2016;

export interface SourceRead {
  /** Ends before `tip` if a long gap has not been read completely yet. */
  readonly branch: Branch;
  /** The height that the source claims. */
  readonly tip: number;
}

/**
 * Reads the newest headers of a source. It continues the first branch of `known` with which the source shares a
 * block, going back as far as the two differ, or reads about `depth` headers if nothing is known or nothing
 * fits.
 *
 * However long ago a known branch ended, the headers since then are read from its end, so that heights follow
 * from it: 504 headers at once, and after the first 504 no more once `spent` is true, or than 6048. Throws a
 * Fault.
 */
export async function readBranch(
  source: HeaderSource,
  network: BitcoinNetwork,
  depth: number,
  known: readonly Branch[] = [],
  spent: () => boolean = () => false,
): Promise<SourceRead> {
  const tip = await source.tip();
  if (!Number.isInteger(tip) || tip < 0 || tip > MAX_HEIGHT) {
    throw malformed(source, 'a height');
  }
  for (const each of known) {
    if (tip < each.first) continue;
    const near = await parting(source, network, depth, each, tip);
    if (near === undefined) continue;
    return { branch: await carryOn(source, network, near, tip, spent), tip };
  }
  const first = Math.max(0, tip - depth + 1);
  const near = known[0] === undefined ? undefined : lastBits(known[0]);
  return { branch: checkBranch(network, await readAll(source, first, tip), first, near), tip };
}

/** `known` up to where the source leaves it, and the headers of the source that were read to find that out. */
async function parting(
  source: HeaderSource,
  network: BitcoinNetwork,
  depth: number,
  known: Branch,
  tip: number,
): Promise<Branch | undefined> {
  // The newest known header is read again, because the chain may have changed without growing.
  let from = Math.min(tip, tipHeight(known));
  const least = Math.max(known.first, from - MAX_PARTED);
  let headers = await readAll(source, from, tip - from <= depth ? tip : from);
  let step = 6;
  for (;;) {
    const fresh = checkBranch(network, headers, from, lastBits(known));
    // Going back in steps may skip the last common header.
    let at = from;
    while (at <= tipHeight(fresh) && idAt(fresh, at) === idAt(known, at)) at += 1;
    if (at > from) {
      const rest = {
        first: at,
        headers: fresh.headers.slice(at - from),
        ids: fresh.ids.slice(at - from),
      };
      return joined(known, at - 1, rest);
    }
    if (from === least) return undefined;
    const before = Math.max(least, from - step);
    headers = [...(await readAll(source, before, from - 1)), ...headers];
    from = before;
    step *= 2;
  }
}

async function carryOn(
  source: HeaderSource,
  network: BitcoinNetwork,
  branch: Branch,
  tip: number,
  spent: () => boolean,
): Promise<Branch> {
  let longer = branch;
  for (let read = 0; tipHeight(longer) < tip && read < MAX_GAP; read += PORTION) {
    if (read > 0 && spent()) break;
    const end = tipHeight(longer);
    const more = await readAll(source, end + 1, Math.min(tip, end + PORTION));
    // Includes the epoch before them, so that a change of bits can be checked.
    const first = Math.max(longer.first, end - EPOCH);
    const headers = [...longer.headers.slice(first - longer.first), ...more];
    const checked = checkBranch(network, headers, first, lastBits(longer));
    longer = joined(longer, first - 1, checked);
  }
  return longer;
}

/**
 * `branch` with the headers from `first` on in front of it. Throws `bad_header` if the source's headers do not
 * lead to it.
 */
export async function extendBack(
  source: HeaderSource,
  network: BitcoinNetwork,
  branch: Branch,
  first: number,
): Promise<Branch> {
  const [oldest] = branch.headers;
  const before = [...(await readAll(source, first, branch.first - 1)), oldest as Uint8Array];
  const checked = checkBranch(network, before, first, lastBits(branch));
  return joined(checked, branch.first - 1, branch);
}

/** All headers `from` to `to`. Throws `malformed` if the source has fewer. */
export async function readAll(
  source: HeaderSource,
  from: number,
  to: number,
): Promise<readonly Uint8Array[]> {
  const all: Uint8Array[] = [];
  while (from + all.length <= to) {
    const at = from + all.length;
    const count = Math.min(MAX_HEADERS, to - at + 1);
    const headers = await source.headers(at, count);
    if (headers.length !== count || headers.some((each) => each.length !== 80)) {
      throw malformed(source, `${count} headers from height ${at} on`);
    }
    all.push(...headers);
  }
  return all;
}

function lastBits(branch: Branch): number {
  return bitsOf(branch.headers.at(-1) as Uint8Array);
}

function malformed(source: HeaderSource, expected: string): Fault {
  return new Fault('malformed', source.name, { expected });
}
