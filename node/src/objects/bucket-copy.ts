import {
  answerPath,
  cataloguePath,
  listingPath,
  parseCatalogue,
  parseListing,
} from '@assay/core/answer/copy/catalogue';
import { EXPORT_MARK, EXPORT_MARK_TEXT } from '@assay/core/answer/copy/export-file';
import { exportedSettlements, settlementName } from '@assay/core/answer/copy/exported';
import { concatBytes, equalBytes } from '@assay/core/bytes/bytes';
import { formatUtf8 } from '@assay/core/bytes/utf8';
import { Fault } from '@assay/core/fault';
import { contentHash, type HashHex, hashHex, type Sha256 } from '@assay/core/hash/hash';
import { bodyParser } from '@assay/core/kind/kinds';
import { MAX_PAGE_BYTES } from '@assay/core/limits';
import type { Checkpoint } from '@assay/core/log/checkpoint';
import { parseCosignature } from '@assay/core/log/cosignature';
import { entryBody, scanEntry } from '@assay/core/log/entry';
import { MAX_NOTE_BYTES, parseNote } from '@assay/core/log/note';
import { formatPackPath, MAX_PARTS } from '@assay/core/log/pack';
import { formatTilePath, parseEntryBundle, type Tile, TILE_WIDTH } from '@assay/core/log/tile';
import { newestCheckpointKey } from '@assay/core/view/key/checkpoint-keys';
import { prefixRoot } from '@assay/verifier/reader/tile-proofs';
import type { BlobStore } from '../blob/blob-store.ts';
import { blobsOf, pagesOf } from '../blob/named-blobs.ts';
import { Packs } from '../blob/packs.ts';
import { BYTES_TYPE, IMMUTABLE, JSON_TYPE, NO_STORE, TEXT_TYPE } from '../http/reply.ts';
import type { CheckpointSigner } from '../ledger/checkpoint-signer.ts';
import { CLOSING_HEADS } from '../ledger/closing-heads.ts';
import type { Published } from '../ledger/publishing.ts';
import type { LogRecord } from '../ledger/record.ts';
import type { Clock } from '../platform/clock.ts';
import { Semaphore } from '../platform/semaphore.ts';
import { type AnswerFile, type AnswersAt, answersNow } from './answer-files.ts';
import { createObject, type NewObject, type ObjectStore, swapObject } from './object-store.ts';
import { edgesBefore, tilesBetween } from './log-files.ts';

/** Objects that are read or made at once. Each is in memory meanwhile. */
const AT_ONCE = 8;
/** How often a swap is tried again because somebody else moved the checkpoint. */
const SWAPS = 3;
const CHECKPOINT = 'checkpoint';
const LATEST = 'latest.json';
/** A reader asks each time whether there is a newer one. */
const REVALIDATE = 'public, no-cache';

export interface BucketParts {
  readonly record: Pick<LogRecord, 'published' | 'shown' | 'tile' | 'closingHead'>;
  readonly blobs: Pick<BlobStore, 'get' | 'read' | 'checked'>;
  /** The bytes of a settlement file, by its path; undefined if there is none yet. */
  readonly settlement: (path: string) => Promise<Uint8Array | undefined>;
  readonly store: ObjectStore;
  /** Reads this log's own checkpoints. */
  readonly signer: Pick<CheckpointSigner, 'open'>;
  readonly sha256: Sha256;
  /** The answers about so many of the newest periods of each index are copied. */
  readonly reports: number;
  /** Whether a blob is known to be in the bucket. */
  readonly isStored?: (hash: HashHex) => boolean;
  /** When what only a former checkpoint needs is removed. Without it, nothing is. */
  readonly keep?: Keep;
}

/** For how many seconds readers of a former checkpoint find what it needs, by a clock without steps. */
export interface Keep {
  readonly seconds: number;
  readonly elapsed: Clock;
}

/** An object that only former checkpoints need. */
interface Former {
  readonly path: string;
  /** Of an object that is named by its bytes, which may be needed again. */
  readonly hash?: HashHex;
  readonly since: number;
}

/** What the newest catalogue in the bucket names. */
interface Known {
  /** The hashes of files by their names. */
  readonly files: ReadonlyMap<string, HashHex>;
  readonly listings: ReadonlySet<HashHex>;
  /** Those of files and of listings. */
  readonly hashes: ReadonlySet<HashHex>;
}

