import { setMaxListeners } from 'node:events';
import type { BitcoinNetwork } from '@assay/core/bitcoin/bitcoin-network';
import { concatBytes } from '@assay/core/bytes/bytes';
import { type FaultCode, faultCode, messageOf } from '@assay/core/fault';
import type { HashHex } from '@assay/core/hash/hash';
import { Semaphore } from '../platform/semaphore.ts';
import { extendBack, readAll, readBranch } from './branch-reader.ts';
import {
  bitsOf,
  type Branch,
  checkBranch,
  idAt,
  lastCommon,
  newest,
  tipHeight,
} from './header-branch.ts';
import { withDeadline } from '../platform/deadline.ts';
import type { HeaderSource } from './header-source.ts';
import { better, MAX_HELD } from './kept-branch.ts';

export interface FollowerOptions {
  readonly network: BitcoinNetwork;
  readonly sources: readonly HeaderSource[];
  /** How many headers are held at first, 13 or more. The default is 144. */
  readonly depth?: number;
  /** A clock in milliseconds, of which only differences count. The default is that of the process. */
  readonly clock?: () => number;
  /** How many milliseconds to wait for a source. The default is a minute. */
  readonly sourceMs?: number;
}

/** The newest header that is known. */
export interface HeaderTip {
  readonly height: number;
  /** 80 bytes. */
  readonly header: Uint8Array;
  readonly id: HashHex;
}

/** A block with enough others on top of it. */
export interface ConfirmedBlock {
  readonly height: number;
  readonly id: HashHex;
  /** Its header and the 6 that follow, 560 bytes. */
  readonly headers: Uint8Array;
}

export interface FollowerConcern {
  readonly kind: 'failed' | 'behind' | 'disagreement';
  /** The name of the source. */
  readonly source: string;
  /** The code of the failure; `undefined` for the other kinds. */
  readonly code: FaultCode | undefined;
  /** One sentence in plain English. */
  readonly detail: string;
}

export interface Refreshed {
  readonly tip: HeaderTip | undefined;
  /** How many headers were known before and are no longer in the chain. */
  readonly reorganised: number;
  /** How many sources answered with valid headers. */
  readonly answered: number;
  readonly concerns: readonly FollowerConcern[];
}

/** How many headers must follow a block before it counts. */
export const FOLLOWING = 6;
/** How many headers before the first held one are read to reach a block: two weeks. */
const MAX_BACK = 2016;
/** How many older headers are read in one refresh to reach where a late source ends. */
const MAX_REACH = 2016;
/** How many of these are read at once. */
const REACH_PORTION = 504;
/** How many older headers are read at once to reach a block. */
const BACK_PORTION = 144;
/** How many headers a source may lack before that is reported. */
const MAX_LATE = 2;
/** How many explorers must show a block if no source of the operator's own does. */
const ENOUGH_EXPLORERS = 2;
/** The milliseconds after which the rest of a long gap is left for the next refresh. */
const GAP_MS = 20_000;
/** How many milliseconds to wait for a source, so that a slow one delays nothing. */
const SOURCE_MS = 60_000;

/** What a source has shown so far. */
interface Seen {
  readonly branch: Branch;
  /** The height that it claims, which is above the branch while a gap is being read. */
  readonly tip: number;
  /** Up to this height its chain is the one that is kept; undefined if they are not known to share a block. */
  readonly shared: number | undefined;
}

/**
 * Follows a chain through several sources, none of which is trusted. Of the chains that they show, each checked
 * for links, work and bits, it keeps the one with the most work from where they fork; in a tie, the one that
 * was there first.
 *
 * It leaves a chain only for one with more work that forks from it among the headers held (`depth` at first,
 * and up to 8064 as time goes by), or when no source shows any of it and two sources show another. So the first
 * source should be the one that is trusted most.
 *
 * After the epoch table the height of a header is only a claim of its source. So a block counts as `agreed`
 * only if a source of the operator's own or two explorers show it at that height, and only while it is not
 * contradicted by a chain that shares no block with it and is shown by a source of the operator's own or by as
 * many explorers.
 */
