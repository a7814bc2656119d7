import { equalBytes } from '@assay/core/bytes/bytes';
import { messageOf } from '@assay/core/fault';
import { contentHash, hashHex, type HashHex, type Sha256 } from '@assay/core/hash/hash';
import { formatHex } from '@assay/core/bytes/hex';
import type { Asset } from '@assay/core/kind/asset';
import type { Genesis } from '@assay/core/kind/genesis';
import type { KnownBody } from '@assay/core/kind/kinds';
import type { Split } from '@assay/core/kind/split';
import type { Tick } from '@assay/core/kind/tick';
import type { AssetClass } from '@assay/core/terminal/tick/asset-symbol';
import type { TickGrid } from '@assay/core/terminal/calendar/grid';
import { type ScoreRule, scoreRuleHash } from '@assay/core/terminal/rule/score-rule';
import { parseEdgeStudy } from '@assay/core/terminal/edge/edge-blob';
import { type RuledStudy, ruledStudy, type StudyKind } from '@assay/core/terminal/edge/ruled-study';
import { parseStudyBlob } from '@assay/core/terminal/study/study-blob';
import { STUDIED } from '@assay/core/terminal/study/study-maker';
import { Terminal, type TickDraft } from '@assay/core/terminal/terminal';
import { parseTickLeaves, type TickLeaf } from '@assay/core/terminal/tick/tick-leaf';
import { formatTime, parseTime } from '@assay/core/time/time';
import { type Difference, firstDifference } from '@assay/verifier/verdict/difference';
import type { DueBody, DueKind } from '@assay/verifier/terminal/terminal-kinds';
import { COUNTED_AS, dueKey } from './due-entry.ts';
import { keptBytes, keptLeaves, type OnDiffers } from './kept-leaves.ts';
import type { MarketFolder, MarketInstant } from '../replay/market-folder.ts';
import { recordedReads } from '../replay/recorded-reads.ts';
import { replayGenesis } from '../replay/replay-place.ts';
import { WRITTEN_AFTER_S } from '../replay/replay-steps.ts';

/** Recorded files of a class, the grid of its ticks, and the rules that a replay may use for them. */
export interface RecordedMarket {
  readonly folder: MarketFolder;
  readonly grid: TickGrid;
  readonly rules: ReadonlySet<HashHex>;
}

/** What is compared with the files. */
export const RECOUNTED = [
  'entries',
  'rules',
  'assets',
  'splits',
  'ticks',
  'leaves',
  'events',
  'closes',
  'receipts',
  'benchmarks',
  'studies',
] as const;
export type Recounted = (typeof RECOUNTED)[number];

/** A place where a log differs from what the files give. */
export interface MarketDifference {
  readonly of: Recounted;
  readonly place: string;
  readonly expected: string;
  readonly found: string;
}

export interface MarketRecountParts {
  readonly sha256: Sha256;
  /** The 32 bytes from which the log's salts are derived. */
  readonly seed: Uint8Array;
  readonly markets: ReadonlyMap<AssetClass, RecordedMarket>;
  /** The bytes that the log stores under a hash, which are not trusted. */
  readonly blob: (hash: HashHex) => Promise<Uint8Array | undefined>;
  readonly onDifference: (difference: MarketDifference) => void;
}

/** The ticks of a class that were recomputed. */
export interface Followed {
  readonly rule: ScoreRule;
  /** Times of the first and the last. */
  readonly from: string;
  readonly to: string;
}

interface Following {
  readonly rule: ScoreRule;
  /** The unix seconds of the first tick and of the newest. */
  readonly from: number;
  to: number;
  readonly terminal: Terminal;
  /** What a study of everything that was recomputed is made from; undefined if none is made, or no longer. */
  study: RuledStudy | undefined;
  /** According to the files. */
  readonly assets: ReadonlyMap<string, Asset>;
  readonly instants: AsyncGenerator<MarketInstant>;
  next: MarketInstant | undefined;
  readonly listed: Set<string>;
  /** Symbols with rows that the log did not list in time. Each is reported once. */
  readonly unlisted: Set<string>;
}

type StudyBody = Extract<KnownBody, { readonly kind: StudyKind }>;

interface Placed<T> {
  readonly body: T;
  readonly place: string;
}

/** How many blobs are requested at a time. */
const FETCHES = 16;