/** What one call of `advance` did. */
export interface Advance {
  /** The size of the log that the bucket's checkpoint has. */
  readonly size: number;
  /** How many objects were written. */
  readonly written: number;
}

/**
 * Keeps a copy of a log in a bucket, which a static reader needs nothing else for. How far it is is what the checkpoint
 * there says. What never changes is written first, and the checkpoint last, by a swap against the one that was read.
 * So whoever reads the bucket finds, at any time, everything that its checkpoint covers.
 */
export class BucketCopy {
  readonly #parts: BucketParts;
  readonly #packs: Packs;
  readonly #turn = new Semaphore(AT_ONCE);
  /** Files of answers that the newest catalogue in the bucket names; undefined before it was read. */
  #known: Known | undefined;
  /** Files whose plain names have the bytes with these hashes. */
  readonly #plain = new Map<string, HashHex>();
  readonly #settled = new Set<string>();
  #latest: HashHex | undefined;
  #marked = false;
  #written = 0;
  /** The note that this copy has brought the bucket to. */
  #done: Uint8Array | undefined;
  /** The oldest first. */
  #former: Former[] = [];

  constructor(parts: BucketParts) {
    this.#parts = parts;
    const { record, blobs, sha256 } = parts;
    this.#packs = new Packs(sha256, { tile: (tile) => record.tile(tile), blobs });
  }

