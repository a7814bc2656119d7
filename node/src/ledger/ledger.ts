import { equalBytes } from '@assay/core/bytes/bytes';
import type { Checkpoint } from '@assay/core/log/checkpoint';
import { Fault, type FaultCode, faultCode, messageOf } from '@assay/core/fault';
import { formatEntry, parseEntry } from '@assay/core/log/entry';
import { formatHead } from '@assay/core/view/head';
import {
  type Hash,
  hashHex,
  type HashHex,
  leafHash,
  type Sha256,
  ZERO_HASH_HEX,
} from '@assay/core/hash/hash';
import type { KeyEntry } from '@assay/core/kind/key';
import { bodyParser, type Kind, type KnownBody } from '@assay/core/kind/kinds';
import {
  formatEntryBundle,
  formatHashTile,
  hasTile,
  type Tile,
  TILE_WIDTH,
} from '@assay/core/log/tile';
import type { TileTree } from '@assay/core/log/tile-tree';
import { parseTime, formatTime, type TimeText } from '@assay/core/time/time';
import type { RowsSum } from '@assay/core/view/rows-root';
import { foldEntry } from '@assay/core/view/fold';
import { MemoryViews } from '@assay/core/view/state';
import type { FoldedEntry, ViewState, ViewWrite } from '@assay/core/view/view';
import { type WireValue, wire } from '@assay/core/wire/wire';
import { consistencyProof } from '@assay/verifier/reader/tile-proofs';
import { requireSoundKey } from './sound-key.ts';
import { storageFault } from '../platform/storage-fault.ts';
import { checkedEntries, checkedEntry, CheckedTiles } from './checked-tiles.ts';
import type { CheckpointSigner } from './checkpoint-signer.ts';
import type { HeadGuard } from './head-guard.ts';
import { type KeptHead, keptHead } from './kept-note.ts';
import { type ProofProgress, proveRows } from './proof.ts';
import { type Published, Publishing } from './publishing.ts';
import { replay } from './replay.ts';
import { RowSealer } from './store/sealed-row.ts';
import { slices } from './store/slices.ts';
import { StoredLog } from './store/stored-log.ts';
import {
  type AskHeads,
  compareAtStart,
  edgeOf,
  type KnownHead,
  type StartState,
  storedSize,
} from './start.ts';
import type { EntryRow, LedgerStore, TileRow } from './store/store.ts';
import { rangeHash } from './tree-reader.ts';
import type { WitnessStage } from './witness-stage.ts';

export type { Published } from './publishing.ts';

/** An entry to be: what it says. Where it stands is the ledger's to say. */
export interface EntryDraft {
  readonly kind: Kind;
  readonly body: KnownBody['body'];
}

/** The end of the log, as the drafts of one write find it: nothing else is written while they are made. */
export interface LogTip {
  /** Entries before this write: the `seq` of its first one. */
  readonly seq: number;
  /** Leaf hash of the entry before this write; zeros before genesis. */
  readonly prev: HashHex;
  /** What all entries of this write say of their time. */
  readonly at: TimeText;
  /** Rows of everything before the next draft. */
  readonly views: ViewState;
}

/** A committed entry: durable, and under a head that the guard holds. */
export interface Receipt {
  readonly seq: number;
  readonly leaf: HashHex;
}

export interface LedgerOptions {
  readonly sha256: Sha256;
  readonly store: LedgerStore;
  readonly guard: HeadGuard;
  readonly signer: CheckpointSigner;
  /** Unix seconds. */
  readonly now: () => number;
  /** Asks witnesses and mirrors for their newest head; null where the policy asks for none. */
  readonly askHeads: AskHeads | null;
  /**
   * When the entries are read again that the stored rows follow from, before which nothing is appended: before `open`
   * resolves, or behind it, so that readers are served meanwhile from rows that have their digests.
   */
  readonly prove?: 'before' | 'behind';
  /** Who witnesses heads before they are shown; without, they are shown when the guard holds them. */
  readonly witness?: WitnessStage;
  /** Why the clock must not date an entry now; undefined while it may. */
  readonly doubt?: () => Fault | undefined;
  /** Told of what was derived from the entries again, and is stored so from then on where the store takes writes. */
  readonly onRepaired?: (repaired: Repaired) => void;
  /** Called after each publication, in order, but for one that only adds lines. A throw is the caller's own: it surfaces as uncaught. */
  readonly onPublish?: (published: Published, tables: ReadonlySet<string>) => void;
}

