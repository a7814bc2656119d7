import type { SourceJson } from '@assay/core/source/source-json';
import { Semaphore } from '../../platform/semaphore.ts';
import { REFUSED_ALONE, type TickSourceRead, unread, type VendorNames } from './tick-source.ts';
import type { VendorAnswer } from './vendor-answer.ts';

/** How many requests to a vendor run at once. */
const AT_ONCE = 4;
/** The most requests of a reading for pieces of what was refused. */
const MAX_SPLIT = 64;
/** How many names that were refused alone before are requested again in a reading. */
const MAX_ALONE = 20;

/** How a vendor is asked for many assets at once. */
export interface VendorBatches {
  readonly provider: string;
  readonly names: VendorNames;
  /** How many assets are in one request. */
  readonly size: number;
  /** For a vendor that refuses a whole request because of one name in it. */
  readonly refusal?: VendorRefusal;
  /** Asks for the vendor's own names. Throws only if the signal has aborted. */
  readonly ask: (names: readonly string[]) => Promise<VendorAnswer>;
  /** What an answer contains about each asset that was requested. */
  readonly take: (answer: SourceJson, batch: readonly VendorAsset[]) => readonly TickSourceRead[];
}

export interface VendorRefusal {
  /** The HTTP status of a refusal. */
  readonly status: number;
  /** What is known of its names from reading to reading. */
  readonly memory: RefusedNames;
}

/** What a vendor refused, so that it no longer spoils the request for others. */
export interface RefusedNames {
  /** Names that were refused alone, beginning with the one that was not requested for the longest time. */
  readonly apart: Set<string>;
  /** Names in pieces that were not completed, with the piece's number: the highest is requested first. */
  readonly pieces: Map<string, number>;
}

export function noRefusedNames(): RefusedNames {
  return { apart: new Set(), pieces: new Map() };
}

export interface VendorAsset {
  readonly symbol: string;
  /** The vendor's name for it. */
  readonly name: string;
}

/**
 * One read for each of `symbols` that the vendor has a name for, with a few requests at a time. A failed
 * request affects only its own assets, and once the signal has aborted, what is missing is a `timeout`. What is
 * refused is halved, the newest half first: each reading finds some of the names that caused it, and the next
 * continues.
 */
export async function readBatches(
  batches: VendorBatches,
  symbols: readonly string[],
  signal: AbortSignal,
): Promise<readonly TickSourceRead[]> {
  const assets = symbols.flatMap((symbol): readonly VendorAsset[] => {
    const name = Object.hasOwn(batches.names, symbol) ? batches.names[symbol] : undefined;
    return name === undefined ? [] : [{ symbol, name }];
  });
  const reading = new BatchReading(batches, assets, signal);
  return await reading.run();
}

type Batch = readonly VendorAsset[];

/** The requests of one reading. */
class BatchReading {
  readonly #batches: VendorBatches;
  readonly #signal: AbortSignal;
  readonly #semaphore = new Semaphore(AT_ONCE);
  /**
   * What has not been requested yet: first what was never refused, then pieces from the last on, then single
   * names.
   */
  readonly #whole: Batch[] = [];
  readonly #pieces: Batch[] = [];
  readonly #alone: Batch[] = [];
  /** By symbol, in the order of the request. */
  readonly #reads = new Map<string, TickSourceRead>();
  readonly #said: string[] = [];
  readonly #refused: VendorAsset[] = [];
  /** Pieces that were requested and got neither a refusal nor prices. */
  readonly #failed: Batch[] = [];
  #split = 0;

  constructor(batches: VendorBatches, assets: Batch, signal: AbortSignal) {
    this.#batches = batches;
    this.#signal = signal;
    const { provider, refusal, size } = batches;
    const [apart, pieces] = [refusal?.memory.apart, refusal?.memory.pieces];
    const together: VendorAsset[] = [];
    const alone = new Map<string, VendorAsset[]>();
    const left = new Map<number, VendorAsset[]>();
    for (const asset of assets) {
      const { symbol, name } = asset;
      const isApart = apart?.has(name) === true;
      const reason = isApart ? REFUSED_ALONE : 'refused before';
      this.#reads.set(symbol, unread(provider, symbol, reason));
      const piece = pieces?.get(name);
      if (isApart) addTo(alone, name, asset);
      else if (piece === undefined) together.push(asset);
      else addTo(left, piece, asset);
    }
    for (let at = 0; at < together.length; at += size) {
      this.#whole.push(together.slice(at, at + size));
    }
    this.#pieces.push(...[...left].sort(([a], [b]) => a - b).map(([, piece]) => piece));
    const names = [...(apart ?? [])].flatMap((name) => alone.get(name) ?? []);
    this.#alone.push(...names.slice(0, MAX_ALONE).map((asset) => [asset]));
  }