  /**
   * Brings the bucket to what is published now; undefined while nothing is. It may be called again after whatever
   * error, and goes on from what is in the bucket. Throws `objects_ahead` for a checkpoint there that is larger than
   * the published one, `objects_differ` for one of another log or history and for other bytes in the place of what
   * never changes, `blob_missing` for bytes that the log names and that are not here, and what the store throws.
   */
  async advance(): Promise<Advance | undefined> {
    this.#written = 0;
    const { published } = this.#parts.record;
    if (published !== undefined && (await this.#isDone(published))) {
      return { size: published.size, written: this.#written };
    }
    for (let swap = 1; ; swap += 1) {
      const answers = await answersNow(this.#parts, (hash) => this.#isKnown(hash));
      if (answers === undefined) return undefined;
      if (await this.#bringTo(answers)) {
        return { size: answers.published.size, written: this.#written };
      }
      if (swap >= SWAPS) {
        throw new Fault('wrong_head', 'bucket', {
          expected: 'the checkpoint that was read',
          found: 'one that somebody else has put there meanwhile',
        });
      }
    }
  }

  /** Whether the bucket has this checkpoint by an earlier call. A settlement file may have been written since. */
  async #isDone({ note }: Published): Promise<boolean> {
    if (this.#done === undefined || !equalBytes(this.#done, note)) return false;
    await this.#writeSettlements();
    const found = await this.#parts.store.read(CHECKPOINT, MAX_NOTE_BYTES);
    return found !== undefined && equalBytes(found.bytes, note);
  }

  /** False if the checkpoint was moved by somebody else meanwhile. */
  async #bringTo(answers: AnswersAt): Promise<boolean> {
    const { store } = this.#parts;
    const { published: target } = answers;
    const found = await store.read(CHECKPOINT, MAX_NOTE_BYTES);
    const there = found && (await this.#compare(found.bytes, target));
    if (found === undefined || this.#done === undefined || !equalBytes(found.bytes, this.#done)) {
      // Another process wrote it: what is known of the bucket may be out of date, and what it needs is its matter.
      this.#known = undefined;
      this.#former = [];
    }
    this.#known ??= await this.#knownAt(there?.size);
    const isNewer =
      found === undefined || there === undefined || there.size < target.size
        ? true
        : saysMore(target.note, found.bytes);
    if (isNewer) {
      await this.#writeLog(there?.size ?? 0, target.size);
      await this.#writeClosingHeads();
      await this.#writeSettlements();
      await this.#writeAnswers(answers);
      await this.#removeGone(answers);
      await this.#writeMark();
      const note: NewObject = {
        bytes: target.note,
        contentType: TEXT_TYPE,
        cacheControl: REVALIDATE,
      };
      if (!(await swapObject(store, CHECKPOINT, note, found?.etag))) return false;
      this.#written += 1;
      this.#take(answers, there?.size ?? 0);
    }
    this.#done = isNewer ? target.note : found?.bytes;
    await this.#writePlain(answers);
    await this.#removeFormer();
    return true;
  }

  /** What a checkpoint in the bucket says, after it was compared with the log here. */
  async #compare(note: Uint8Array, target: Published): Promise<Checkpoint> {
    const { signer, sha256, record } = this.#parts;
    let there: Checkpoint;
    try {
      there = signer.open(note);
    } catch (cause) {
      throw new Fault('objects_differ', 'bucket', {
        expected: 'a checkpoint of this log',
        found: 'something else at /checkpoint',
        cause,
      });
    }
    if (there.size > target.size) {
      throw new Fault('objects_ahead', 'bucket', {
        expected: `a checkpoint of at most ${target.size} entries`,
        found: `one of ${there.size}`,
      });
    }
    const tiles = async (tile: Tile): Promise<Uint8Array> => tileOf(record, tile);
    const root = await prefixRoot(tiles, sha256, there.size, target.size);
    if (equalBytes(root, there.root)) return there;
    throw new Fault('objects_differ', 'bucket', {
      at: `size ${there.size}`,
      expected: `root ${hashHex(root)}`,
      found: hashHex(there.root),
    });
  }

  /** The tiles, bundles and blobs that the log has at `to` and had not at `from`. */
  async #writeLog(from: number, to: number): Promise<void> {
    const { record } = this.#parts;
    for (const tile of tilesBetween(from, to)) {
      const bytes = await tileOf(record, tile);
      await this.#create(formatTilePath(tile), bytes, BYTES_TYPE);
      if (tile.level !== 'entries') continue;
      const first = tile.index * TILE_WIDTH;
      const entries = parseEntryBundle(bytes, tile.width);
      await this.#writeBlobs(entries.slice(Math.max(0, from - first)));
      // One that is not full yet would be written again with nearly the same blobs for each size.
      if (tile.width === TILE_WIDTH) await this.#writePack(tile.index);
    }
  }

  /** The blobs that entries name, with those that their manifests name. */
  async #writeBlobs(entries: readonly Uint8Array[]): Promise<void> {
    const parse = bodyParser(this.#parts.sha256);
    const hashes = new Set<HashHex>();
    const manifests = new Set<HashHex>();
    for (const entry of entries) {
      const layout = scanEntry(entry);
      const known = parse(layout.kind, entryBody(entry, layout));
      for (const { hash, role } of known === undefined ? [] : blobsOf(known)) {
        hashes.add(hash);
        if (role === 'manifest') manifests.add(hash);
      }
    }
    for (const manifest of manifests) {
      for (const { hash } of pagesOf(await this.#blob(manifest))) hashes.add(hash);
    }
    await this.#each(hashes, async (hash) => {
      if (this.#parts.isStored?.(hash) === true) return;
      await this.#create(`blob/${hash}`, await this.#blob(hash), BYTES_TYPE);
    });
  }

  /** The pack of a full bundle, which never changes. A reader does without one that lacks a blob. */
  async #writePack(index: number): Promise<void> {
    for (let part = 0; part < MAX_PARTS; part += 1) {
      const name = { part, index, width: TILE_WIDTH };
      const found = await this.#packs.part(name);
      if (found === undefined || !found.whole) return;
      const pieces: Uint8Array[] = [];
      for await (const piece of found.chunks()) pieces.push(piece);
      await this.#create(formatPackPath(name), concatBytes(...pieces), BYTES_TYPE);
    }
  }

  async #blob(hash: HashHex): Promise<Uint8Array> {
    const bytes = await this.#parts.blobs.get(hash);
    if (bytes === undefined) throw new Fault('blob_missing', 'blob', { expected: hash });
    return bytes;
  }

  /** The last heads of checkpoint keys that ended, which whoever knows one of those begins from. */
  async #writeClosingHeads(): Promise<void> {
    const { record, sha256 } = this.#parts;
    const newest = newestCheckpointKey(record.shown, sha256)?.number ?? 0;
    for (let number = 0; number < newest; number += 1) {
      const note = await record.closingHead?.(number);
      if (note === undefined) {
        const found = 'none here';
        throw new Fault('not_found', 'closing head', { at: `${CLOSING_HEADS}/${number}`, found });
      }
      await this.#create(`${CLOSING_HEADS}/${number}`, note, TEXT_TYPE);
    }
  }

