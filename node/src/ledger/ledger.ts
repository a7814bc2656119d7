import { Fault, messageOf } from '@assay/core/fault';
import { formatEntry, parseEntry } from '@assay/core/entry';
import {
  type Hash,
  hashHex,
  type HashHex,
  leafHash,
  type Sha256,
  ZERO_HASH_HEX,
} from '@assay/core/hash';
import { bodyParser, type Kind, type KnownBody } from '@assay/core/kind/kinds';
import {
  formatEntryBundle,
  formatHashTile,
  hasTile,
  levelLength,
  parseHashTile,
  type Tile,
  TILE_WIDTH,
} from '@assay/core/tile';
import type { TileTree } from '@assay/core/tile-tree';
import { parseTime, formatTime, type TimeText } from '@assay/core/time';
import { foldEntry } from '@assay/core/view/fold';
import { MemoryViews } from '@assay/core/view/state';
import type { ViewState, ViewWrite } from '@assay/core/view/view';
import { formatWire, parseWire, type WireObject } from '@assay/core/wire';
import type { CheckpointSigner } from './checkpoint-signer.ts';
import { formatHead } from './head.ts';
import type { HeadGuard } from './head-guard.ts';
import { type AskHeads, compareAtStart } from './start.ts';
import type { EntryRow, LedgerStore, TileRow, ViewRow } from './store.ts';

/** An entry to be: what it says. Where it stands is the ledger's to say. */
export interface EntryDraft {
  readonly kind: Kind;
  readonly body: KnownBody['body'];
}

/** A committed entry: durable, and under a head that the guard holds. */
export interface Receipt {
  readonly seq: number;
  readonly leaf: HashHex;
}

/** The newest published state: the only one that readers are shown. */
export interface Published {
  readonly size: number;
  readonly root: Hash;
  /** The signed checkpoint. */
  readonly note: Uint8Array;
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
  /** Called after each publication, in order. A throw is the caller's own: it surfaces as uncaught. */
  readonly onPublish?: (published: Published, tables: ReadonlySet<string>) => void;
}

/** An entry on its way to the store. */
interface Made extends EntryRow {
  readonly leaf: Hash;
  readonly receipt: Receipt;
  /** What its fold changes. */
  writes: readonly ViewWrite[];
}

/** Entries that were appended together: they go into one commit. */
interface Pending {
  readonly made: readonly Made[];
  readonly bytes: number;
  readonly resolve: () => void;
  readonly reject: (error: unknown) => void;
}

/** Bytes of entries that one commit takes up; what waits behind them goes with the next. */
const MAX_COMMIT_BYTES = 8 * 1024 * 1024;
const MAX_COMMIT_ENTRIES = 4096;

/**
 * The log: the one place that writes. Entries that wait are committed together, in this order:
 * one fsynced batch (entries, tiles, views, head), the signed head by compare-and-swap into the
 * guard, then publication and the answers to the callers. After any failure nothing more is written
 * until a restart has compared database and guard.
 */
export class Ledger {
  readonly #options: LedgerOptions;
  readonly #parseBody: ReturnType<typeof bodyParser>;
  readonly #tree: TileTree;
  /** Rows with everything that waits: what the next draft builds on. */
  readonly #tip: MemoryViews;
  /** Rows of the published size. */
  readonly #shown: MemoryViews;
  /** Full tiles that are not in the store yet. */
  readonly #fresh = new Map<string, readonly Hash[]>();
  #queue: Pending[] = [];
  #committing: Promise<void> | undefined;
  #guard: Uint8Array | undefined;
  #published: Published | undefined;
  #nextSeq: number;
  #prev: HashHex;
  #lastAt: TimeText;
  #log: HashHex | undefined;
  #stopped: Fault | undefined;
  #readOnly: Fault | undefined;

  private constructor(options: LedgerOptions, tree: TileTree, tip: Tip) {
    this.#options = options;
    this.#parseBody = bodyParser(options.sha256);
    this.#tree = tree;
    this.#tip = new MemoryViews();
    this.#shown = new MemoryViews();
    this.#nextSeq = tree.size;
    this.#prev = tip.prev;
    this.#lastAt = tip.at;
    this.#log = tip.log;
  }

