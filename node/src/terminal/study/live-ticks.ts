import { Fault } from '@assay/core/fault';
import { contentHash, hashHex, type Sha256 } from '@assay/core/hash/hash';
import type { Asset } from '@assay/core/kind/asset';
import type { Tick } from '@assay/core/kind/tick';
import type { ScoreRule } from '@assay/core/terminal/rule/score-rule';
import { judgeTick } from '@assay/core/terminal/score/good';
import { parseTickLeaves, type TickLeaf } from '@assay/core/terminal/tick/tick-leaf';
import type { TickOpening } from '@assay/core/terminal/tick/tick-writer';
import { formatTime, parseTime } from '@assay/core/time/time';
import type { BlobStore } from '../../blob/blob-store.ts';
import { openedInput } from '../tick/opened-input.ts';
import type { TickOfDay, TickOpenings } from '../tick/tick-openings.ts';

export type GoodLeaves = ReadonlyMap<string, TickLeaf>;

/** A tick with the price of each asset that is good at it. */
export interface PricedTick {
  readonly leaves: GoodLeaves;
  /** In units. Throws `not_found` and `replay_differs`. */
  readonly price: (symbol: string) => number;
}

export interface LiveTicksParts {
  readonly sha256: Sha256;
  readonly blobs: Pick<BlobStore, 'get'>;
  readonly openings: Pick<TickOpenings, 'since'>;
}

/** The leaves of a log's ticks, and prices from what opens them. Prices are asked for in rising order of ticks. */
export class LiveTicks {
  readonly #parts: LiveTicksParts;
  /** The decimals of an asset's price, from its first entry, which never change. */
  readonly #decimals = new Map<string, number>();
  #days: AsyncGenerator<TickOfDay> | undefined;
  /** The first tick of `#days` that was not skipped. */
  #next: TickOfDay | undefined;

  constructor(parts: LiveTicksParts) {
    this.#parts = parts;
  }

  list({ symbol, decimals }: Asset): void {
    if (!this.#decimals.has(symbol)) this.#decimals.set(symbol, decimals);
  }

  /** The good leaves of a tick by symbol. Throws `blob_missing` and `blob_differs`. */
  async leaves({ ts, blob }: Tick): Promise<GoodLeaves> {
    const { blobs, sha256 } = this.#parts;
    const bytes = await blobs.get(blob);
    if (bytes === undefined || hashHex(contentHash(sha256, bytes)) !== blob) {
      const code = bytes === undefined ? 'blob_missing' : 'blob_differs';
      throw new Fault(code, 'tick leaves', { at: ts, expected: blob });
    }
    const good = parseTickLeaves(bytes).filter((leaf) => leaf.good);
    return new Map(good.map((leaf) => [leaf.symbol, leaf]));
  }

  /** A tick with its prices, as far as they are open. `rule` is the one that it names. */
  async priced(tick: Tick, rule: ScoreRule): Promise<PricedTick> {
    const ts = parseTime(tick.ts);
    const leaves = await this.leaves(tick);
    const readings = await this.#openingsOf(ts);
    let opened: ReadonlyMap<string, TickOpening> | undefined;
    return {
      leaves,
      price: (symbol) => {
        opened ??= new Map(readings?.openings.map((each) => [each.symbol, each]));
        return this.#price(ts, symbol, opened.get(symbol), leaves.get(symbol), rule);
      },
    };
  }

  async close(): Promise<void> {
    await this.#days?.return(undefined);
  }

  #price(
    ts: number,
    symbol: string,
    opening: TickOpening | undefined,
    leaf: TickLeaf | undefined,
    rule: ScoreRule,
  ): number {
    const { sha256 } = this.#parts;
    const at = `${symbol} of ${formatTime(ts)}`;
    if (opening === undefined) {
      throw new Fault('not_found', 'tick openings', {
        at,
        expected: 'what opens it, from a back-up',
      });
    }
    const input = openedInput(sha256, ts, opening, leaf?.commitment);
    const decimals = this.#decimals.get(symbol);
    const reading =
      decimals === undefined ? undefined : judgeTick(rule.sources, ts, decimals, input);
    if (reading !== undefined) return reading.price;
    throw new Fault('replay_differs', 'tick openings', { at, expected: 'a good reading' });
  }

  /** What is stored of the readings at `ts`. Times come in rising order. */
  async #openingsOf(ts: number): Promise<TickOfDay | undefined> {
    this.#days ??= this.#parts.openings.since(ts);
    while (this.#next === undefined || this.#next.ts < ts) {
      const { done, value } = await this.#days.next();
      if (done === true) return undefined;
      this.#next = value;
    }
    return this.#next.ts === ts ? this.#next : undefined;
  }
}
