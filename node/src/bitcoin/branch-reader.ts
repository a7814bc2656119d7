import type { BitcoinNetwork } from '@assay/core/bitcoin/bitcoin-network';
import { Fault } from '@assay/core/fault';
import { bitsOf, type Branch, checkBranch, idAt, joined, tipHeight } from './header-branch.ts';
import { type HeaderSource, MAX_HEADERS, MAX_HEIGHT } from './header-source.ts';

/** Headers that a branch may be behind before it is read anew. */
const MAX_BEHIND = 10_080;

/**
 * The newest headers that a source has: `known` carried on, walking back as far as the two differ, or
 * about `depth` headers where nothing is known or nothing fits. Throws a Fault.
 */
export async function readBranch(
  source: HeaderSource,
  network: BitcoinNetwork,
  depth: number,
  known?: Branch,
): Promise<Branch> {
  const tip = await source.tip();
  if (!Number.isInteger(tip) || tip < 0 || tip > MAX_HEIGHT) {
    throw malformed(source, 'a height');
  }
  if (known !== undefined && tip >= known.first && tip <= tipHeight(known) + MAX_BEHIND) {
    const carried = await carryOn(source, network, known, tip);
    if (carried !== undefined) return carried;
  }
  const first = Math.max(0, tip - depth + 1);
  const near = known === undefined ? undefined : lastBits(known);
  return checkBranch(network, await readAll(source, first, tip), first, near);
}

/** Undefined where nothing of `known` is left in what the source has. */
async function carryOn(
  source: HeaderSource,
  network: BitcoinNetwork,
  known: Branch,
  tip: number,
): Promise<Branch | undefined> {
  // The newest known header is asked for again: the chain may have changed without growing.
  let from = Math.min(tip, tipHeight(known));
  let headers = await readAll(source, from, tip);
  let step = 6;
  for (;;) {
    const fresh = checkBranch(network, headers, from, lastBits(known));
    // Going back in steps may pass the last common header.
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
    if (from === known.first) return undefined;
    const before = Math.max(known.first, from - step);
    headers = [...(await readAll(source, before, from - 1)), ...headers];
    from = before;
    step *= 2;
  }
}

/**
 * `branch` with the headers from `first` on before its own. Throws `bad_header` where the source's do
 * not lead to it.
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

/** The headers `from` to `to`, all of them. Throws `malformed` where the source has fewer. */
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
