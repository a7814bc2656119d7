import type { ForkEvidence } from '@assay/core/evidence';
import { parseEntry } from '@assay/core/entry';
import { Fault, messageOf } from '@assay/core/fault';
import {
  type Hash,
  hashHex,
  type HashHex,
  leafHash,
  type Sha256,
  ZERO_HASH_HEX,
} from '@assay/core/hash';
import type { KeyEntry } from '@assay/core/kind/key';
import { bodyParser } from '@assay/core/kind/kinds';
import {
  formatEntryBundle,
  formatHashTile,
  hasTile,
  levelLength,
  parseHashTile,
  type Tile,
  TILE_WIDTH,
} from '@assay/core/tile';
import { TileTree } from '@assay/core/tile-tree';
import { foldEntry } from '@assay/core/view/fold';
import { keysOf } from '@assay/core/view/keys';
import { MemoryViews } from '@assay/core/view/state';
import type { ViewState, ViewWrite } from '@assay/core/view/view';
import { formatWire } from '@assay/core/wire';
import { formatHead } from '../ledger/head.ts';
import { replay } from '../ledger/replay.ts';
import { loadStored, requireEnd } from '../ledger/start.ts';
import type { LedgerStore, TileRow, ViewRow } from '../ledger/store.ts';
import { rangeHash, type TileHashes } from '../ledger/tree-reader.ts';
import { requireKeySignatures, requireSoundKey } from '../sound-key.ts';
import { storageFault } from '../storage-fault.ts';
import { CHAIN_START, type ChainEnd, endOf, type ReadEntry } from './entry-chain.ts';
import { bytesRow, forkRow, heldRow, olderRow, readRows } from './mirror-rows.ts';

/**
 * What a mirror has of a log: entries, full tiles and rows, as a ledger's store keeps them. Entries that
 * are still on their way to a head lie behind what is held, and are not shown.
 */
export class MirrorStore {
  readonly #sha256: Sha256;
  readonly #store: LedgerStore;
  readonly #tree: TileTree;
  /** Rows of everything stored. */
  readonly #tip: MemoryViews;
  /** Rows of what is held. */
  #shown: MemoryViews;
  #unshown: ViewWrite[] = [];
  /** Full tiles that are not in the store yet. */
  readonly #fresh = new Map<string, readonly Hash[]>();
  #end: ChainEnd;
  #log: HashHex | undefined;
  #held: Uint8Array | undefined;
  #fork: ForkEvidence | undefined;
  #older: readonly Uint8Array[] = [];
  #bytes = 0;
  #stopped: Fault | undefined;

  private constructor(
    sha256: Sha256,
    store: LedgerStore,
    tree: TileTree,
    tip: MemoryViews,
    end: ChainEnd,
  ) {
    this.#sha256 = sha256;
    this.#store = store;
    this.#tree = tree;
    this.#tip = tip;
    this.#shown = new MemoryViews();
    this.#end = end;
  }

  /** Throws `ledger_corrupt` or `storage_failed`; the store is then as it was. */
  static async open(sha256: Sha256, store: LedgerStore): Promise<MirrorStore> {
    try {
      const stored = await loadStored(sha256, store);
      if (stored === undefined) await requireEnd(store, 0);
      const rows = await readRows(store);
      await store.settle();
      const tree = stored?.tree ?? new TileTree(sha256);
      const { end, log } = await readEnd(sha256, store, tree.size);
      const mirror = new MirrorStore(sha256, store, tree, rows.views, end);
      mirror.#log = log;
      mirror.#held = rows.held;
      mirror.#fork = rows.fork;
      mirror.#older = rows.older;
      mirror.#bytes = rows.bytes ?? (await bytesOf(store, tree.size));
      await mirror.#requireKeys();
      return mirror;
    } catch (error) {
      throw storageFault(error, 'mirror');
    }
  }

  /** Entries stored. */
  get size(): number {
    return this.#tree.size;
  }

  /** Bytes of the entries that are stored. */
  get bytes(): number {
    return this.#bytes;
  }

  root(): Hash {
    return this.#tree.root();
  }

  /** What the next entry must continue. */
  get end(): ChainEnd {
    return this.#end;
  }

