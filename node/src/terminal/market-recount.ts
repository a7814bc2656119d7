import { equalBytes } from '@assay/core/bytes';
import { messageOf } from '@assay/core/fault';
import { contentHash, hashHex, type HashHex, type Sha256 } from '@assay/core/hash';
import { formatHex } from '@assay/core/hex';
import type { Asset } from '@assay/core/kind/asset';
import type { KnownBody } from '@assay/core/kind/kinds';
import type { Split } from '@assay/core/kind/split';
import type { Tick } from '@assay/core/kind/tick';
import type { AssetClass } from '@assay/core/terminal/asset-symbol';
import type { TickGrid } from '@assay/core/terminal/grid';
import { type ScoreRule, scoreRuleHash } from '@assay/core/terminal/score-rule';
import { Terminal, type TickDraft } from '@assay/core/terminal/terminal';
import { parseTickLeaves, type TickLeaf } from '@assay/core/terminal/tick-leaf';
import { formatTime, parseTime } from '@assay/core/time';
import { firstDifference } from '@assay/verifier/difference';
import type { MarketFolder, MarketInstant } from './market-folder.ts';
import { recordedReads } from './recorded-reads.ts';

/** Recorded files of a class, and the grid of its ticks. */
export interface RecordedMarket {
  readonly folder: MarketFolder;
  readonly grid: TickGrid;
}

/** What is held against the files. */
export const RECOUNTED = ['ticks', 'leaves', 'events', 'closes', 'receipts', 'benchmarks'] as const;
export type Recounted = (typeof RECOUNTED)[number];

/** A place where a log says something else than the files make. */
export interface MarketDifference {
  readonly of: Recounted;
  readonly place: string;
  readonly expected: string;
  readonly found: string;
}

export interface MarketRecountParts {
  readonly sha256: Sha256;
  /** 32 bytes: what the log's salts come of. */
  readonly seed: Uint8Array;
  readonly markets: ReadonlyMap<AssetClass, RecordedMarket>;
  /** The bytes that the log keeps under a hash; not believed. */
  readonly blob: (hash: HashHex) => Promise<Uint8Array | undefined>;
  readonly onDifference: (difference: MarketDifference) => void;
}

type DueKind = 'event/1' | 'event-close/1' | 'receipt/1' | 'benchmark/1';

const DUES: Readonly<Record<DueKind, Recounted>> = {
  'event/1': 'events',
  'event-close/1': 'closes',
  'receipt/1': 'receipts',
  'benchmark/1': 'benchmarks',
};

interface Following {
  readonly rule: ScoreRule;
  readonly terminal: Terminal;
  readonly instants: AsyncGenerator<MarketInstant>;
  next: MarketInstant | undefined;
}

/**
 * Computes every leaf and entry of a log's Terminal again from recorded files, and holds the log against them. Unlike
 * a verifier it has the vendor values: scores, moves, returns and commitments are recomputed too. The log decides
 * which ticks there are, what is listed and which splits there were.
 */
export class MarketRecount {
  readonly checked: Record<Recounted, number> = {
    ticks: 0,
    leaves: 0,
    events: 0,
    closes: 0,
    receipts: 0,
    benchmarks: 0,
  };
  /** Classes that the log has ticks of and that no files were given for. */
  readonly without: Set<AssetClass> = new Set();
  readonly #parts: MarketRecountParts;
  readonly #rules = new Map<string, ScoreRule>();
  readonly #assets = new Map<string, Asset>();
  readonly #splits: Split[] = [];
  readonly #following = new Map<AssetClass, Following>();
  /** Symbols with readings that the log does not list. */
  readonly #unlisted = new Set<string>();
  /** Events of classes without files. */
  readonly #foreign = new Set<string>();
  #owed = new Map<string, TickDraft>();
  #tickPlace = '';

  constructor(parts: MarketRecountParts) {
    this.#parts = parts;
  }

