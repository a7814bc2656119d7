import { equalBytes } from '@assay/core/bytes/bytes';
import type { ForkEvidence } from '@assay/core/proof/evidence';
import { Fault, faultCode } from '@assay/core/fault';
import {
  contentHash,
  type Hash,
  hashHex,
  type HashHex,
  leafHash,
  type Sha256,
} from '@assay/core/hash/hash';
import { bodyParser, type BodyParser } from '@assay/core/kind/kinds';
import { MAX_PAGE_BYTES } from '@assay/core/limits';
import type { Checkpoint } from '@assay/core/log/checkpoint';
import { formatNoteKey, NOTE_COSIGNATURE, type NoteKey, parseNoteKey } from '@assay/core/log/note';
import { formatTilePath, type Tile } from '@assay/core/log/tile';
import {
  type CheckpointTerm,
  MAX_CLOSING_LAG,
  promisedCheckpointKey,
  signingTerms,
} from '@assay/core/view/checkpoint-keys';
import type { ViewState } from '@assay/core/view/view';
import { accuseWitnesses } from '@assay/verifier/evidence/evidence-tree';
import { closingHeadPath } from '@assay/verifier/trust/closing-head';
import type { BlobStore } from '../blob/blob-store.ts';
import type { NoteSlot } from '../ledger/guard/note-slot.ts';
import type { Published, Repaired } from '../ledger/ledger.ts';
import type { LogRecord } from '../ledger/record.ts';
import type { LedgerStore } from '../ledger/store/store.ts';
import { nodeVerifySignatureAsync } from '../platform/node-signature.ts';
import { rangeHash } from '../ledger/tree-reader.ts';
import type { ClosingPlace } from './closing-place.ts';
import { type ChainEnd, endOf, type ReadEntry, readNext } from './entry-chain.ts';
import { newBundles } from './head-bundles.ts';
import { extensionFork, olderFork } from './fork-proof.ts';
import { HeadKeys } from './head-keys.ts';
import { HeadTiles } from './head-tiles.ts';
import { KeyRows } from './key-rows.ts';
import { MAX_OLDER } from './mirror-rows.ts';
import type { StoredLog } from '../ledger/store/stored-log.ts';
import { MirrorStore } from './mirror-store.ts';
import { PackedBytes } from './packed-bytes.ts';
import {
  joinLines,
  type MirroredNote,
  type MirrorWitnesses,
  openMirrored,
  openSigned,
  saidCheckpoint,
  witnessesOf,
} from './mirrored-note.ts';

/** Where a log is read from. Its answers are not trusted. */
export interface MirrorReader {
  /**
   * The answer for a path that begins with a slash. Every answer is limited: throws `too_large` over
   * `maxBytes`, `timeout`, and `unreachable` if there is none.
   */
  readonly get: (
    path: string,
    maxBytes: number,
    signal?: AbortSignal,
  ) => Promise<{ readonly status: number; readonly body: Uint8Array }>;
}

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
   * shown. None if only its lines are others.
   */
  readonly onHeld?: (published: Published, tables: ReadonlySet<string>) => void;
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
const MAX_NOTE_BYTES = 65_536;
/** The most closing heads that are asked for to find the one that a key of an unknown number has signed. */
const MAX_CLOSING = 1024;
/** How many heads others may submit between two polls. */
const MAX_BROUGHT = 16;
const MAX_COMMIT_ENTRIES = 4096;
const MAX_COMMIT_BYTES = 8 * 1024 * 1024;

