import { equalBytes } from '@assay/core/bytes/bytes';
import { Fault, faultCode } from '@assay/core/fault';
import { parseHead } from '@assay/core/view/head';
import { type Hash, leafHash, type Sha256 } from '@assay/core/hash/hash';
import { TILE_WIDTH } from '@assay/core/log/tile';
import { isSameSum, RowsRoot, type RowsSum } from '@assay/core/view/rows-root';
import { errorCode } from '../../platform/durable-file.ts';
import { checkedEntries, type CheckedTiles } from '../checked-tiles.ts';
import { damagedEntry } from '../replay.ts';
import { openRow } from './sealed-row.ts';
import { slices } from './slices.ts';
import type { LedgerStore, SealedRow } from './store.ts';

export interface StoredLogParts {
  readonly sha256: Sha256;
  readonly store: LedgerStore;
  readonly tiles: () => CheckedTiles;
  /** Entries that are stored under the tree. */
  readonly size: () => number;
  /** What the rows add up to that were written, and those that are being written. */
  readonly sum: () => RowsSum;
  /** How many writes have ended; undefined while one is under way, or has failed. */
  readonly writes: () => number | undefined;
  /** Told of an entry that is damaged or missing, before the check of it ends. */
  readonly onDamaged: (fault: Fault) => void;
  /** Writes the tiles that a check has derived again, where the store takes writes. */
  readonly writeTiles: () => Promise<void>;
  /** Derives all rows from the entries again and writes them. False where nothing is written now. Throws as the proof. */
  readonly deriveRows: () => Promise<boolean>;
}

/** One bundle of entries, with the tiles that end with it. */
export interface CheckedBundle {
  /** Entries that are the ones under the tree, in order. */
  readonly entries: readonly Uint8Array[];
  /** Numbers of those that are not, or are missing. */
  readonly damaged: readonly number[];
  /** Tiles that are damaged, where what lies below is, too; by level and index. */
  readonly badTiles: readonly string[];
  /** Bytes of entries and tiles that were read. */
  readonly bytes: number;
}

/** Progress of a check of all rows. */
export interface RowProgress {
  /** Rows that are done, of `of`. */
  readonly done: number;
  readonly of: number;
  /** Bytes since the progress before. */
  readonly bytes: number;
}

/** Rows that are checked in one go, and their bytes. */
const ROWS_AT_ONCE = 2048;
const ROW_BYTES_AT_ONCE = 1024 * 1024;
/** How often a moment is waited for at which nothing is written. */
const MOST_TRIES = 100;
/** Milliseconds between two of those tries. */
const WAIT_MS = 20;
/** How often rows are gone over before what is found counts: a store that was opened anew meanwhile has others. */
const PASSES = 2;

/** What is stored of a log that is in use, held to what its process knows. Nothing of it is taken from a cache. */
export class StoredLog {
  readonly #parts: StoredLogParts;

  constructor(parts: StoredLogParts) {
    this.#parts = parts;
  }

  /** Entries that are stored. */
  get size(): number {
    return this.#parts.size();
  }

  /** Bundle `index` of the entries, and the full tiles that end with it. A tile that does not fit is derived again. */
  async checkBundle(index: number): Promise<CheckedBundle> {
    const { sha256, store, tiles, onDamaged, writeTiles } = this.#parts;
    const start = index * TILE_WIDTH;
    const end = Math.min(start + TILE_WIDTH, this.size);
    const checked = await this.#checkTiles(end);
    await writeTiles();
    const entries: Uint8Array[] = [];
    const pause = slices(performance.now.bind(performance));
    try {
      for await (const each of checkedEntries(sha256, store, tiles().read, start, end)) {
        entries.push(each);
        await pause();
      }
      return { ...checked, entries, damaged: [], bytes: checked.bytes + sizeOf(entries) };
    } catch (error) {
      if (!isDamage(error)) throw error;
    }
    const { sound, damaged } = await this.#checkEach(start, end);
    const [first] = damaged;
    if (first !== undefined) onDamaged(damagedEntry(first, 'another, or none'));
    return { ...checked, entries: sound, damaged, bytes: checked.bytes + sizeOf(sound) };
  }

  /**
   * Holds every row to its digest, all of them to the sum that this process keeps, and the head to its digest. Where
   * they do not fit, all are derived from the entries again; the last progress is then behind that. What was found is
   * told to `onFound`, with whether it is sound now.
   */
  async *checkRows(
    onFound: (name: string, isRepaired: boolean) => void,
  ): AsyncGenerator<RowProgress> {
    let found: string | undefined;
    for (let pass = 0; pass < PASSES; pass += 1) {
      found = yield* this.#passOverRows();
      if (found === undefined) return;
    }
    if (found !== undefined) onFound(found, await this.#parts.deriveRows());
  }

  /** The full tiles whose last entry is entry `end - 1`. */
  async #checkTiles(end: number): Promise<{ badTiles: string[]; bytes: number }> {
    const badTiles: string[] = [];
    let bytes = 0;
    let count = end / TILE_WIDTH;
    for (let level = 0; count >= 1 && Number.isInteger(count); level += 1, count /= TILE_WIDTH) {
      const tile = count - 1;
      try {
        await this.#parts.tiles().check(level, tile);
        bytes += TILE_WIDTH * 32;
      } catch (error) {
        if (!isDamage(error)) throw error;
        badTiles.push(`${level}/${tile}`);
      }
    }
    return { badTiles, bytes };
  }

