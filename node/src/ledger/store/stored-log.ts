import { equalBytes } from '@assay/core/bytes/bytes';
import { Fault, faultCode } from '@assay/core/fault';
import { parseHead } from '@assay/core/view/head';
import { type Hash, leafHash, type Sha256 } from '@assay/core/hash/hash';
import { TILE_WIDTH } from '@assay/core/log/tile';
import { isSameSum, RowsRoot, type RowsSum } from '@assay/core/view/rows-root';
import { errorCode } from '../../platform/durable-file.ts';
import { checkedEntries, type CheckedTiles } from '../checked-tiles.ts';
import { damagedEntry } from '../derived/replay.ts';
import { openRow } from './sealed-row.ts';
import { slices } from './slices.ts';
import type { LedgerStore, SealedRow } from './store.ts';

export interface StoredLogParts {
  readonly sha256: Sha256;
  readonly store: LedgerStore;
  readonly tiles: () => CheckedTiles;
  /** How many entries are stored under the tree. */
  readonly size: () => number;
  /** The sum of the rows that were written, and of those that are being written. */
  readonly sum: () => RowsSum;
  /** How many writes have ended; undefined while one is under way or if one has failed. */
  readonly writes: () => number | undefined;
  /** Called with an entry that is damaged or missing, before the check of it ends. */
  readonly onDamaged: (fault: Fault) => void;
  /** Writes the tiles that a check has derived again, if the store can be written. */
  readonly writeTiles: () => Promise<void>;
  /**
   * Derives all rows from the entries again and writes them. False if nothing is written now. Throws what the
   * proof throws.
   */
  readonly deriveRows: () => Promise<boolean>;
}

/** One bundle of entries, with the tiles that end with it. */
export interface CheckedBundle {
  /** The entries that are the ones under the tree, in order. */
  readonly entries: readonly Uint8Array[];
  /** The numbers of those that are not, or are missing. */
  readonly damaged: readonly number[];
  /** Tiles that are damaged together with what is below them, by level and index. */
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

/** How many rows are checked at once, and how many bytes of them. */
const ROWS_AT_ONCE = 2048;
const ROW_BYTES_AT_ONCE = 1024 * 1024;
/** How often it waits for a moment at which nothing is written. */
const MOST_TRIES = 100;
/** Milliseconds between two of those tries. */
const WAIT_MS = 20;
/**
 * How often rows are checked before a result counts, because a store that was reopened meanwhile has others.
 */
const PASSES = 2;

/**
 * What is stored of a log that is in use, checked against what its process knows. Nothing of it is taken from a
 * cache.
 */
export class StoredLog {
  readonly #parts: StoredLogParts;

  constructor(parts: StoredLogParts) {
    this.#parts = parts;
  }

  /** Entries that are stored. */
  get size(): number {
    return this.#parts.size();
  }

  /**
   * Checks bundle `index` of the entries, and the full tiles that end with it. A tile that does not match is
   * derived again.
   */
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
   * Checks every row against its digest, all of them against the sum that this process maintains, and the head
   * against its digest. If they do not match, all are derived from the entries again before the last progress.
   * `onFound` is called with what was found, and whether it is correct now.
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

  /**
   * Checks each entry separately, so that all damaged ones are known. Without their leaves all count as
   * damaged.
   */
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

  /** What does not match; undefined if everything does. */
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

  /** The rows at one moment at which none is being written, and the sum that they should have. */
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
      // The first row fixes what is read: what is written afterwards is not included.
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

/** Whether an error means that what is stored differs from what it was. */
function isDamage(error: unknown): boolean {
  return faultCode(error) === 'ledger_corrupt' || errorCode(error) === 'LEVEL_CORRUPTION';
}

function sizeOf(entries: readonly Uint8Array[]): number {
  return entries.reduce((sum, { length }) => sum + length, 0);
}