export class HeaderFollower {
  readonly #network: BitcoinNetwork;
  readonly #sources: readonly HeaderSource[];
  readonly #depth: number;
  readonly #clock: () => number;
  readonly #sourceMs: number;
  /** Sources that are being read. What a slow one shows counts once it is there. */
  readonly #reading: Map<HeaderSource, Promise<void>> = new Map();
  readonly #seen: Map<HeaderSource, Seen> = new Map();
  /** Sources that answered in the last refresh. */
  readonly #answered: Set<HeaderSource> = new Set();
  readonly #semaphore: Semaphore = new Semaphore(1);
  readonly #closed: AbortController = new AbortController();
  #best: Branch | undefined;
  /** Sources whose chain shares no block with the one that is kept. */
  readonly #apart: Set<HeaderSource> = new Set();
  #concerns: readonly FollowerConcern[] = [];

  constructor({
    network,
    sources,
    depth = 144,
    clock = () => performance.now(),
    sourceMs = SOURCE_MS,
  }: FollowerOptions) {
    if (!Number.isInteger(depth) || depth < 2 * FOLLOWING + 1 || depth > MAX_BACK) {
      throw new TypeError('HeaderFollower: a depth of 13 to 2016');
    }
    this.#network = network;
    this.#sources = sources;
    this.#depth = depth;
    this.#clock = clock;
    this.#sourceMs = sourceMs;
    // Each source that is asked listens to it, and not longer.
    setMaxListeners(0, this.#closed.signal);
  }

  /** The number of sources. */
  get sources(): number {
    return this.#sources.length;
  }

  /** Whether there are enough sources to agree on a block: one of the operator's own, or two explorers. */
  get sufficient(): boolean {
    return isEnough(this.#sources);
  }

  /** The end of the chain with the most work, whoever shows it. */
  get tip(): HeaderTip | undefined {
    return this.#best === undefined ? undefined : blockAt(this.#best, tipHeight(this.#best));
  }

  /**
   * The newest block of that chain that a source of the operator's own or two explorers show at its height.
   * Undefined while it is contradicted by a chain that shares no block with it, and while a long gap is being
   * read.
   */
  get agreed(): HeaderTip | undefined {
    const best = this.#best;
    if (best === undefined) return undefined;
    const own: number[] = [];
    const explorers = new Map<string, number>();
    for (const [source, { shared, branch, tip }] of this.#seen) {
      if (this.#answered.has(source) && tipHeight(branch) < tip) return undefined;
      if (shared === undefined) continue;
      // A source that is named twice counts once.
      if (!isExplorer(source)) own.push(shared);
      else explorers.set(source.name, Math.max(shared, explorers.get(source.name) ?? 0));
    }
    if (this.#isDenied(own.length > 0, explorers.size)) return undefined;
    const second = [...explorers.values()].sort((a, b) => b - a)[ENOUGH_EXPLORERS - 1];
    const height = Math.max(-1, ...own, ...(second === undefined ? [] : [second]));
    return height < best.first ? undefined : blockAt(best, height);
  }

  /**
   * Whether another chain contradicts the kept one: that of a source of the operator's own, or, if no such
   * source shows the kept one, that of as many explorers as show the kept one.
   */
  #isDenied(own: boolean, explorers: number): boolean {
    const apart = [...this.#apart];
    if (apart.some((source) => !isExplorer(source))) return true;
    return !own && apart.length > 0 && apart.length >= explorers;
  }

  /** What was found wrong by the last `refresh`, and by `confirmed` since then. */
  get concerns(): readonly FollowerConcern[] {
    return this.#concerns;
  }

  /** Waits no longer for any source. Each that is asked from now on counts as one that did not answer. */
  close(): void {
    this.#closed.abort();
  }

  /** Asks every source for new headers. Never throws because of a source. */
  refresh(): Promise<Refreshed> {
    return this.#semaphore.run(() => this.#refresh());
  }

  /**
   * The block at `height` and the 6 headers after it, of the chain with the most work; `undefined` before 6 are
   * agreed on, and if no source shows them (a concern then says why).
   *
   * A block more than two weeks before the oldest held header is read by itself: its 7 headers link and have
   * their work, every source that answers shows the same, and a source of the operator's own or two explorers
   * are among them. But nobody has followed them to the tip.
   */
  confirmed(height: number): Promise<ConfirmedBlock | undefined> {
    if (!Number.isInteger(height) || height < 0) throw new TypeError('confirmed: a height');
    return this.#semaphore.run(() => this.#confirmed(height));
  }

  /** The id of the block at `height`; undefined above what is agreed on, and if no source shows it. */
  idAt(height: number): Promise<HashHex | undefined> {
    if (!Number.isInteger(height) || height < 0) throw new TypeError('idAt: a height');
    return this.#semaphore.run(async () => {
      const best = this.#best;
      const agreed = this.agreed;
      if (best === undefined || agreed === undefined || height > agreed.height) return undefined;
      return idAt(best, height) ?? (await this.#confirmed(height))?.id;
    });
  }

  async #refresh(): Promise<Refreshed> {
    this.#concerns = [];
    this.#answered.clear();
    const before = this.#best;
    await Promise.all(this.#sources.map((source) => this.#inTime(source)));
    // In the order of the sources and not of their answers, so that the outcome is the same each time.
    for (const source of this.#sources) {
      await this.#link(source);
      this.#weigh(source);
    }
    this.#leave();
    for (const source of this.#sources) await this.#reach(source);
    this.#apart.clear();
    for (const source of this.#sources) this.#compare(source);
    const best = this.#best;
    let reorganised = 0;
    if (before !== undefined && best !== undefined && best !== before) {
      const common = lastCommon(before, best);
      const whole = best.first > tipHeight(before) ? 0 : before.headers.length;
      reorganised = common === undefined ? whole : tipHeight(before) - common;
    }
    const answered = this.#answered.size;
    return { tip: this.tip, reorganised, answered, concerns: this.#concerns };
  }

  /**
   * Reads a source, or waits for a read that is still running. If it takes long, it continues in the
   * background.
   */
  async #inTime(source: HeaderSource): Promise<void> {
    const reading =
      this.#reading.get(source) ?? this.#read(source).finally(() => this.#reading.delete(source));
    this.#reading.set(source, reading);
    try {
      await this.#soon(source, () => reading);
    } catch (error) {
      this.#answered.delete(source);
      this.#failed(source, error);
    }
  }

  /** Runs `work` on a source within the time limit. Throws `timeout` after that. */
  #soon<T>(source: HeaderSource, work: () => Promise<T>): Promise<T> {
    return withDeadline(this.#sourceMs, source.name, work, this.#closed.signal);
  }

  async #read(source: HeaderSource): Promise<void> {
    const seen = this.#seen.get(source);
    const best = this.#best;
    const known = [seen?.branch, best].filter((each) => each !== undefined);
    // What the other sources have shown meanwhile need not be read again.
    if (seen !== undefined && best !== undefined) {
      const end = tipHeight(seen.branch);
      if (end < seen.tip || end < best.first) known.reverse();
    }
    await this.#readOn(source, known);
  }

  /**
   * Makes a source that is far ahead show how its headers follow on those that are kept. A height alone is only
   * a claim.
   */
  async #link(source: HeaderSource): Promise<void> {
    const branch = this.#answer(source)?.branch;
    const best = this.#best;
    if (branch === undefined || best === undefined || branch.first <= tipHeight(best)) return;
    this.#reading.set(
      source,
      this.#readOn(source, [best]).finally(() => this.#reading.delete(source)),
    );
    await this.#inTime(source);
  }

  async #readOn(source: HeaderSource, known: readonly Branch[]): Promise<void> {
    const until = this.#clock() + GAP_MS;
    const spent = (): boolean => this.#clock() >= until;
    try {
      const read = await readBranch(source, this.#network, this.#depth, known, spent);
      const branch = newest(read.branch, MAX_HELD);
      const before = this.#seen.get(source);
      const kept = before === undefined ? undefined : lastCommon(before.branch, branch);
      this.#seen.set(source, { branch, tip: read.tip, shared: least(before?.shared, kept) });
      this.#answered.add(source);
    } catch (error) {
      this.#answered.delete(source);
      this.#failed(source, error);
    }
  }

  #answer(source: HeaderSource): Seen | undefined {
    return this.#answered.has(source) ? this.#seen.get(source) : undefined;
  }

  /** Takes what a source shows if it is better. */
  #weigh(source: HeaderSource): void {
    const branch = this.#answer(source)?.branch;
    if (branch !== undefined) this.#keep(better(this.#best, branch));
  }