  /** The files of the newest Close. One that is not written yet follows with the next call. */
  async #writeSettlements(): Promise<void> {
    const { record, settlement, sha256 } = this.#parts;
    for (const { path, sha256: named } of exportedSettlements(record.shown)) {
      if (this.#settled.has(`${path} ${named}`)) continue;
      const bytes = await settlement(path);
      if (bytes === undefined || hashHex(contentHash(sha256, bytes)) !== named) continue;
      const type = path.endsWith('.csv') ? 'text/csv; charset=utf-8' : JSON_TYPE;
      await this.#create(settlementName(path), bytes, type);
      this.#settled.add(`${path} ${named}`);
    }
  }

  /** The files of the answers, then the listings that name them, then the catalogue that names those. */
  async #writeAnswers({ published, files, listings, catalogue }: AnswersAt): Promise<void> {
    const fresh = new Map<HashHex, AnswerFile>();
    for (const file of files) if (!this.#isKnown(file.hash)) fresh.set(file.hash, file);
    await this.#each(fresh.values(), async ({ hash, contentType, body }) => {
      await this.#create(answerPath(hash), body as Uint8Array, contentType);
    });
    await this.#each(listings, async ([hash, bytes]) => {
      if (!this.#isKnown(hash)) await this.#create(listingPath(hash), bytes, TEXT_TYPE);
    });
    // Nobody reads it before the checkpoint has this size, so that an unfinished one may be replaced: by a run with
    // other settings, or of another release.
    await this.#put(cataloguePath(published.size), catalogue, TEXT_TYPE, IMMUTABLE);
  }

  /**
   * Removes the plain names that the next catalogue lacks, since nobody would bring what is there up to date. Until the
   * checkpoint is swapped a run that is killed finds them again.
   */
  async #removeGone({ files }: AnswersAt): Promise<void> {
    const names = new Set(files.map(({ name }) => name));
    const gone = [...(this.#known?.files.keys() ?? [])].filter((name) => !names.has(name));
    await this.#each(gone, async (name) => {
      await this.#parts.store.remove(name);
      this.#plain.delete(name);
    });
  }

  /** By the mark a verifier sees that these are the files of a static copy, and no node that answers. */
  async #writeMark(): Promise<void> {
    if (this.#marked) return;
    await this.#put(EXPORT_MARK.slice(1), formatUtf8(EXPORT_MARK_TEXT), JSON_TYPE, REVALIDATE);
    this.#marked = true;
  }

  /** Takes notice that the checkpoint was swapped, and of what only the one before it needs. */
  #take({ published, files, listings }: AnswersAt, from: number): void {
    const before = this.#known;
    this.#known = knownOf(
      files.map(({ name, hash }) => [name, hash] as const),
      listings.keys(),
    );
    const { keep } = this.#parts;
    if (keep === undefined || before === undefined || from === published.size) return;
    const since = keep.elapsed();
    for (const tile of edgesBefore(from, published.size)) {
      this.#former.push({ path: formatTilePath(tile), since });
    }
    this.#former.push({ path: cataloguePath(from), since });
    for (const hash of before.hashes) {
      if (this.#known.hashes.has(hash)) continue;
      const path = before.listings.has(hash) ? listingPath(hash) : answerPath(hash);
      this.#former.push({ path, hash, since });
    }
  }

  /** Removes what only former checkpoints need, once their readers have had their time. */
  async #removeFormer(): Promise<void> {
    const { keep, store } = this.#parts;
    if (keep === undefined) return;
    const until = keep.elapsed() - keep.seconds;
    const due = this.#former.findIndex(({ since }) => since > until);
    const over = this.#former.splice(0, due < 0 ? this.#former.length : due);
    await this.#each(over, async ({ path, hash }) => {
      // An answer may be again what it was before.
      if (hash !== undefined && this.#isKnown(hash)) return;
      await store.remove(path);
    });
  }

  /**
   * The newest answers under the names that an export has, for readers who need no verifier. They come after the
   * checkpoint: at the time of a change they are those of the former one.
   */
  async #writePlain({ files }: AnswersAt): Promise<void> {
    const { store } = this.#parts;
    await this.#each(files, async ({ name, hash, contentType, body }) => {
      if (this.#plain.get(name) === hash) return;
      const bytes = body ?? (await store.read(answerPath(hash), MAX_PAGE_BYTES))?.bytes;
      if (bytes === undefined) return;
      const isProblem = contentType === 'application/problem+json';
      await this.#put(name, bytes, contentType, isProblem ? NO_STORE : REVALIDATE);
      this.#plain.set(name, hash);
    });
    const latest = await this.#parts.settlement(LATEST);
    if (latest === undefined) return;
    const hash = hashHex(contentHash(this.#parts.sha256, latest));
    if (hash === this.#latest) return;
    await this.#put(settlementName(LATEST), latest, JSON_TYPE, REVALIDATE);
    this.#latest = hash;
  }

  /** What the catalogue of a size names; nothing where it is not there. */
  async #knownAt(size: number | undefined): Promise<Known> {
    const { store } = this.#parts;
    const found =
      size === undefined ? undefined : await store.read(cataloguePath(size), MAX_PAGE_BYTES);
    if (found === undefined) return knownOf([], []);
    const files: (readonly [string, HashHex])[] = [];
    const listings: HashHex[] = [];
    const { folders } = parseCatalogue(found.bytes);
    await this.#each(folders, async ([folder, hash]) => {
      const listing = await store.read(listingPath(hash), MAX_PAGE_BYTES);
      // One with other bytes than its name says is not known, so that it is compared when it is written.
      const isSound =
        listing !== undefined && hashHex(contentHash(this.#parts.sha256, listing.bytes)) === hash;
      if (!isSound) return;
      listings.push(hash);
      for (const [name, file] of parseListing(listing.bytes)) {
        files.push([folder === '.' ? name : `${folder}/${name}`, file]);
      }
    });
    return knownOf(files, listings);
  }

  #isKnown(hash: HashHex): boolean {
    return this.#known?.hashes.has(hash) ?? false;
  }

  async #create(path: string, bytes: Uint8Array, contentType: string): Promise<void> {
    const object = { bytes, contentType, cacheControl: IMMUTABLE };
    if ((await createObject(this.#parts.store, path, object)) === 'created') this.#written += 1;
  }

  async #put(
    path: string,
    bytes: Uint8Array,
    contentType: string,
    cacheControl: string,
  ): Promise<void> {
    await this.#parts.store.put(path, { bytes, contentType, cacheControl });
    this.#written += 1;
  }

  /** Does the work for each, some at a time. The first error is thrown once all that was begun has ended. */
  async #each<T>(all: Iterable<T>, work: (each: T) => Promise<void>): Promise<void> {
    let failed: { readonly error: unknown } | undefined;
    await Promise.all(
      [...all].map((each) =>
        this.#turn.run(async () => {
          if (failed !== undefined) return;
          await work(each).catch((error: unknown) => {
            failed ??= { error };
          });
        }),
      ),
    );
    if (failed !== undefined) throw (failed as { readonly error: unknown }).error;
  }
}

function knownOf(files: Iterable<readonly [string, HashHex]>, listings: Iterable<HashHex>): Known {
  const named = new Map(files);
  const known = new Set(listings);
  return { files: named, listings: known, hashes: new Set([...named.values(), ...known]) };
}

/** A tile of the published log. Throws `ledger_behind` if the log has become shorter meanwhile. */
async function tileOf(record: Pick<LogRecord, 'tile'>, tile: Tile): Promise<Uint8Array> {
  const bytes = await record.tile(tile);
  if (bytes !== undefined) return bytes;
  throw new Fault('ledger_behind', 'tile', { at: formatTilePath(tile), found: 'none' });
}

/** Of two notes of one checkpoint, whether `one` has more lines of witnesses, or as many and a newer one. */
function saysMore(one: Uint8Array, other: Uint8Array): boolean {
  if (one.length !== other.length) return one.length > other.length;
  return newestLine(one) > newestLine(other);
}

/** The time of the newest line of a witness, in unix seconds; 0 where there is none. */
function newestLine(note: Uint8Array): number {
  const times = parseNote(note).signatures.map(
    ({ signature }) => parseCosignature(signature)?.time,
  );
  return Math.max(0, ...times.map((time) => time ?? 0));
}
