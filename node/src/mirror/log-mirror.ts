import type { ChangedTables, LogRecord } from '../ledger/record.ts';
import { equalBytes } from '@assay/core/bytes/bytes';
import type { ForkEvidence } from '@assay/core/proof/evidence';
import type { Fault } from '@assay/core/fault';
import { type Hash, hashHex, type HashHex, leafHash, type Sha256 } from '@assay/core/hash/hash';
import { formatNoteKey, NOTE_COSIGNATURE, type NoteKey } from '@assay/core/log/note';
import type { Tile } from '@assay/core/log/tile';
import { type CheckpointTerm, signingTerms } from '@assay/core/view/key/checkpoint-keys';
import type { ViewState } from '@assay/core/view/view';
import { accuseWitnesses } from '@assay/verifier/evidence/evidence-tree';
import type { BlobStore } from '../blob/blob-store.ts';
import type { NoteSlot } from '../ledger/guard/note-slot.ts';
import type { Published, Repaired } from '../ledger/ledger.ts';
import type { LedgerStore } from '../ledger/store/store.ts';
import type { StoredLog } from '../ledger/store/stored-log.ts';
import { nodeVerifySignatureAsync } from '../platform/node-signature.ts';
import type { ClosingPlace } from './closing-place.ts';
import { endOf, type EntryReader, entryReader, type ReadEntry } from './entry-chain.ts';
import { newBundles } from './head-bundles.ts';
import { HeadPath, type Target } from './head-path.ts';
import type { HeadTiles } from './head-tiles.ts';
import { KeyRows } from './key-rows.ts';
import { logDiffers, requireStored } from './log-differs.ts';
import { MirrorBlobs } from './mirror-blobs.ts';
import { MirrorForks } from './mirror-forks.ts';
import { MirrorHeads } from './mirror-heads.ts';
import { MirrorStore } from './mirror-store.ts';
import {
  joinLines,
  type MirroredNote,
  type MirrorWitnesses,
  witnessesOf,
} from './mirrored-note.ts';
import { type MirrorReader, ServedLog } from './served-log.ts';

export interface LogMirrorOptions {
  readonly reader: MirrorReader;
  readonly store: LedgerStore;
  /** The memory of the newest head that was accepted. It never goes back. */
  readonly accepted: NoteSlot;
  /** Where fetched bytes are stored; null if none are fetched. */
  readonly blobs: BlobStore | null;
  /**
   * A checkpoint key of the log, whose name is the log's origin: any that was ever in force. The keys before and after it
   * follow from the entries.
   */
  readonly key: NoteKey;
  /** Where the closing heads of the keys that ended are kept. */
  readonly closing: ClosingPlace;
  /** The leaf hash of entry 0; null to accept the first that the key signs, and to keep it. */
  readonly logId: HashHex | null;
  readonly sha256: Sha256;
  /** No head is followed without their lines; null if the publisher's own signature is enough. */
  readonly witnesses: MirrorWitnesses | null;
  /**
   * The witnesses whose lines are stored before any others, the newest of each. The default is those of
   * `witnesses`.
   */
  readonly listed?: readonly NoteKey[];
  /**
   * Called, before `follow` resolves, when the log's key signed two histories. It may be called again after a
   * crash.
   */
  readonly onFork: (evidence: ForkEvidence) => void | Promise<void>;
  /**
   * Called with each head whose entries are all here, and the tables that they changed, in the turn in which it is
   * shown. None if only its lines are others. Called again if its rows were derived again.
   */
  readonly onHeld?: (published: Published, tables: ChangedTables) => void;
  /** Called with what was derived from the entries again. */
  readonly onRepaired?: (repaired: Repaired) => void;
  /** What the copy may hold. Without it, everything that the log's key signs. */
  readonly limits?: CopyLimits;
  /** About how many entries are in one commit. */
  readonly batchEntries?: number;
  /** About how many entries one poll copies; the next continues after them. Without it, all that there are. */
  readonly mostEntries?: number;
}

