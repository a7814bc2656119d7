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
import { MemoryViews } from '@assay/core/view/state';
import type { ViewState, ViewWrite } from '@assay/core/view/view';
import type { WireValue } from '@assay/core/wire/wire';
import { checkedEntries, checkedEntry, CheckedTiles } from '../ledger/checked-tiles.ts';
import type { Repaired } from '../ledger/ledger.ts';
import { type ProofProgress, proveRows } from '../ledger/proof.ts';
import { replay } from '../ledger/replay.ts';
import { openRow, RowSealer, sumOf } from '../ledger/store/sealed-row.ts';
import { slices } from '../ledger/store/slices.ts';
import { StoredLog } from '../ledger/store/stored-log.ts';
import { edgeOf, loadStored, requireEnd, type Stored, writeMended } from '../ledger/start.ts';
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

/**
 * What a mirror has of a log: entries, full tiles and rows, in the form of a ledger's store. Entries for a head
 * that is still being copied come after what is held, and are not shown.
 */
export class MirrorStore {
  readonly #sha256: Sha256;
  readonly #store: LedgerStore;
  readonly #tree: TileTree;
  /** The rows of everything that is stored. */
  readonly #tip: MemoryViews;
  /** The rows of what is held. */
  #shown: MemoryViews;
  #shownSize = 0;
  #unshown: ViewWrite[] = [];
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
    beside: readonly SealedRow[],
    end: ChainEnd,
    onRepaired: (repaired: Repaired) => void,
  ) {
    this.#sha256 = sha256;
    this.#onRepaired = onRepaired;
    this.#store = store;
    this.#tree = stored?.tree ?? new TileTree(sha256);
    this.#tip = stored?.views ?? new MemoryViews();
    this.#shown = new MemoryViews();
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
   * committed before that. Throws `ledger_corrupt` or `storage_failed`, and the store is then unchanged.
   */
  static async open(
    sha256: Sha256,
    store: LedgerStore,
    prove: 'before' | 'behind' = 'before',
    onRepaired: (repaired: Repaired) => void = () => undefined,
  ): Promise<MirrorStore> {
    try {
      const stored = await loadStored(sha256, store, { beside: MIRROR_TABLE });
      if (stored === undefined) await requireEnd(store, 0);
      const beside = stored?.beside ?? (await soundRows(sha256, store));
      const rows = readRows(beside);
      const size = stored?.head.size ?? 0;
      const { end, log } = await readEnd(sha256, store, size);
      const mirror = new MirrorStore(sha256, store, stored, beside, end, onRepaired);
      mirror.#log = log;
      mirror.#held = rows.held;
      mirror.#fork = rows.fork;
      mirror.#older = rows.older;
      mirror.#learned = rows.learned;
      mirror.#bytes = rows.bytes ?? (await bytesOf(store, size));
      if (stored !== undefined) await writeMended(sha256, store, stored);
      await mirror.#requireKeys();
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

  /** Replaces the stored rows with those of the entries. */
  async #deriveRows(): Promise<boolean> {
    await this.#proving;
    if (this.#stopped !== undefined || this.#closed) return false;
    this.#proof = { done: 0, size: this.size };
    await this.#prove('all');
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
    if (this.#proof.done < size) {
      const pause = slices(performance.now.bind(performance));
      const found = await this.#noting(() =>
        proveRows({
          sha256: this.#sha256,
          store: this.#store,
          tiles: this.#tiles.read,
          head: { size, root: this.root() },
          sum: written === 'all' ? undefined : this.#sealer.sum,
          beside: [...this.#beside.values()],
          onProgress: ({ done }) => {
            if (this.#closed) throw new Fault('read_only', 'mirror', { found: 'it is closed' });
            this.#proof = { done, size };
            return pause();
          },
        }),
      );
      if (found.views !== undefined) {
        this.#tip.replace(found.views);
        if (this.#shownSize === size) this.#shown.replace(found.views);
        else this.#unshown = [...allRows(this.#tip)];
        this.#sealer = new RowSealer(this.#sha256, found.sum);
        this.#mended = [...this.#mended, 'the view rows were not those that the entries give'];
        this.#onRepaired({ part: 'row', name: 'all' });
      }
    }
    await this.#store.settle();
    await this.#writeTiles();
    this.#proof = { done: size, size };
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

  /** Shows the first `size` entries. */
  async show(size: number): Promise<void> {
    this.#shownSize = size;
    if (size === this.size) {
      this.#shown.write(allRows(this.#tip));
      return;
    }
    // Rows have no history, so those of a smaller size are made from its entries alone.
    const leaves = this.#tiles.read;
    if (size > 0) {
      const derived = await replay(this.#sha256, this.#store, size, { leaves });
      this.#shown = derived.views;
    }
    this.#unshown = [...allRows(this.#tip)];
  }

  /** The keys of a table as they are stored, whether or not their rows are shown, and whether or not views list it. */
  async *rowKeys(table: string): AsyncGenerator<string> {
    for await (const { key } of this.#store.views(table)) yield key;
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
    onShown?: (tables: ReadonlySet<string>) => void,
  ): Promise<void> {
    return this.#writing.run(() => this.#commit(entries, note, onShown));
  }

  async #commit(
    entries: readonly ReadEntry[],
    note: Uint8Array | undefined,
    onShown: ((tables: ReadonlySet<string>) => void) | undefined,
  ): Promise<void> {
    if (this.#stopped !== undefined) throw this.#stopped;
    await this.#proving;
    const done = this.#writes ?? 0;
    this.#writes = undefined;
    try {
      const { tiles, writes, before } = this.#take(entries);
      const rows = new Map<string, { write: ViewWrite; before: WireValue | undefined }>();
      for (const [i, write] of writes.entries()) {
        const name = `${write.table}\0${write.key}`;
        const known = rows.get(name);
        rows.set(name, { write, before: known === undefined ? before[i] : known.before });
      }
      const views = [...rows.values()].map((each) => this.#sealer.seal(each.write, each.before));
      const bytes = this.#bytes + sum(entries.map((each) => each.bytes.length));
      views.push(this.#sealBeside(bytesRow(bytes)));
      if (note !== undefined) views.push(this.#sealBeside(heldRow(note)));
      await this.#store.commit({ entries, tiles, views, head: this.#head() });
      for (const write of writes) this.#unshown.push(write);
      this.#bytes = bytes;
      this.#writes = done + 1;
      this.#storedSize = this.size;
    } catch (cause) {
      throw this.#stop(cause);
    }
    this.#fresh.clear();
    if (note === undefined) return;
    this.#held = note;
    this.#shownSize = this.size;
    this.#shown.write(this.#unshown);
    const tables = new Set(this.#unshown.map(({ table }) => table));
    this.#unshown = [];
    onShown?.(tables);
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

  #take(entries: readonly ReadEntry[]): {
    readonly tiles: readonly TileRow[];
    readonly writes: readonly ViewWrite[];
    /** The values that the rows of `writes` had before each write. */
    readonly before: readonly (WireValue | undefined)[];
  } {
    const tiles = this.#mendedTiles.splice(0);
    const writes: ViewWrite[] = [];
    const before: (WireValue | undefined)[] = [];
    for (const each of entries) {
      const { seq, leaf, at, known } = each;
      this.#log ??= hashHex(leaf);
      for (const { level, index, hashes } of this.#tree.append(leaf)) {
        this.#fresh.set(`${level}/${index}`, hashes);
        tiles.push({ level, index, bytes: formatHashTile(hashes) });
      }
      if (known !== undefined) {
        const folded = foldEntry({ ...known, seq, at, log: this.#log }, this.#tip, this.#sha256);
        for (const write of folded) {
          writes.push(write);
          before.push(this.#tip.get(write.table, write.key));
        }
        this.#tip.write(folded);
      }
      this.#end = endOf(each);
    }
    return { tiles, writes, before };
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

function* allRows(views: MemoryViews): Generator<ViewWrite> {
  for (const table of views.tables()) {
    for (const [key, value] of views.list(table)) yield { table, key, value };
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
