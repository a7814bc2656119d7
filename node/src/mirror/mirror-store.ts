import type { ChangedTables } from '../ledger/record.ts';
import type { ForkEvidence } from '@assay/core/proof/evidence';
import { parseEntry } from '@assay/core/log/entry';
import { Fault, faultCode, messageOf } from '@assay/core/fault';
import { formatHead } from '@assay/core/view/head';
import {
  type Hash,
  hashHex,
  type HashHex,
  leafHash,
  type Sha256,
  ZERO_HASH_HEX,
} from '@assay/core/hash/hash';
import { bodyParser } from '@assay/core/kind/kinds';
import {
  formatEntryBundle,
  formatHashTile,
  hasTile,
  type Tile,
  TILE_WIDTH,
} from '@assay/core/log/tile';
import { TileTree } from '@assay/core/log/tile-tree';
import { foldEntry } from '@assay/core/view/fold';
import {
  checkpointKeysFrom,
  checkpointPromises,
  type CheckpointTerm,
} from '@assay/core/view/key/checkpoint-keys';
import { keysOf } from '@assay/core/view/key/keys';
import type { ViewState } from '@assay/core/view/view';
import { checkedEntries, checkedEntry, CheckedTiles } from '../ledger/checked-tiles.ts';
import type { Repaired } from '../ledger/ledger.ts';
import { deriveRows } from '../ledger/derived/derived-rows.ts';
import { type ProofProgress, proveRows, rowsAfter } from '../ledger/derived/proof.ts';
import type { ChangedRow } from '../ledger/publishing.ts';
import {
  type CommittedRows,
  LayeredViews,
  NO_ROWS,
  ownRows,
  RowLayer,
  rowsWithout,
  watchedRows,
} from '../ledger/store/layered-views.ts';
import { openRow, RowSealer, sumOf } from '../ledger/store/sealed-row.ts';
import { slices } from '../ledger/store/slices.ts';
import { StoredLog } from '../ledger/store/stored-log.ts';
import {
  edgeOf,
  loadStored,
  MOST_READ,
  requireEnd,
  rowsOf,
  type Stored,
  writeMended,
} from '../ledger/start.ts';
import type { LedgerStore, SealedRow, TileRow, ViewRow } from '../ledger/store/store.ts';
import { rangeHash, type TileHashes } from '../ledger/tree-reader.ts';
import { requireCheckpointKeySignatures } from '../ledger/sound-checkpoint-key.ts';
import { requireKeySignatures } from '../ledger/sound-key.ts';
import { storageFault } from '../platform/storage-fault.ts';
import { Semaphore } from '../platform/semaphore.ts';
import { CHAIN_START, type ChainEnd, endOf, type ReadEntry } from './entry-chain.ts';
import {
  bytesRow,
  forkRow,
  heldRow,
  learnedRow,
  MIRROR_TABLE,
  olderRow,
  readRows,
} from './mirror-rows.ts';

const EXPECTED = 'a row that has its digest: all are derived from the entries again';

/**
 * What a mirror has of a log: entries, full tiles and rows, in the form of a ledger's store. Entries for a head
 * that is still being copied come after what is held, and are not shown.
 */
