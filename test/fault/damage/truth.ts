import { concatBytes, equalBytes } from '@assay/core/bytes/bytes';
import { entryBody, scanEntry } from '@assay/core/log/entry';
import { type Hash, hashHex, leafHash } from '@assay/core/hash/hash';
import { bodyParser } from '@assay/core/kind/kinds';
import { answerTo, type FoldedAnswer, foldedPaths } from '@assay/core/answer/answer';
import { formatEntryBundle, type Tile, tilesOf, TILE_WIDTH } from '@assay/core/log/tile';
import { rootOf } from '@assay/core/log/tree';
import { foldEntry } from '@assay/core/view/fold';
import { OverlayViews } from '../../src/core/fixture/overlay-views.ts';
import { MemoryViews } from '@assay/core/view/state';
import type { ViewState, ViewWrite } from '@assay/core/view/view';
import { nodeSha256 } from '@assay/node/platform/node-sha256';

/** Newest periods of each index whose report answers are asked for one by one. */
const REPORTS = 6;
const parseBody = bodyParser(nodeSha256);

/** What a log says: its entries, read out before any damage, and everything that follows from them alone. */
export class Truth {
  readonly entries: readonly Uint8Array[];
  /** Entries that the guard's head covers: nobody was told of those behind them. */
  readonly acknowledged: number;
  readonly leaves: readonly Hash[];
  readonly #views = new MemoryViews();
  readonly #log: string;

  constructor(entries: readonly Uint8Array[], acknowledged: number) {
    this.entries = entries;
    this.acknowledged = acknowledged;
    this.leaves = entries.map((bytes) => leafHash(nodeSha256, bytes));
    const [first] = this.leaves;
    if (first === undefined) throw new TypeError('Truth: a log without entries');
    this.#log = hashHex(first);
    for (const bytes of entries.slice(0, acknowledged)) {
      this.#views.write(this.#fold(bytes, this.#views));
    }
  }

  #fold(bytes: Uint8Array, state: ViewState): readonly ViewWrite[] {
    const layout = scanEntry(bytes);
    const known = parseBody(layout.kind, entryBody(bytes, layout));
    if (known === undefined) return [];
    const log = this.#log as ReturnType<typeof hashHex>;
    const { seq, at } = layout;
    return foldEntry({ ...known, seq, at, log }, state, nodeSha256);
  }

  /**
   * The rows of a log that has the acknowledged entries and then `more`, at each of its sizes from there on. Read one
   * after the other: each holds until the next is asked for.
   */
  *sizes(
    more: readonly Uint8Array[],
  ): Generator<{ readonly size: number; readonly state: ViewState }> {
    const state = new OverlayViews(this.#views);
    let size = this.acknowledged;
    yield { size, state };
    for (const bytes of more) {
      state.write(this.#fold(bytes, state));
      size += 1;
      yield { size, state };
    }
  }

  /** The paths of every answer that follows from the acknowledged entries. */
  get paths(): readonly string[] {
    return foldedPaths(this.#views, nodeSha256, REPORTS);
  }

  /** What the acknowledged entries answer. */
  answer(path: string): FoldedAnswer | undefined {
    return answerTo(this.#views, nodeSha256, path);
  }
}

/** The bytes of a tile of a tree over `entries`. */
export function tileOf(
  entries: readonly Uint8Array[],
  leaves: readonly Hash[],
  tile: Tile,
): Uint8Array {
  const start = tile.index * TILE_WIDTH;
  if (tile.level === 'entries') return formatEntryBundle(entries.slice(start, start + tile.width));
  const span = TILE_WIDTH ** tile.level;
  return concatBytes(
    ...Array.from({ length: tile.width }, (_, i) =>
      rootOf(nodeSha256, leaves.slice((start + i) * span, (start + i + 1) * span)),
    ),
  );
}

/** Every tile of a tree of `size` entries. */
export function allTiles(size: number): readonly Tile[] {
  return [...tilesOf(size)];
}

/** Whether `entries` begins with the first `count` of what is true. */
export function firstDifference(
  truth: Truth,
  entries: readonly Uint8Array[],
  count: number,
): number | undefined {
  for (let i = 0; i < count; i += 1) {
    const [expected, found] = [truth.entries[i], entries[i]];
    if (expected === undefined || found === undefined || !equalBytes(expected, found)) return i;
  }
  return undefined;
}
