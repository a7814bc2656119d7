import type { Sha256 } from '@assay/core/hash/hash';
import type { Asset } from '@assay/core/kind/asset';
import type { Genesis } from '@assay/core/kind/genesis';
import type { TickGrid } from '@assay/core/terminal/calendar/grid';
import type { ScoreRule } from '@assay/core/terminal/rule/score-rule';
import { type RuledStudy, ruledStudy, type StudyKind } from '@assay/core/terminal/edge/ruled-study';
import { type MadeStudy, STUDIED } from '@assay/core/terminal/study/study-maker';
import { Terminal, type TickDraft } from '@assay/core/terminal/terminal';
import type { MarketFolder, MarketInstant, MarketSpan } from './market-folder.ts';
import { recordedReads } from './recorded-reads.ts';
import { replaySeed } from './replay-keys.ts';

/** A class of assets, the files with its history, and how it is scored. */
export interface ReplayMarket {
  readonly folder: MarketFolder;
  readonly rule: ScoreRule;
  readonly grid: TickGrid;
}

/** Consecutive entries with the same time. */
export interface ReplayStep {
  /** The time of the entries in unix seconds. */
  readonly at: number;
  readonly drafts: readonly TickDraft[];
  /** The blobs that the entries name, which have to be stored first. */
  readonly blobs: readonly Uint8Array[];
  /** How many rows of files went into it. */
  readonly rows: number;
}

/** How many seconds after a tick its entries are dated. */
export const WRITTEN_AFTER_S = 60;

/**
 * A recorded history as the entries of a log, from entry 0 on: a step for each time, with the classes in the
 * given order. The rule of a class comes before its first tick, and an asset before its own first. The same
 * files give the same steps on any machine. What opens the ticks is not returned: it follows from the files and
 * a seed that everybody knows.
 *
 * A replay to the end of the files has the study of each class of `STUDIED` as its last step. One that ends
 * before has none, and is the beginning of those that end later.
 */
export async function* replaySteps(
  sha256: Sha256,
  markets: readonly ReplayMarket[],
  genesis: Genesis,
  span: MarketSpan,
): AsyncGenerator<ReplayStep> {
  const seed = replaySeed(sha256, 'salts');
  const players = markets.map((market) => new Player(sha256, seed, market, span));
  let at = 0;
  let entries = 0;
  try {
    for (const player of players) await player.move();
    for (;;) {
      const ts = Math.min(...players.map(({ next }) => next?.ts ?? Number.POSITIVE_INFINITY));
      if (ts === Number.POSITIVE_INFINITY) break;
      at = ts + WRITTEN_AFTER_S;
      if (entries === 0) {
        yield { at, drafts: [{ kind: 'genesis/1', body: genesis }], blobs: [], rows: 0 };
        entries = 1;
      }
      const drafts: TickDraft[] = [];
      const blobs: Uint8Array[] = [];
      let rows = 0;
      for (const player of players) {
        const { next } = player;
        if (next?.ts !== ts) continue;
        rows += next.readings.size;
        blobs.push(player.play(next, drafts));
        await player.move();
      }
      entries += drafts.length;
      yield { at, drafts, blobs, rows };
    }
    if (entries === 0 || span.to !== Number.POSITIVE_INFINITY) return;
    const studies = players.flatMap((player) => player.study(entries) ?? []);
    const drafts = studies.map(({ kind, body }) => ({ kind, body }));
    if (drafts.length > 0) yield { at, drafts, blobs: studies.map(({ blob }) => blob), rows: 0 };
  } finally {
    for (const player of players) await player.close();
  }
}

/** One class on its way through its files. */
class Player {
  next: MarketInstant | undefined;
  readonly #market: ReplayMarket;
  readonly #terminal: Terminal;
  readonly #instants: AsyncGenerator<MarketInstant>;
  readonly #listed = new Set<string>();
  readonly #assets: ReadonlyMap<string, Asset>;
  readonly #study: RuledStudy | undefined;

  constructor(sha256: Sha256, seed: Uint8Array, market: ReplayMarket, span: MarketSpan) {
    const { folder, rule, grid } = market;
    this.#market = market;
    this.#terminal = new Terminal({ sha256, seed, rule, grid });
    this.#instants = folder.instants(span);
    this.#study = STUDIED.has(rule.class) ? ruledStudy(sha256, rule) : undefined;
    this.#assets = folder.assets(rule.class);
  }

  async move(): Promise<void> {
    const { done, value } = await this.#instants.next();
    this.next = done === true ? undefined : value;
  }

  /** Appends the drafts of an instant. Returns the blob that its tick names. */
  play(instant: MarketInstant, drafts: TickDraft[]): Uint8Array {
    const { ts, readings } = instant;
    const { rule } = this.#market;
    if (this.#listed.size === 0) drafts.push({ kind: 'score-rule/1', body: { rule } });
    for (const symbol of readings.keys()) {
      if (this.#listed.has(symbol)) continue;
      const body = this.#assets.get(symbol) as Asset;
      drafts.push({ kind: 'asset/1', body });
      this.#study?.maker.take({ kind: 'asset/1', body });
      this.#terminal.list(body, ts - 1);
      this.#listed.add(symbol);
    }
    const step = this.#terminal.step(ts, recordedReads(instant));
    drafts.push(...step.drafts);
    this.#study?.maker.step(ts, this.#market.grid.indexOf(ts) as number, step);
    return step.blob;
  }

  /**
   * The study of everything that was played, over the first `entries` of the log; undefined if none is frozen.
   */
  study(entries: number): (MadeStudy & { readonly kind: StudyKind }) | undefined {
    if (this.#listed.size === 0 || this.#study === undefined) return undefined;
    const { kind, maker } = this.#study;
    return { kind, ...maker.make(0, entries) };
  }

  async close(): Promise<void> {
    await this.#instants.return(undefined);
  }
}