  #keep(next: Branch): void {
    const before = this.#best;
    if (next === before) return;
    this.#best = next;
    const common = before === undefined ? undefined : lastCommon(before, next);
    for (const [source, seen] of this.#seen) {
      const shared = lastCommon(next, seen.branch) ?? least(seen.shared, common);
      this.#seen.set(source, { ...seen, shared });
    }
  }

  /** Leaves a chain of which no source shows a block any more, if two sources show one that they share. */
  #leave(): void {
    const best = this.#best;
    const shown = this.#sources.flatMap((source) => this.#answer(source) ?? []);
    if (best === undefined || shown.some((each) => sharedWith(best, each) !== undefined)) return;
    const found = shown.find((each) =>
      shown.some((other) => other !== each && lastCommon(each.branch, other.branch) !== undefined),
    );
    if (found === undefined) return;
    this.#keep(found.branch);
    for (const source of this.#sources) this.#weigh(source);
  }

  /** Reads back to where a late source ends, to see whether it shows the same chain. */
  async #reach(source: HeaderSource): Promise<void> {
    const late = this.#answer(source);
    if (late === undefined || this.#best === undefined) return;
    if (sharedWith(this.#best, late) !== undefined) return;
    const end = tipHeight(late.branch);
    if (end >= this.#best.first || end <= tipHeight(this.#best) - MAX_HELD) return;
    for (const other of this.#sources) {
      const best: Branch = this.#best;
      const seen = this.#answer(other);
      if (seen === undefined || sharedWith(best, seen) === undefined) continue;
      const until = this.#clock() + GAP_MS;
      const last = Math.max(end, best.first - MAX_REACH);
      try {
        let longer = best;
        while (longer.first > last && this.#clock() < until) {
          const first = Math.max(last, longer.first - REACH_PORTION);
          const from = longer;
          longer = await this.#soon(other, () => extendBack(other, this.#network, from, first));
          this.#keep(longer);
        }
        return;
      } catch (error) {
        this.#failed(other, error);
      }
    }
  }

  /** Reports where a source's chain is not the one that is kept. */
  #compare(source: HeaderSource): void {
    const seen = this.#answer(source);
    const best = this.#best;
    if (seen === undefined || best === undefined) return;
    const { branch } = seen;
    const shared = sharedWith(best, seen);
    this.#seen.set(source, { ...seen, shared });
    if (shared === undefined) {
      this.#apart.add(source);
      const shown = `blocks ${branch.first} to ${tipHeight(branch)}`;
      const held = `${best.first} to ${tipHeight(best)} that are kept`;
      this.#disagree(source, `${source.name} shows ${shown}, which share none with ${held}`);
    } else if (tipHeight(branch) < seen.tip) {
      const words = `${source.name} is read up to block ${tipHeight(branch)} of ${seen.tip} so far`;
      this.#add({ kind: 'behind', source: source.name, code: undefined, detail: words });
    } else if (shared === tipHeight(branch)) {
      const late = tipHeight(best) - shared;
      const detail = `${source.name} is ${late} blocks behind`;
      if (late > MAX_LATE)
        this.#add({ kind: 'behind', source: source.name, code: undefined, detail });
    } else {
      const words = `shows another chain after block ${shared}, with no more work than the one kept`;
      this.#disagree(source, `${source.name} ${words}`);
    }
  }

  async #confirmed(height: number): Promise<ConfirmedBlock | undefined> {
    const best = this.#best;
    const agreed = this.agreed;
    if (best === undefined || agreed === undefined) return undefined;
    if (height + FOLLOWING > agreed.height) return undefined;
    if (height >= best.first) return confirmedIn(best, height);
    if (height < best.first - MAX_BACK) return this.#buried(best, height);
    for (const source of this.#sources) {
      try {
        // What a slow source has shown so far is remembered, and the next request continues from there.
        for (let longer = this.#best ?? best; height < longer.first; this.#best = longer) {
          const from = longer;
          const first = Math.max(height, from.first - BACK_PORTION);
          longer = await this.#soon(source, () => extendBack(source, this.#network, from, first));
        }
        return confirmedIn(this.#best ?? best, height);
      } catch (error) {
        this.#failed(source, error);
      }
    }
    return undefined;
  }

  /** A block too far back to follow it to the tip: all sources that answer must show the same. */
  async #buried(best: Branch, height: number): Promise<ConfirmedBlock | undefined> {
    const near = bitsOf(best.headers[0] as Uint8Array);
    const found = await Promise.all(
      this.#sources.map(async (source) => {
        try {
          const headers = await this.#soon(source, () =>
            readAll(source, height, height + FOLLOWING),
          );
          return { source, branch: checkBranch(this.#network, headers, height, near) };
        } catch (error) {
          this.#failed(source, error);
          return undefined;
        }
      }),
    );
    const answers = found.filter((each) => each !== undefined);
    const [one] = answers;
    if (one === undefined) return undefined;
    const tip = one.branch.ids.at(-1);
    if (answers.some(({ branch }) => branch.ids.at(-1) !== tip)) {
      const detail = `the sources show different blocks from height ${height} on`;
      this.#add({ kind: 'disagreement', source: 'all', code: undefined, detail });
      return undefined;
    }
    const enough = isEnough(answers.map(({ source }) => source));
    return enough ? confirmedIn(one.branch, height) : undefined;
  }

  #disagree(source: HeaderSource, detail: string): void {
    this.#add({ kind: 'disagreement', source: source.name, code: undefined, detail });
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

function confirmedIn(branch: Branch, height: number): ConfirmedBlock {
  const at = height - branch.first;
  const headers = concatBytes(...branch.headers.slice(at, at + FOLLOWING + 1));
  return { height, id: idAt(branch, height) as HashHex, headers };
}

function blockAt(branch: Branch, height: number): HeaderTip {
  const header = branch.headers[height - branch.first] as Uint8Array;
  return { height, header, id: idAt(branch, height) as HashHex };
}

function isExplorer({ explorer }: HeaderSource): boolean {
  return explorer === true;
}

/** Whether what all of these sources show can be relied on. An explorer that is named twice counts once. */
function isEnough(sources: readonly HeaderSource[]): boolean {
  const explorers = sources.filter(isExplorer);
  if (explorers.length < sources.length) return true;
  return new Set(explorers.map(({ name }) => name)).size >= ENOUGH_EXPLORERS;
}

/** The height up to which a source's chain is the kept one. */
function sharedWith(best: Branch, { branch, shared }: Seen): number | undefined {
  return lastCommon(best, branch) ?? shared;
}

/** The lower of two heights if both are known. */
function least(a: number | undefined, b: number | undefined): number | undefined {
  return a === undefined || b === undefined ? undefined : Math.min(a, b);
}