/** What was not as it should be, and was derived from the entries again. */
export interface Repaired {
  readonly part: 'tile' | 'row';
  /** Level and index of a tile; of rows which, or that they are all. */
  readonly name: string;
}

/** An entry on its way to the store. */
interface Made extends EntryRow {
  readonly leaf: Hash;
  readonly receipt: Receipt;
  readonly isKey: boolean;
  /** What its fold changes. */
  readonly writes: readonly ViewWrite[];
  /** The values that those rows had before it. */
  readonly before: readonly (WireValue | undefined)[];
}

/** Entries that were appended together: they go into one commit. */
interface Pending {
  readonly made: readonly Made[];
  readonly bytes: number;
  readonly resolve: () => void;
  readonly reject: (error: unknown) => void;
}

/** A row that a commit changes, and the value that is stored. */
interface ChangedRow {
  readonly write: ViewWrite;
  readonly before: WireValue | undefined;
}

const ALL_ROWS: Repaired = { part: 'row', name: 'all' };

/** Things that were derived again, of which `mended` tells the newest. */
const MAX_TOLD = 100;

const UNPROVEN = new Fault('unproven', 'ledger', {
  expected: 'entries that were read again since the start',
});

/** Bytes of entries that one commit takes up; what waits behind them goes with the next. */
const MAX_COMMIT_BYTES = 8 * 1024 * 1024;
const MAX_COMMIT_ENTRIES = 4096;

/**
 * The log: the one place that writes. Entries that wait are committed together, in this order:
 * one fsynced batch (entries, tiles, views, head), the signed head by compare-and-swap into the
 * guard, then the answers to the callers, and publication. After any failure nothing more is written
 * until database and guard have been compared again: by a restart, or by `resume`.
 */
export class Ledger {
  readonly #options: LedgerOptions;
  readonly #parseBody: ReturnType<typeof bodyParser>;
  #tree: TileTree;
  /** Rows with everything that waits: what the next draft builds on. */
  readonly #tip: MemoryViews;
  readonly #publishing: Publishing;
  #sealer: RowSealer;
  /** Full tiles that are not in the store yet. */
  readonly #fresh = new Map<string, readonly Hash[]>();
  #tiles: CheckedTiles;
  /** Tiles that were derived again, and are not written yet. */
  #mendedTiles: TileRow[] = [];
  #mended: readonly string[] = [];
  #proof: ProofProgress = { done: 0, size: 0 };
  #proving: Promise<void> | undefined;
  #queue: Pending[] = [];
  #committing: Promise<void> | undefined;
  #guard: Uint8Array | undefined;
  /** Whether drafts are being made of the tip. */
  #isMaking = false;
  #nextSeq: number;
  #prev: HashHex;
  #lastAt: TimeText;
  #log: HashHex | undefined;
  #stopped: Fault | undefined;
  #readOnly: Fault | undefined;
  #closed: Fault | undefined;
  /** A head that our key signed is not of what is here, or an entry is not the one under it. */
  #contradicted: Fault | undefined;
  #resuming: Promise<void> | undefined;
  /** Commits that have ended; undefined while one is under way, or where one has failed. */
  #writes: number | undefined = 0;
  /** What is stored, to be gone over while it is in use. */
  readonly stored: StoredLog;
  /** Why nothing new is begun, although what is under way may still be written. */
  #held: Fault | undefined;
  /** The rows do not yet follow from entries that this process has read. */
  #unproven: Fault | undefined;

