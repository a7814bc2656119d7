import { equalBytes } from '@assay/core/bytes/bytes';
import type { Checkpoint } from '@assay/core/log/checkpoint';
import { Fault, faultCode } from '@assay/core/fault';
import { formatHead } from '@assay/core/view/head';
import { type Hash, hashHex, type HashHex } from '@assay/core/hash/hash';
import {
  formatEntryBundle,
  formatHashTile,
  hasTile,
  type Tile,
  TILE_WIDTH,
} from '@assay/core/log/tile';
import type { TileTree } from '@assay/core/log/tile-tree';
import type { TimeText } from '@assay/core/time/time';
import {
  CHECKPOINT_KEYS_TABLE,
  CHECKPOINT_PROMISES_TABLE,
  checkpointTerms,
  newestCheckpointKey,
} from '@assay/core/view/key/checkpoint-keys';
import { KEYS_TABLE } from '@assay/core/view/key/keys';
import type { ViewState } from '@assay/core/view/view';
import { consistencyProof } from '@assay/verifier/reader/tile-proofs';
import { Semaphore } from '../platform/semaphore.ts';
import { storageFault } from '../platform/storage-fault.ts';
import { checkedEntries, checkedEntry, CheckedTiles } from './checked-tiles.ts';
import type { KeptHead } from './kept-note.ts';
import { type ProofProgress, type Proven, proveRows, rowsAfter } from './derived/proof.ts';
import { type ChangedRow, type Published, Publishing } from './publishing.ts';
import { CommitQueue } from './commit-queue.ts';
import { deriveRows } from './derived/derived-rows.ts';
import { type CommitTimes, UNTIMED } from './commit-times.ts';
import type { BareHead } from './guard/head-guard.ts';
import { recordBytes } from './guard/journal-record.ts';
import { type Found, findStored, shownAtStart, unguarded } from './found-ledger.ts';
import {
  type End,
  type EntryDraft,
  LogEnd,
  type LogTip,
  type Made,
  type Receipt,
} from './log-end.ts';
import { CONTRADICTIONS, stopFault } from './stop-fault.ts';
import type { LedgerOptions, Repaired } from './ledger-options.ts';
import { Settling } from './guard/settling.ts';
import { type CommittedRows, watchedRows } from './store/layered-views.ts';
import { RowSealer } from './store/sealed-row.ts';
import { slices } from './store/slices.ts';
import { StoredLog } from './store/stored-log.ts';
import { edgeOf, type StartState } from './start.ts';
import type { TileRow } from './store/store.ts';
import { rangeHash } from './tree-reader.ts';

export type { LedgerOptions, Repaired } from './ledger-options.ts';
export type { EntryDraft, LogTip, Receipt } from './log-end.ts';
export type { Published } from './publishing.ts';

/** How many entries are given to the guard at once where it lacks those of the database. */
const MAX_MOVED_ENTRIES = 4096;

/** What a data folder is opened with, before its guard is asked for entries that the database lacks. */
const OPENING_TABLES: ReadonlySet<string> = new Set([
  KEYS_TABLE,
  CHECKPOINT_KEYS_TABLE,
  CHECKPOINT_PROMISES_TABLE,
]);

const ALL_ROWS: Repaired = { part: 'row', name: 'all' };

/** How many derived things `mended` lists, the newest. */
const MAX_TOLD = 100;

const UNPROVEN = new Fault('unproven', 'ledger', {
  expected: 'entries that were read again since the start',
});

/**
 * The log: the only place that writes. Entries that wait are committed together, in this order: the entries with their
 * head into the guard and, at the same time, one batch into the database (entries, tiles, views, head); when the guard
 * has them durably and the database has them in memory of the system, the signature of the head; then the answers to the
 * callers, and publication. The database is synced behind that (`Settling`), and the guard keeps the entries until then.
 * After any failure nothing more is written until an epoch of the guard was taken again and database and guard have been
 * compared, by a restart or by `resume`.
 */