  /**
   * Opens the log after comparing what is stored. Throws `ledger_behind`, `ledger_differs` or
   * `ledger_corrupt` with what differs; nothing is written then.
   */
  static async open(options: LedgerOptions): Promise<Ledger> {
    const { sha256, store, guard, signer } = options;
    let readOnly: Fault | undefined;
    let known: Awaited<ReturnType<AskHeads>> = [];
    if (options.askHeads !== null) {
      try {
        known = await options.askHeads();
      } catch (cause) {
        readOnly = new Fault('read_only', 'ledger', {
          expected: 'a head from a witness or a mirror',
          found: messageOf(cause),
          cause,
        });
      }
    }
    const start = await compareAtStart(sha256, store, guard, signer, known);
    const ledger = new Ledger(options, start.tree, await readTip(options, start.tree.size));
    for await (const row of store.views()) {
      const write = readViewRow(row);
      ledger.#tip.write([write]);
      ledger.#shown.write([write]);
    }
    ledger.#guard = start.guard;
    ledger.#readOnly = readOnly;
    const { size } = start.tree;
    if (size === 0) return ledger;
    if (start.guard !== undefined && start.guardSize === size) {
      ledger.#published = { size, root: start.tree.root(), note: start.guard };
    } else if (readOnly === undefined) {
      await ledger.#publishTree();
    } else {
      throw new Fault('read_only', 'ledger', {
        expected: `a head guard at ${size}, or a head from elsewhere before it is moved`,
        found: `a head guard at ${start.guardSize}`,
      });
    }
    return ledger;
  }

  /** Entries committed or waiting: the `seq` of the next one. */
  get nextSeq(): number {
    return this.#nextSeq;
  }

