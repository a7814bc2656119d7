import { equalBytes } from '@assay/core/bytes/bytes';
import { commitmentOf } from '@assay/core/hash/commitment';
import { Fault, type FaultCode, messageOf } from '@assay/core/fault';
import type { HashHex, Sha256 } from '@assay/core/hash/hash';
import type { Asset } from '@assay/core/kind/asset';
import type { KnownBody } from '@assay/core/kind/kinds';
import type { Split } from '@assay/core/kind/split';
import type { Study } from '@assay/core/kind/study';
import type { Tick } from '@assay/core/kind/tick';
import type { AssetClass } from '@assay/core/terminal/tick/asset-symbol';
import { EventBook } from '@assay/core/terminal/event/event-book';
import { judgeTick } from '@assay/core/terminal/score/good';
import type { TickGrid } from '@assay/core/terminal/calendar/grid';
import { type Reading, ScoreSeries } from '@assay/core/terminal/score/score';
import { STUDY_KINDS, type StudyKind } from '@assay/core/terminal/edge/ruled-study';
import { monthOf } from '@assay/core/terminal/edge/study-spending';
import {
  handoverFault,
  type ScoreRule,
  scoreRuleHash,
  studyVersion,
} from '@assay/core/terminal/rule/score-rule';
import type { TickLeaf } from '@assay/core/terminal/tick/tick-leaf';
import { tickSalt } from '@assay/core/terminal/tick/tick-values';
import type { TickOpening } from '@assay/core/terminal/tick/tick-writer';
import { formatTime, parseTime } from '@assay/core/time/time';
import { firstDifference } from '@assay/verifier/verdict/difference';
import { makeLiveStudy } from '../study/live-study.ts';
import { inputOf, openedValues } from '../tick/opened-input.ts';
import type { DueBody } from '@assay/verifier/terminal/terminal-kinds';
import { COUNTED_AS, dueKey } from './due-entry.ts';
import { keptLeaves } from './kept-leaves.ts';
import {
  BAD,
  beginBenchmarks,
  type Board,
  type KnownSplit,
  type OpenedEvent,
  type OpenedState,
  type Owed,
  owedBy,
  type PriceCommit,
  type Priced,
  type Row,
  SHUT,
} from './opened-dues.ts';
import { ScoreCoverage } from './score-coverage.ts';
import type { TickOfDay, TickOpenings } from '../tick/tick-openings.ts';

/** What opens the ticks of a class, as far as it was provided, and the grid of its ticks. */
export interface OpenedClass {
  readonly openings: Pick<TickOpenings, 'since'>;
  readonly grid: TickGrid;
}

/** What is compared with openings. */
export const OPENED = [
  'leaves',
  'scores',
  'events',
  'closes',
  'receipts',
  'benchmarks',
  'prices',
  'studies',
] as const;
export type Opened = (typeof OPENED)[number];

/** A place where a log differs from what its leaves and their openings give. */
export interface OpeningsDifference {
  readonly of: Opened;
  readonly place: string;
  readonly expected: string;
  readonly found: string;
}

export interface OpeningsRecountParts {
  readonly sha256: Sha256;
  readonly classes: ReadonlyMap<AssetClass, OpenedClass>;
  /**
   * The 32 bytes from which every salt is derived, if they are known. Without them, prices that entries commit
   * to are not opened.
   */
  readonly seed: Uint8Array | undefined;
  /** The bytes that the log stores under a hash, which are not trusted. */
  readonly blob: (hash: HashHex) => Promise<Uint8Array | undefined>;
  readonly onDifference: (difference: OpeningsDifference) => void;
}

interface Held {
  readonly decimals: number;
  readonly series: ScoreSeries;
  readonly coverage: ScoreCoverage;
}

interface Following extends OpenedState {
  rule: ScoreRule;
  hash: HashHex;
  /** The count of the first tick under that rule, if there were ticks under another before; otherwise 0. */
  since: number;
  readonly grid: TickGrid;
  readonly book: EventBook;
  readonly held: Map<string, Held>;
  readonly events: Map<string, OpenedEvent>;
  readonly ticks: AsyncGenerator<TickOfDay>;
  next: TickOfDay | undefined;
  /** The unix seconds of the first tick and of the newest. */
  readonly from: number;
  to: number;
  coming: readonly KnownSplit[];
  splits: readonly KnownSplit[];
  /** A tick could not be read, so nothing more of the class is judged. */
  lost: boolean;
}

