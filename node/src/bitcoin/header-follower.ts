import type { BitcoinNetwork } from '@assay/core/bitcoin/bitcoin-network';
import { concatBytes } from '@assay/core/bytes';
import { type FaultCode, faultCode, messageOf } from '@assay/core/fault';
import type { HashHex } from '@assay/core/hash';
import { Turns } from '../turns.ts';
import { extendBack, readAll, readBranch } from './branch-reader.ts';
import {
  bitsOf,
  type Branch,
  checkBranch,
  idAt,
  lastCommon,
  newest,
  tipHeight,
  workFrom,
} from './header-branch.ts';
import type { HeaderSource } from './header-source.ts';

export interface FollowerOptions {
  readonly network: BitcoinNetwork;
  readonly sources: readonly HeaderSource[];
  /** Headers that are held to begin with, 13 or more; 144 without. */
  readonly depth?: number;
}

/** The newest header that is known. */
export interface HeaderTip {
  readonly height: number;
  /** 80 bytes. */
  readonly header: Uint8Array;
  readonly id: HashHex;
}

/** A block with enough on top of it. */
export interface ConfirmedBlock {
  readonly height: number;
  readonly id: HashHex;
  /** Its header and the 6 that follow, 560 bytes. */
  readonly headers: Uint8Array;
}

export interface FollowerConcern {
  readonly kind: 'failed' | 'behind' | 'disagreement';
  /** Name of the source. */
  readonly source: string;
  /** Of what made it fail; `undefined` for the other kinds. */
  readonly code: FaultCode | undefined;
  /** Plain words, one sentence. */
  readonly detail: string;
}

export interface Refreshed {
  readonly tip: HeaderTip | undefined;
  /** Headers that were known before and are no longer in the chain. */
  readonly reorganised: number;
  readonly concerns: readonly FollowerConcern[];
}

/** Headers that follow a block before it counts. */
export const FOLLOWING = 6;
/** Headers before the first held one that are read to reach a block: two weeks. */
const MAX_BACK = 2016;
/** Headers held at most. */
const MAX_HELD = 8064;
/** Headers that a source may lack before that is said. */
const MAX_LATE = 2;

/**
 * Follows a chain by several sources that are not believed. Of the chains that they show, each checked
 * for links, own work and bits, the one with the most work from where they part is kept; the one that
 * was there first at a tie. A chain once seen is left only for one with more work that parts from it
 * among the headers held, `depth` at first and up to 8064 as time goes by: the first source should be
 * the one that is trusted most.
 */
export class HeaderFollower {
  readonly #network: BitcoinNetwork;
  readonly #sources: readonly HeaderSource[];
  readonly #depth: number;
  readonly #seen: Map<HeaderSource, Branch> = new Map();
  readonly #turns: Turns = new Turns(1);
  #best: Branch | undefined;
  #concerns: readonly FollowerConcern[] = [];

  constructor({ network, sources, depth = 144 }: FollowerOptions) {
    if (!Number.isInteger(depth) || depth < 2 * FOLLOWING + 1 || depth > MAX_BACK) {
      throw new TypeError('HeaderFollower: a depth of 13 to 2016');
    }
    this.#network = network;
    this.#sources = sources;
    this.#depth = depth;
  }

  get tip(): HeaderTip | undefined {
    const best = this.#best;
    const header = best?.headers.at(-1);
    const id = best?.ids.at(-1);
    if (best === undefined || header === undefined || id === undefined) return undefined;
    return { height: tipHeight(best), header, id };
  }

  /** What the last `refresh`, and `confirmed` since then, found wrong. */
  get concerns(): readonly FollowerConcern[] {
    return this.#concerns;
  }

  /** Asks every source for what is new. Never throws for what a source does. */
  refresh(): Promise<Refreshed> {
    return this.#turns.take(() => this.#refresh());
  }

  /**
   * The block at `height` and the 6 headers after it, of the chain with the most work; `undefined`
   * before there are 6, and where no source shows them (a concern then says why). A block more than
   * two weeks before the oldest held header is read by itself: its 7 headers link and have their work,
   * every source that answers says the same, but nobody has followed them to the tip.
   */
  confirmed(height: number): Promise<ConfirmedBlock | undefined> {
    if (!Number.isInteger(height) || height < 0) throw new TypeError('confirmed: a height');
    return this.#turns.take(() => this.#confirmed(height));
  }