  /** Takes the log's next entry. Throws where the files cannot be read. */
  async entry(known: KnownBody, place: string): Promise<void> {
    switch (known.kind) {
      case 'event/1':
      case 'event-close/1':
      case 'receipt/1':
      case 'benchmark/1':
        this.#due(known, place);
        return;
      default:
        this.#nameMissing();
    }
    switch (known.kind) {
      case 'score-rule/1': {
        const { rule } = known.body;
        this.#rules.set(scoreRuleHash(this.#parts.sha256, rule), rule);
        break;
      }
      case 'asset/1':
        this.#asset(known.body, place);
        break;
      case 'split/1':
        this.#splits.push(known.body);
        this.#split(known.body, place);
        break;
      case 'tick/1':
        this.checked.ticks += 1;
        this.#tickPlace = place;
        await this.#tick(known.body, place);
        break;
    }
  }

  /** How a class's ticks are scored, as the log has it; undefined before its first. */
  ruleOf(of: AssetClass): ScoreRule | undefined {
    return this.#following.get(of)?.rule;
  }

  /** The log ends here: what its newest tick makes due is not there. Closes the files. */
  async finish(): Promise<void> {
    this.#nameMissing();
    for (const { instants } of this.#following.values()) await instants.return(undefined);
  }

  #split(split: Split, place: string): void {
    const of = this.#assets.get(split.symbol)?.class;
    if (of === undefined) return;
    try {
      this.#following.get(of)?.terminal.split(split);
    } catch (error) {
      this.#differs('leaves', place, 'a split before the tick that it changes', messageOf(error));
    }
  }