export class MirrorStore {
  readonly #sha256: Sha256;
  readonly #store: LedgerStore;
  /** If there are more rows or entries than these, the rows are not all read, or derived, in memory. */
  readonly #most: number;
  readonly #tree: TileTree;
  /** The rows of everything that is stored, on the disk, without the mirror's own. */
  #rows: CommittedRows;
  /** Whether all stored rows have been read since the start. */
  #areRowsRead: boolean;
  /** The stored rows, with those that wait for their commit over them. */
  readonly #tip: LayeredViews;
  /** The rows of what is held. */
  readonly #shown: LayeredViews = new LayeredViews(NO_ROWS);
  /** What rows were before the commits that are not shown. */
  readonly #undo = new RowLayer();
  /** Other rows than the stored ones with that layer, if those are what is shown. */
  #apart: CommittedRows | undefined = NO_ROWS;
  /** Whether all rows are being derived again, or are about to be. */
  #isDeriving = false;
  /** Full tiles that are not in the store yet. */
  readonly #fresh = new Map<string, readonly Hash[]>();
  readonly #tiles: CheckedTiles;
  #mendedTiles: TileRow[] = [];
  #sealer: RowSealer;
  /** The mirror's own rows by their keys, as they are stored. */
  readonly #beside = new Map<string, SealedRow>();
  #mended: readonly string[] = [];
  #proof: ProofProgress;
  #proving: Promise<void> | undefined;
  #closed = false;
  #end: ChainEnd;
  #log: HashHex | undefined;
  #held: Uint8Array | undefined;
  #fork: ForkEvidence | undefined;
  #older: readonly Uint8Array[] = [];
  #learned: CheckpointTerm | undefined;
  #bytes = 0;
  #stopped: Fault | undefined;
  /** What is stored, for the scrub, which may run while it is in use. */
  readonly stored: StoredLog;
  /** One write at a time, or one check during which nothing may be written. */
  readonly #writing = new Semaphore(1);
  readonly #onRepaired: (repaired: Repaired) => void;
  /** The number of writes that have ended; undefined while one is under way or if one has failed. */
  #writes: number | undefined = 0;
  /** The number of entries whose write has ended. */
  #storedSize = 0;

  private constructor(
    sha256: Sha256,
    store: LedgerStore,
    stored: Stored | undefined,
    rows: CommittedRows,
    beside: readonly SealedRow[],
    end: ChainEnd,
    most: number,
    onRepaired: (repaired: Repaired) => void,
  ) {
    this.#sha256 = sha256;
    this.#onRepaired = onRepaired;
    this.#store = store;
    this.#tree = stored?.tree ?? new TileTree(sha256);
    this.#most = most;
    this.#rows = this.#watched(rows);
    this.#areRowsRead = stored?.isRead ?? true;
    this.#tip = new LayeredViews(ownRows(this.#rows, 'mirror', EXPECTED));
    for (const row of beside) this.#beside.set(row.key, row);
    this.#sealer = new RowSealer(sha256, stored?.sum ?? sumOf(beside));
    if (stored?.mended !== undefined) {
      this.#mended = [stored.mended.reason];
      onRepaired({ part: 'row', name: 'all' });
    }
    this.stored = new StoredLog({
      sha256,
      store,
      tiles: () => this.#tiles,
      size: () => this.#storedSize,
      sum: () => this.#sealer.sum,
      writes: () => this.#writes,
      onDamaged: (fault) => {
        this.#stopped ??= fault;
      },
      writeTiles: () => this.#writing.run(() => this.#writeTiles()),
      deriveRows: () => this.#writing.run(() => this.#deriveRows()),
    });
    const edge = edgeOf(this.#tree);
    this.#tiles = new CheckedTiles(
      sha256,
      store,
      (level, index) => edge(level, index) ?? this.#fresh.get(`${level}/${index}`),
      (tile) => {
        this.#mendedTiles.push(tile);
        this.#mended = [...this.#mended, `hash tile ${tile.level}/${tile.index}`];
        onRepaired({ part: 'tile', name: `${tile.level}/${tile.index}` });
      },
    );
    this.#proof = { done: stored?.mended === undefined ? 0 : this.size, size: this.size };
    this.#storedSize = this.size;
    this.#end = end;
  }

