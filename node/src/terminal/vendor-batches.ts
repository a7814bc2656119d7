import type { SourceJson } from '@assay/core/source-json';
import { Turns } from '../turns.ts';
import { type TickSourceRead, unread, type VendorNames } from './tick-source.ts';
import type { VendorAnswer } from './vendor-answer.ts';

/** Requests to a vendor that are out at once. */
const AT_ONCE = 4;
/** Requests of a reading that come of splitting what was refused. */
const MAX_SPLIT = 64;
/** Names of a reading that are asked for alone. */
const MAX_ALONE = 20;

/** How a vendor is asked for many assets at once. */
export interface VendorBatches {
  readonly provider: string;
  readonly names: VendorNames;
  /** Assets of one request. */
  readonly size: number;
  /** A vendor that refuses a whole request for one name of it. */
  readonly refusal?: VendorRefusal;
  /** Asks for the vendor's own names. Throws once the signal has aborted and not else. */
  readonly ask: (names: readonly string[]) => Promise<VendorAnswer>;
  /** What an answer says of each asset that was asked for in it. */
  readonly take: (answer: SourceJson, batch: readonly VendorAsset[]) => readonly TickSourceRead[];
}

export interface VendorRefusal {
  /** HTTP status of it. */
  readonly status: number;
  /** The names that it was for: they spoil no other's request any more. Kept from reading to reading. */
  readonly apart: Set<string>;
}

export interface VendorAsset {
  readonly symbol: string;
  /** The vendor's name of it. */
  readonly name: string;
}

/**
 * One read for each of `symbols` that the vendor has a name for, a few requests beside each other. What a request
 * fails at costs its own assets alone, and once the signal has aborted what was not said yet is a `timeout`.
 */
export async function readBatches(
  batches: VendorBatches,
  symbols: readonly string[],
  signal: AbortSignal,
): Promise<readonly TickSourceRead[]> {
  const { names, size, refusal } = batches;
  const assets = symbols.flatMap((symbol): readonly VendorAsset[] => {
    const name = Object.hasOwn(names, symbol) ? names[symbol] : undefined;
    return name === undefined ? [] : [{ symbol, name }];
  });
  const isApart = ({ name }: VendorAsset): boolean => refusal?.apart.has(name) === true;
  const together = assets.filter((asset) => !isApart(asset));
  const alone = assets.filter(isApart);
  const reading = new BatchReading(batches, signal);
  const parts: Promise<readonly TickSourceRead[]>[] = [];
  for (let at = 0; at < together.length; at += size) {
    parts.push(reading.of(together.slice(at, at + size)));
  }
  parts.push(...alone.slice(0, MAX_ALONE).map((asset) => reading.of([asset])));
  const reads = (await Promise.all(parts)).flat();
  reading.end();
  const left = alone.slice(MAX_ALONE);
  return [
    ...reads,
    ...left.map(({ symbol }) => unread(batches.provider, symbol, 'refused before')),
  ];
}

/** The requests of one reading. */
class BatchReading {
  readonly #batches: VendorBatches;
  readonly #signal: AbortSignal;
  readonly #turns = new Turns(AT_ONCE);
  readonly #refused: string[] = [];
  readonly #said: string[] = [];
  #split = 0;

  constructor(batches: VendorBatches, signal: AbortSignal) {
    this.#batches = batches;
    this.#signal = signal;
  }

  async of(batch: readonly VendorAsset[]): Promise<readonly TickSourceRead[]> {
    const { provider, refusal, take } = this.#batches;
    const asked = batch.map(({ name }) => name);
    const answer = await this.#turns.take(() => this.#ask(asked));
    if (answer.kind === 'json') {
      this.#said.push(...asked);
      return take(answer.value, batch);
    }
    if (refusal !== undefined && answer.status === refusal.status) {
      if (batch.length === 1) this.#refused.push(...asked);
      else if (this.#split + 2 <= MAX_SPLIT) {
        this.#split += 2;
        const half = batch.length >>> 1;
        const parts = [batch.slice(0, half), batch.slice(half)].map((each) => this.of(each));
        return (await Promise.all(parts)).flat();
      }
    }
    return batch.map(({ symbol }) => unread(provider, symbol, answer.reason));
  }

  /** Remembers who was refused alone. Where nobody was answered the vendor refuses everything, whatever the name. */
  end(): void {
    const { refusal } = this.#batches;
    if (refusal === undefined || this.#said.length === 0) return;
    for (const name of this.#said) refusal.apart.delete(name);
    for (const name of this.#refused) refusal.apart.add(name);
  }

  /** An answer, or none once the signal has aborted: also of who does not listen to it. */
  async #ask(names: readonly string[]): Promise<VendorAnswer> {
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