  async #refresh(): Promise<Refreshed> {
    this.#concerns = [];
    const before = this.#best;
    await Promise.all(this.#sources.map((source) => this.#read(source)));
    // In the order of the sources, not of their answers: the outcome is the same each time.
    for (const source of this.#sources) {
      await this.#link(source);
      const branch = this.#seen.get(source);
      if (branch !== undefined) this.#best = better(this.#best, branch);
    }
    for (const source of this.#sources) this.#compare(source);
    const best = this.#best;
    let reorganised = 0;
    if (before !== undefined && best !== undefined && best !== before) {
      const common = lastCommon(before, best);
      const whole = best.first > tipHeight(before) ? 0 : before.headers.length;
      reorganised = common === undefined ? whole : tipHeight(before) - common;
    }
    return { tip: this.tip, reorganised, concerns: this.#concerns };
  }

  async #read(source: HeaderSource): Promise<void> {
    try {
      const known = this.#seen.get(source) ?? this.#best;
      const branch = await readBranch(source, this.#network, this.#depth, known);
      this.#seen.set(source, newest(branch, MAX_HELD));
    } catch (error) {
      this.#seen.delete(source);
      this.#failed(source, error);
    }
  }

  /**
   * Has a source that is far ahead show how its headers follow on those that are kept. A height by
   * itself is its claimer's word.
   */
  async #link(source: HeaderSource): Promise<void> {
    const branch = this.#seen.get(source);
    const best = this.#best;
    if (branch === undefined || best === undefined || branch.first <= tipHeight(best)) return;
    try {
      this.#seen.set(source, await readBranch(source, this.#network, this.#depth, best));
    } catch (error) {
      this.#seen.delete(source);
      this.#failed(source, error);
    }
  }

  /** Says where a source's chain is not the one that is kept. */
  #compare(source: HeaderSource): void {
    const branch = this.#seen.get(source);
    const best = this.#best;
    if (branch === undefined || best === undefined || branch === best) return;
    const late = tipHeight(best) - tipHeight(branch);
    const common = lastCommon(best, branch);
    if (common !== undefined ? common === tipHeight(branch) : tipHeight(branch) < best.first) {
      const detail = `${source.name} is ${late} blocks behind`;
      if (late > MAX_LATE)
        this.#add({ kind: 'behind', source: source.name, code: undefined, detail });
      return;
    }
    const detail =
      common === undefined
        ? `${source.name} shows another chain, of which nothing is held here`
        : `${source.name} shows another chain after block ${common}, with no more work than the one kept`;
    this.#add({ kind: 'disagreement', source: source.name, code: undefined, detail });
  }

  async #confirmed(height: number): Promise<ConfirmedBlock | undefined> {
    const best = this.#best;
    if (best === undefined || height + FOLLOWING > tipHeight(best)) return undefined;
    if (height >= best.first) return confirmedIn(best, height);
    if (height < best.first - MAX_BACK) return this.#buried(best, height);
    for (const source of this.#sources) {
      try {
        this.#best = await extendBack(source, this.#network, best, height);
        return confirmedIn(this.#best, height);
      } catch (error) {
        this.#failed(source, error);
      }
    }
    return undefined;
  }

  /** A block too far back to follow it to the tip: whoever answers must say the same. */
  async #buried(best: Branch, height: number): Promise<ConfirmedBlock | undefined> {
    const near = bitsOf(best.headers[0] as Uint8Array);
    const found = await Promise.all(
      this.#sources.map(async (source) => {
        try {
          const headers = await readAll(source, height, height + FOLLOWING);
          return checkBranch(this.#network, headers, height, near);
        } catch (error) {
          this.#failed(source, error);
          return undefined;
        }
      }),
    );
    const branches = found.filter((each) => each !== undefined);
    const [one] = branches;
    if (one === undefined) return undefined;
    const tip = one.ids.at(-1);
    if (branches.every((each) => each.ids.at(-1) === tip)) return confirmedIn(one, height);
    const detail = `the sources show different blocks from height ${height} on`;
    this.#add({ kind: 'disagreement', source: 'all', code: undefined, detail });
    return undefined;
  }

  #failed(source: HeaderSource, error: unknown): void {
    const code = faultCode(error);
    const detail = code === undefined ? `${source.name}: no answer` : messageOf(error);
    this.#add({ kind: 'failed', source: source.name, code: code ?? 'unreachable', detail });
  }

  #add(concern: FollowerConcern): void {
    this.#concerns = [...this.#concerns, concern];
  }
}

/** The branch to keep of the one that is kept and one that a source shows. */
function better(kept: Branch | undefined, shown: Branch): Branch {
  if (kept === undefined) return shown;
  const common = lastCommon(kept, shown);
  if (common !== undefined) {
    const more = workFrom(shown, common + 1) - workFrom(kept, common + 1);
    // The same chain: the branch that reaches farther back, so that no header is read twice.
    if (more === 0n && tipHeight(kept) === common) return shown.first < kept.first ? shown : kept;
    return more > 0n ? carried(kept, shown, common) : kept;
  }
  // What shares no block with the headers held has no work that could be compared, and its heights are
  // its source's word.
  return kept;
}

/** `shown`, with the older headers of `kept` that both share. */
function carried(kept: Branch, shown: Branch, common: number): Branch {
  if (kept.first >= shown.first) return shown;
  const from = common + 1 - shown.first;
  return newest(
    {
      first: kept.first,
      headers: [...kept.headers.slice(0, common + 1 - kept.first), ...shown.headers.slice(from)],
      ids: [...kept.ids.slice(0, common + 1 - kept.first), ...shown.ids.slice(from)],
    },
    MAX_HELD,
  );
}

function confirmedIn(branch: Branch, height: number): ConfirmedBlock {
  const at = height - branch.first;
  const headers = concatBytes(...branch.headers.slice(at, at + FOLLOWING + 1));
  return { height, id: idAt(branch, height) as HashHex, headers };
}