/** What a copy may hold, because a log's key may sign anything, of any length. */
export interface CopyLimits {
  readonly entries: number;
  /** The bytes of all entries, and as many again for the bytes that the log names. */
  readonly bytes: number;
}

/**
 * The result of one poll. `size` is the number of entries held afterwards, and `grew` how many of them are new:
 * none if the limit of entries was reached before the head.
 */
export type Followed =
  | { readonly kind: 'followed'; readonly size: number; readonly grew: number }
  /** The server showed an older head, with `head` entries. */
  | { readonly kind: 'behind'; readonly size: number; readonly grew: 0; readonly head: number }
  /** The newest head has the lines of `have` witnesses, which are too few. */
  | { readonly kind: 'unwitnessed'; readonly size: number; readonly grew: 0; readonly have: number }
  /** The newest head has more than the copy may hold, which is `limit`. */
  | { readonly kind: 'full'; readonly size: number; readonly grew: 0; readonly limit: string }
  | {
      readonly kind: 'forked';
      readonly size: number;
      readonly grew: 0;
      readonly evidence: ForkEvidence;
    };

const NO_TABLES: ReadonlySet<string> = new Set();
const MAX_COMMIT_ENTRIES = 4096;
const MAX_COMMIT_BYTES = 8 * 1024 * 1024;

/**
 * A copy of a log that somebody else signs, which is checked as it is made: nothing is stored unless it is
 * under a head with a valid signature, continues the chain and has the right format. A head is remembered
 * before its entries are fetched, and only if it extends the one before. So whoever shows this mirror two
 * histories has given it the proof.
 *
 * A head that the checkpoint key in force has not signed is reached over the closing heads of the keys that ended, as the
 * spec's page on checkpoint keys says: each next key was promised under a head that is believed already.
 */
export class LogMirror implements LogRecord {
  readonly #options: LogMirrorOptions;
  readonly #served: ServedLog;
  readonly #readEntry: EntryReader;
  readonly #local: MirrorStore;
  readonly #heads: MirrorHeads;
  readonly #forks: MirrorForks;
  readonly #path: HeadPath;
  readonly #blobs: MirrorBlobs | undefined;
  #published: Published | undefined;
  #following: Promise<Followed> | undefined;
  #taking: Promise<boolean> | undefined;
  /** The limit that was reached, after which nothing more is fetched. */
  #full: string | undefined;