export class Ledger {
  readonly #options: LedgerOptions;
  #tree: TileTree;
  readonly #end: LogEnd;
  readonly #queue: CommitQueue;
  readonly #times: CommitTimes;
  readonly #publishing: Publishing;
  readonly #settling: Settling;
  #sealer: RowSealer;
  /** The rows of everything that is committed. */
  #rows: CommittedRows;
  /** Whether all stored rows have been read since the start. */
  #areRowsRead: boolean;
  /** Full tiles that are not in the store yet. */
  readonly #fresh = new Map<string, readonly Hash[]>();
  #tiles: CheckedTiles;
  /** Tiles that were derived again and are not written yet. */
  #mendedTiles: TileRow[] = [];
  #mended: readonly string[] = [];
  #proof: ProofProgress = { done: 0, size: 0 };
  #proving: Promise<void> | undefined;
  /** The head that the guard is known to have. */
  #head: BareHead | undefined;
  /** Whether the guard's epoch was taken by the last start or `resume`. */
  #hasEpoch = false;
  /** Who prepares a write, one at a time. */
  readonly #turns = new Semaphore(1);
  /** Resolves when what is being prepared for the tip has been written or given up. */
  #preparing: Promise<void> | undefined;
  #stopped: Fault | undefined;
  #readOnly: Fault | undefined;
  #closed: Fault | undefined;
  /**
   * Why this is not the published log: a head that our key signed does not belong to it, or an entry is not the
   * one under it.
   */
  #contradicted: Fault | undefined;
  #resuming: Promise<void> | undefined;
  /** The number of commits that have ended; undefined while one is under way or if one has failed. */
  #writes: number | undefined = 0;
  /** What is stored, for the scrub, which may run while it is in use. */
  readonly stored: StoredLog;
  /** Why nothing new is begun, although what is under way may still be written. */
  #held: Fault | undefined;
  /** Set while the rows do not yet follow from entries that this process has read. */
  #unproven: Fault | undefined;