  async run(): Promise<readonly TickSourceRead[]> {
    await this.#take(this.#whole.length + this.#pieces.length + this.#alone.length);
    this.#remember();
    return [...this.#reads.values()];
  }

  /** Runs so many requests, each for whatever comes next. */
  async #take(semaphore: number): Promise<void> {
    const taken = Array.from({ length: semaphore }, async () => {
      await this.#take(await this.#semaphore.run(() => this.#next()));
    });
    await Promise.all(taken);
  }

  /** Requests what comes next. Returns how many pieces are left. */
  async #next(): Promise<number> {
    const whole = this.#whole.shift();
    if (whole !== undefined) return await this.#ask(whole, false);
    const piece = this.#split < MAX_SPLIT ? this.#pieces.pop() : undefined;
    if (piece !== undefined) {
      this.#split += 1;
      return await this.#ask(piece, true);
    }
    const alone = this.#alone.shift();
    if (alone === undefined) return 0;
    if (!this.#signal.aborted) this.#hadItsTurn(alone);
    return await this.#ask(alone, false);
  }

  /** Puts names that are requested alone after the others, whatever the result is. */
  #hadItsTurn(alone: Batch): void {
    const apart = this.#batches.refusal?.memory.apart;
    for (const { name } of alone) if (apart?.delete(name) === true) apart.add(name);
  }

  async #ask(batch: Batch, isPiece: boolean): Promise<number> {
    const { provider, refusal, take } = this.#batches;
    const asked = batch.map(({ name }) => name);
    const answer = await this.#answer(asked);
    if (answer.kind === 'json') {
      this.#said.push(...asked);
      for (const read of take(answer.value, batch)) this.#reads.set(read.symbol, read);
      return 0;
    }
    for (const { symbol } of batch) {
      this.#reads.set(symbol, unread(provider, symbol, answer.reason));
    }
    if (refusal === undefined || answer.status !== refusal.status) {
      if (isPiece) this.#failed.push(batch);
      return 0;
    }
    if (batch.length === 1) {
      this.#refused.push(...batch);
      return 0;
    }
    const half = batch.length >>> 1;
    this.#pieces.push(batch.slice(half), batch.slice(0, half));
    return 2;
  }

  /**
   * Remembers what was refused. If nobody was answered, the vendor refuses everything, whatever the name is.
   */
  #remember(): void {
    const { provider, refusal } = this.#batches;
    if (refusal === undefined || this.#said.length === 0) return;
    const { apart, pieces } = refusal.memory;
    for (const name of this.#said) apart.delete(name);
    for (const { symbol, name } of this.#refused) {
      apart.add(name);
      this.#reads.set(symbol, unread(provider, symbol, REFUSED_ALONE));
    }
    pieces.clear();
    for (const [i, piece] of [...this.#failed, ...this.#pieces].entries()) {
      for (const { name } of piece) pieces.set(name, i);
    }
  }

  /** An answer, or none once the signal has aborted, even if the source ignores the signal. */
  async #answer(names: readonly string[]): Promise<VendorAnswer> {
    const signal = this.#signal;
    const late: VendorAnswer = { kind: 'nothing', reason: 'timeout' };
    if (signal.aborted) return late;
    let leave = (): void => {};
    const over = new Promise<VendorAnswer>((resolve) => {
      leave = (): void => resolve(late);
      signal.addEventListener('abort', leave, { once: true });
    });
    try {
      return await Promise.race([this.#batches.ask(names), over]);
    } catch {
      return signal.aborted ? late : { kind: 'nothing', reason: 'failed' };
    } finally {
      signal.removeEventListener('abort', leave);
    }
  }
}

function addTo<K>(lists: Map<K, VendorAsset[]>, key: K, asset: VendorAsset): void {
  const list = lists.get(key);
  if (list === undefined) lists.set(key, [asset]);
  else list.push(asset);
}