  #asset(asset: Asset, place: string): void {
    const before = this.#assets.get(asset.symbol);
    this.#assets.set(asset.symbol, asset);
    const following = this.#following.get(asset.class);
    if (following === undefined) return;
    try {
      const last = Number.MAX_SAFE_INTEGER;
      if (asset.listed) following.terminal.list(asset, last);
      else if (before?.listed === true) following.terminal.delist(asset.symbol, last);
    } catch (error) {
      this.#differs('leaves', place, 'an asset as it was listed first', messageOf(error));
    }
  }

  async #tick(tick: Tick, place: string): Promise<void> {
    const ts = parseTime(tick.ts);
    const following = await this.#follow(tick, place, ts);
    if (following === undefined) return;
    while (following.next !== undefined && following.next.ts < ts) {
      const skipped = formatTime(following.next.ts);
      this.#differs('ticks', `before ${place}`, `a tick of ${skipped}`, 'none');
      await move(following);
    }
    const { next } = following;
    if (next?.ts !== ts) {
      this.#differs('ticks', place, 'a time at which the files have rows', tick.ts);
      return;
    }
    await move(following);
    const reads = recordedReads(next, (symbol) => this.#isListed(symbol, tick, place));
    if (reads.size === 0) {
      this.#differs('ticks', place, 'a listed asset of which the files have a row', 'none');
      return;
    }
    const { drafts, blob } = following.terminal.step(ts, reads);
    const [expected, ...dues] = drafts;
    await this.#leaves(tick, blob, place);
    const difference = firstDifference(expected?.body, tick);
    if (difference !== undefined) {
      const { path } = difference;
      this.#differs('ticks', `${place}${path}`, difference.expected, difference.found);
    }
    this.#owed = new Map(dues.map((draft) => [keyOf(draft), draft]));
  }

  #isListed(symbol: string, { class: of }: Tick, place: string): boolean {
    const asset = this.#assets.get(symbol);
    if (asset?.listed === true && asset.class === of) return true;
    if (!this.#unlisted.has(symbol)) {
      this.#unlisted.add(symbol);
      this.#differs('leaves', place, `a leaf of ${symbol}, of which the files have rows`, 'none');
    }
    return false;
  }

  async #follow(tick: Tick, place: string, ts: number): Promise<Following | undefined> {
    const { class: of, rule: hash } = tick;
    const before = this.#following.get(of);
    if (before !== undefined) return before;
    const market = this.#parts.markets.get(of);
    if (market === undefined) {
      this.without.add(of);
      return undefined;
    }
    const rule = this.#rules.get(hash);
    if (rule?.class !== of) {
      this.#differs('ticks', `${place}/rule`, `a score rule of ${of} in this log`, hash);
      return undefined;
    }
    const { sha256, seed } = this.#parts;
    const terminal = new Terminal({ sha256, seed, rule, grid: market.grid });
    for (const asset of this.#assets.values()) {
      if (asset.class === of && asset.listed) terminal.list(asset, 0);
    }
    for (const split of this.#splits) {
      if (this.#assets.get(split.symbol)?.class === of) terminal.split(split);
    }
    const span = { from: ts, to: Number.POSITIVE_INFINITY };
    const following: Following = {
      rule,
      terminal,
      instants: market.folder.instants(span),
      next: undefined,
    };
    await move(following);
    this.#following.set(of, following);
    return following;
  }

  /** Holds the leaves of the log's blob against those that the files make. */
  async #leaves(tick: Tick, blob: Uint8Array, place: string): Promise<void> {
    const own = parseTickLeaves(blob);
    this.checked.leaves += own.length;
    if (hashHex(contentHash(this.#parts.sha256, blob)) === tick.blob) return;
    const theirs = await this.#blobLeaves(tick, place);
    if (theirs === undefined) return;
    const found = new Map(theirs.map((leaf) => [leaf.symbol, leaf]));
    for (const leaf of own) {
      const other = found.get(leaf.symbol);
      found.delete(leaf.symbol);
      const same = other !== undefined && equalLeaves(leaf, other);
      if (!same) {
        this.#differs('leaves', `${place} ${leaf.symbol}`, leafWords(leaf), leafWords(other));
      }
    }
    for (const leaf of found.values()) {
      this.#differs('leaves', `${place} ${leaf.symbol}`, 'no leaf', leafWords(leaf));
    }
  }

  async #blobLeaves({ blob }: Tick, place: string): Promise<readonly TickLeaf[] | undefined> {
    const bytes = await this.#parts.blob(blob);
    const found = bytes === undefined ? 'nothing' : hashHex(contentHash(this.#parts.sha256, bytes));
    if (bytes === undefined || found !== blob) {
      this.#differs('leaves', place, `the bytes of ${blob}`, found);
      return undefined;
    }
    try {
      return parseTickLeaves(bytes);
    } catch (error) {
      this.#differs('leaves', place, 'tick leaves', messageOf(error));
      return undefined;
    }
  }

  #due(entry: Extract<KnownBody, { readonly kind: DueKind }>, place: string): void {
    const of = DUES[entry.kind];
    const { id } = entry.body;
    if (entry.kind === 'event/1' && this.without.has(entry.body.class)) this.#foreign.add(id);
    if (this.#foreign.has(id)) return;
    this.checked[of] += 1;
    const key = keyOf(entry);
    const expected = this.#owed.get(key);
    this.#owed.delete(key);
    if (expected === undefined) {
      this.#differs(of, place, 'none that the files make', key);
      return;
    }
    const difference = firstDifference(expected.body, entry.body);
    if (difference === undefined) return;
    const { path } = difference;
    this.#differs(of, `${place} ${key}${path}`, difference.expected, difference.found);
  }

  #nameMissing(): void {
    for (const [key, { kind }] of this.#owed) {
      this.#differs(DUES[kind as DueKind], this.#tickPlace, key, 'none behind this tick');
    }
    this.#owed.clear();
  }

  #differs(of: Recounted, place: string, expected: string, found: string): void {
    this.#parts.onDifference({ of, place, expected, found });
  }
}

async function move(following: Following): Promise<void> {
  const { done, value } = await following.instants.next();
  following.next = done === true ? undefined : value;
}

/** What a due entry is of. */
function keyOf({ kind, body }: TickDraft): string {
  const { id, horizon } = body as { readonly id?: string; readonly horizon?: string };
  return [kind, id, horizon].filter((part) => part !== undefined).join(' ');
}

function equalLeaves(a: TickLeaf, b: TickLeaf): boolean {
  return (
    a.ts === b.ts &&
    a.score === b.score &&
    a.good === b.good &&
    equalBytes(a.commitment, b.commitment)
  );
}

function leafWords(leaf: TickLeaf | undefined): string {
  if (leaf === undefined) return 'no leaf';
  const { ts, score, good, commitment } = leaf;
  const said = good ? `score ${score ?? 'none'}` : 'not good';
  return `${said}, time ${ts}, values ${formatHex(commitment)}`;
}