  /**
   * Opens a store. Rows and tiles that do not match are derived from the entries again. `prove` decides whether
   * the entries that the rows follow from are read again before this resolves or in the background; nothing is
   * committed before that. If there are more rows than `most`, none but the mirror's own are read at first, and
   * they are derived in a store beside this one. Throws `ledger_corrupt` or `storage_failed`, and the store is then unchanged.
   */
  static async open(
    sha256: Sha256,
    store: LedgerStore,
    prove: 'before' | 'behind' = 'before',
    onRepaired: (repaired: Repaired) => void = () => undefined,
    most: number = MOST_READ,
  ): Promise<MirrorStore> {
    try {
      const stored = await loadStored(sha256, store, { beside: MIRROR_TABLE, most });
      if (stored === undefined) await requireEnd(store, 0);
      const beside = stored?.beside ?? (await soundRows(sha256, store));
      const own = readRows(beside);
      const size = stored?.head.size ?? 0;
      const { end, log } = await readEnd(sha256, store, size);
      const bytes = own.bytes ?? (await bytesOf(store, size));
      if (stored !== undefined) await writeMended(sha256, store, stored);
      const rows = await rowsOf(sha256, store, stored);
      const mirror = new MirrorStore(sha256, store, stored, rows, beside, end, most, onRepaired);
      mirror.#log = log;
      mirror.#held = own.held;
      mirror.#fork = own.fork;
      mirror.#older = own.older;
      mirror.#learned = own.learned;
      mirror.#bytes = bytes;
      mirror.#proving = mirror.#prove();
      if (prove === 'before') await mirror.#proving;
      else mirror.#proving.catch(() => undefined);
      return mirror;
    } catch (error) {
      throw storageFault(error, 'mirror');
    }
  }

  /**
   * Resolves when the rows follow from entries that this process has read. Throws `ledger_corrupt` with the one
   * that is damaged.
   */
  async proven(): Promise<void> {
    await this.#proving;
  }

  /** How many of the entries have been read again since the start. */
  get proof(): ProofProgress {
    return this.#proof;
  }

  /** What was derived again since the start, as text. */
  get mended(): readonly string[] {
    return this.#mended;
  }

  /** The rows that views have. If one of them is read and is damaged, all are derived from the entries again. */
  #watched(rows: CommittedRows): CommittedRows {
    return watchedRows(rowsWithout(rows, MIRROR_TABLE), () => {
      if (this.#isDeriving) return;
      this.#isDeriving = true;
      // Why it fails is in `stopped`.
      this.#writing.run(() => this.#deriveRows()).catch(() => undefined);
    });
  }