/**
 * Compares a log with what opens its ticks, as far as that is available: every opening with its leaf, the
 * scores for which everything that they depend on is open, and the entries that the leaves make due, with the
 * moves, breadths, returns and prices that follow. It trusts the log about the ticks, the listings and the
 * splits, and counts what is not open.
 */
export class OpeningsRecount {
  readonly recomputed: Record<Opened, number> = none();
  readonly closed: Record<Opened, number> = none();
  /** The ticks of classes for which openings were given. */
  ticks = 0;
  /** Classes that the log has ticks of and that no openings were given for. */
  readonly without: Set<AssetClass> = new Set();
  readonly #parts: OpeningsRecountParts;
  readonly #rules = new Map<HashHex, ScoreRule>();
  /** Of each class, as far as each may follow the one before. */
  readonly #newest = new Map<AssetClass, ScoreRule>();
  /** The first entry of each symbol, and whether it is listed now. */
  readonly #assets = new Map<string, { readonly first: Asset; listed: boolean }>();
  readonly #splits: Split[] = [];
  readonly #studies: {
    readonly study: Study;
    readonly kind: StudyKind;
    readonly place: string;
  }[] = [];
  /** By class and entry: the times of the ticks that begin a month, in unix seconds. */
  readonly #months = new Map<AssetClass, Map<number, number>>();
  readonly #following = new Map<AssetClass, Following>();
  /** For each class with ticks: the rules that they name, and from which entry on. */
  readonly #named = new Map<AssetClass, { readonly seq: number; readonly rule: HashHex }[]>();
  /** How many entries were taken. */
  #size = 0;
  /** The events that are not judged. */
  readonly #foreign = new Set<string>();
  #owed = new Map<string, Owed>();
  #tickPlace = '';

  constructor(parts: OpeningsRecountParts) {
    this.#parts = parts;
  }

  /** Takes the log's next entry. Throws if openings or blobs cannot be read. */
  async entry(known: KnownBody, place: string): Promise<void> {
    const seq = this.#size;
    this.#size += 1;
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
        const before = this.#newest.get(rule.class);
        const follows = before === undefined || handoverFault(before, rule) === undefined;
        if (follows) this.#newest.set(rule.class, rule);
        break;
      }
      case 'asset/1':
        this.#asset(known.body);
        break;
      case 'split/1':
        this.#splits.push(known.body);
        this.#split(known.body);
        break;
      case 'study/1':
      case 'study/2':
        this.#studies.push({ study: known.body, kind: known.kind, place });
        break;
      case 'tick/1':
        this.#tickPlace = place;
        this.#name(known.body, seq);
        await this.#tick(known.body, place);
        break;
    }
  }

  /** Takes the log's next entry if its kind is not known to this version, because studies count it. */
  other(): void {
    this.#size += 1;
  }

  /** The rule of a class and the times that were examined; undefined if there are none. */
  followed(of: AssetClass): { readonly rule: ScoreRule; from: string; to: string } | undefined {
    const following = this.#following.get(of);
    if (following === undefined) return undefined;
    const { rule, from, to } = following;
    return { rule, from: formatTime(from), to: formatTime(to) };
  }

  /** The log ends here, so what its newest tick makes due is missing. Closes the openings. */
  async finish(): Promise<void> {
    this.#nameMissing();
    for (const { ticks } of this.#following.values()) await ticks.return(undefined);
  }

  /**
   * Makes each study of the log again, with the prices that it rests on; called after the last entry.
   * `entries` returns the first so many entries of the log. A study for which an opening is missing is not
   * known, except for its rule, the one that the newest tick of its range names, and the version that this rule
   * says.
   */
  async recountStudies(entries: (size: number) => AsyncIterable<Uint8Array>): Promise<void> {
    const { sha256, classes, blob } = this.#parts;
    for (const { study, kind, place } of this.#studies) {
      const { to, rule: hash, class: of } = study;
      const named = this.#named.get(of)?.findLast(({ seq }) => seq < to);
      if (named === undefined) {
        this.#differs('studies', place, `a tick of ${of} in its range`, 'none');
        continue;
      }
      const rule = this.#rules.get(hash);
      if (hash !== named.rule || rule?.class !== of) {
        const expected = hash === named.rule ? `a score rule of ${of} in this log` : named.rule;
        this.#differs('studies', `${place}/rule`, expected, hash);
        continue;
      }
      const version = studyVersion(rule);
      if (kind !== STUDY_KINDS[version]) {
        this.#differs('studies', `${place}/kind`, STUDY_KINDS[version], kind);
        continue;
      }
      const opened = classes.get(of);
      if (opened === undefined) continue;
      const { openings, grid } = opened;
      const blobs = { get: blob };
      const pause = (): Promise<void> => Promise.resolve();
      try {
        const monthFrom = this.#months.get(of)?.get(to);
        const range = { version, monthFrom, entries: entries(to), to };
        const made = await makeLiveStudy({ sha256, rule, grid, blobs, openings, pause, ...range });
        const difference = firstDifference(made.body, study);
        this.#count('studies', true);
        if (difference === undefined) continue;
        const { path, expected, found } = difference;
        this.#differs('studies', `${place}${path}`, expected, found);
      } catch (error) {
        if (!(error instanceof Fault)) throw error;
        if (error.code === 'replay_differs') {
          const expected = 'ticks and openings that make a study';
          this.#differs('studies', place, expected, messageOf(error));
        } else if (NOT_OPEN.has(error.code)) this.#count('studies', false);
        else throw error;
      }
    }
  }

  #asset({ listed, ...asset }: Asset): void {
    const { symbol } = asset;
    const known = this.#assets.get(symbol);
    const was = known?.listed === true;
    if (known === undefined) this.#assets.set(symbol, { first: { ...asset, listed }, listed });
    else known.listed = listed;
    const following = this.#following.get(known?.first.class ?? asset.class);
    if (following === undefined || was === listed) return;
    if (listed) following.book.list(symbol, following.to);
    else following.book.delist(symbol, following.to);
  }

  #split(split: Split): void {
    const of = this.#assets.get(split.symbol)?.first.class;
    const following = of === undefined ? undefined : this.#following.get(of);
    if (following === undefined) return;
    const known = { ...split, at: parseTime(split.effective_at) };
    // A split that came too late changes no return, as for the publisher.
    if (known.at > following.to) following.coming = [...following.coming, known];
  }

  #name({ class: of, rule, ts }: Tick, seq: number): void {
    const named = this.#named.get(of);
    const months = this.#months.get(of) ?? new Map<number, number>();
    this.#months.set(of, months);
    const month = monthOf(parseTime(ts));
    const last = [...months.values()].at(-1);
    if (last === undefined || monthOf(last) !== month) months.set(seq, parseTime(ts));
    if (named === undefined) this.#named.set(of, [{ seq, rule }]);
    else if (named.at(-1)?.rule !== rule) named.push({ seq, rule });
  }

  async #tick(tick: Tick, place: string): Promise<void> {
    const following = await this.#follow(tick, place);
    if (following === undefined || following.lost) return;
    const ts = parseTime(tick.ts);
    const index = following.grid.indexOf(ts);
    const leaves = await keptLeaves(this.#parts, tick.blob, (expected, found) =>
      this.#differs('leaves', place, expected, found),
    );
    if (index !== undefined) this.#handOver(following, tick, index);
    const isNext = index !== undefined && ts > following.to;
    if (leaves === undefined || !isNext || tick.rule !== following.hash) {
      if (!isNext) this.#differs('leaves', place, 'a time of the grid after the last', tick.ts);
      if (tick.rule !== following.hash) {
        this.#differs('leaves', `${place}/rule`, following.hash, tick.rule);
      }
      following.lost = true;
      return;
    }
    this.ticks += 1;
    following.to = ts;
    takeSplits(following, ts, index);
    const board = await this.#board(following, leaves, { ts, index, place });
    beginBenchmarks(following, ts, board);
    const dues = following.book.step(ts, new Map(leaves.map((leaf) => [leaf.symbol, leaf])));
    const commit: PriceCommit = (symbol, at) => this.#commit(symbol, at);
    for (const due of dues) {
      const each = owedBy(following, due, board, commit);
      this.#owed.set(each.key, each);
    }
  }

  /**
   * A tick of a later version: events continue, and scores begin without history. What is open of the ticks
   * before is not used again: until the windows are full, the scores count as not open.
   */
  #handOver(following: Following, { class: of, rule: hash }: Tick, index: number): void {
    const rule = this.#newest.get(of);
    if (hash === following.hash || rule === undefined || this.#rules.get(hash) !== rule) return;
    following.book.under(rule);
    following.held.clear();
    [following.rule, following.hash, following.since] = [rule, hash, index];
  }

  /** What the leaves and their openings give for each asset. */
  async #board(
    following: Following,
    leaves: readonly TickLeaf[],
    { ts, index, place }: { readonly ts: number; readonly index: number; readonly place: string },
  ): Promise<Board> {
    const openings = new Map((await openingsAt(following, ts)).map((each) => [each.symbol, each]));
    const board = new Map<string, Row>();
    for (const leaf of leaves) {
      const { symbol } = leaf;
      const opening = openings.get(symbol);
      openings.delete(symbol);
      const at = `${place} ${symbol}`;
      const held = this.#held(following, symbol);
      const reading =
        opening === undefined || held === undefined
          ? undefined
          : this.#open(following.rule, held, { ts, leaf, opening, at });
      this.#count('leaves', opening !== undefined);
      if (!leaf.good) {
        board.set(symbol, BAD);
        continue;
      }
      const covered = held?.coverage.take(index, reading !== undefined);
      const scored = reading === undefined ? undefined : held?.series.add(index, reading);
      this.#count('scores', covered?.score === true);
      if (covered?.score === true && scored?.score !== leaf.score) {
        this.#differs('scores', at, `score ${scored?.score ?? 'none'}`, `${leaf.score ?? 'none'}`);
      }
      board.set(symbol, {
        ...SHUT,
        price: reading?.price,
        ...(covered?.move === true ? { move: scored?.move } : {}),
        ...(covered?.volume === true ? { volMult: scored?.volMult } : {}),
      });
    }
    for (const symbol of openings.keys()) {
      this.#differs('leaves', `${place} ${symbol}`, 'a leaf, which there is an opening of', 'none');
    }
    return board;
  }

  #held({ held, rule, since }: Following, symbol: string): Held | undefined {
    const known = held.get(symbol);
    if (known !== undefined) return known;
    const decimals = this.#assets.get(symbol)?.first.decimals;
    if (decimals === undefined) return undefined;
    const made = {
      decimals,
      series: new ScoreSeries(rule),
      coverage: new ScoreCoverage(rule, since),
    };
    held.set(symbol, made);
    return made;
  }

  /** The good reading in an opening; undefined if it has none, or does not belong to its leaf. */
  #open(
    rule: ScoreRule,
    { decimals }: Held,
    { ts, leaf, opening, at }: { ts: number; leaf: TickLeaf; opening: TickOpening; at: string },
  ): Reading | undefined {
    const { sha256, seed } = this.#parts;
    const { symbol } = leaf;
    try {
      const said = openedValues(sha256, ts, opening, leaf.commitment);
      if (seed !== undefined) {
        const salt = tickSalt(sha256, seed, 'tick', symbol, ts);
        if (!equalBytes(salt, opening.salt)) {
          this.#differs('leaves', at, 'the salt that comes of the seed', 'another');
        }
      }
      if (said.symbol !== symbol || said.ts !== formatTime(ts)) {
        const expected = `values of ${symbol} at ${formatTime(ts)}`;
        this.#differs('leaves', at, expected, `of ${said.symbol} at ${said.ts}`);
        return undefined;
      }
      const reading = judgeTick(rule.sources, ts, decimals, inputOf(said));
      if ((reading !== undefined) !== leaf.good) {
        const words = (good: boolean): string => (good ? 'good' : 'not good');
        this.#differs('leaves', at, words(reading !== undefined), words(leaf.good));
        return undefined;
      }
      return reading;
    } catch (error) {
      this.#differs('leaves', at, 'an opening of this leaf', messageOf(error));
      return undefined;
    }
  }

  #commit(symbol: string, { ts, price }: Priced): HashHex | undefined {
    const { sha256, seed } = this.#parts;
    if (seed === undefined || price === undefined) return undefined;
    return commitmentOf(sha256, tickSalt(sha256, seed, 'price', symbol, ts), BigInt(price));
  }

  async #follow(tick: Tick, place: string): Promise<Following | undefined> {
    const { class: of, rule: hash } = tick;
    const before = this.#following.get(of);
    if (before !== undefined) return before;
    const opened = this.#parts.classes.get(of);
    if (opened === undefined) {
      this.without.add(of);
      return undefined;
    }
    const rule = this.#rules.get(hash);
    if (rule?.class !== of) {
      this.#differs('leaves', `${place}/rule`, `a score rule of ${of} in this log`, hash);
      return undefined;
    }
    const { grid, openings } = opened;
    const ts = parseTime(tick.ts);
    const book = new EventBook({ rule, grid, sha256: this.#parts.sha256 });
    for (const [symbol, { first, listed }] of this.#assets) {
      if (first.class === of && listed) book.list(symbol, 0);
    }
    const following: Following = {
      rule,
      hash,
      since: 0,
      grid,
      book,
      from: ts,
      to: ts - 1,
      held: new Map(),
      events: new Map(),
      coming: [],
      splits: [],
      lost: false,
      ticks: openings.since(ts),
      next: undefined,
    };
    following.coming = this.#splits
      .filter(({ symbol }) => this.#assets.get(symbol)?.first.class === of)
      .map((split) => ({ ...split, at: parseTime(split.effective_at) }));
    this.#following.set(of, following);
    return following;
  }

  #due(entry: DueBody, place: string): void {
    const of = COUNTED_AS[entry.kind];
    const said: Readonly<Record<string, unknown>> = { ...entry.body };
    const { id } = entry.body;
    if (entry.kind === 'event/1' && this.#isForeign(entry.body.class)) this.#foreign.add(id);
    if (this.#foreign.has(id)) return;
    const key = dueKey(entry.kind, said);
    const expected = this.#owed.get(key);
    this.#owed.delete(key);
    if (expected === undefined) {
      if (this.#isLost(id)) return;
      this.#differs(of, place, 'none that the leaves make', key);
      return;
    }
    this.#count(of, expected.isWhole);
    this.recomputed.prices += expected.opened;
    this.closed.prices += expected.prices - expected.opened;
    const known = Object.fromEntries(Object.keys(expected.body).map((name) => [name, said[name]]));
    const difference = firstDifference(expected.body, known);
    if (difference === undefined) return;
    const { path } = difference;
    this.#differs(of, `${place} ${key}${path}`, difference.expected, difference.found);
  }

  /** Whether a class has ticks that are not followed, or no longer: without any, nothing can be due. */
  #isForeign(of: AssetClass): boolean {
    return this.#named.has(of) && this.#following.get(of)?.lost !== false;
  }

  /** Whether an event is of a class of which a tick could not be read. */
  #isLost(id: string): boolean {
    return [...this.#following.values()].some(({ lost, events }) => lost && events.has(id));
  }

  #nameMissing(): void {
    for (const [key, { kind }] of this.#owed) {
      this.#differs(COUNTED_AS[kind], this.#tickPlace, key, 'none behind this tick');
    }
    this.#owed.clear();
  }

  #count(of: Opened, isOpen: boolean): void {
    if (isOpen) this.recomputed[of] += 1;
    else this.closed[of] += 1;
  }

  #differs(of: Opened, place: string, expected: string, found: string): void {
    this.#parts.onDifference({ of, place, expected, found });
  }
}

function none(): Record<Opened, number> {
  const nothing = OPENED.map((of) => [of, 0] as const);
  return Object.fromEntries(nothing) as Record<Opened, number>;
}

/**
 * Why a study cannot be made again: an opening is missing, or leaves are, which was reported for their tick
 * already.
 */
const NOT_OPEN: ReadonlySet<FaultCode> = new Set(['not_found', 'blob_missing', 'blob_differs']);

async function openingsAt(following: Following, ts: number): Promise<readonly TickOpening[]> {
  while (following.next === undefined || following.next.ts < ts) {
    const { done, value } = await following.ticks.next();
    if (done === true) return [];
    following.next = value;
  }
  return following.next.ts === ts ? following.next.openings : [];
}

function takeSplits(following: Following, ts: number, index: number): void {
  const now = following.coming.filter(({ at }) => at <= ts);
  if (now.length === 0) return;
  following.coming = following.coming.filter(({ at }) => at > ts);
  following.splits = [...following.splits, ...now];
  for (const split of now) following.held.get(split.symbol)?.series.split(index, split);
}
