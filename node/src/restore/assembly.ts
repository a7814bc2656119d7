import { equalBytes } from '@assay/core/bytes/bytes';
import type { Checkpoint } from '@assay/core/log/checkpoint';
import { Fault } from '@assay/core/fault';
import { formatHead } from '@assay/core/view/head';
import { type Hash, hashHex, type HashHex, type Sha256 } from '@assay/core/hash/hash';
import { bodyParser } from '@assay/core/kind/kinds';
import { formatTilePath, type Tile } from '@assay/core/log/tile';
import { EntryTree } from './entry-tree.ts';
import { sumOf } from '../ledger/store/sealed-row.ts';
import type { LedgerStore } from '../ledger/store/store.ts';
import { rangeHash, type TileHashes } from '../ledger/tree-reader.ts';
import {
  CHAIN_START,
  type ChainEnd,
  endOf,
  type ReadEntry,
  readNext,
} from '../mirror/entry-chain.ts';
import { newBundles } from '../mirror/head-bundles.ts';
import type { HeadTiles } from '../mirror/head-tiles.ts';
import type { Source } from './source.ts';

const MAX_COMMIT_ENTRIES = 4096;
const MAX_COMMIT_BYTES = 8 * 1024 * 1024;

export interface AssemblyParts {
  readonly sha256: Sha256;
  /** An empty store. Entries and a head are written to it, but nothing that follows from them. */
  readonly store: LedgerStore;
  /** The leaf hash of entry 0; null if nobody knows it. */
  readonly logId: HashHex | null;
  readonly progress?: (done: number, total: number, what: string) => void;
}

/**
 * A log that is assembled from several sources, each of which may have a part of it. Nothing is stored unless
 * it is under a head whose tiles lead to its root, and continues the chain. So what one source gave must be the
 * beginning of what the next one gives; otherwise the next one is not used.
 */
export class Assembly {
  readonly #parts: AssemblyParts;
  readonly #parseBody: ReturnType<typeof bodyParser>;
  readonly #tree: EntryTree;
  #end: ChainEnd = CHAIN_START;
  #log: HashHex | undefined;

  constructor(parts: AssemblyParts) {
    this.#parts = parts;
    this.#parseBody = bodyParser(parts.sha256);
    this.#tree = new EntryTree(parts.sha256, parts.store);
  }

  get size(): number {
    return this.#tree.size;
  }

  /** Leaf hash of entry 0; undefined before it. */
  get log(): HashHex | undefined {
    return this.#log;
  }

  root(): Hash {
    return this.#tree.root();
  }

  /** The tiles of what is stored. */
  get hashes(): TileHashes {
    return this.#tree.hashes;
  }

  entry(seq: number): Promise<Uint8Array | undefined> {
    return this.#parts.store.entry(seq);
  }

  /** The root of the first `size` entries, which are there. */
  rootAt(size: number): Promise<Hash> {
    return rangeHash(this.#parts.sha256, this.hashes, { start: 0, end: size });
  }

  /**
   * Takes from a source what is missing up to its head, whose checked tiles are `tiles`. What was committed
   * before a failure stays. Throws `ledger_differs` if the head does not begin with what is stored, or is of
   * another log; `bad_proof`, `bad_length` and what `readNext` throws for bytes that are not the signed ones;
   * and what the source throws.
   */
  async take(source: Source, tiles: HeadTiles, { size }: Pick<Checkpoint, 'size'>): Promise<void> {
    const { sha256, progress } = this.#parts;
    const own = this.size;
    if (own > 0) {
      const shared = Math.min(own, size);
      const theirs = await rangeHash(sha256, tiles.hashes, { start: 0, end: shared });
      const ours = await this.rootAt(shared);
      if (!equalBytes(ours, theirs))
        throw differs(`size ${shared}`, hashHex(ours), hashHex(theirs));
    }
    if (size <= own) return;
    const fetch = (tile: Tile, maxBytes: number): Promise<Uint8Array> =>
      source.tile(formatTilePath(tile), maxBytes);
    let batch: ReadEntry[] = [];
    let bytes = 0;
    let end = this.#end;
    const commit = async (): Promise<void> => {
      await this.#commit(batch);
      batch = [];
      bytes = 0;
    };
    try {
      for await (const entries of newBundles(sha256, fetch, tiles, own, size)) {
        for (const { leaf, entry } of entries) {
          const read = readNext(this.#parseBody, end, entry, leaf);
          this.#requireLog(read);
          batch.push(read);
          bytes += entry.length;
          end = endOf(read);
        }
        progress?.(end.size, size, 'entries');
        if (batch.length >= MAX_COMMIT_ENTRIES || bytes >= MAX_COMMIT_BYTES) await commit();
      }
    } finally {
      // What it contains is proven, whatever became of the rest.
      if (batch.length > 0) await commit();
    }
  }

  #requireLog({ known, leaf }: ReadEntry): void {
    if (known?.kind !== 'genesis/1') return;
    const { logId } = this.#parts;
    const log = hashHex(leaf);
    if (logId !== null && log !== logId) throw differs('log id', logId, log);
    this.#log ??= log;
  }

  async #commit(entries: readonly ReadEntry[]): Promise<void> {
    for (const each of entries) {
      this.#tree.append(each.leaf);
      this.#end = endOf(each);
    }
    const root = hashHex(this.#tree.root());
    const { sha256 } = this.#parts;
    const head = formatHead(sha256, { size: this.#tree.size, root, ...sumOf([]) });
    await this.#parts.store.commit({ entries, tiles: [], views: [], head });
  }
}

function differs(at: string, expected: string, found: string): Fault {
  return new Fault('ledger_differs', 'source', { at, expected, found });
}