  /** Leaf hash of entry 0; undefined before it. */
  get log(): HashHex | undefined {
    return this.#log;
  }

  /** The newest note under which everything was there. */
  get held(): Uint8Array | undefined {
    return this.#held;
  }

  get fork(): ForkEvidence | undefined {
    return this.#fork;
  }

  /** Heads older than the accepted one, which are not compared with it yet. */
  get older(): readonly Uint8Array[] {
    return this.#older;
  }

  /** Rows of what is held. */
  get shown(): ViewState {
    return this.#shown;
  }

  /** A write that failed; nothing more is written until the store has been opened anew. */
  get stopped(): Fault | undefined {
    return this.#stopped;
  }

  /** Makes the first `size` entries what is shown. */
  async show(size: number): Promise<void> {
    if (size === this.size) {
      this.#shown.write(allRows(this.#tip));
      return;
    }
    // Rows have no history: those of a smaller size follow from its entries alone.
    if (size > 0) this.#shown = (await replay(this.#sha256, this.#store, size)).views;
    this.#unshown = [...allRows(this.#tip)];
  }

  /** The root of the first `size` entries, which are stored. */
  rootAt(size: number): Promise<Hash> {
    return rangeHash(this.#sha256, this.hashes, { start: 0, end: size });
  }

  /**
   * Takes entries that continue the chain and stand under a signed head; with `note`, they complete what
   * it covers. Durable when it resolves. Throws `stopped`.
   */
  async commit(entries: readonly ReadEntry[], note: Uint8Array | undefined): Promise<void> {
    if (this.#stopped !== undefined) throw this.#stopped;
    try {
      const { tiles, writes } = this.#take(entries);
      const rows = new Map<string, ViewRow>();
      for (const { table, key, value } of writes) {
        rows.set(`${table}\0${key}`, { table, key, value: formatWire(value) });
      }
      const views = [...rows.values()];
      const bytes = this.#bytes + sum(entries.map((each) => each.bytes.length));
      views.push(bytesRow(bytes));
      if (note !== undefined) views.push(heldRow(note));
      await this.#store.commit({ entries, tiles, views, head: this.#head() });
      for (const write of writes) this.#unshown.push(write);
      this.#bytes = bytes;
    } catch (cause) {
      throw this.#stop(cause);
    }
    this.#fresh.clear();
    if (note === undefined) return;
    this.#held = note;
    this.#shown.write(this.#unshown);
    this.#unshown = [];
  }

  /** Keeps the evidence beside what is held: nothing more is followed, also after a restart. */
  async keepFork(evidence: ForkEvidence): Promise<void> {
    this.#fork = evidence;
    await this.#keep(forkRow(evidence));
  }

  /** Keeps heads until they can be compared. */
  async keepOlder(notes: readonly Uint8Array[]): Promise<void> {
    await this.#keep(olderRow(notes));
    this.#older = notes;
  }

  async #keep(row: ViewRow): Promise<void> {
    if (this.#stopped !== undefined) throw this.#stopped;
    try {
      await this.#store.commit({ entries: [], tiles: [], views: [row], head: this.#head() });
    } catch (cause) {
      throw this.#stop(cause);
    }
  }

  /** Throws `ledger_corrupt` for a report key that may not come next, or that is not signed by whom it takes. */
  requireKey(seq: number, key: KeyEntry): void {
    const position = { log: this.#log ?? ZERO_HASH_HEX, seq };
    requireSoundKey('ledger_corrupt', key, position, this.#tip, this.#sha256);
  }

  /** That the keys of what is stored were let in: a version that did not look may have stored them. */
  async #requireKeys(): Promise<void> {
    const parseBody = bodyParser(this.#sha256);
    for (const { number, seq } of keysOf(this.#tip)) {
      if (number === 0) continue;
      const bytes = await this.#store.entry(seq);
      const entry = bytes === undefined ? undefined : parseEntry(bytes);
      const known = entry === undefined ? undefined : parseBody(entry.kind, entry.body);
      if (known?.kind !== 'key/1') throw missing(`key ${number}, entry ${seq}`);
      const log = this.#log ?? ZERO_HASH_HEX;
      requireKeySignatures('ledger_corrupt', known.body, { log, seq });
    }
  }

  entry(seq: number): Promise<Uint8Array | undefined> {
    return this.#store.entry(seq);
  }

  /** The bytes of a tile or bundle of the first `size` entries; undefined where they have none such. */
  async tile(tile: Tile, size: number): Promise<Uint8Array | undefined> {
    if (!hasTile(tile, size)) return undefined;
    if (tile.level !== 'entries') {
      const hashes = await this.hashes(tile.level, tile.index);
      return formatHashTile(hashes.slice(0, tile.width));
    }
    const start = tile.index * TILE_WIDTH;
    const entries: Uint8Array[] = [];
    for await (const entry of this.#store.entries(start, start + tile.width)) entries.push(entry);
    if (entries.length === tile.width) return formatEntryBundle(entries);
    throw missing(`entry bundle ${tile.index}`);
  }

  /** Looks at the tree in one turn: a tile that fills while the store is read must not be missed. */
  readonly hashes: TileHashes = async (level, index) => {
    const edge = Math.floor(levelLength(level, this.#tree.size) / TILE_WIDTH);
    if (index === edge) return this.#tree.partial(level);
    const fresh = this.#fresh.get(`${level}/${index}`);
    if (fresh !== undefined) return fresh;
    const stored = await this.#store.tile(level, index);
    if (stored === undefined) throw missing(`hash tile ${level}/${index}`);
    return parseHashTile(stored, TILE_WIDTH);
  };

  close(): Promise<void> {
    return this.#store.close();
  }

  #take(entries: readonly ReadEntry[]): {
    readonly tiles: readonly TileRow[];
    readonly writes: readonly ViewWrite[];
  } {
    const tiles: TileRow[] = [];
    const writes: ViewWrite[] = [];
    for (const each of entries) {
      const { seq, leaf, at, known } = each;
      this.#log ??= hashHex(leaf);
      for (const { level, index, hashes } of this.#tree.append(leaf)) {
        this.#fresh.set(`${level}/${index}`, hashes);
        tiles.push({ level, index, bytes: formatHashTile(hashes) });
      }
      if (known !== undefined) {
        const folded = foldEntry({ ...known, seq, at, log: this.#log }, this.#tip, this.#sha256);
        this.#tip.write(folded);
        for (const write of folded) writes.push(write);
      }
      this.#end = endOf(each);
    }
    return { tiles, writes };
  }

  /** Null before the first entry. */
  #head(): Uint8Array | null {
    if (this.#tree.size === 0) return null;
    return formatHead({ size: this.#tree.size, root: hashHex(this.#tree.root()) });
  }

  #stop(cause: unknown): Fault {
    this.#stopped = new Fault('stopped', 'mirror', {
      expected: 'a restart, which looks at what is stored',
      found: messageOf(cause),
      cause,
    });
    return this.#stopped;
  }
}

function* allRows(views: MemoryViews): Generator<ViewWrite> {
  for (const table of views.tables()) {
    for (const [key, value] of views.list(table)) yield { table, key, value };
  }
}

async function readEnd(
  sha256: Sha256,
  store: LedgerStore,
  size: number,
): Promise<{ readonly end: ChainEnd; readonly log: HashHex | undefined }> {
  if (size === 0) return { end: CHAIN_START, log: undefined };
  const [first, last] = await Promise.all([store.entry(0), store.entry(size - 1)]);
  if (first === undefined || last === undefined) throw missing('entry 0 or the newest');
  const prev = hashHex(leafHash(sha256, last));
  return {
    end: { size, prev, at: parseEntry(last).at },
    log: hashHex(leafHash(sha256, first)),
  };
}

function missing(at: string): Fault {
  return new Fault('ledger_corrupt', 'mirror', { at, expected: 'it is stored', found: 'nothing' });
}

function sum(numbers: readonly number[]): number {
  return numbers.reduce((all, each) => all + each, 0);
}

async function bytesOf(store: LedgerStore, size: number): Promise<number> {
  let bytes = 0;
  for await (const entry of store.entries(0, size)) bytes += entry.length;
  return bytes;
}