  private constructor(options: LogMirrorOptions, local: MirrorStore) {
    const { reader, sha256, key, accepted, closing, blobs, limits } = options;
    const { witnesses, listed = witnesses?.keys ?? [] } = options;
    this.#options = options;
    this.#local = local;
    this.#served = new ServedLog(reader, sha256);
    this.#readEntry = entryReader(sha256, options.logId);
    this.#heads = new MirrorHeads({ sha256, key, accepted, closing, listed }, local);
    this.#forks = new MirrorForks(sha256, local, this.#heads);
    this.#path = new HeadPath({
      sha256,
      key,
      served: this.#served,
      local,
      heads: this.#heads,
      forks: this.#forks,
      readEntry: this.#readEntry,
      closing,
      size: () => this.size,
    });
    this.#blobs =
      blobs === null
        ? undefined
        : new MirrorBlobs({ reader, sha256, blobs, maxBytes: limits?.bytes });
  }

  /**
   * Opens what has been copied so far. Throws `ledger_corrupt` if it contradicts itself, `ledger_differs` if it
   * is another log than the pinned one or the accepted head's, `guard_conflict` if the accepted head is older
   * than what is stored, and `storage_failed`.
   */
  static async open(options: LogMirrorOptions): Promise<LogMirror> {
    const { sha256, store, logId } = options;
    let showAgain = (): void => undefined;
    const local = await MirrorStore.open(sha256, store, 'before', (repaired) => {
      options.onRepaired?.(repaired);
      if (repaired.part === 'row') showAgain();
    });
    const mirror = new LogMirror(options, local);
    showAgain = () => mirror.#showAgain();
    if (logId !== null && local.log !== undefined && local.log !== logId) {
      throw logDiffers('log id', logId, local.log);
    }
    await mirror.#heads.open();
    const newest = mirror.#heads.seen;
    if (newest === undefined) return mirror;
    const shown = newest.checkpoint.size === local.size ? newest : mirror.#heads.held([]);
    if (shown === undefined) {
      await local.show(0);
      return mirror;
    }
    const { size, root } = shown.checkpoint;
    const own = await local.rootAt(size);
    if (!equalBytes(own, root)) throw logDiffers(`size ${size}`, hashHex(root), hashHex(own));
    await local.show(size);
    mirror.#published = { size, root, note: shown.bytes };
    return mirror;
  }

  /** What is stored, for the scrub, which may run while it is in use. */
  get stored(): StoredLog {
    return this.#local.stored;
  }

  /** The name of the log in its checkpoints. */
  get origin(): string {
    return this.#options.key.name;
  }

  /** The newest head whose entries are all here; undefined before the first. */
  get published(): Published | undefined {
    return this.#published;
  }

  get shown(): ViewState {
    return this.#local.shown;
  }

  /** The rows of what is held, which are also called `shown`. */
  get views(): ViewState {
    return this.#local.shown;
  }

  get blocked(): Fault | undefined {
    if (this.#local.fork !== undefined) return logDiffers('log', 'one history', 'two, both signed');
    return this.#local.stopped;
  }

  /** The evidence that the log's key signed another history; undefined while it has one. */
  get fork(): ForkEvidence | undefined {
    return this.#local.fork;
  }

  /** The number of entries that are held. */
  get size(): number {
    return this.#published?.size ?? 0;
  }

  get root(): Hash | undefined {
    return this.#published?.root;
  }

  /** The checkpoint keys that are believed, each with its number; none before one has a place in the log. */
  get terms(): readonly CheckpointTerm[] {
    return this.#heads.keys.terms;
  }

  /** The checkpoint key that signs a head of `size`, as far as is known here. */
  readonly keyOf = (size: number): NoteKey => this.#heads.keys.of(size)[0];

  /** The closing head of a checkpoint key that ended; undefined for any other, and while it is not here. */
  closingHead(number: number): Promise<Uint8Array | undefined> {
    return this.#heads.closingHead(number);
  }

  /** The signed head of what is held. */
  get note(): Uint8Array | undefined {
    return this.#published?.note;
  }

  /** The leaf hash of entry 0; undefined before it is held. */
  get log(): HashHex | undefined {
    return this.size === 0 ? undefined : this.#local.log;
  }

  /** The bytes of an entry that is held. */
  async entry(seq: number): Promise<Uint8Array | undefined> {
    return seq < this.size ? this.#local.entry(seq) : undefined;
  }

  /** Entries `start` to `end - 1`, as far as they are held. Throws `ledger_corrupt`. */
  entries(start: number, end: number): AsyncGenerator<Uint8Array> {
    return this.#local.entries(start, Math.min(end, this.size));
  }

  /** The keys of a table of the rows, some of which may belong to entries that are not held yet. */
  rowKeys(table: string): AsyncGenerator<string> {
    return this.#local.rowKeys(table);
  }

  readonly tile = (tile: Tile): Promise<Uint8Array | undefined> =>
    this.#local.tile(tile, this.size);

  /**
   * Bytes that the log names, from here or from the publisher; their hash shows that they are the right ones.
   * With the `seq` of an entry that names them they come from packs, as long as there is much to catch up with. Throws
   * `blob_missing`, `blob_differs`, `copy_full` if there is no space for them, or what the reader throws.
   */
  async blob(hash: HashHex, seq?: number): Promise<Uint8Array> {
    if (this.#blobs === undefined) {
      throw new TypeError('LogMirror.blob: a mirror without a blob store');
    }
    return this.#blobs.read(hash, seq, this.size);
  }

  /**
   * Polls the log once and copies everything new. A second call while one is under way returns the same
   * promise. What a failed poll has committed remains, and is not fetched again.
   *
   * Throws what the reader throws; `bad_note`, `bad_proof`, `bad_length` for what is not what the key signed;
   * `not_canonical`, `malformed`, `ledger_corrupt` and so on (see `readNext`) for signed entries that are no
   * log, including a report key that nobody admitted; `ledger_differs` for another log than the pinned one;
   * `stopped` once a write failed.
   */
  follow(signal?: AbortSignal): Promise<Followed> {
    this.#following ??= this.#afterTaking(() => this.#poll(signal)).finally(() => {
      this.#following = undefined;
    });
    return this.#following;
  }

  /**
   * Takes a head and the entries from what is held up to it, as whoever publishes them has sent them, in place of a
   * poll: nothing is fetched. The root is computed from the entries and from what is held, so a head that it fits
   * extends what was accepted. Resolves to false where they do not continue what is held, or do not fit, so that
   * nothing was taken: `follow` finds out why, and whether there are two histories.
   *
   * Throws as `follow` does for what the key has not signed, and for signed entries that are no log.
   */
  take(given: Uint8Array, start: number, entries: readonly Uint8Array[]): Promise<boolean> {
    const before = Promise.allSettled([this.#following, this.#taking]);
    const taking = before.then(() => this.#take(given, start, entries));
    this.#taking = taking;
    return taking.finally(() => {
      if (this.#taking === taking) this.#taking = undefined;
    });
  }

  /** Runs `work` when nothing is being taken. */
  #afterTaking<T>(work: () => Promise<T>): Promise<T> {
    return this.#taking === undefined ? work() : this.#taking.then(work, work);
  }

  /**
   * Why a checkpoint must not be vouched for: the log has two histories, this is of another history than the accepted
   * head, or the key in force for its size has not signed it. Undefined if nothing is known against it. Throws for what
   * is no checkpoint.
   */
  async objection(given: Uint8Array): Promise<string | undefined> {
    if (this.#local.fork !== undefined) return 'the key of this log has signed two histories';
    const head = this.#heads.signed(given);
    if (head === undefined) return 'the key that signs heads of its size has not signed it';
    const own = await this.#heads.ownRoot(head.checkpoint);
    if (own === undefined || equalBytes(own, head.checkpoint.root)) return undefined;
    // The next poll makes the evidence from it.
    this.#forks.bring(head);
    return `another history than the log has shown at ${head.checkpoint.size}`;
  }

  /** Waits for a poll that is under way, and closes the store and the memory of heads. */
  async close(): Promise<void> {
    await this.#following?.catch(() => undefined);
    await this.#local.close();
    await this.#options.accepted.close();
  }

  async #take(given: Uint8Array, start: number, entries: readonly Uint8Array[]): Promise<boolean> {
    const { witnesses, sha256, limits } = this.#options;
    if (this.#local.stopped !== undefined) throw this.#local.stopped;
    const head = this.#heads.signed(given);
    // It may be of the next checkpoint key.
    if (head === undefined) return false;
    const { size, root } = head.checkpoint;
    const seen = this.#heads.seen;
    const isNext =
      this.#local.fork === undefined &&
      limits === undefined &&
      seen?.checkpoint.size === this.size &&
      this.#local.size === this.size &&
      start === this.size &&
      start + entries.length === size;
    if (!isNext || size === 0) return false;
    if (witnesses !== null && witnessesOf(head, witnesses) < witnesses.required) return false;
    const leaves = entries.map((entry) => leafHash(sha256, entry));
    if (!equalBytes(this.#local.rootWith(leaves), root)) return false;
    if (entries.length === 0) {
      const joined = joinLines(head, seen, this.#heads.listed);
      await this.#heads.accept(joined);
      this.#show({ size, root, note: joined.bytes }, NO_TABLES);
      return true;
    }
    let end = this.#local.end;
    const reads: ReadEntry[] = [];
    for (const [i, entry] of entries.entries()) {
      const read = this.#readEntry(end, entry, leaves[i] as Hash);
      // Whether a key may follow depends on the rows of everything before it: `follow` goes step by step.
      if (read.known?.kind === 'key/1' || read.known?.kind === 'key/2') return false;
      reads.push(read);
      end = endOf(read);
    }
    await this.#heads.accept(head);
    await this.#local.commit(reads, head.bytes, (tables) => {
      this.#show({ size, root, note: head.bytes }, tables);
    });
    return true;
  }

  async #poll(signal: AbortSignal | undefined): Promise<Followed> {
    if (this.#local.stopped !== undefined) throw this.#local.stopped;
    const { size: before } = this;
    const { fork } = this.#local;
    if (fork !== undefined) return { kind: 'forked', size: before, grew: 0, evidence: fork };
    const known = await this.#forks.waiting();
    if (known !== undefined) return this.#forked(known);
    const given = await this.#served.checkpoint(signal);
    for (;;) {
      const target = await this.#path.target(given, signal);
      if ('kind' in target) return this.#forked(target);
      const followed = await this.#step(target, signal);
      if (followed.kind !== 'followed') return followed;
      const isWhole = this.size === target.head.checkpoint.size;
      if (isWhole) {
        const evidence = await this.#path.keepClosing(signal);
        if (evidence !== undefined) return this.#forked(evidence);
      }
      if (target.isNewest || !isWhole) return { ...followed, grew: this.size - before };
    }
  }

  async #step({ head, given, isNewest }: Target, signal?: AbortSignal): Promise<Followed> {
    const { witnesses, sha256 } = this.#options;
    const { size: before } = this;
    const { size } = head.checkpoint;
    const seen = this.#heads.seen;
    if (seen !== undefined && size <= seen.checkpoint.size) {
      const evidence = await this.#forks.older(head);
      if (evidence !== undefined) return this.#forked(evidence);
      if (size < seen.checkpoint.size) {
        await this.#forks.keep(head);
        return { kind: 'behind', size: before, grew: 0, head: size };
      }
    }
    if (size === 0) return { kind: 'followed', size: 0, grew: 0 };
    if (witnesses !== null) {
      // The lines on a head of the past are of that time.
      const maxAgeS = isNewest ? witnesses.maxAgeS : null;
      const have = witnessesOf(head, { ...witnesses, maxAgeS });
      if (have < witnesses.required) return { kind: 'unwitnessed', size: before, grew: 0, have };
    }
    if (size === before) {
      const joined = seen === undefined ? head : joinLines(head, seen, this.#heads.listed);
      await this.#heads.accept(joined);
      this.#show({ size, root: head.checkpoint.root, note: joined.bytes }, NO_TABLES);
      return { kind: 'followed', size, grew: 0 };
    }
    const tiles = await this.#served.tilesOf(head.checkpoint, signal);
    const evidence = await this.#forks.extension(head, tiles);
    if (evidence !== undefined) return this.#forked(evidence);
    await requireStored(sha256, this.#local, tiles);
    // Remembered before anything of it is fetched, so that a second history is compared with it, whatever
    // happens.
    if (seen !== undefined) await this.#heads.accept(head);
    await this.#copy({ head, given, isNewest }, tiles, seen, signal);
    if (this.#full !== undefined) return { kind: 'full', size: before, grew: 0, limit: this.#full };
    const older = await this.#forks.waiting();
    if (older !== undefined) return this.#forked(older);
    return { kind: 'followed', size: this.size, grew: this.size - before };
  }

  async #copy(
    target: Target,
    tiles: HeadTiles,
    seen: MirroredNote | undefined,
    signal: AbortSignal | undefined,
  ): Promise<void> {
    const {
      sha256,
      batchEntries = MAX_COMMIT_ENTRIES,
      mostEntries = Infinity,
      limits,
    } = this.#options;
    const { size, root } = target.head.checkpoint;
    if (limits !== undefined && size > limits.entries) this.#full = `${limits.entries} entries`;
    if (this.#full !== undefined) return;
    let { head } = target;
    let batch: ReadEntry[] = [];
    let bytes = 0;
    let end = this.#local.end;
    const begun = end.size;
    const keys = new KeyRows(sha256, this.#local.tip, this.#local.log);
    let isPlaced = this.#heads.keys.terms.length > 0;
    const commit = async (note: Uint8Array | undefined): Promise<void> => {
      if (this.#heads.seen === undefined) await this.#heads.accept(head);
      await this.#local.commit(batch, note, (tables) => {
        this.#show({ size, root, note: head.bytes }, tables);
      });
      batch = [];
      bytes = 0;
    };
    const most = end.size + mostEntries;
    const fetchBundle = this.#served.tileReader(signal);
    for await (const entries of newBundles(sha256, fetchBundle, tiles, this.#local.size, size)) {
      for (const { leaf, entry } of entries) {
        const read = this.#readEntry(end, entry, leaf);
        if (keys.take(read)) {
          isPlaced = false;
          if (this.#hasEnded(head, keys.terms)) {
            // It is no head of this log, so it is forgotten, unless something was stored under it.
            if (seen !== undefined && this.#local.size === begun) await this.#heads.accept(seen);
            throw this.#heads.unsigned(size);
          }
        }
        batch.push(read);
        bytes += entry.length;
        end = endOf(read);
      }
      if (limits !== undefined && this.#local.bytes + bytes > limits.bytes) {
        this.#full = `${limits.bytes} bytes`;
        return;
      }
      const whole = end.size === size;
      if (!whole && batch.length < batchEntries && bytes < MAX_COMMIT_BYTES) continue;
      if (whole && !isPlaced) head = await this.#requireKeys(target, keys.terms);
      await commit(whole ? head.bytes : undefined);
      if (!whole && end.size >= most) return;
    }
    // What a run before this one copied whole and did not come to show.
    if (this.size !== size) this.#show({ size, root, note: head.bytes }, NO_TABLES);
  }

  /** Whether the key by which a head is believed has a place among these terms, and may not sign it. */
  #hasEnded({ keys, checkpoint }: MirroredNote, terms: readonly CheckpointTerm[]): boolean {
    const vkey = this.#heads.vkeyOf(keys[0]);
    const isKnown = terms.some((each) => each.vkey === vkey);
    return isKnown && !signingTerms(terms, checkpoint.size).some((each) => each.vkey === vkey);
  }

  /**
   * A head whose entries are all read, with the lines of the keys that these give it. Throws `ledger_differs` if the
   * log has no place for the key by which it is believed, and `bad_note` without a line of the key of its size.
   */
  async #requireKeys(
    { head, given }: Target,
    terms: readonly CheckpointTerm[],
  ): Promise<MirroredNote> {
    const vkey = this.#heads.vkeyOf(head.keys[0]);
    if (!terms.some((each) => each.vkey === vkey)) {
      throw logDiffers('checkpoint keys', vkey, terms.map((each) => each.vkey).join(', '));
    }
    const { size } = head.checkpoint;
    const [key, ...also] = this.#heads.keys.among(terms, size);
    if (key === undefined) throw this.#heads.unsigned(size);
    const found = this.#heads.openBy([key, ...also], given);
    if (this.#heads.seen !== undefined) await this.#heads.accept(found);
    return found;
  }

  #show(published: Published, tables: ChangedTables): void {
    this.#published = published;
    this.#options.onHeld?.(published, tables);
  }

  /** Rows that readers were shown have become others, without another head. */
  #showAgain(): void {
    if (this.#published !== undefined) this.#show(this.#published, 'all');
  }

  async #forked(evidence: ForkEvidence): Promise<Followed> {
    const { sha256, onFork } = this.#options;
    const accused = await accuseWitnesses(
      evidence,
      this.#heads.listed.map(({ name, publicKey }) =>
        formatNoteKey(sha256, name, publicKey, NOTE_COSIGNATURE),
      ),
      { sha256, verifySignature: nodeVerifySignatureAsync },
    );
    await onFork(accused);
    await this.#local.keepFork(accused);
    return { kind: 'forked', size: this.size, grew: 0, evidence: accused };
  }
}