  private constructor(options: LedgerOptions, { tree, rows, sum, isRead }: StartState, end: End) {
    this.#options = options;
    this.#times = options.times ?? UNTIMED;
    this.#sealer = new RowSealer(options.sha256, sum);
    this.#tiles = this.#checkedTiles();
    this.#tree = tree;
    this.#rows = this.#watched(rows);
    this.#areRowsRead = isRead;
    this.stored = new StoredLog({
      sha256: options.sha256,
      store: options.store,
      tiles: () => this.#tiles,
      size: () => this.newest?.size ?? 0,
      sum: () => this.#sealer.sum,
      writes: () => this.#writes,
      onDamaged: (fault) => this.#contradict(fault),
      writeTiles: async () => {
        if (this.#refused === undefined && options.store.readOnly === undefined) {
          await this.#writeTiles();
        }
      },
      deriveRows: () => this.#deriveRows(),
    });
    this.#end = new LogEnd(options.sha256, options.now, this.#rows, end);
    this.#queue = new CommitQueue(
      (entries) => this.#times.commit(() => this.#commit(entries)),
      (cause) => (this.#stopped = stopFault(cause)),
    );
    this.#settling = new Settling({
      store: options.store,
      guard: options.guard,
      limits: options.settling,
      onFailed: (cause) => {
        this.#stopped ??= stopFault(cause);
        this.#queue.refuse(this.#stopped);
      },
    });
    this.#publishing = new Publishing(
      {
        witness: options.witness,
        prove: (oldSize, newSize) =>
          consistencyProof((each) => this.#tileOf(each), options.sha256, oldSize, newSize),
        onPublish: options.onPublish,
      },
      this.#rows,
    );
  }

  /**
   * Opens the log after comparing what is stored. Throws `ledger_behind`, `ledger_differs` or `ledger_corrupt`
   * with what differs; then nothing is written. If the store cannot be written (`LedgerStore.readOnly`), the
   * log is served as far as a head was signed for it, and is blocked until `resume`.
   */
  static async open(options: LedgerOptions): Promise<Ledger> {
    const found = await findStored(options, []);
    const { start, readOnly, kept, untaken, signed } = found;
    const ledger = new Ledger(options, start, found.end);
    ledger.#head = start.guard;
    ledger.#hasEpoch = untaken === undefined;
    ledger.#readOnly = readOnly;
    ledger.#stopped = untaken;
    options.witness?.watch?.((holder, note) => ledger.#compare(holder, note));
    const { size } = start.tree;
    if (size === 0) {
      await options.store.settle();
      return ledger;
    }
    ledger.#begin(start);
    ledger.#followKeys();
    const root = start.tree.root();
    const isCut = start.guard?.size !== size;
    if (isCut && untaken === undefined && readOnly !== undefined)
      throw unguarded('read_only', start);
    const isUnsigned = signed?.size !== size;
    // Nothing is signed without an epoch, or before others were asked what they have of this log.
    if (isUnsigned && (untaken ?? readOnly) !== undefined) {
      await ledger.#showSigned(found);
      return ledger;
    }
    // This comes before a head is signed.
    if (options.prove !== 'behind' || isCut) await ledger.#prove();
    if (isCut && untaken === undefined) {
      // Completes a commit that was interrupted before the guard had its head.
      await ledger.#moveToStored();
    }
    if (isUnsigned && options.unsigned === true) return ledger;
    const signs = (untaken ?? readOnly) === undefined && options.unsigned !== true;
    const note = signs ? await ledger.#sign(root) : (signed as KeptHead).note;
    const newest = { size, root, note };
    const shown = await shownAtStart(options, kept, size);
    ledger.#publishing.restore(newest, shown);
    void ledger.#publishing.ask();
    if (ledger.#unproven !== undefined) ledger.#proving = ledger.#proveBehind();
    return ledger;
  }

  /** Entries committed or waiting: the `seq` of the next one. */
  get nextSeq(): number {
    return this.#end.nextSeq;
  }

  /** The time that an entry would have if it were written now. */
  get nextAt(): TimeText {
    return this.#end.nextAt;
  }

  /** Leaf hash of entry 0; undefined before genesis. */
  get log(): HashHex | undefined {
    return this.#end.log;
  }

  get published(): Published | undefined {
    return this.#publishing.published;
  }

  /**
   * The newest head that the guard holds: the published one, or one that is still waiting for its witnesses.
   */
  get newest(): Published | undefined {
    return this.#publishing.newest;
  }

  /** The rows of everything appended so far. A draft is made from those that `write` passes to it. */
  get tip(): ViewState {
    return this.#end.views;
  }

  /** What a write would find now. */
  get end(): LogTip {
    return this.#end.tip;
  }

  /** The rows of the published size, which readers are shown. */
  get shown(): ViewState {
    return this.#publishing.shown;
  }

  /** Why nothing new may be begun; undefined if it may. */
  get blocked(): Fault | undefined {
    return this.#refused ?? this.#held;
  }

  /** Why nothing new is begun although entries are accepted. */
  get held(): Fault | undefined {
    return this.#refused === undefined ? this.#held : undefined;
  }

  /** Why nothing is written at all; undefined while entries are accepted. */
  get #refused(): Fault | undefined {
    const { doubt } = this.#options;
    return this.#contradicted ?? this.#stopped ?? this.#readOnly ?? this.#unproven ?? doubt?.();
  }

  /** How many of the entries have been read again since the start. */
  get proof(): ProofProgress {
    return this.#proof;
  }

  /**
   * What was not as it should be and was derived from the entries again since the start, as text; the newest
   * last.
   */
  get mended(): readonly string[] {
    return this.#mended;
  }

  /**
   * Resolves when the rows follow from entries that this process has read, each checked against its leaf in the
   * tree of the signed head. Whoever signs something waits for it before reading `tip`. Throws `ledger_corrupt`
   * with the entry that is damaged, or the reason why the ledger is blocked if it stays unproven.
   */
  async proven(): Promise<void> {
    // Another proof may begin while one is waited for: a damaged row was found.
    for (let proving: Promise<void> | undefined | null = null; proving !== this.#proving;) {
      proving = this.#proving;
      await proving;
    }
    if (this.#unproven !== undefined) throw this.blocked ?? this.#unproven;
  }

  /** Why a write failed, or could not have been made at the start; undefined if `resume` has nothing to do. */
  get stopped(): Fault | undefined {
    return this.#contradicted === undefined ? this.#stopped : undefined;
  }

  /**
   * Makes everybody who checks `blocked` begin nothing new, for `reason`, or lets them begin again if there is
   * none. Entries of work that is under way are still accepted.
   */
  hold(reason: Fault | undefined): void {
    this.#held = reason;
  }

  /**
   * Compares database and guard again after a write that failed, with the checks of a start, and continues with
   * what is found: a commit whose outcome was not known counts if it is on disk, and otherwise not. Nothing is
   * written before that. Does nothing if no write has failed. Throws `no_room` or `storage_failed` while the
   * disk cannot be written; the ledger then stays stopped, and `resume` may be called again. What contradicts a
   * published head (`ledger_behind`, `ledger_differs`, `ledger_corrupt`), or a guard that is missing or damaged
   * (`guard_conflict`, `guard_missing`, `guard_corrupt`), is thrown and stays.
   */
  resume(): Promise<void> {
    if (this.stopped === undefined || this.#closed !== undefined) return Promise.resolve();
    this.#resuming ??= this.#resume().finally(() => {
      this.#resuming = undefined;
    });
    return this.#resuming;
  }

  /**
   * Appends the drafts that `draft` makes of the tip, as neighbours in one commit. It is called at once, and each
   * draft is folded before the next is asked for: a generator sees its own earlier drafts in `tip.views`. No await can
   * stand between what it reads there and what is written. Resolves when the entries are durable and under a head
   * that the guard holds; at once where there is no draft, whether or not the ledger takes entries now.
   *
   * Throws `read_only`, `stopped`, `no_room`, `bad_clock`, `malformed`, `refused`, `too_large` and what `draft` throws;
   * none of the drafts is taken up then.
   */
  async write(draft: (tip: LogTip) => Iterable<EntryDraft>): Promise<readonly Receipt[]> {
    while (this.#preparing !== undefined) await this.#preparing;
    return this.#queued(this.#end.make(draft, () => this.#refused));
  }

  /**
   * As `write`, for drafts that rest on something that takes time and follows from the tip: a signature of another
   * process. `prepare` is called with the tip, and nothing else is written until the drafts of what it resolves with
   * are made for the same tip: what it signed is either written or, if this throws, in nobody's hands. It must not
   * write itself. It is not called while the ledger takes no entries, for which `write` has the faults.
   */
  async writePrepared<P>(
    prepare: (tip: LogTip) => Promise<P>,
    draft: (tip: LogTip, prepared: P) => Iterable<EntryDraft>,
  ): Promise<readonly Receipt[]> {
    const queued = await this.#turns.run(async () => {
      let end = (): void => undefined;
      this.#preparing = new Promise((resolve) => {
        end = resolve;
      });
      try {
        if (this.#refused !== undefined) throw this.#refused;
        const { tip } = this.#end;
        const prepared = await prepare(tip);
        const made = this.#end.make(
          (now) => draft(now, prepared),
          () => this.#refused,
          tip,
        );
        // Queued before anybody else may write, and not waited for here.
        return { committed: this.#queued(made) };
      } finally {
        this.#preparing = undefined;
        end();
      }
    });
    return queued.committed;
  }

  /** Adds entries to those that wait for a commit, at once. Resolves when they are committed. */
  async #queued(made: readonly Made[]): Promise<readonly Receipt[]> {
    if (made.length === 0) return [];
    const committed = this.#queue.add(made);
    // Whoever gathers is told of a failure at the end.
    if (this.#queue.gathers) committed.catch(() => undefined);
    else await committed;
    return made.map(({ receipt }) => receipt);
  }

  /**
   * Does `work`, whose writes resolve before their entries are durable: they are committed many at a time, and the rest
   * of them before this resolves. It is for entries that are made again if the process ends meanwhile, such as those of
   * a replay. Throws what `work` throws, and why the ledger takes no more entries if a commit has failed.
   */
  async gather(work: () => Promise<void>): Promise<void> {
    this.#queue.gathers = true;
    try {
      await work();
    } finally {
      this.#queue.gathers = false;
      await this.#queue.idle();
    }
    if (this.#stopped !== undefined) throw this.#stopped;
  }

  /** Resolves when readers are shown `size` entries or more. Throws the reason if nothing is shown any more. */
  whenPublished(size: number): Promise<void> {
    return this.#publishing.reached(size);
  }

  /**
   * Asks the witnesses about the newest head, which readers may be shown already; it then gains their lines, or
   * newer ones. Resolves when they were asked, whatever they answered. This happens automatically once after
   * each commit and at the start.
   */
  askWitnesses(): Promise<void> {
    return this.#publishing.ask();
  }

  /** Resolves when nothing waits to be committed. */
  idle(): Promise<void> {
    return this.#queue.idle();
  }

  /** Waits for what is under way, and closes the store and the guard. */
  async close(): Promise<void> {
    this.#closed = new Fault('read_only', 'ledger', { found: 'it is closed' });
    this.#readOnly ??= this.#closed;
    await this.#proving;
    await this.idle();
    await this.#resuming?.catch(() => undefined);
    await this.#publishing.close();
    // So that the next start has nothing to compare. Where it fails, and after a `resume` that did not come so far, the
    // guard keeps what it has.
    await this.#settling.settle().catch(() => undefined);
    await this.#settling.halt();
    await this.#options.store.close();
    await this.#options.signed?.close();
    await this.#options.guard.close();
  }

  /** The bytes of a tile or bundle of the published tree; undefined if there is none. */
  async tile(tile: Tile): Promise<Uint8Array | undefined> {
    return hasTile(tile, this.published?.size ?? 0) ? this.#tileOf(tile) : undefined;
  }

  /** The same for a tile that is known to exist, whether or not it is published. */
  async #tileOf(tile: Tile): Promise<Uint8Array> {
    const start = tile.index * TILE_WIDTH;
    if (tile.level === 'entries') {
      const entries: Uint8Array[] = [];
      for await (const entry of this.entries(start, start + tile.width)) entries.push(entry);
      return formatEntryBundle(entries);
    }
    const hashes = await this.#tiles.read(tile.level, tile.index);
    return formatHashTile(hashes.slice(0, tile.width));
  }

  /** The closing head of a checkpoint key that has ended, as readers are shown it; undefined for any other. */
  async closingHead(number: number): Promise<Uint8Array | undefined> {
    const newest = newestCheckpointKey(this.shown, this.#options.sha256);
    if (newest === undefined || number >= newest.number) return undefined;
    return this.#options.closing?.read(number);
  }

  /** The root of the first `size` entries, which are committed. */
  rootAt(size: number): Promise<Hash> {
    return rangeHash(this.#options.sha256, this.#tiles.read, { start: 0, end: size });
  }

  /** The bytes of a published entry. */
  async entry(seq: number): Promise<Uint8Array | undefined> {
    if (seq >= (this.published?.size ?? 0)) return undefined;
    const { sha256, store } = this.#options;
    return this.#noting(() => checkedEntry(sha256, store, this.#tiles.read, seq));
  }

  /**
   * Entries `start` to `end - 1`, as far as they are committed, each checked against its leaf in the tree.
   * Throws `ledger_corrupt` with the first one that is damaged; nothing is written afterwards.
   */
  async *entries(start: number, end: number): AsyncGenerator<Uint8Array> {
    const { sha256, store } = this.#options;
    const last = Math.min(end, this.newest?.size ?? 0);
    const entries = checkedEntries(sha256, store, this.#tiles.read, start, last);
    for (;;) {
      const next = await this.#noting(() => entries.next());
      if (next.done === true) return;
      yield next.value;
    }
  }

  /** The same rows. If one of them is read and is damaged, all are derived from the entries again. */
  #watched(rows: CommittedRows): CommittedRows {
    return watchedRows(rows, () => {
      // The proof that is under way reads all rows.
      if (this.#unproven === undefined) void this.#deriveRows();
    });
  }

  /** Stops all writing if a read finds that an entry is not the one under the head. */
  async #noting<T>(read: () => Promise<T>): Promise<T> {
    try {
      return await read();
    } catch (error) {
      if (error instanceof Fault && error.code === 'ledger_corrupt') this.#contradict(error);
      throw error;
    }
  }

  #takeMended(tile: TileRow): void {
    const name = `${tile.level}/${tile.index}`;
    this.#mendedTiles.push(tile);
    this.#tell(`hash tile ${name} did not have the root that the tree has there`, {
      part: 'tile',
      name,
    });
  }

  #tell(mended: string, repaired: Repaired): void {
    this.#mended = [...this.#mended, mended].slice(-MAX_TOLD);
    this.#options.onRepaired?.(repaired);
  }

  /** Replaces the stored rows with those of the entries. Nothing is appended meanwhile. */
  async #deriveRows(): Promise<boolean> {
    await this.#proving;
    if (this.#refused !== undefined || this.#options.store.readOnly !== undefined) return false;
    this.#unproven = UNPROVEN;
    this.#proof = { done: 0, size: this.#tree.size };
    this.#proving = this.idle().then(() => this.#proveBehind('all'));
    await this.#proving;
    return this.#refused === undefined;
  }

  /** Writes the tiles that were derived again. */
  async #writeTiles(): Promise<void> {
    const tiles = this.#mendedTiles.splice(0);
    if (tiles.length === 0) return;
    await this.#options.store.commit({ entries: [], tiles, views: [], head: null });
  }

  async #takeProven(found: Proven): Promise<void> {
    const { sha256, store } = this.#options;
    const before = this.#rows;
    this.#rows = this.#watched(await rowsAfter(sha256, store, found));
    this.#end.views.rebase(this.#rows);
    this.#followKeys();
    this.#sealer = new RowSealer(sha256, found.sum);
    this.#publishing.mend(this.#rows);
    void before.drop?.();
    this.#tell('the view rows were not those that the entries give', ALL_ROWS);
  }

  #checkedTiles(): CheckedTiles {
    const { sha256, store } = this.#options;
    return new CheckedTiles(
      sha256,
      store,
      (level, index) => edgeOf(this.#tree)(level, index) ?? this.#fresh.get(`${level}/${index}`),
      (tile) => this.#takeMended(tile),
    );
  }

  /** Records what a start has found. Rows that it derived follow from the entries already. */
  #begin({ tree, mended }: StartState): void {
    const { size } = tree;
    this.#unproven = mended === undefined ? UNPROVEN : undefined;
    this.#proof = { done: mended === undefined ? 0 : size, size };
    if (mended !== undefined) this.#tell(mended, ALL_ROWS);
  }

  /** The same without throwing: a failure is why nothing is written. */
  async #proveBehind(written?: 'all'): Promise<void> {
    try {
      await this.#prove(written);
    } catch (error) {
      if (this.#closed === undefined && this.#contradicted === undefined) {
        this.#stopped ??= stopFault(error);
      }
    }
  }

  /**
   * Derives the rows from the entries, which replace those that were loaded if they differ, or in any case if
   * `written` is `all`.
   */
  async #prove(written?: 'all'): Promise<void> {
    const { sha256, store } = this.#options;
    if (this.#unproven !== undefined) {
      const pause = slices(performance.now.bind(performance));
      const found = await this.#noting(() =>
        proveRows({
          sha256,
          store,
          tiles: this.#tiles.read,
          head: { size: this.#tree.size, root: this.#tree.root() },
          sum: written === 'all' ? undefined : this.#sealer.sum,
          checksStored: !this.#areRowsRead,
          onProgress: ({ done }) => {
            if (this.#closed !== undefined) throw this.#closed;
            this.#proof = { ...this.#proof, done };
            return pause();
          },
        }),
      );
      if (found.differs) await this.#takeProven(found);
      this.#areRowsRead = true;
      this.#proof = { done: this.#tree.size, size: this.#tree.size };
      this.#unproven = undefined;
    }
    if (store.readOnly !== undefined) return;
    await store.settle();
    await this.#writeTiles();
    // What the guard has kept from before the start, as far as the database has it.
    if (this.#hasEpoch) this.#settling.add(Math.min(this.#head?.size ?? 0, this.#tree.size), 0);
  }

  async #commit(entries: readonly Made[]): Promise<void> {
    await this.#settling.room();
    const tiles = this.#mendedTiles.splice(0);
    const rows = new Map<string, ChangedRow>();
    for (const { leaf, writes, before } of entries) {
      for (const { level, index, hashes } of this.#tree.append(leaf)) {
        this.#fresh.set(`${level}/${index}`, hashes);
        tiles.push({ level, index, bytes: formatHashTile(hashes) });
      }
      for (const [i, write] of writes.entries()) {
        const name = `${write.table}\0${write.key}`;
        const known = rows.get(name);
        rows.set(name, { write, before: known === undefined ? before[i] : known.before });
      }
    }
    const root = this.#tree.root();
    if (this.#contradicted !== undefined) throw this.#contradicted;
    const { sha256, store, guard } = this.#options;
    const changed = [...rows.values()];
    const writes = this.#writes ?? 0;
    this.#writes = undefined;
    const to = { size: this.#tree.size, root };
    const from = this.#head;
    const bytes = entries.map((each) => each.bytes);
    // Neither waits for the other: a start takes from the guard what the database lacks, and the other way round. The
    // guard comes first, so that the disk has its record while this thread makes the rows and gives them to the database.
    const moved = this.#times.step('guard', () => guard.move({ from, to, entries: bytes }));
    moved.catch(() => undefined);
    // A guard begins in its turn, which comes before this goes on.
    await Promise.resolve();
    const views = changed.map(({ write, before }) => this.#sealer.seal(write, before));
    this.#publishing.begin(changed);
    const head = formatHead(sha256, {
      size: to.size,
      root: hashHex(root),
      ...this.#sealer.sum,
    });
    const sync = from === undefined || views.some(({ table }) => OPENING_TABLES.has(table));
    const stored = this.#times.step('store', () =>
      store.commit({ entries, tiles, views, head }, { sync }),
    );
    await both(stored, moved);
    this.#head = to;
    this.#settling.add(to.size, recordBytes(bytes));
    this.#writes = writes + 1;
    const written = changed.map(({ write }) => write);
    this.#rows.apply(
      written,
      views.map(({ value }) => value.length),
    );
    this.#end.views.settled(written);
    if (written.some(({ table }) => table === CHECKPOINT_KEYS_TABLE)) this.#followKeys();
    const note = await this.#sign(root);
    this.#fresh.clear();
    this.#publishing.add({ ...to, note }, written);
  }

  /** Tells the signer which key signs heads of which sizes. */
  #followKeys(): void {
    this.#options.signer.follow?.(checkpointTerms(this.#end.views));
  }

  /** Moves the guard to the head of the database, whose entries it then has, and settles them. */
  async #moveToStored(): Promise<void> {
    const { sha256, store, guard } = this.#options;
    const { size } = this.#tree;
    for (let start = this.#head?.size ?? 0; start < size;) {
      const end = Math.min(start + MAX_MOVED_ENTRIES, size);
      const root = await rangeHash(sha256, this.#tiles.read, { start: 0, end });
      const entries: Uint8Array[] = [];
      for await (const entry of checkedEntries(sha256, store, this.#tiles.read, start, end)) {
        entries.push(entry);
      }
      if (this.#contradicted !== undefined) throw this.#contradicted;
      const to = { size: end, root };
      await guard.move({ from: this.#head, to, entries });
      this.#head = to;
      this.#settling.add(end, recordBytes(entries));
      await this.#settling.settle();
      start = end;
    }
  }

  /** Signs the head that a clean take found in the guard, or that a clean move made. */
  async #sign(root: Hash): Promise<Uint8Array> {
    if (this.#contradicted !== undefined) throw this.#contradicted;
    const note = await this.#times.step('sign', () => this.#signed(this.#tree.size, root));
    if (this.#contradicted !== undefined) throw this.#contradicted;
    this.#options.signed?.put(note);
    return note;
  }

  /** The signed head. A signer that would fork the log by it knows another history: nothing more is written. */
  async #signed(size: number, root: Hash): Promise<Uint8Array> {
    const { sha256, signer } = this.#options;
    try {
      return await signer.sign(size, root, (oldSize) =>
        consistencyProof((each) => this.#tileOf(each), sha256, oldSize, size),
      );
    } catch (error) {
      if (error instanceof Fault && error.code === 'would_fork') this.#contradict(error);
      throw error;
    }
  }

  /**
   * Compares this log with a head that somebody else holds. If our key signed it and it is larger, or of
   * another history, this is not all of the log or not the log that readers know: nothing more is committed or
   * shown. A head that our key did not sign is ignored.
   */
  async #compare(holder: string, note: Uint8Array): Promise<void> {
    let checkpoint: Checkpoint;
    try {
      checkpoint = this.#options.signer.open(note);
    } catch {
      return;
    }
    const { size, root } = checkpoint;
    if (size <= this.#tree.size) {
      const own = await this.rootAt(size);
      if (equalBytes(own, root)) return;
      this.#contradict(
        new Fault('ledger_differs', 'ledger', {
          at: `size ${size}`,
          expected: `root ${hashHex(root)}, as ${holder} has it`,
          found: hashHex(own),
        }),
      );
      return;
    }
    this.#contradict(
      new Fault('ledger_behind', 'ledger', {
        expected: `at least ${size} entries, as ${holder} has cosigned`,
        found: `${this.#tree.size}`,
      }),
    );
  }

  #contradict(reason: Fault): void {
    if (this.#contradicted !== undefined) return;
    this.#contradicted = reason;
    this.#publishing.halt(reason);
    this.#queue.refuse(reason);
  }

  async #resume(): Promise<void> {
    const { store, guard, signer } = this.#options;
    await this.idle();
    await this.#proving;
    await this.#settling.halt();
    this.#hasEpoch = false;
    try {
      await store.reopen();
      await guard.reopen();
      // Whatever this process has shown must be there, whoever else may have forgotten it.
      const { newest } = this.#publishing;
      const shown =
        newest === undefined
          ? []
          : [{ holder: 'this process', checkpoint: signer.open(newest.note) }];
      const found = await findStored(this.#options, shown);
      await this.#takeUp(found, newest?.size ?? 0);
    } catch (error) {
      const fault = storageFault(error, 'ledger');
      const code = faultCode(fault);
      if (code !== undefined && CONTRADICTIONS.has(code)) this.#contradict(fault as Fault);
      else this.#stopped = fault instanceof Fault && code === 'no_room' ? fault : stopFault(error);
      throw fault;
    }
  }

  /**
   * Continues with what a start would find, of which `newest` entries are under a head that this process knows.
   */
  async #takeUp({ start, end, readOnly, untaken }: Found, newest: number): Promise<void> {
    if (untaken !== undefined) throw untaken;
    const { tree } = start;
    this.#tree = tree;
    this.#writes = 0;
    this.#fresh.clear();
    this.#mendedTiles = [];
    this.#tiles = this.#checkedTiles();
    this.#sealer = new RowSealer(this.#options.sha256, start.sum);
    const before = this.#rows;
    this.#rows = this.#watched(start.rows);
    this.#areRowsRead = start.isRead;
    this.#end.takeUp(this.#rows, end);
    this.#followKeys();
    this.#begin(start);
    this.#head = start.guard;
    this.#hasEpoch = true;
    if (this.#closed === undefined) this.#readOnly = readOnly;
    // Whatever is signed next depends on what is on the disk now.
    await this.#prove();
    // Not before: until what was found is settled, a close brings back files that may not be durable.
    this.#settling.restart();
    let head: Published | undefined;
    if (tree.size > newest) {
      const root = tree.root();
      // Nothing is signed before others were asked what they have of this log.
      if (readOnly !== undefined) throw unguarded('read_only', start);
      if (start.guard?.size !== tree.size) await this.#moveToStored();
      head = { size: tree.size, root, note: await this.#sign(root) };
    }
    this.#publishing.takeUp(this.#rows, head);
    void before.drop?.();
    this.#stopped = undefined;
    void this.#publishing.ask();
  }

  /** Shows the head that was signed last, where the newest one cannot be signed now. */
  async #showSigned({ start, signed, kept, untaken }: Found): Promise<void> {
    const { sha256, store } = this.#options;
    if (signed === undefined)
      throw unguarded(untaken === undefined ? 'read_only' : 'no_room', start);
    const { size, root, note } = signed;
    const { rows } = await deriveRows(sha256, store, size);
    const newest = { size, root, note };
    const shown = await shownAtStart(this.#options, kept, size);
    this.#publishing.restore(newest, shown, rows.committed());
  }
}

/** Waits for both, and then throws what the first one threw, or else the second. */
async function both(first: Promise<void>, second: Promise<void>): Promise<void> {
  for (const each of await Promise.allSettled([first, second])) {
    if (each.status === 'rejected') throw each.reason;
  }
}