  private constructor(options: LedgerOptions, { tree, views, sum }: StartState, tip: Tip) {
    this.#options = options;
    this.#sealer = new RowSealer(options.sha256, sum);
    this.#tiles = this.#checkedTiles();
    this.#parseBody = bodyParser(options.sha256);
    this.#tree = tree;
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
    this.#tip = views;
    this.#publishing = new Publishing({
      witness: options.witness,
      prove: (oldSize, newSize) =>
        consistencyProof((each) => this.#tileOf(each), options.sha256, oldSize, newSize),
      onPublish: options.onPublish,
    });
    this.#nextSeq = tree.size;
    this.#prev = tip.prev;
    this.#lastAt = tip.at;
    this.#log = tip.log;
  }

  /**
   * Opens the log after comparing what is stored. Throws `ledger_behind`, `ledger_differs` or
   * `ledger_corrupt` with what differs; nothing is written then. Where the store takes no writes
   * (`LedgerStore.readOnly`) the log is served as far as the guard has a head for it, and is blocked until `resume`.
   */
  static async open(options: LedgerOptions): Promise<Ledger> {
    const found = await findStored(options, []);
    const { start, readOnly, kept } = found;
    const ledger = new Ledger(options, start, found.tip);
    ledger.#guard = start.guard;
    ledger.#readOnly = readOnly;
    ledger.#stopped = options.store.readOnly;
    options.witness?.watch?.((holder, note) => ledger.#compare(holder, note));
    const { size } = start.tree;
    if (size === 0) {
      await options.store.settle();
      return ledger;
    }
    ledger.#begin(start);
    const root = start.tree.root();
    const isCut = start.guard === undefined || start.guardSize !== size;
    if (isCut && ledger.#stopped !== undefined) {
      await ledger.#showGuarded(start, kept);
      return ledger;
    }
    if (isCut && readOnly !== undefined) throw unguarded('read_only', start);
    // Before a head is signed, too.
    if (options.prove !== 'behind' || isCut) await ledger.#prove();
    if (isCut) {
      // Completes a commit that was cut short before its head reached the guard.
      await ledger.#swapGuard(root);
    }
    const newest = { size, root, note: ledger.#guard as Uint8Array };
    const shown = await shownAtStart(options, kept, size);
    ledger.#publishing.restore(newest, rowsOf(ledger.#tip), shown);
    void ledger.#publishing.ask();
    if (ledger.#unproven !== undefined) ledger.#proving = ledger.#proveBehind();
    return ledger;
  }

  /** Entries committed or waiting: the `seq` of the next one. */
  get nextSeq(): number {
    return this.#nextSeq;
  }

  /** What an entry that is written now says of its time. */
  get nextAt(): TimeText {
    const now = formatTime(this.#options.now());
    return now > this.#lastAt ? now : this.#lastAt;
  }

  /** Leaf hash of entry 0; undefined before genesis. */
  get log(): HashHex | undefined {
    return this.#log;
  }

  get published(): Published | undefined {
    return this.#publishing.published;
  }

  /** The newest head that the guard holds: the published one, or one that still waits for its witnesses. */
  get newest(): Published | undefined {
    return this.#publishing.newest;
  }

  /** Rows of everything appended so far. A draft is made of those that `write` hands to it. */
  get tip(): ViewState {
    return this.#tip;
  }

  /** What a write would find now. */
  get end(): LogTip {
    return { seq: this.#nextSeq, prev: this.#prev, at: this.nextAt, views: this.#tip };
  }

  /** Rows of the published size: what readers are shown. */
  get shown(): ViewState {
    return this.#publishing.shown;
  }

  /** Why nothing new may be begun; undefined while it may. */
  get blocked(): Fault | undefined {
    return this.#refused ?? this.#held;
  }

  /** Why nothing new is begun, where entries are taken all the same. */
  get held(): Fault | undefined {
    return this.#refused === undefined ? this.#held : undefined;
  }

  /** Why nothing is written at all; undefined while entries are taken. */
  get #refused(): Fault | undefined {
    const { doubt } = this.#options;
    return this.#contradicted ?? this.#stopped ?? this.#readOnly ?? this.#unproven ?? doubt?.();
  }

  /** How far the entries have been read again since the start. */
  get proof(): ProofProgress {
    return this.#proof;
  }

  /** What was not as it should be and was derived from the entries again since the start, in words; the newest last. */
  get mended(): readonly string[] {
    return this.#mended;
  }

  /**
   * Resolves when the rows follow from entries that this process has read, each held to its leaf in the tree of the
   * signed head. Whoever signs something waits for it before it reads `tip`. Throws `ledger_corrupt` with the entry
   * that is damaged, and why the ledger is blocked where it stays unproven.
   */
  async proven(): Promise<void> {
    await this.#proving;
    if (this.#unproven !== undefined) throw this.blocked ?? this.#unproven;
  }

  /** Why a write failed, or could not have been made at the start; undefined where `resume` has nothing to do. */
  get stopped(): Fault | undefined {
    return this.#contradicted === undefined ? this.#stopped : undefined;
  }

  /**
   * Has everybody who asks `blocked` begin nothing new, for `reason`, or lets them begin again, without. Entries of
   * work that is under way are taken all the same.
   */
  hold(reason: Fault | undefined): void {
    this.#held = reason;
  }

  /**
   * Compares database and guard again after a write that failed, with the checks of a start, and goes on with what
   * is found: a commit whose outcome was not known counts where it is on disk, and not otherwise. Nothing is
   * written before. Does nothing where no write has failed. Throws `no_room` or `storage_failed` while the disk does
   * not take writes; the ledger stays stopped then, and `resume` may be called again. What contradicts a published
   * head (`ledger_behind`, `ledger_differs`, `ledger_corrupt`), or a guard that is gone or damaged
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
    const made = this.#make(draft);
    if (made.length === 0) return [];
    await new Promise<void>((resolve, reject) => {
      const bytes = made.reduce((sum, each) => sum + each.bytes.length, 0);
      this.#queue.push({ made, bytes, resolve, reject });
      this.#committing ??= this.#drain();
    });
    return made.map(({ receipt }) => receipt);
  }

  /** Resolves when readers are shown `size` entries or more. Throws why nothing is shown any more. */
  whenPublished(size: number): Promise<void> {
    return this.#publishing.reached(size);
  }

  /**
   * Has the witnesses asked about the newest head, which readers may be shown already: it gains their lines
   * then, or newer ones. Resolves when they were asked, whatever they said. After each commit and at the
   * start that comes by itself, once.
   */
  askWitnesses(): Promise<void> {
    return this.#publishing.ask();
  }

  /** Resolves when nothing waits to be committed. */
  async idle(): Promise<void> {
    while (this.#committing !== undefined) await this.#committing;
  }

  /** Waits for what is under way and closes store and guard. */
  async close(): Promise<void> {
    this.#closed = new Fault('read_only', 'ledger', { found: 'it is closed' });
    this.#readOnly ??= this.#closed;
    await this.#proving;
    await this.idle();
    await this.#resuming?.catch(() => undefined);
    await this.#publishing.close();
    await this.#options.store.close();
    await this.#options.guard.close();
  }

  /** The bytes of a tile or bundle of the published tree; undefined where it has none such. */
  async tile(tile: Tile): Promise<Uint8Array | undefined> {
    return hasTile(tile, this.published?.size ?? 0) ? this.#tileOf(tile) : undefined;
  }

  /** The same of a tile that is known to be there, published or not. */
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

  /** The bytes of a published entry. */
  async entry(seq: number): Promise<Uint8Array | undefined> {
    if (seq >= (this.published?.size ?? 0)) return undefined;
    const { sha256, store } = this.#options;
    return this.#noting(() => checkedEntry(sha256, store, this.#tiles.read, seq));
  }

  /**
   * Entries `start` to `end - 1`, as far as they are committed, each held to its leaf in the tree. Throws
   * `ledger_corrupt` with the first one that is damaged; nothing is written afterwards.
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

  /** Stops all writing where a read finds that an entry is not the one under the head. */
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

  /** Writes the rows of the entries in the place of those that are stored. Nothing is appended meanwhile. */
  async #deriveRows(): Promise<boolean> {
    await this.#proving;
    if (this.#refused !== undefined || this.#options.store.readOnly !== undefined) return false;
    this.#unproven = UNPROVEN;
    this.#proof = { done: 0, size: this.#tree.size };
    await this.idle();
    this.#proving = this.#proveBehind('all');
    await this.#proving;
    return this.#refused === undefined;
  }

  /** Writes the tiles that were derived again. */
  async #writeTiles(): Promise<void> {
    const tiles = this.#mendedTiles.splice(0);
    if (tiles.length === 0) return;
    await this.#options.store.commit({ entries: [], tiles, views: [], head: null });
  }

  #takeProven(views: MemoryViews, sum: RowsSum): void {
    this.#tip.replace(views);
    this.#sealer = new RowSealer(this.#options.sha256, sum);
    this.#publishing.mend(views);
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

  /** Takes note of what a start has found: rows that it derived follow from the entries already. */
  #begin({ tree, mended }: StartState): void {
    const { size } = tree;
    this.#unproven = mended === undefined ? UNPROVEN : undefined;
    this.#proof = { done: mended === undefined ? 0 : size, size };
    if (mended !== undefined) this.#tell(mended, ALL_ROWS);
  }

  /** The same without a throw: what failed is why nothing is written. */
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
   * Derives the rows from the entries, and has them take the place of those that were loaded where they differ, or in
   * any case where `written` is `all`.
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
          onProgress: ({ done }) => {
            if (this.#closed !== undefined) throw this.#closed;
            this.#proof = { ...this.#proof, done };
            return pause();
          },
        }),
      );
      if (found.views !== undefined) this.#takeProven(found.views, found.sum);
      this.#proof = { done: this.#tree.size, size: this.#tree.size };
      this.#unproven = undefined;
    }
    if (store.readOnly !== undefined) return;
    await store.settle();
    await this.#writeTiles();
  }

  /** Semaphore drafts into entries and folds each into the tip as it comes; where one is bad, none leaves a trace. */
  #make(draft: (tip: LogTip) => Iterable<EntryDraft>): readonly Made[] {
    if (this.#isMaking) throw new TypeError('Ledger.write: a write within a write');
    const { end } = this;
    const [log, { seq, prev, at }] = [this.#log, end];
    const made: Made[] = [];
    this.#isMaking = true;
    try {
      for (const each of draft(end)) {
        if (made.length === 0 && this.#refused !== undefined) throw this.#refused;
        made.push(this.#fold(each, at, made));
      }
    } catch (error) {
      for (const { writes, before } of made.reverse()) this.#tip.takeBack(writes, before);
      [this.#nextSeq, this.#prev, this.#log] = [seq, prev, log];
      throw error;
    } finally {
      this.#isMaking = false;
    }
    if (made.length > 0) this.#lastAt = at;
    return made;
  }

  /** The entry that a draft makes behind those that were `made` of the same write. */
  #fold({ kind, body }: EntryDraft, at: TimeText, made: readonly Made[]): Made {
    const { sha256 } = this.#options;
    const seq = this.#nextSeq;
    const known = this.#parseBody(kind, wire(body));
    if (known === undefined || (kind === 'genesis/1') !== (seq === 0)) {
      throw new Fault('malformed', 'entry', {
        at: `seq ${seq}`,
        expected: seq === 0 ? 'genesis/1 as the first entry' : 'a known kind other than genesis',
        found: kind,
      });
    }
    if (known.kind === 'key/1') this.#requireKey(known.body);
    // A report key is checked before it is in force, so nothing is written along with it.
    if (made.length > 0 && (known.kind === 'key/1' || made[0]?.isKey === true)) {
      const [expected, found] = ['key/1 by itself', 'another entry in the same write'];
      throw new Fault('refused', 'report key', { at: `entry ${seq}`, expected, found });
    }
    const prev = this.#prev;
    const bytes = formatEntry({ v: 1, seq, prev, at, kind, body: wire(body) });
    const leaf = leafHash(sha256, bytes);
    const receipt = { seq, leaf: hashHex(leaf) };
    const log = this.#log ?? receipt.leaf;
    // Not by spreading `known`: the kinds have as many shapes, and a copy of one costs as much as its hash.
    const entry = { kind: known.kind, body: known.body, seq, at, log } as FoldedEntry;
    const writes = foldEntry(entry, this.#tip, sha256);
    const before = writes.map(({ table, key }) => this.#tip.get(table, key));
    this.#tip.write(writes);
    this.#nextSeq = seq + 1;
    this.#prev = receipt.leaf;
    this.#log = log;
    return { seq, bytes, leaf, receipt, isKey: known.kind === 'key/1', writes, before };
  }

  /** Throws `refused` unless a report key may come into force here. */
  #requireKey(key: KeyEntry): void {
    const position = { log: this.#log ?? ZERO_HASH_HEX, seq: this.#nextSeq };
    requireSoundKey('refused', key, position, this.#tip, this.#options.sha256);
  }

  async #drain(): Promise<void> {
    try {
      // What is appended in the same turn goes with the first commit already.
      await Promise.resolve();
      while (this.#queue.length > 0) {
        const batch = this.#takeBatch();
        try {
          await this.#commit(batch);
        } catch (cause) {
          this.#stop(cause, batch);
          return;
        }
      }
    } finally {
      this.#committing = undefined;
    }
  }

  #takeBatch(): readonly Pending[] {
    let bytes = 0;
    let entries = 0;
    let count = 0;
    for (const pending of this.#queue) {
      bytes += pending.bytes;
      entries += pending.made.length;
      if (count > 0 && (bytes > MAX_COMMIT_BYTES || entries > MAX_COMMIT_ENTRIES)) break;
      count += 1;
    }
    const batch = this.#queue.slice(0, count);
    this.#queue = this.#queue.slice(count);
    return batch;
  }

  async #commit(batch: readonly Pending[]): Promise<void> {
    const [first] = batch;
    const entries =
      batch.length === 1 && first !== undefined ? first.made : batch.flatMap(({ made }) => made);
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
    const { sha256, store } = this.#options;
    const changed = [...rows.values()];
    const writes = this.#writes ?? 0;
    this.#writes = undefined;
    const views = changed.map(({ write, before }) => this.#sealer.seal(write, before));
    await store.commit({
      entries,
      tiles,
      views,
      head: formatHead(sha256, { size: this.#tree.size, root: hashHex(root), ...this.#sealer.sum }),
    });
    this.#writes = writes + 1;
    await this.#swapGuard(root);
    this.#fresh.clear();
    const head = { size: this.#tree.size, root, note: this.#guard as Uint8Array };
    this.#publishing.add(
      head,
      changed.map(({ write }) => write),
    );
    for (const { resolve } of batch) resolve();
  }

  async #swapGuard(root: Hash): Promise<void> {
    if (this.#contradicted !== undefined) throw this.#contradicted;
    const note = this.#options.signer.sign(this.#tree.size, root);
    await this.#options.guard.swap(this.#guard, note);
    this.#guard = note;
  }

  /**
   * Compares what is here with a head that somebody else holds. Where our key signed it and it is larger, or
   * another's history, this is not all of the log or not the log that readers know: nothing more is committed
   * or shown. What is not our key's says nothing.
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
      const own = await rangeHash(this.#options.sha256, this.#tiles.read, { start: 0, end: size });
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
    for (const { reject } of this.#queue) reject(reason);
    this.#queue = [];
  }

  #stop(cause: unknown, batch: readonly Pending[]): void {
    this.#stopped = stopFault(cause);
    for (const { reject } of [...batch, ...this.#queue]) reject(this.#stopped);
    this.#queue = [];
  }

  async #resume(): Promise<void> {
    const { store, guard, signer } = this.#options;
    await this.idle();
    await this.#proving;
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

  /** Goes on with what a start would find, of which `newest` entries are under a head that this process knows. */
  async #takeUp({ start, tip, readOnly }: Found, newest: number): Promise<void> {
    const { tree } = start;
    this.#tree = tree;
    this.#writes = 0;
    this.#fresh.clear();
    this.#mendedTiles = [];
    this.#tiles = this.#checkedTiles();
    this.#sealer = new RowSealer(this.#options.sha256, start.sum);
    // The same object: whoever holds it has the rows that there are now.
    this.#tip.replace(start.views);
    this.#begin(start);
    this.#nextSeq = tree.size;
    this.#prev = tip.prev;
    this.#lastAt = tip.at;
    this.#log = tip.log;
    this.#guard = start.guard;
    if (this.#closed === undefined) this.#readOnly = readOnly;
    // Whatever is signed next rests on what lies on the disk now.
    await this.#prove();
    if (tree.size > newest) {
      const root = tree.root();
      if (start.guardSize !== tree.size) {
        if (readOnly !== undefined) throw unguarded('read_only', start);
        await this.#swapGuard(root);
      }
      if (this.#contradicted !== undefined) throw this.#contradicted;
      const head = { size: tree.size, root, note: this.#guard as Uint8Array };
      this.#publishing.add(head, [...rowsOf(this.#tip)]);
    }
    this.#stopped = undefined;
    void this.#publishing.ask();
  }

  /** Shows what the guard has a head for, of a store that takes no writes and holds a commit that was cut short. */
  async #showGuarded(start: StartState, kept: KeptHead | undefined): Promise<void> {
    const { sha256, store, signer } = this.#options;
    if (start.guard === undefined) throw unguarded('no_room', start);
    const { size, root } = signer.open(start.guard);
    const { views } = await replay(sha256, store, size);
    const newest = { size, root, note: start.guard };
    this.#publishing.restore(newest, rowsOf(views), await shownAtStart(this.#options, kept, size));
  }
}

/** What stays as it is until an operator has looked: the disk holds another log than was published. */
const CONTRADICTIONS: ReadonlySet<string> = new Set<FaultCode>([
  'ledger_behind',
  'ledger_differs',
  'ledger_corrupt',
  'guard_conflict',
  'guard_missing',
  'guard_corrupt',
]);

/** Why a ledger has stopped: `no_room` where a disk that is full or read-only is the cause. */
function stopFault(cause: unknown): Fault {
  const fault = storageFault(cause, 'ledger');
  if (faultCode(fault) === 'no_room') {
    return new Fault('no_room', 'ledger', {
      expected: 'room on the disk, after which database and guard are compared again',
      found: messageOf(cause),
      cause,
    });
  }
  return new Fault('stopped', 'ledger', {
    expected: 'a restart, which compares database and guard',
    found: messageOf(cause),
    cause,
  });
}

function unguarded(code: 'read_only' | 'no_room', { tree, guardSize }: StartState): Fault {
  return new Fault(code, 'ledger', {
    expected: `a head guard at ${tree.size}, or ${code === 'read_only' ? 'a head from elsewhere before it is moved' : 'a disk on which it can be moved'}`,
    found: `a head guard at ${guardSize}`,
  });
}

/** What a start finds in store and guard, and at those who are asked for heads. */
interface Found {
  readonly start: StartState;
  readonly tip: Tip;
  readonly kept: KeptHead | undefined;
  /** Why nobody else's head could be compared, where one is asked for. */
  readonly readOnly: Fault | undefined;
}

/** Reads and compares, and writes nothing but what was derived again. `own`: heads that are known already. */
async function findStored(options: LedgerOptions, own: readonly KnownHead[]): Promise<Found> {
  const { sha256, store, guard, signer, witness } = options;
  let readOnly: Fault | undefined;
  let known = own;
  if (options.askHeads !== null) {
    try {
      known = [...known, ...(await options.askHeads(await storedSize(sha256, store)))];
    } catch (cause) {
      readOnly = new Fault('read_only', 'ledger', {
        expected: 'a head from a witness or a mirror',
        found: messageOf(cause),
        cause,
      });
    }
  }
  const kept = await keptHead(witness, signer);
  if (kept !== undefined) {
    known = [...known, { holder: 'the note that was shown last', checkpoint: kept }];
  }
  const start = await compareAtStart(sha256, store, guard, signer, known);
  const tip = await readTip(options, start.tree.size);
  return { start, tip, kept, readOnly };
}

/** The state that readers were shown before a start, where it is still to be had. */
async function shownAtStart(
  { sha256, store }: LedgerOptions,
  kept: KeptHead | undefined,
  size: number,
): Promise<Parameters<Publishing['restore']>[2]> {
  if (kept === undefined) return undefined;
  if (kept.size === size) return { head: kept, rows: undefined };
  // The entries behind it were never shown: its rows are derived from those before.
  const { views } = await replay(sha256, store, kept.size);
  return { head: kept, rows: rowsOf(views) };
}

function* rowsOf(views: MemoryViews): Generator<ViewWrite> {
  for (const table of views.tables()) {
    for (const [key, value] of views.list(table)) yield { table, key, value };
  }
}

interface Tip {
  readonly prev: HashHex;
  readonly at: TimeText;
  readonly log: HashHex | undefined;
}

/** What the next entry continues: the newest entry's leaf and time, and the log's id. */
async function readTip({ sha256, store }: LedgerOptions, size: number): Promise<Tip> {
  if (size === 0) return { prev: ZERO_HASH_HEX, at: formatTime(0), log: undefined };
  const [first, last] = await Promise.all([store.entry(0), store.entry(size - 1)]);
  if (first === undefined || last === undefined) {
    throw new Fault('ledger_corrupt', 'ledger', { expected: 'entry 0 and the newest entry' });
  }
  const { at } = parseEntry(last);
  parseTime(at);
  return {
    prev: hashHex(leafHash(sha256, last)),
    at,
    log: hashHex(leafHash(sha256, first)),
  };
}