  /** What an entry that is appended now says of its time. */
  get nextAt(): TimeText {
    const now = formatTime(this.#options.now());
    return now > this.#lastAt ? now : this.#lastAt;
  }

  /** Leaf hash of entry 0; undefined before genesis. */
  get log(): HashHex | undefined {
    return this.#log;
  }

  get published(): Published | undefined {
    return this.#published;
  }

  /** Rows of everything appended so far: what a new draft must build on. */
  get tip(): ViewState {
    return this.#tip;
  }

  /** Rows of the published size: what readers are shown. */
  get shown(): ViewState {
    return this.#shown;
  }

  /** Why nothing can be written; undefined while it can. */
  get blocked(): Fault | undefined {
    return this.#stopped ?? this.#readOnly;
  }

  /**
   * Appends `drafts` as neighbours on top of the head that they were drafted on: `builtOn` entries.
   * Resolves when they are durable and under a head that the guard holds.
   *
   * Throws `wrong_head` when the log has moved on, `read_only`, `stopped`, `malformed` or
   * `too_large`; none of the drafts is taken up then.
   */
  async append(drafts: readonly EntryDraft[], builtOn: number): Promise<readonly Receipt[]> {
    if (this.blocked !== undefined) throw this.blocked;
    if (builtOn !== this.#nextSeq) {
      throw new Fault('wrong_head', 'append', {
        expected: `built on ${this.#nextSeq} entries`,
        found: `${builtOn}`,
      });
    }
    if (drafts.length === 0) return [];
    const made = this.#make(drafts);
    await new Promise<void>((resolve, reject) => {
      const bytes = made.reduce((sum, each) => sum + each.bytes.length, 0);
      this.#queue.push({ made, bytes, resolve, reject });
      this.#committing ??= this.#drain();
    });
    return made.map(({ receipt }) => receipt);
  }

  /** Resolves when nothing waits. */
  async idle(): Promise<void> {
    while (this.#committing !== undefined) await this.#committing;
  }

  /** Waits for what is under way and closes store and guard. */
  async close(): Promise<void> {
    this.#readOnly ??= new Fault('read_only', 'ledger', { found: 'it is closed' });
    await this.idle();
    await this.#options.store.close();
    await this.#options.guard.close();
  }

  /** The bytes of a tile or bundle of the published tree; undefined where it has none such. */
  async tile(tile: Tile): Promise<Uint8Array | undefined> {
    const size = this.#published?.size ?? 0;
    if (!hasTile(tile, size)) return undefined;
    const start = tile.index * TILE_WIDTH;
    if (tile.level === 'entries') {
      const entries: Uint8Array[] = [];
      for await (const entry of this.#options.store.entries(start, start + tile.width)) {
        entries.push(entry);
      }
      if (entries.length !== tile.width) {
        throw new Fault('ledger_corrupt', 'entry bundle', {
          at: `index ${tile.index}`,
          expected: `${tile.width} entries`,
          found: `${entries.length}`,
        });
      }
      return formatEntryBundle(entries);
    }
    const hashes = await this.#tileHashes(tile.level, tile.index);
    return formatHashTile(hashes.slice(0, tile.width));
  }

  /** The bytes of a published entry. */
  async entry(seq: number): Promise<Uint8Array | undefined> {
    return seq < (this.#published?.size ?? 0) ? this.#options.store.entry(seq) : undefined;
  }

  /** Looks at the tree in one turn: a tile that fills while the store is read must not be missed. */
  async #tileHashes(level: number, index: number): Promise<readonly Hash[]> {
    const edge = Math.floor(levelLength(level, this.#tree.size) / TILE_WIDTH);
    if (index === edge) return this.#tree.partial(level);
    const fresh = this.#fresh.get(`${level}/${index}`);
    if (fresh !== undefined) return fresh;
    const stored = await this.#options.store.tile(level, index);
    if (stored === undefined) {
      throw new Fault('ledger_corrupt', 'hash tile', {
        at: `level ${level}, index ${index}`,
        expected: 'a stored tile',
        found: 'none',
      });
    }
    return parseHashTile(stored, TILE_WIDTH);
  }

  /** Turns drafts into entries and folds them into the tip; a bad one leaves no trace. */
  #make(drafts: readonly EntryDraft[]): readonly Made[] {
    const { sha256 } = this.#options;
    const at = this.nextAt;
    let seq = this.#nextSeq;
    let prev = this.#prev;
    const made: Made[] = [];
    const said: KnownBody[] = [];
    for (const { kind, body } of drafts) {
      const known = this.#parseBody(kind, body as unknown as WireObject);
      if (known === undefined || (kind === 'genesis/1') !== (seq === 0)) {
        throw new Fault('malformed', 'entry', {
          at: `seq ${seq}`,
          expected: seq === 0 ? 'genesis/1 as the first entry' : 'a known kind other than genesis',
          found: kind,
        });
      }
      const bytes = formatEntry({ v: 1, seq, prev, at, kind, body: body as unknown as WireObject });
      const leaf = leafHash(sha256, bytes);
      prev = hashHex(leaf);
      made.push({ seq, bytes, leaf, receipt: { seq, leaf: prev }, writes: [] });
      said.push(known);
      seq += 1;
    }
    // Everything is well formed: from here on nothing throws.
    for (const [i, each] of made.entries()) {
      this.#log ??= each.receipt.leaf;
      const entry = { ...(said[i] as KnownBody), seq: each.seq, at, log: this.#log };
      each.writes = foldEntry(entry, this.#tip, sha256);
      this.#tip.write(each.writes);
    }
    this.#nextSeq = seq;
    this.#prev = prev;
    this.#lastAt = at;
    return made;
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
    const entries = batch.flatMap(({ made }) => made);
    const tiles: TileRow[] = [];
    const rows = new Map<string, ViewWrite>();
    for (const { leaf, writes } of entries) {
      for (const { level, index, hashes } of this.#tree.append(leaf)) {
        this.#fresh.set(`${level}/${index}`, hashes);
        tiles.push({ level, index, bytes: formatHashTile(hashes) });
      }
      for (const write of writes) rows.set(`${write.table}\0${write.key}`, write);
    }
    const root = this.#tree.root();
    await this.#options.store.commit({
      entries,
      tiles,
      views: [...rows.values()].map(viewRow),
      head: formatHead({ size: this.#tree.size, root: hashHex(root) }),
    });
    await this.#swapGuard(root);
    this.#fresh.clear();
    this.#shown.write(rows.values());
    this.#show(root, new Set([...rows.values()].map(({ table }) => table)));
    for (const { resolve } of batch) resolve();
  }

  async #swapGuard(root: Hash): Promise<void> {
    const note = this.#options.signer.sign(this.#tree.size, root);
    await this.#options.guard.swap(this.#guard, note);
    this.#guard = note;
  }

  /** Completes a commit that was cut short before its head reached the guard. */
  async #publishTree(): Promise<void> {
    const root = this.#tree.root();
    await this.#swapGuard(root);
    this.#show(root, new Set());
  }

  #show(root: Hash, tables: ReadonlySet<string>): void {
    this.#published = { size: this.#tree.size, root, note: this.#guard as Uint8Array };
    try {
      this.#options.onPublish?.(this.#published, tables);
    } catch (error) {
      // The commit is done: what a listener does wrong must not look like a failed write.
      queueMicrotask(() => {
        throw error;
      });
    }
  }

  #stop(cause: unknown, batch: readonly Pending[]): void {
    this.#stopped = new Fault('stopped', 'ledger', {
      expected: 'a restart, which compares database and guard',
      found: messageOf(cause),
      cause,
    });
    for (const { reject } of [...batch, ...this.#queue]) reject(this.#stopped);
    this.#queue = [];
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

function readViewRow({ table, key, value }: ViewRow): ViewWrite {
  try {
    return { table, key, value: parseWire(value) };
  } catch (cause) {
    throw new Fault('ledger_corrupt', 'view row', {
      at: `${table} ${key}`,
      expected: 'canonical JSON: rebuild derives the views anew',
      found: messageOf(cause),
      cause,
    });
  }
}

function viewRow({ table, key, value }: ViewWrite): ViewRow {
  return { table, key, value: formatWire(value) };
}