  /** Replaces the stored rows with those of the entries. */
  async #deriveRows(): Promise<boolean> {
    await this.#proving;
    if (this.#stopped !== undefined || this.#closed) return false;
    this.#proof = { done: 0, size: this.size };
    try {
      await this.#prove('all');
    } catch (error) {
      // Which rows are stored is not known.
      if (this.#stopped === undefined && !this.#closed) this.#stop(error);
      throw error;
    }
    return true;
  }

  async #writeTiles(): Promise<void> {
    const tiles = this.#mendedTiles.splice(0);
    if (tiles.length === 0 || this.#stopped !== undefined) return;
    await this.#store.commit({ entries: [], tiles, views: [], head: null });
  }

  /** With `all`, the rows are written whether or not the stored ones are the same. */
  async #prove(written?: 'all'): Promise<void> {
    const { size } = this;
    this.#isDeriving = true;
    if (this.#proof.done < size) {
      // What is proven may be written as well.
      const writes = this.#writes ?? 0;
      this.#writes = undefined;
      const pause = slices(performance.now.bind(performance));
      const found = await this.#noting(() =>
        proveRows({
          sha256: this.#sha256,
          store: this.#store,
          tiles: this.#tiles.read,
          head: { size, root: this.root() },
          sum: written === 'all' ? undefined : this.#sealer.sum,
          beside: [...this.#beside.values()],
          most: this.#most,
          checksStored: !this.#areRowsRead,
          onProgress: ({ done }) => {
            if (this.#closed) throw new Fault('read_only', 'mirror', { found: 'it is closed' });
            this.#proof = { done, size };
            return pause();
          },
        }),
      );
      if (found.differs) {
        const before = this.#rows;
        this.#rows = this.#watched(await rowsAfter(this.#sha256, this.#store, found));
        this.#tip.rebase(ownRows(this.#rows, 'mirror', EXPECTED));
        if (this.#apart === undefined) this.#shown.rebase(this.#rows, this.#undo);
        void before.drop?.();
        this.#sealer = new RowSealer(this.#sha256, found.sum);
        this.#mended = [...this.#mended, 'the view rows were not those that the entries give'];
        this.#onRepaired({ part: 'row', name: 'all' });
      }
      this.#areRowsRead = true;
      this.#writes = writes + 1;
    }
    await this.#requireKeys();
    await this.#store.settle();
    await this.#writeTiles();
    this.#proof = { done: size, size };
    this.#isDeriving = false;
  }

  /** Stops everything if a read finds that an entry is not the one under the head. */
  async #noting<T>(read: () => Promise<T>): Promise<T> {
    try {
      return await read();
    } catch (error) {
      if (faultCode(error) === 'ledger_corrupt') this.#stopped ??= error as Fault;
      throw error;
    }
  }

  /** The number of stored entries. */
  get size(): number {
    return this.#tree.size;
  }

  /** The bytes of the stored entries. */
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

  /** The leaf hash of entry 0; undefined before it. */
  get log(): HashHex | undefined {
    return this.#log;
  }

  /** The newest note whose entries were all there. */
  get held(): Uint8Array | undefined {
    return this.#held;
  }

  get fork(): ForkEvidence | undefined {
    return this.#fork;
  }

  /** Heads older than the accepted one, which have not been compared with it yet. */
  get older(): readonly Uint8Array[] {
    return this.#older;
  }

  /** A checkpoint key that was believed before its entry was stored; undefined where none was. */
  get learned(): CheckpointTerm | undefined {
    return this.#learned;
  }

  /** The rows of everything that is stored. */
  get tip(): ViewState {
    return this.#tip;
  }

  /** The rows of what is held. */
  get shown(): ViewState {
    return this.#shown;
  }

  /**
   * A write that failed, or an entry that is damaged. Nothing more is written until the store has been opened
   * again.
   */
  get stopped(): Fault | undefined {
    return this.#stopped;
  }

  /**
   * Shows the first `size` entries. Rows have no history: if these are fewer than are stored, their rows are derived
   * from them, and are there until the next head is complete.
   */
  async show(size: number): Promise<void> {
    if (size > 0 && size === this.size) {
      this.#showStored();
      return;
    }
    let apart = NO_ROWS;
    if (size > 0) {
      const leaves = this.#tiles.read;
      const most = this.#most;
      const { rows } = await deriveRows(this.#sha256, this.#store, size, { leaves, most });
      apart = rows.committed();
    }
    this.#setApart(apart);
    this.#shown.rebase(apart);
  }

  /** The keys of a table as they are stored, whether or not their rows are shown, and whether or not views list it. */
  async *rowKeys(table: string): AsyncGenerator<string> {
    for await (const { key } of this.#store.views(table)) yield key;
  }

  /** Shows everything that is stored; returns the tables that changed by it. */
  #showStored(): ChangedTables {
    const tables = this.#apart === undefined ? new Set(this.#undo.tables()) : 'all';
    this.#undo.clear();
    this.#shown.rebase(this.#rows, this.#undo);
    this.#setApart(undefined);
    return tables;
  }

  #setApart(rows: CommittedRows | undefined): void {
    void this.#apart?.drop?.();
    this.#apart = rows;
  }

  /** The root of the first `size` entries, which are stored. */
  rootAt(size: number): Promise<Hash> {
    return rangeHash(this.#sha256, this.hashes, { start: 0, end: size });
  }

  /**
   * Stores entries that continue the chain under a signed head. With `note`, they complete what it covers, and
   * `onShown` is called with the tables that changed in the same turn in which their rows are shown.
   * Durable when it resolves. Throws `stopped`.
   */
  commit(
    entries: readonly ReadEntry[],
    note: Uint8Array | undefined,
    onShown?: (tables: ChangedTables) => void,
  ): Promise<void> {
    return this.#writing.run(() => this.#commit(entries, note, onShown));
  }

  async #commit(
    entries: readonly ReadEntry[],
    note: Uint8Array | undefined,
    onShown: ((tables: ChangedTables) => void) | undefined,
  ): Promise<void> {
    if (this.#stopped !== undefined) throw this.#stopped;
    await this.#proving;
    const changed = this.#fold(entries);
    const written = changed.map(({ write }) => write);
    const done = this.#writes ?? 0;
    this.#writes = undefined;
    try {
      const tiles = this.#take(entries);
      const rows = changed.map(({ write, before }) => this.#sealer.seal(write, before));
      const bytes = this.#bytes + sum(entries.map((each) => each.bytes.length));
      const beside = [this.#sealBeside(bytesRow(bytes))];
      if (note !== undefined) beside.push(this.#sealBeside(heldRow(note)));
      if (this.#apart === undefined) this.#hide(changed);
      const views = [...rows, ...beside];
      await this.#store.commit({ entries, tiles, views, head: this.#head() });
      this.#rows.apply(
        written,
        rows.map(({ value }) => value.length),
      );
      this.#tip.settled(written);
      this.#bytes = bytes;
      this.#writes = done + 1;
      this.#storedSize = this.size;
    } catch (cause) {
      throw this.#stop(cause);
    }
    this.#fresh.clear();
    if (note === undefined) return;
    this.#held = note;
    const tables = this.#showStored();
    onShown?.(tables);
  }

  /** Keeps what rows are now, which readers go on seeing until the next head is complete. */
  #hide(changed: readonly ChangedRow[]): void {
    for (const { write, before } of changed) {
      const { table, key } = write;
      if (!this.#undo.has(table, key)) this.#undo.set(table, key, before);
    }
  }

  /** The root that the tree has with these leaves after the stored ones. Nothing is changed. */
  rootWith(leaves: readonly Hash[]): Hash {
    const tree = this.#tree.copy();
    for (const leaf of leaves) tree.append(leaf);
    return tree.root();
  }

  /** Stores the evidence with what is held. Nothing more is followed, even after a restart. */
  async keepFork(evidence: ForkEvidence): Promise<void> {
    this.#fork = evidence;
    await this.#keep(forkRow(evidence));
  }

  /** Stores heads until they can be compared. */
  async keepOlder(notes: readonly Uint8Array[]): Promise<void> {
    await this.#keep(olderRow(notes));
    this.#older = notes;
  }

  #sealBeside(row: ViewRow): SealedRow {
    const sealed = this.#sealer.sealBytes(row, this.#beside.get(row.key)?.digest);
    this.#beside.set(row.key, sealed);
    return sealed;
  }

  #keep(row: ViewRow): Promise<void> {
    return this.#writing.run(() => this.#keepNow(row));
  }

  async #keepNow(row: ViewRow): Promise<void> {
    if (this.#stopped !== undefined) throw this.#stopped;
    await this.#proving;
    const done = this.#writes ?? 0;
    this.#writes = undefined;
    try {
      const views = [this.#sealBeside(row)];
      await this.#store.commit({ entries: [], tiles: [], views, head: this.#head() });
      this.#writes = done + 1;
    } catch (cause) {
      throw this.#stop(cause);
    }
  }

  /** Stores a checkpoint key that is believed before its entry is stored. */
  async keepLearned(term: CheckpointTerm): Promise<void> {
    await this.#keep(learnedRow(term));
    this.#learned = term;
  }

  /**
   * Requires that the keys in what is stored were admitted, because a version that did not check may have
   * stored them.
   */
  async #requireKeys(): Promise<void> {
    const parseBody = bodyParser(this.#sha256);
    const rows = [
      ...keysOf(this.#tip),
      ...checkpointPromises(this.#tip),
      ...checkpointKeysFrom(this.#tip, 1),
    ];
    for (const { number, seq } of rows) {
      if (number === 0) continue;
      const bytes = await this.entry(seq);
      const entry = bytes === undefined ? undefined : parseEntry(bytes);
      const known = entry === undefined ? undefined : parseBody(entry.kind, entry.body);
      const position = { log: this.#log ?? ZERO_HASH_HEX, seq };
      if (known?.kind === 'key/1') requireKeySignatures('ledger_corrupt', known.body, position);
      else if (known?.kind === 'key/2') {
        requireCheckpointKeySignatures('ledger_corrupt', known.body, position);
      } else throw missing(`key ${number}, entry ${seq}`);
    }
  }

  /**
   * The bytes of an entry, checked against its leaf in the tree; undefined if there is none. Throws
   * `ledger_corrupt`.
   */
  async entry(seq: number): Promise<Uint8Array | undefined> {
    if (seq >= this.size) return undefined;
    return this.#noting(() => checkedEntry(this.#sha256, this.#store, this.#tiles.read, seq));
  }

  /** Entries `start` to `end - 1`, which are stored, each checked against its leaf in the tree. Throws `ledger_corrupt`. */
  async *entries(start: number, end: number): AsyncGenerator<Uint8Array> {
    try {
      yield* checkedEntries(this.#sha256, this.#store, this.#tiles.read, start, end);
    } catch (error) {
      if (faultCode(error) === 'ledger_corrupt') this.#stopped ??= error as Fault;
      throw error;
    }
  }

  /** The bytes of a tile or bundle of the first `size` entries; undefined if they have none. */
  async tile(tile: Tile, size: number): Promise<Uint8Array | undefined> {
    if (!hasTile(tile, size)) return undefined;
    if (tile.level !== 'entries') {
      const hashes = await this.hashes(tile.level, tile.index);
      return formatHashTile(hashes.slice(0, tile.width));
    }
    const start = tile.index * TILE_WIDTH;
    const read = checkedEntries(
      this.#sha256,
      this.#store,
      this.#tiles.read,
      start,
      start + tile.width,
    );
    return this.#noting(async () => {
      const entries: Uint8Array[] = [];
      for await (const entry of read) entries.push(entry);
      return formatEntryBundle(entries);
    });
  }

  /** Each tile is checked against the tree when it is read. */
  get hashes(): TileHashes {
    return this.#tiles.read;
  }

  async close(): Promise<void> {
    this.#closed = true;
    await this.#proving?.catch(() => undefined);
    await this.#writing.run(() => Promise.resolve());
    await this.#store.close();
  }

  /** Folds entries into the tip. Throws `storage_failed` if a row that they depend on is damaged; nothing is changed then. */
  #fold(entries: readonly ReadEntry[]): readonly ChangedRow[] {
    const rows = new Map<string, ChangedRow>();
    let log = this.#log;
    try {
      for (const { seq, leaf, at, known } of entries) {
        log ??= hashHex(leaf);
        if (known === undefined) continue;
        const writes = foldEntry({ ...known, seq, at, log }, this.#tip, this.#sha256);
        for (const write of writes) {
          const name = `${write.table}\0${write.key}`;
          const before = rows.has(name)
            ? rows.get(name)?.before
            : this.#tip.get(write.table, write.key);
          rows.set(name, { write, before });
        }
        this.#tip.write(writes);
      }
    } catch (cause) {
      this.#tip.rebase(ownRows(this.#rows, 'mirror', EXPECTED));
      throw faultCode(cause) === 'storage_failed' ? cause : this.#stop(cause);
    }
    return [...rows.values()];
  }

  /** Appends entries to the tree; returns the tiles to be written with them. */
  #take(entries: readonly ReadEntry[]): readonly TileRow[] {
    const tiles = this.#mendedTiles.splice(0);
    for (const each of entries) {
      this.#log ??= hashHex(each.leaf);
      for (const { level, index, hashes } of this.#tree.append(each.leaf)) {
        this.#fresh.set(`${level}/${index}`, hashes);
        tiles.push({ level, index, bytes: formatHashTile(hashes) });
      }
      this.#end = endOf(each);
    }
    return tiles;
  }

  /** Null before the first entry. */
  #head(): Uint8Array | null {
    if (this.#tree.size === 0) return null;
    return formatHead(this.#sha256, {
      size: this.#tree.size,
      root: hashHex(this.#tree.root()),
      ...this.#sealer.sum,
    });
  }

  #stop(cause: unknown): Fault {
    this.#stopped = new Fault('stopped', 'mirror', {
      expected: 'a restart, which checks what is stored',
      found: messageOf(cause),
      cause,
    });
    return this.#stopped;
  }
}

/** The rows of a store without a head, whose number is therefore not recorded. */
async function soundRows(sha256: Sha256, store: LedgerStore): Promise<readonly SealedRow[]> {
  const rows: SealedRow[] = [];
  for await (const row of store.views()) {
    openRow(sha256, row);
    rows.push(row);
  }
  return rows;
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