/**
 * Computes every leaf, entry and study of a replay's Terminal again from recorded files, and compares the log
 * with them. Unlike a verifier it has the vendor values, so scores, moves, returns and commitments are
 * recomputed too. The log decides where it begins and ends; what is listed, with what decimals, when and under
 * what rule follows from the files, which contain no splits. The keys of a replay are public, so nothing of it
 * may depend on a claim of the log.
 */
export class MarketRecount {
  readonly checked: Record<Recounted, number> = {
    entries: 0,
    rules: 0,
    assets: 0,
    splits: 0,
    ticks: 0,
    leaves: 0,
    events: 0,
    closes: 0,
    receipts: 0,
    benchmarks: 0,
    studies: 0,
  };
  /** Classes that the log has ticks of and that no files were given for. */
  readonly without: Set<AssetClass> = new Set();
  readonly #parts: MarketRecountParts;
  readonly #rules = new Map<HashHex, ScoreRule>();
  readonly #following = new Map<AssetClass, Following>();
  /** Events of classes without files. */
  readonly #foreign = new Set<string>();
  /** Since the newest tick. */
  readonly #assets: Placed<Asset>[] = [];
  readonly #times: Placed<string>[] = [];
  #owed = new Map<string, TickDraft>();
  /** Blobs that were requested, oldest first. */
  #asked: readonly Promise<void>[] = [];
  #tickPlace = '';
  #tickAt = '';

  constructor(parts: MarketRecountParts) {
    this.#parts = parts;
  }

  /** Takes the log's next entry and its time. Throws if files or blobs cannot be read. */
  async entry(known: KnownBody, place: string, at: string): Promise<void> {
    const seq = this.checked.entries;
    this.checked.entries += 1;
    this.#times.push({ body: at, place });
    switch (known.kind) {
      case 'event/1':
      case 'event-close/1':
      case 'receipt/1':
      case 'benchmark/1':
        this.#holdTimes();
        this.#due(known, place);
        return;
      default:
        this.#nameMissing();
    }
    switch (known.kind) {
      case 'genesis/1':
        this.#genesis(known.body, place);
        break;
      case 'score-rule/1':
        this.#rule(known.body.rule, place);
        break;
      case 'asset/1':
        this.#asset(known.body, place);
        break;
      case 'split/1':
        this.#split(known.body, place);
        break;
      case 'study/1':
      case 'study/2':
        this.#holdTimes();
        await this.#study(known, seq, place);
        break;
      case 'tick/1':
        this.checked.ticks += 1;
        this.#tickPlace = place;
        this.#tickAt = formatTime(parseTime(known.body.ts) + WRITTEN_AFTER_S);
        this.#holdTimes();
        await this.#tick(known.body, place);
        break;
      default:
        this.#differs('entries', place, 'an entry of a replay', known.kind);
    }
  }

  /** Takes an entry of a kind that this version does not know, which no replay has. */
  other(kind: string, place: string): void {
    this.checked.entries += 1;
    this.#differs('entries', place, 'an entry of a replay', kind);
  }

  /** How a class's ticks were recomputed, and over which times; undefined if none were. */
  followed(of: AssetClass): Followed | undefined {
    const following = this.#following.get(of);
    if (following === undefined) return undefined;
    const { rule, from, to } = following;
    return { rule, from: formatTime(from), to: formatTime(to) };
  }