/** A head to go to in one step. */
interface Target {
  readonly head: MirroredNote;
  /** The note as it was served. */
  readonly given: Uint8Array;
  /** Whether it is the newest head of the server, and not one on the way there. */
  readonly isNewest: boolean;
}

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
  readonly #parseBody: BodyParser;
  readonly #local: MirrorStore;
  readonly #keys: HeadKeys;
  /** The newest head that was accepted. */
  #seen: MirroredNote | undefined;
  #published: Published | undefined;
  #following: Promise<Followed> | undefined;
  #taking: Promise<boolean> | undefined;
  /** The limit that was reached, after which nothing more is fetched. */
  #full: string | undefined;
  /** Heads of another history that others have submitted, for the next poll. */
  readonly #brought: MirroredNote[] = [];
  readonly #fetching = new Map<HashHex, Promise<Uint8Array>>();
  readonly #packed: PackedBytes;
  /** How many bytes that the log names are stored. They are counted at the first request. */
  #kept: Promise<{ bytes: number }> | undefined;

  private constructor(options: LogMirrorOptions, local: MirrorStore) {
    this.#options = options;
    this.#packed = new PackedBytes(options.reader, options.sha256);
    this.#parseBody = bodyParser(options.sha256);
    this.#local = local;
    this.#keys = new HeadKeys(options.sha256, options.key, () => local.tip, local.learned);
  }

  /**
   * Opens what has been copied so far. Throws `ledger_corrupt` if it contradicts itself, `ledger_differs` if it
   * is another log than the pinned one or the accepted head's, `guard_conflict` if the accepted head is older
   * than what is stored, and `storage_failed`.
   */
  static async open(options: LogMirrorOptions): Promise<LogMirror> {
    const { sha256, store, accepted, logId } = options;
    const local = await MirrorStore.open(sha256, store, 'before', options.onRepaired);
    const mirror = new LogMirror(options, local);
    if (logId !== null && local.log !== undefined && local.log !== logId) {
      throw differs('log id', logId, local.log);
    }
    const note = await accepted.read();
    const seen = note === undefined ? undefined : mirror.#openStored(note, []);
    const held = local.held === undefined ? undefined : mirror.#openStored(local.held, []);
    const newest = (seen?.checkpoint.size ?? 0) >= (held?.checkpoint.size ?? 0) ? seen : held;
    if (newest === undefined || newest.checkpoint.size < local.size) {
      if (local.size === 0) return mirror;
      throw new Fault('guard_conflict', 'accepted head', {
        expected: `a head of at least ${local.size} entries, which are stored`,
        found: newest === undefined ? 'none' : `${newest.checkpoint.size}`,
      });
    }
    if (newest !== seen) await accepted.swap(note, newest.bytes);
    mirror.#seen = newest;
    const shown = newest.checkpoint.size === local.size ? newest : held;
    if (shown === undefined) {
      await local.show(0);
      return mirror;
    }
    const { size, root } = shown.checkpoint;
    const own = await local.rootAt(size);
    if (!equalBytes(own, root)) throw differs(`size ${size}`, hashHex(root), hashHex(own));
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
    if (this.#local.fork !== undefined) return differs('log', 'one history', 'two, both signed');
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
    return this.#keys.terms;
  }

  /** The checkpoint key that signs a head of `size`, as far as is known here. */
  readonly keyOf = (size: number): NoteKey => this.#keys.of(size)[0];

  /** The closing head of a checkpoint key that ended; undefined for any other, and while it is not here. */
  async closingHead(number: number): Promise<Uint8Array | undefined> {
    const hasEnded = this.terms.some((each) => each.number === number && each.last_size !== null);
    return hasEnded ? this.#options.closing.read(number) : undefined;
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

  readonly tile = (tile: Tile): Promise<Uint8Array | undefined> =>
    this.#local.tile(tile, this.size);

  /**
   * Bytes that the log names, from here or from the publisher; their hash shows that they are the right ones.
   * With the `seq` of an entry that names them they come from packs, as long as there is much to catch up with. Throws
   * `blob_missing`, `blob_differs`, `copy_full` if there is no space for them, or what the reader throws.
   */
  async blob(hash: HashHex, seq?: number): Promise<Uint8Array> {
    const { blobs } = this.#options;
    if (blobs === null) throw new TypeError('LogMirror.blob: a mirror without a blob store');
    const own = await blobs.get(hash).catch((error: unknown) => {
      if (faultCode(error) === 'blob_differs') return undefined;
      throw error;
    });
    if (own !== undefined) return own;
    let fetching = this.#fetching.get(hash);
    if (fetching === undefined) {
      fetching = this.#fetchBlob(hash, seq, blobs).finally(() => this.#fetching.delete(hash));
      this.#fetching.set(hash, fetching);
    }
    return fetching;
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
    const head = this.#signed(given);
    if (head === undefined) return 'the key that signs heads of its size has not signed it';
    const own = await this.#ownRoot(head.checkpoint);
    if (own === undefined || equalBytes(own, head.checkpoint.root)) return undefined;
    // The next poll makes the evidence from it.
    if (this.#brought.length < MAX_BROUGHT) this.#brought.push(head);
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
    const head = this.#signed(given);
    // It may be of the next checkpoint key.
    if (head === undefined) return false;
    const { size, root } = head.checkpoint;
    const seen = this.#seen;
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
      const joined = joinLines(head, seen, this.#listed);
      await this.#accept(joined);
      this.#show({ size, root, note: joined.bytes }, NO_TABLES);
      return true;
    }
    let end = this.#local.end;
    const reads: ReadEntry[] = [];
    for (const [i, entry] of entries.entries()) {
      const read = this.#readNext(end, entry, leaves[i] as Hash);
      // Whether a key may follow depends on the rows of everything before it: `follow` goes step by step.
      if (read.known?.kind === 'key/1' || read.known?.kind === 'key/2') return false;
      reads.push(read);
      end = endOf(read);
    }
    await this.#accept(head);
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
    const known = await this.#olderForks();
    if (known !== undefined) return this.#forked(known);
    const given = await this.#get('/checkpoint', MAX_NOTE_BYTES, signal);
    for (;;) {
      const target = await this.#target(given, signal);
      if ('kind' in target) return this.#forked(target);
      const followed = await this.#step(target, signal);
      if (followed.kind !== 'followed') return followed;
      const isWhole = this.size === target.head.checkpoint.size;
      if (isWhole) {
        const evidence = await this.#keepClosing(signal);
        if (evidence !== undefined) return this.#forked(evidence);
      }
      if (target.isNewest || !isWhole) return { ...followed, grew: this.size - before };
    }
  }

  /**
   * What the way to the newest head, which is `given`, begins with: the head itself where a key that is believed signs
   * it. Otherwise what is accepted and not yet here, then the closing head of the key in force, and then the head under
   * which the next key comes. Resolves with the evidence where one of these is of another history. Throws `bad_note` for
   * a head to which no key leads.
   */
  async #target(
    given: Uint8Array,
    signal: AbortSignal | undefined,
  ): Promise<Target | ForkEvidence> {
    const newest = this.#signed(given);
    if (newest !== undefined) return { head: newest, given, isNewest: true };
    const seen = this.#seen;
    const { size } = saidCheckpoint(given);
    const { terms } = this.#keys;
    const force = terms.at(-1);
    if (force !== undefined && size <= force.above) throw this.#unsigned(size);
    const beyond = await this.#beyond(given, signal);
    if (beyond !== undefined) return beyond;
    if (seen !== undefined && this.size < seen.checkpoint.size) {
      return { head: seen, given: seen.bytes, isNewest: false };
    }
    const closing =
      force === undefined
        ? await this.#firstClosing(signal)
        : await this.#fetchClosing(force.number, signal);
    const head = closing === undefined ? undefined : this.#open(closing);
    if (closing !== undefined && head !== undefined) {
      const isNext = seen === undefined || head.checkpoint.size > seen.checkpoint.size;
      if (isNext) return { head, given: closing, isNewest: false };
      const evidence = await this.#olderFork(head);
      if (evidence !== undefined) return evidence;
    }
    return this.#nextKey(given, signal);
  }

  /** The head that brings the next key and is signed by it: the closing head of that key, or else the newest. */
  async #nextKey(newest: Uint8Array, signal: AbortSignal | undefined): Promise<Target> {
    const { sha256 } = this.#options;
    const { size: said } = saidCheckpoint(newest);
    const force = this.#keys.terms.at(-1);
    if (force === undefined) throw this.#unsigned(said);
    const number = force.number + 1;
    if (promisedCheckpointKey(this.#local.tip, number) === undefined) throw this.#unsigned(said);
    const closing = await this.#fetchClosing(number, signal);
    const given = closing ?? newest;
    const checkpoint = saidCheckpoint(given);
    if (checkpoint.origin !== this.origin || checkpoint.size <= this.size) {
      throw this.#unsigned(said);
    }
    const tiles = await this.#tilesOf(checkpoint, signal);
    await this.#requireOwn(tiles);
    const keys = this.#keyRows();
    const fetchBundle = this.#fetchTile(signal);
    const start = this.#local.size;
    const end = Math.min(checkpoint.size, start + MAX_CLOSING_LAG);
    let chain = this.#local.end;
    for await (const entries of newBundles(sha256, fetchBundle, tiles, start, checkpoint.size)) {
      for (const { leaf, entry } of entries) {
        if (chain.size >= end) throw this.#unsigned(said);
        const read = this.#readNext(chain, entry, leaf);
        chain = endOf(read);
        const term = keys.take(read) ? keys.terms.at(-1) : undefined;
        if (term?.number !== number) continue;
        const [key, ...also] = this.#keys.among(keys.terms, checkpoint.size);
        const head = key === undefined ? undefined : openMirrored(key, given, this.#listed, also);
        if (head === undefined) throw this.#unsigned(said);
        await this.#local.keepLearned(term);
        this.#keys.learn(term);
        return { head, given, isNewest: closing === undefined };
      }
    }
    throw this.#unsigned(said);
  }

  /**
   * Evidence that a key that ended has signed a head which it may not sign, and which does not extend the closing head
   * of it. Throws `bad_note` for such a head without this evidence; undefined for a head of no key that ended.
   */
  async #beyond(
    given: Uint8Array,
    signal: AbortSignal | undefined,
  ): Promise<ForkEvidence | undefined> {
    const { sha256 } = this.#options;
    const { size } = saidCheckpoint(given);
    for (const { number, vkey, last_size: last } of this.#keys.terms) {
      if (last === null || size <= last) continue;
      const head = openSigned(parseNoteKey(sha256, vkey), given);
      const note = head === undefined ? undefined : await this.closingHead(number);
      if (head === undefined) continue;
      const evidence =
        note === undefined
          ? undefined
          : await extensionFork(
              sha256,
              vkey,
              this.#local,
              this.#open(note),
              head,
              (await this.#tilesOf(head.checkpoint, signal)).hashes,
            );
      if (evidence === undefined) throw this.#unsigned(size);
      return evidence;
    }
    return undefined;
  }

  /** The closing head that the given key has signed, while its number is not known; undefined if there is none. */
  async #firstClosing(signal: AbortSignal | undefined): Promise<Uint8Array | undefined> {
    for (let number = 0; number < MAX_CLOSING; number += 1) {
      const note = await this.#fetchClosing(number, signal);
      if (note === undefined) return undefined;
      if (openSigned(this.#options.key, note) !== undefined) return note;
    }
    return undefined;
  }

  /** The closing head of a key, as the server has it; undefined if it has none. */
  async #fetchClosing(
    number: number,
    signal: AbortSignal | undefined,
  ): Promise<Uint8Array | undefined> {
    const path = closingHeadPath(number);
    const { status, body } = await this.#options.reader.get(path, MAX_NOTE_BYTES, signal);
    if (status === 404) return undefined;
    if (status !== 200) {
      throw new Fault('unreachable', 'log server', { at: path, found: `status ${status}` });
    }
    return body;
  }

  /**
   * Keeps the closing heads of the keys that ended, as far as the server has them and they are of what is here. Resolves
   * with the evidence where one is of another history.
   */
  async #keepClosing(signal: AbortSignal | undefined): Promise<ForkEvidence | undefined> {
    const { closing, sha256 } = this.#options;
    const { terms } = this.#keys;
    for (const { number, vkey, last_size: last } of terms) {
      const next = terms[number + 1];
      const promised = next?.promised_by ?? null;
      if (next === undefined || last === null || promised === null) continue;
      if ((await closing.read(number)) !== undefined) continue;
      // Of a rotation it is the handover head, with the lines of both keys, and no earlier one.
      const rotates = next.cause === 'rotation';
      const keys = (rotates ? [vkey, next.vkey] : [vkey]).map((each) => parseNoteKey(sha256, each));
      const head = await this.#servedClosing(number, keys, signal);
      if (head === undefined) continue;
      const { size, root } = head.checkpoint;
      if (size > last || size <= promised || (rotates && size < last)) continue;
      const evidence = await this.#olderFork(head);
      if (evidence !== undefined) return evidence;
      if (!equalBytes(await this.#local.rootAt(size), root)) continue;
      await closing.keep(number, head.bytes);
    }
    return undefined;
  }

  /** The closing head of a key as the server has it; undefined where it has none that all of `keys` have signed. */
  async #servedClosing(
    number: number,
    keys: readonly NoteKey[],
    signal: AbortSignal | undefined,
  ): Promise<MirroredNote | undefined> {
    try {
      const given = await this.#fetchClosing(number, signal);
      if (given === undefined) return undefined;
      const head = this.#signed(given);
      const isSigned = keys.every((key) => head?.keys.some(({ keyId }) => keyId === key.keyId));
      return isSigned ? head : undefined;
    } catch (error) {
      // What is here does not depend on it, and the next poll asks again.
      if (error instanceof Fault) return undefined;
      throw error;
    }
  }

  async #step({ head, given, isNewest }: Target, signal?: AbortSignal): Promise<Followed> {
    const { witnesses, sha256 } = this.#options;
    const listed = this.#listed;
    const { size: before } = this;
    const { size } = head.checkpoint;
    const seen = this.#seen;
    if (seen !== undefined && size <= seen.checkpoint.size) {
      const evidence = await this.#olderFork(head);
      if (evidence !== undefined) return this.#forked(evidence);
      if (size < seen.checkpoint.size) {
        await this.#keepOlder(head);
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
      const joined = seen === undefined ? head : joinLines(head, seen, listed);
      await this.#accept(joined);
      this.#show({ size, root: head.checkpoint.root, note: joined.bytes }, NO_TABLES);
      return { kind: 'followed', size, grew: 0 };
    }
    const tiles = await this.#tilesOf(head.checkpoint, signal);
    const key = seen === undefined ? undefined : sharedKey(seen, head);
    if (seen !== undefined && size > seen.checkpoint.size && key !== undefined) {
      const evidence = await extensionFork(
        sha256,
        this.#vkeyOf(key),
        this.#local,
        seen,
        head,
        tiles.hashes,
      );
      if (evidence !== undefined) return this.#forked(evidence);
    }
    await this.#requireOwn(tiles);
    // Remembered before anything of it is fetched, so that a second history is compared with it, whatever
    // happens.
    if (seen !== undefined) await this.#accept(head);
    await this.#copy({ head, given, isNewest }, tiles, seen, signal);
    if (this.#full !== undefined) return { kind: 'full', size: before, grew: 0, limit: this.#full };
    const older = await this.#olderForks();
    if (older !== undefined) return this.#forked(older);
    return { kind: 'followed', size: this.size, grew: this.size - before };
  }

  /** Evidence that a head, which is not larger than the accepted one, has another history. */
  async #olderFork(head: MirroredNote): Promise<ForkEvidence | undefined> {
    const { sha256 } = this.#options;
    for (const known of [this.#seen, this.#held(), ...(await this.#closingOf(head))]) {
      const key = known === undefined ? undefined : sharedKey(head, known);
      if (known === undefined || key === undefined) continue;
      if (head.checkpoint.size > known.checkpoint.size) continue;
      const vkey = this.#vkeyOf(key);
      const found = await olderFork(sha256, vkey, this.#local, head, known);
      if (found !== undefined) return found;
    }
    return undefined;
  }

  /** The closing heads that are kept of the keys that have signed a head. */
  async #closingOf({ keys }: MirroredNote): Promise<readonly MirroredNote[]> {
    const found: MirroredNote[] = [];
    for (const key of keys) {
      const vkey = this.#vkeyOf(key);
      const number = this.#keys.terms.find((each) => each.vkey === vkey)?.number;
      const note = number === undefined ? undefined : await this.closingHead(number);
      if (note !== undefined) found.push(this.#openStored(note));
    }
    return found;
  }

  /**
   * The same for the heads that waited to be compared, or were submitted by others. Those that prove nothing
   * are dropped.
   */
  async #olderForks(): Promise<ForkEvidence | undefined> {
    for (const head of this.#brought.splice(0)) {
      const found = await this.#olderFork(head);
      if (found !== undefined) return found;
      await this.#keepOlder(head);
    }
    const { older, size } = this.#local;
    if (older.length === 0 || size < (this.#seen?.checkpoint.size ?? 0)) return undefined;
    for (const bytes of older) {
      const found = await this.#olderFork(this.#openStored(bytes));
      if (found !== undefined) return found;
    }
    await this.#local.keepOlder([]);
    return undefined;
  }

  /** Stores a head whose history is not known to be the one that is copied, until all of it is here. */
  async #keepOlder(head: MirroredNote): Promise<void> {
    const { older } = this.#local;
    if (head.checkpoint.size > (this.#seen?.checkpoint.size ?? 0)) return;
    const own = await this.#ownRoot(head.checkpoint);
    if (own !== undefined && equalBytes(own, head.checkpoint.root)) return;
    if (head.checkpoint.size === 0 || older.length >= MAX_OLDER) return;
    if (older.some((each) => this.#openStored(each).note.text === head.note.text)) return;
    await this.#local.keepOlder([...older, head.bytes]);
  }

  /** The newest head whose entries are all here, as it is stored. */
  #held(): MirroredNote | undefined {
    const { held } = this.#local;
    return held === undefined ? undefined : this.#openStored(held);
  }

  /** Opens a head by the keys that sign one of its size. Throws as `openMirrored` does. */
  #open(given: Uint8Array): MirroredNote {
    const [key, ...also] = this.#keys.of(saidCheckpoint(given).size);
    return openMirrored(key, given, this.#listed, also);
  }

  /** Opens a head that was accepted. */
  #openStored(note: Uint8Array, listed = this.#listed): MirroredNote {
    const { size } = saidCheckpoint(note);
    const also = this.#keys.of(size);
    for (const key of this.#keys.stored(size)) {
      const others = also.filter(({ keyId }) => keyId !== key.keyId);
      const head = openSigned(key, note, listed, others);
      if (head !== undefined) return head;
    }
    throw this.#unsigned(size);
  }

  /** The same; undefined for one without a good line of its key. Throws for what is no head. */
  #signed(given: Uint8Array): MirroredNote | undefined {
    const [key, ...also] = this.#keys.of(saidCheckpoint(given).size);
    return openSigned(key, given, this.#listed, also);
  }

  #unsigned(size: number): Fault {
    const { name, keyId } = this.keyOf(size);
    const expected = `a good signature of ${name}+${keyId}`;
    return new Fault('bad_note', 'checkpoint of another', { at: `size ${size}`, expected });
  }

  /** The keys of what is stored, which go on with the next entry. */
  #keyRows(): KeyRows {
    return new KeyRows(this.#options.sha256, this.#local.tip, this.#local.log);
  }

  get #listed(): readonly NoteKey[] {
    const { witnesses, listed = witnesses?.keys ?? [] } = this.#options;
    return listed;
  }

  /** The root at a size whose entries are all here and under the accepted head. */
  async #ownRoot({ size }: Pick<Checkpoint, 'size'>): Promise<Hash | undefined> {
    const seen = this.#seen?.checkpoint;
    if (seen !== undefined && size === seen.size) return seen.root;
    return size > 0 && size <= this.#local.size ? this.#local.rootAt(size) : undefined;
  }

  /** Requires that what is stored is the beginning of a head that is about to be copied. */
  async #requireOwn(tiles: HeadTiles): Promise<void> {
    const { sha256 } = this.#options;
    const { size } = this.#local;
    if (size === 0) return;
    const found = await rangeHash(sha256, tiles.hashes, { start: 0, end: size });
    const own = this.#local.root();
    if (!equalBytes(found, own)) throw differs(`size ${size}`, hashHex(own), hashHex(found));
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
    const keys = this.#keyRows();
    let isPlaced = this.#keys.terms.length > 0;
    const commit = async (note: Uint8Array | undefined): Promise<void> => {
      if (this.#seen === undefined) await this.#accept(head);
      await this.#local.commit(batch, note, (tables) => {
        this.#show({ size, root, note: head.bytes }, tables);
      });
      batch = [];
      bytes = 0;
    };
    const most = end.size + mostEntries;
    const fetchBundle = this.#fetchTile(signal);
    for await (const entries of newBundles(sha256, fetchBundle, tiles, this.#local.size, size)) {
      for (const { leaf, entry } of entries) {
        const read = this.#readNext(end, entry, leaf);
        if (keys.take(read)) {
          isPlaced = false;
          if (this.#hasEnded(head, keys.terms)) {
            // It is no head of this log, so it is forgotten, unless something was stored under it.
            if (seen !== undefined && this.#local.size === begun) await this.#accept(seen);
            throw this.#unsigned(size);
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
    const vkey = this.#vkeyOf(keys[0]);
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
    const vkey = this.#vkeyOf(head.keys[0]);
    if (!terms.some((each) => each.vkey === vkey)) {
      throw differs('checkpoint keys', vkey, terms.map((each) => each.vkey).join(', '));
    }
    const { size } = head.checkpoint;
    const [key, ...also] = this.#keys.among(terms, size);
    if (key === undefined) throw this.#unsigned(size);
    const found = openMirrored(key, given, this.#listed, also);
    if (this.#seen !== undefined) await this.#accept(found);
    return found;
  }

  #vkeyOf({ name, publicKey }: NoteKey): string {
    return formatNoteKey(this.#options.sha256, name, publicKey);
  }

  #fetchTile(
    signal: AbortSignal | undefined,
  ): (tile: Tile, maxBytes: number) => Promise<Uint8Array> {
    return (tile, maxBytes) => this.#get(`/${formatTilePath(tile)}`, maxBytes, signal);
  }

  #tilesOf(checkpoint: Checkpoint, signal: AbortSignal | undefined): Promise<HeadTiles> {
    const fetch = this.#fetchTile(signal);
    return HeadTiles.open(this.#options.sha256, (tile) => fetch(tile, tile.width * 32), checkpoint);
  }

  #show(published: Published, tables: ReadonlySet<string>): void {
    this.#published = published;
    this.#options.onHeld?.(published, tables);
  }

  #readNext(end: ChainEnd, entry: Uint8Array, leaf: Hash): ReadEntry {
    const { logId } = this.#options;
    const read = readNext(this.#parseBody, end, entry, leaf);
    if (read.known?.kind !== 'genesis/1') return read;
    const log = hashHex(leaf);
    if (logId !== null && log !== logId) throw differs('log id', logId, log);
    return read;
  }

  async #accept(head: MirroredNote): Promise<void> {
    const { bytes } = head;
    if (this.#seen !== undefined && equalBytes(this.#seen.bytes, bytes)) return;
    await this.#options.accepted.swap(this.#seen?.bytes, bytes);
    this.#seen = head;
  }

  async #forked(evidence: ForkEvidence): Promise<Followed> {
    const { sha256, onFork } = this.#options;
    const accused = await accuseWitnesses(
      evidence,
      this.#listed.map(({ name, publicKey }) =>
        formatNoteKey(sha256, name, publicKey, NOTE_COSIGNATURE),
      ),
      { sha256, verifySignature: nodeVerifySignatureAsync },
    );
    await onFork(accused);
    await this.#local.keepFork(accused);
    return { kind: 'forked', size: this.size, grew: 0, evidence: accused };
  }

  async #fetchBlob(hash: HashHex, seq: number | undefined, blobs: BlobStore): Promise<Uint8Array> {
    const packed = seq === undefined ? undefined : await this.#packed.read(hash, seq, this.size);
    const bytes = packed ?? (await this.#get(`/blob/${hash}`, MAX_PAGE_BYTES));
    const found = hashHex(contentHash(this.#options.sha256, bytes));
    if (found !== hash) throw new Fault('blob_differs', 'blob', { expected: hash, found });
    await this.#makeRoom(blobs, bytes.length);
    await blobs.put(bytes);
    return bytes;
  }

  /** Throws `copy_full` if the limit does not allow so many more bytes. */
  async #makeRoom(blobs: BlobStore, length: number): Promise<void> {
    const { limits } = this.#options;
    if (limits === undefined) return;
    this.#kept ??= keptBytes(blobs).catch((error: unknown) => {
      this.#kept = undefined;
      throw error;
    });
    const kept = await this.#kept;
    if (kept.bytes + length > limits.bytes) {
      const expected = `${limits.bytes} bytes under the log at most`;
      throw new Fault('copy_full', 'blob', { expected, found: `${kept.bytes + length}` });
    }
    kept.bytes += length;
  }

  async #get(path: string, maxBytes: number, signal?: AbortSignal): Promise<Uint8Array> {
    const { status, body } = await this.#options.reader.get(path, maxBytes, signal);
    if (status === 200) return body;
    const found = `status ${status}`;
    const missing = status === 404 && path.startsWith('/blob/');
    throw new Fault(missing ? 'blob_missing' : 'unreachable', 'log server', { at: path, found });
  }
}

async function keptBytes(blobs: BlobStore): Promise<{ bytes: number }> {
  let bytes = 0;
  for await (const hash of blobs.list()) bytes += (await blobs.read(hash))?.size ?? 0;
  return { bytes };
}

/** A checkpoint key of the log that has signed both heads. */
function sharedKey(a: MirroredNote, b: MirroredNote): NoteKey | undefined {
  return a.keys.find((key) => b.keys.some(({ publicKey }) => equalBytes(publicKey, key.publicKey)));
}

function differs(at: string, expected: string, found: string): Fault {
  return new Fault('ledger_differs', 'log of another', { at, expected, found });
}