  /** Each entry for itself, so that all that are damaged are known. Without their leaves all count as damaged. */
  async #checkEach(
    start: number,
    end: number,
  ): Promise<{ readonly sound: readonly Uint8Array[]; readonly damaged: readonly number[] }> {
    const { sha256, store, tiles } = this.#parts;
    const leaves = await tiles()
      .read(0, start / TILE_WIDTH)
      .catch((error: unknown): readonly Hash[] => {
        if (isDamage(error)) return [];
        throw error;
      });
    const sound: Uint8Array[] = [];
    const damaged: number[] = [];
    for (let seq = start; seq < end; seq += 1) {
      const bytes = await store.entry(seq).catch((error: unknown) => {
        if (isDamage(error)) return undefined;
        throw error;
      });
      const leaf = leaves[seq - start];
      const fits =
        bytes !== undefined && leaf !== undefined && equalBytes(leafHash(sha256, bytes), leaf);
      if (fits) sound.push(bytes);
      else damaged.push(seq);
    }
    return { sound, damaged };
  }

  /** What does not fit, or undefined where all does. */
  async *#passOverRows(): AsyncGenerator<RowProgress, string | undefined> {
    const { sha256 } = this.#parts;
    const { sum, rows, head } = await this.#snapshot();
    const root = new RowsRoot();
    let [done, bytes] = [0, 0];
    try {
      for (let next = await rows.next(); next.done !== true; next = await rows.next()) {
        const row = next.value;
        openRow(sha256, row);
        root.add(row.digest as Hash);
        done += 1;
        bytes += row.value.length + row.digest.length;
        if (done % ROWS_AT_ONCE !== 0 && bytes < ROW_BYTES_AT_ONCE) continue;
        yield { done, of: sum.rows, bytes };
        bytes = 0;
      }
    } catch (error) {
      if (!isDamage(error)) throw error;
      return error instanceof Fault ? (error.at ?? 'unknown') : 'in a damaged table';
    } finally {
      await rows.return?.(undefined);
    }
    yield { done, of: sum.rows, bytes };
    if (!isSameSum(root.sum(), sum)) return 'that is missing, or one of before';
    return this.#isHead(head) ? undefined : 'of the head';
  }

  #isHead(stored: Uint8Array | undefined): boolean {
    try {
      return stored !== undefined && parseHead(this.#parts.sha256, stored).size > 0;
    } catch {
      return false;
    }
  }

  /** The rows as they are at one moment at which none is being written, and what they are to add up to. */
  async #snapshot(): Promise<{
    readonly sum: RowsSum;
    readonly rows: AsyncIterator<SealedRow>;
    readonly head: Uint8Array | undefined;
  }> {
    const { store, writes, sum } = this.#parts;
    for (let tries = 0; tries < MOST_TRIES; tries += 1) {
      const before = writes();
      if (before === undefined) {
        await new Promise((resolve) => setTimeout(resolve, WAIT_MS));
        continue;
      }
      const expected = sum();
      const rows = store.views()[Symbol.asyncIterator]();
      // The first row fixes what is read: what is written afterwards is not among it.
      const [first, head] = await Promise.all([rows.next().catch(asThrown), store.head()]);
      if ('thrown' in first) throw first.thrown;
      if (writes() === before) return { sum: expected, rows: startingWith(first, rows), head };
      await rows.return?.(undefined);
    }
    throw new Fault('stopped', 'view rows', { expected: 'a moment without a write' });
  }
}

function asThrown(thrown: unknown): { readonly thrown: unknown } {
  return { thrown };
}

async function* startingWith<T>(
  first: IteratorResult<T>,
  rest: AsyncIterator<T>,
): AsyncGenerator<T> {
  try {
    for (let next = first; next.done !== true; next = await rest.next()) yield next.value;
  } finally {
    await rest.return?.(undefined);
  }
}

/** Whether an error says that what is stored is another than it was. */
function isDamage(error: unknown): boolean {
  return faultCode(error) === 'ledger_corrupt' || errorCode(error) === 'LEVEL_CORRUPTION';
}

function sizeOf(entries: readonly Uint8Array[]): number {
  return entries.reduce((sum, { length }) => sum + length, 0);
}