  /** The log ends here, so what its newest tick makes due is missing. Closes the files. */
  async finish(): Promise<void> {
    this.#nameMissing();
    this.#holdTimes();
    for (const { body, place } of this.#assets) {
      this.#differs('assets', place, 'an asset right before its first tick', body.symbol);
    }
    for (const { instants } of this.#following.values()) await instants.return(undefined);
    await Promise.all(this.#asked);
  }

  #genesis(body: Genesis, place: string): void {
    if (this.checked.entries > 1) this.#differs('entries', place, 'one first entry', 'another');
    const difference = firstDifference(replayGenesis(this.#parts.sha256), body);
    if (difference === undefined) return;
    const { path, expected, found } = difference;
    this.#differs('entries', `${place}${path}`, expected, found);
  }

  #rule(rule: ScoreRule, place: string): void {
    const market = this.#parts.markets.get(rule.class);
    const hash = scoreRuleHash(this.#parts.sha256, rule);
    const isFirst = [...this.#rules.values()].every((other) => other.class !== rule.class);
    this.#rules.set(hash, rule);
    if (market === undefined) return;
    this.checked.rules += 1;
    if (!market.rules.has(hash)) {
      this.#differs('rules', place, [...market.rules].join(' or '), hash);
    } else if (!isFirst) {
      this.#differs('rules', place, `one score rule of ${rule.class}`, 'another');
    }
  }

  #asset(body: Asset, place: string): void {
    if (!this.#parts.markets.has(body.class)) return;
    this.checked.assets += 1;
    this.#assets.push({ body, place });
  }

  #split({ symbol, effective_at }: Split, place: string): void {
    this.checked.splits += 1;
    this.#differs('splits', place, 'no split: the files state none', `${symbol} ${effective_at}`);
  }

  /**
   * Checks that everything since the newest tick was written at its time, and what comes before the first tick
   * at the first's.
   */
  #holdTimes(): void {
    for (const { body: at, place } of this.#times) {
      if (at !== this.#tickAt) this.#differs('entries', `${place}/at`, this.#tickAt, at);
    }
    this.#times.length = 0;
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
    this.#list(following, next, place);
    const reads = recordedReads(next, (symbol) => following.listed.has(symbol));
    if (reads.size === 0) {
      this.#differs('ticks', place, 'a listed asset of which the files have a row', 'none');
      return;
    }
    const step = following.terminal.step(ts, reads);
    const { drafts, blob } = step;
    const { grid } = this.#parts.markets.get(tick.class) as RecordedMarket;
    following.study?.maker.step(ts, grid.indexOf(ts) as number, step);
    following.to = ts;
    const [expected, ...dues] = drafts;
    await this.#leaves(tick, blob, place);
    const difference = firstDifference(expected?.body, tick);
    if (difference !== undefined) {
      const { path } = difference;
      this.#differs('ticks', `${place}${path}`, difference.expected, difference.found);
    }
    this.#owed = new Map(dues.map((draft) => [dueKey(draft.kind, { ...draft.body }), draft]));
  }

  /** Compares the assets that were listed since the newest tick with those that have their first row now. */
  #list(following: Following, { ts, readings }: MarketInstant, place: string): void {
    const { terminal, assets, listed, unlisted } = following;
    const isNew = (symbol: string): boolean => !listed.has(symbol) && !unlisted.has(symbol);
    const due = [...readings.keys()].filter(isNew);
    const list = (symbol: string): void => {
      terminal.list(assets.get(symbol) as Asset, ts - 1);
      listed.add(symbol);
    };
    let before = '';
    for (const { body, place: at } of this.#assets) {
      const { symbol } = body;
      const i = due.indexOf(symbol);
      if (i < 0) {
        this.#differs('assets', at, 'no asset here that has its first row now', symbol);
        // Listed late: reported once, and not again at each tick.
        if (unlisted.delete(symbol)) list(symbol);
        continue;
      }
      if (symbol < before) this.#differs('assets', at, `${symbol} before ${before}`, 'behind it');
      before = symbol;
      due.splice(i, 1);
      list(symbol);
      const difference = firstDifference(assets.get(symbol), body);
      if (difference === undefined) continue;
      const { path, expected, found } = difference;
      this.#differs('assets', `${at} ${symbol}${path}`, expected, found);
    }
    this.#assets.length = 0;
    for (const symbol of due) {
      this.#differs('assets', `before ${place}`, `asset/1 of ${symbol}`, 'none');
      unlisted.add(symbol);
    }
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
    const span = { from: ts, to: Number.POSITIVE_INFINITY };
    const following: Following = {
      rule,
      from: ts,
      to: ts,
      terminal: new Terminal({ sha256, seed, rule, grid: market.grid }),
      study: STUDIED.has(of) ? ruledStudy(sha256, rule) : undefined,
      assets: market.folder.assets(of),
      instants: market.folder.instants(span),
      next: undefined,
      listed: new Set(),
      unlisted: new Set(),
    };
    await move(following);
    this.#following.set(of, following);
    return following;
  }

  /** Compares the leaves of the log's blob with those that the files give. */
  async #leaves(tick: Tick, blob: Uint8Array, place: string): Promise<void> {
    const own = parseTickLeaves(blob);
    this.checked.leaves += own.length;
    if (hashHex(contentHash(this.#parts.sha256, blob)) === tick.blob) return this.#ask(tick, place);
    const theirs = await keptLeaves(this.#parts, tick.blob, this.#at('leaves', place));
    if (theirs === undefined) return;
    const found = new Map(theirs.map((leaf) => [leaf.symbol, leaf]));
    for (const leaf of own) {
      const other = found.get(leaf.symbol);
      found.delete(leaf.symbol);
      const same = other !== undefined && equalLeaves(leaf, other);
      if (!same) {
        this.#differs('leaves', `${place} ${leaf.symbol}`, leafText(leaf), leafText(other));
      }
    }
    for (const leaf of found.values()) {
      this.#differs('leaves', `${place} ${leaf.symbol}`, 'no leaf', leafText(leaf));
    }
  }

  /** A tick has the right hash, and the log must have its bytes too. They are awaited later. */
  async #ask(tick: Tick, place: string): Promise<void> {
    const asked = keptBytes(this.#parts, tick.blob, this.#at('leaves', place)).then(
      () => undefined,
    );
    // Whoever waits for it receives the rejection, which must not be unhandled until then.
    asked.catch(() => undefined);
    const [oldest, ...others] = this.#asked;
    if (oldest === undefined || others.length + 1 < FETCHES) {
      this.#asked = [...this.#asked, asked];
      return;
    }
    this.#asked = [...others, asked];
    await oldest;
  }

  /** A study is that of everything before it, to the last byte, and there is only one. */
  async #study({ kind, body: study }: StudyBody, seq: number, place: string): Promise<void> {
    if (this.without.has(study.class)) return;
    this.checked.studies += 1;
    const following = this.#following.get(study.class);
    const ruled = following?.study;
    if (following === undefined || ruled === undefined) {
      this.#differs(
        'studies',
        place,
        'one study of a class of which replays have one',
        study.class,
      );
      return;
    }
    following.study = undefined;
    if (kind !== ruled.kind) {
      this.#differs('studies', `${place}/kind`, ruled.kind, kind);
      return;
    }
    const { body, blob } = ruled.maker.make(0, seq);
    const difference = firstDifference({ ...body, blob: study.blob }, study);
    if (difference !== undefined) {
      const { path, expected, found } = difference;
      this.#differs('studies', `${place}${path}`, expected, found);
    }
    const bytes = await keptBytes(this.#parts, study.blob, this.#at('studies', place));
    if (bytes === undefined || body.blob === study.blob) return;
    const { path, expected, found } = studyDifference(kind, blob, bytes);
    this.#differs('studies', `${place}, blob${path}`, expected, found);
  }

  #due(entry: DueBody, place: string): void {
    const of = COUNTED_AS[entry.kind];
    const { id } = entry.body;
    if (entry.kind === 'event/1' && this.without.has(entry.body.class)) this.#foreign.add(id);
    if (this.#foreign.has(id)) return;
    this.checked[of] += 1;
    const key = dueKey(entry.kind, { ...entry.body });
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
      this.#differs(COUNTED_AS[kind as DueKind], this.#tickPlace, key, 'none behind this tick');
    }
    this.#owed.clear();
  }

  /** Takes note of differences at one place. */
  #at(of: Recounted, place: string): OnDiffers {
    return (expected, found) => this.#differs(of, place, expected, found);
  }

  #differs(of: Recounted, place: string, expected: string, found: string): void {
    this.#parts.onDifference({ of, place, expected, found });
  }
}

/** Where the bytes of a study first differ from `own`, or that they are no study. */
function studyDifference(kind: StudyKind, own: Uint8Array, theirs: Uint8Array): Difference {
  const parse = kind === 'study/1' ? parseStudyBlob : parseEdgeStudy;
  try {
    const [made, said] = [parse(own), parse(theirs)];
    return firstDifference(made, said) ?? { path: '', expected: 'other bytes', found: 'these' };
  } catch (error) {
    return { path: '', expected: 'a study', found: messageOf(error) };
  }
}

async function move(following: Following): Promise<void> {
  const { done, value } = await following.instants.next();
  following.next = done === true ? undefined : value;
}

function equalLeaves(a: TickLeaf, b: TickLeaf): boolean {
  return (
    a.ts === b.ts &&
    a.score === b.score &&
    a.good === b.good &&
    equalBytes(a.commitment, b.commitment)
  );
}

function leafText(leaf: TickLeaf | undefined): string {
  if (leaf === undefined) return 'no leaf';
  const { ts, score, good, commitment } = leaf;
  const said = good ? `score ${score ?? 'none'}` : 'not good';
  return `${said}, time ${ts}, values ${formatHex(commitment)}`;
}
