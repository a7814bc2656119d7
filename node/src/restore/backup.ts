import { access, copyFile, mkdir, open, readdir, rename, rm } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { randomBytes } from 'node:crypto';
import { equalBytes } from '@assay/core/bytes/bytes';
import { type Checkpoint, parseCheckpoint } from '@assay/core/log/checkpoint';
import { entryBody, parseEntry, scanEntry } from '@assay/core/log/entry';
import { Fault } from '@assay/core/fault';
import { contentHash, hashHex, type HashHex, leafHash, type Sha256 } from '@assay/core/hash/hash';
import { parseGenesis } from '@assay/core/kind/genesis';
import { bodyParser } from '@assay/core/kind/kinds';
import { parseNote, parseNoteKey } from '@assay/core/log/note';
import {
  formatEntryBundle,
  formatHashTile,
  formatTilePath,
  tilesOf,
  TILE_WIDTH,
} from '@assay/core/log/tile';
import { TileTree } from '@assay/core/log/tile-tree';
import { formatTime } from '@assay/core/time/time';
import { formatUtf8, parseUtf8 } from '@assay/core/bytes/utf8';
import type { Clock } from '../platform/clock.ts';
import { dataFolder } from '../platform/data-folder.ts';
import { ensureFolder, errorCode, syncFolder, writeDurable } from '../platform/durable-file.ts';
import { PackedBlobStore } from '../blob/packed-blob-store.ts';
import { CLOSING_HEADS, ClosingHeads } from '../ledger/closing-heads.ts';
import { FileNoteSlot } from '../ledger/guard/file-note-slot.ts';
import { openLevelStore } from '../ledger/store/level-store.ts';
import type { LedgerStore } from '../ledger/store/store.ts';
import { termsOf } from '../key/checkpoint-files.ts';
import { storedKeys } from '../key/report-keys.ts';
import { lackingClosingHead } from '../key/settle-keys.ts';
import { type CheckpointTerm, termOf } from '@assay/core/view/key/checkpoint-keys';
import { type MirroredNote, openMirrored } from '../mirror/mirrored-note.ts';
import { readNamedBlob } from '../blob/named-blob.ts';
import {
  BACKUP_FILE,
  type BackupManifest,
  formatBackup,
  parseBackup,
  type PrivateEntry,
} from './backup-manifest.ts';
import { readBounded } from './bounded-file.ts';
import { snapshotLedger } from './ledger-snapshot.ts';
import { blobsOf, type NamedBlob, pagesOf } from '../blob/named-blobs.ts';
import { isKeyPath, MAX_PRIVATE_BYTES, privatePaths } from './private-files.ts';

/** What is copied, and where to. */
export interface BackupParts {
  /** A node's data folder; a node may be running on it. */
  readonly data: string;
  /** An empty or new folder, or one that an earlier backup of the same log wrote. */
  readonly output: string;
  readonly withKeys: boolean;
  /** The paths of more files in the data folder, such as the rules that the configuration names. */
  readonly more: readonly string[];
  readonly sha256: Sha256;
  readonly now: Clock;
  readonly progress?: (done: number, total: number, what: string) => void;
}

/** A blob that the log names and that is missing or damaged in the folder. */
export interface LackingBlob extends NamedBlob {
  readonly seq: number;
}

export interface BackedUp {
  readonly log: HashHex;
  readonly origin: string;
  readonly size: number;
  /** How many files this run wrote, and how many an earlier one had written. */
  readonly written: number;
  readonly kept: number;
  /** How many of the written ones an earlier run had written, and were damaged since. */
  readonly mended: number;
  readonly blobs: number;
  readonly privateFiles: number;
  /** Key files that were not requested and so are not in it, as paths in the data folder. */
  readonly keysLeftOut: readonly string[];
  readonly lacking: readonly LackingBlob[];
}

/** Marks a folder as one for backups, whether or not one has been completed. */
const MARK = '.assay-backup';
const MAX_MANIFEST_BYTES = 67_108_864;

/**
 * Writes what a log needs to go on elsewhere: entries and tiles under the newest head that the guard holds, the blobs
 * that they name, and what the node alone has. A node may be running: what is copied is the database's files, and what
 * is written is what the signed head proves. The head guard is left out, always, and the keys unless they are asked
 * for. The manifest comes last and at once, so that a run that was cut leaves the backup before it, or none.
 *
 * Files are named by what they hold, so that a second run writes what is new alone. It reads those of before all the
 * same, and writes anew what has rotted.
 *
 * Throws `not_empty` for a folder with anything else in it or the backup of another log; `ledger_behind` or
 * `ledger_differs` where the backup holds what the log does not, and is left as it is; `ledger_corrupt` where the
 * entries are not those of the signed head; `not_found` where there is no log, or no head.
 */
export async function backUp(parts: BackupParts): Promise<BackedUp> {
  const { output } = parts;
  const { head, ledger } = dataFolder(parts.data);
  await requireGuard(head);
  await ensureFolder(output, { mode: 0o700 });
  await requireOurs(output);
  const manifest = await readManifest(output);
  await writeDurable(join(output, MARK), formatUtf8('assay-backup/1\n'));
  const scratch = join(output, `.copy-${process.pid}-${randomBytes(4).toString('hex')}`);
  await mkdir(scratch, { mode: 0o700 });
  try {
    const note = await heldNote(head, scratch);
    await snapshotLedger(ledger, join(scratch, 'ledger'));
    const store = await openLevelStore(join(scratch, 'ledger'), { sync: false });
    try {
      return await new BackupRun(parts, store, note, manifest).run();
    } finally {
      await store.close();
    }
  } finally {
    await rm(scratch, { recursive: true, force: true });
  }
}

async function requireOurs(output: string): Promise<void> {
  const found = await readdir(output);
  if (found.length === 0 || found.includes(MARK)) return;
  throw new Fault('not_empty', 'backup folder', {
    at: output,
    expected: 'an empty folder, or one of earlier backups',
    found: found.slice(0, 5).join(', '),
  });
}

async function readManifest(output: string): Promise<BackupManifest | undefined> {
  const bytes = await readBounded(join(output, BACKUP_FILE), MAX_MANIFEST_BYTES);
  return bytes === undefined ? undefined : parseBackup(bytes);
}

/** Throws `not_found` if there is no guard, before anything is written. */
async function requireGuard(path: string): Promise<void> {
  await access(path).catch((error: unknown) => {
    throw errorCode(error) === 'ENOENT' ? noGuard(path) : error;
  });
}

function noGuard(path: string): Fault {
  const expected = 'the signed head that a backup is of';
  return new Fault('not_found', 'head guard', { at: path, expected, found: 'none' });
}

/** The note that was signed last, from a copy of its file, which may be written meanwhile. */
async function heldNote(path: string, scratch: string): Promise<Uint8Array> {
  const copy = join(scratch, 'head');
  await copyFile(path, copy);
  const held = await FileNoteSlot.peek(copy);
  if (held === undefined) throw noGuard(path);
  return held.note;
}

class BackupRun {
  readonly #parts: BackupParts;
  readonly #store: LedgerStore;
  readonly #note: Uint8Array;
  readonly #before: BackupManifest | undefined;
  readonly #blobs: Map<HashHex, LackingBlob> = new Map();
  readonly #folders = new Set<string>();
  #written = 0;
  #kept = 0;
  #mended = 0;

  constructor(
    parts: BackupParts,
    store: LedgerStore,
    note: Uint8Array,
    before: BackupManifest | undefined,
  ) {
    this.#parts = parts;
    this.#store = store;
    this.#note = note;
    this.#before = before;
  }

  async run(): Promise<BackedUp> {
    const { sha256, output, data, withKeys, now } = this.#parts;
    const first = await this.#store.entry(0);
    if (first === undefined) throw corrupt('entry 0', 'none');
    const log = hashHex(leafHash(sha256, first));
    if (this.#before !== undefined && this.#before.log !== log) {
      const [expected, found] = [`a backup of the log ${log}`, `one of ${this.#before.log}`];
      throw new Fault('not_empty', 'backup folder', { at: output, expected, found });
    }
    const genesis = parseGenesis(parseEntry(first).body, 'body');
    const terms = termsOf(genesis, (await storedKeys(sha256, this.#store)).checkpoint);
    const { size } = parseCheckpoint(parseNote(this.#note).text);
    const vkey = termOf(terms, size)?.vkey ?? genesis.checkpoint_vkey;
    const head = openMirrored(parseNoteKey(sha256, vkey), this.#note);
    await this.#entries(head);
    await this.#closingHeads(terms, size);
    const lacking = await this.#copyBlobs();
    const files: PrivateEntry[] = [];
    for (const path of await privatePaths(data, { withKeys, more: this.#parts.more })) {
      const bytes = await readBounded(join(data, path), MAX_PRIVATE_BYTES);
      if (bytes === undefined) continue;
      const hash = hashHex(contentHash(sha256, bytes));
      await this.#put(`private/${hash}`, () => Promise.resolve(bytes), 0o600);
      files.push({ path, sha256: hash, length: bytes.length });
    }
    await this.#settle();
    const manifest: BackupManifest = {
      type: 'assay-backup/1',
      log,
      note: parseUtf8(this.#note),
      made_at: formatTime(now()),
      with_keys: withKeys,
      files,
    };
    await writeDurable(join(output, BACKUP_FILE), formatBackup(manifest), { mode: 0o600 });
    await this.#prune(head.checkpoint.size, files);
    return {
      log,
      origin: genesis.origin,
      size: head.checkpoint.size,
      written: this.#written,
      kept: this.#kept,
      mended: this.#mended,
      blobs: this.#blobs.size - lacking.length,
      privateFiles: files.length,
      keysLeftOut: withKeys ? [] : (await privatePaths(data, { withKeys: true })).filter(isKeyPath),
      lacking,
    };
  }

  /** Writes bundles and tiles as the entries make them, and requires the root of the head. */
  async #entries({ checkpoint }: MirroredNote): Promise<void> {
    const { sha256, progress } = this.#parts;
    const { size, root } = checkpoint;
    const before = this.#before === undefined ? undefined : this.#beforeHead();
    if (before !== undefined && before.size > size) {
      const [expected, found] = [`at least ${before.size} entries, as the backup has`, `${size}`];
      throw new Fault('ledger_behind', 'ledger', { expected, found });
    }
    const tree = new TileTree(sha256);
    const parseBody = bodyParser(sha256);
    let bundle: Uint8Array[] = [];
    const flush = async (): Promise<void> => {
      const [width, last] = [bundle.length, tree.size - 1];
      const tile = { level: 'entries', index: Math.floor(last / TILE_WIDTH), width } as const;
      const bytes = formatEntryBundle(bundle);
      bundle = [];
      await this.#putSame(formatTilePath(tile), bytes);
    };
    for await (const bytes of this.#store.entries(0, size)) {
      const seq = tree.size;
      const layout = scanEntry(bytes);
      if (layout.seq !== seq) throw corrupt(`entry ${seq}`, `entry ${layout.seq}`);
      const known = parseBody(layout.kind, entryBody(bytes, layout));
      for (const each of known === undefined ? [] : blobsOf(known)) this.#name(each, seq);
      bundle.push(bytes);
      for (const { level, index, hashes } of tree.append(leafHash(sha256, bytes))) {
        const tile = { level, index, width: TILE_WIDTH };
        await this.#putSame(formatTilePath(tile), formatHashTile(hashes));
      }
      if (bundle.length === TILE_WIDTH) await flush();
      if (tree.size === before?.size && !equalBytes(tree.root(), before.root)) {
        const expected = `the root ${hashHex(before.root)} of the backup`;
        const found = hashHex(tree.root());
        throw new Fault('ledger_differs', 'ledger', { at: `size ${before.size}`, expected, found });
      }
      if (seq % 1024 === 0) progress?.(seq, size, 'entries');
    }
    if (tree.size !== size) throw corrupt(`${size} entries`, `${tree.size}`);
    if (!equalBytes(tree.root(), root)) {
      throw corrupt(`root ${hashHex(root)}, as the head guard has it`, hashHex(tree.root()));
    }
    if (bundle.length > 0) await flush();
    for (const tile of tilesOf(size)) {
      if (tile.level === 'entries' || tile.width === TILE_WIDTH) continue;
      const hashes = tree.partial(tile.level).slice(0, tile.width);
      await this.#putSame(formatTilePath(tile), formatHashTile(hashes));
    }
  }

  /** Copies the closing heads of the checkpoint keys that ended up to this head. */
  async #closingHeads(terms: readonly CheckpointTerm[], size: number): Promise<void> {
    const closing = new ClosingHeads(this.#parts.data);
    for (const [i, { number }] of terms.entries()) {
      const after = terms[i + 1];
      if (after === undefined || after.seq >= size) continue;
      const note = await closing.read(number);
      if (note === undefined) throw lackingClosingHead(closing.path(number), number);
      await this.#putSame(`${CLOSING_HEADS}/${number}`, note);
    }
  }

  #beforeHead(): Checkpoint {
    const { note } = this.#before as BackupManifest;
    return parseCheckpoint(parseNote(formatUtf8(note)).text);
  }

  #name(blob: NamedBlob, seq: number): void {
    if (!this.#blobs.has(blob.hash)) this.#blobs.set(blob.hash, { ...blob, seq });
  }

  /** Copies the blobs that the log names, each verified by its hash. Returns those that the folder lacks. */
  async #copyBlobs(): Promise<readonly LackingBlob[]> {
    const { data, sha256, progress } = this.#parts;
    const blobs = PackedBlobStore.reader(dataFolder(data).blobs);
    const lacking: LackingBlob[] = [];
    let done = 0;
    // Manifests add names while they are read, and the iterator of a map includes what is added.
    for (const each of this.#blobs.values()) {
      const { hash, role, seq } = each;
      const read = (): Promise<Uint8Array | undefined> => readNamedBlob(blobs, sha256, hash);
      const bytes = role === 'manifest' ? await read() : undefined;
      for (const page of bytes === undefined ? [] : pagesOf(bytes)) this.#name(page, seq);
      const isInFolder = (await blobs.read(hash)) !== undefined;
      const isThere =
        isInFolder &&
        (await this.#put(
          `blob/${hash}`,
          bytes === undefined ? read : () => Promise.resolve(bytes),
        ));
      if (!isThere) lacking.push(each);
      done += 1;
      if (done % 64 === 0) progress?.(done, this.#blobs.size, 'blobs');
    }
    return lacking;
  }

  /** Writes a file unless it has these bytes. A path of entries and tiles never has others. */
  async #putSame(path: string, bytes: Uint8Array): Promise<void> {
    const held = await this.#held(path);
    if (held !== undefined && equalBytes(held, bytes)) {
      this.#kept += 1;
      return;
    }
    await this.#write(path, bytes, 0o644);
    if (held !== undefined) this.#mended += 1;
  }

  /**
   * Writes a file that is named by its hash, unless it is there with these bytes. Returns whether it is there
   * then.
   */
  async #put(
    path: string,
    read: () => Promise<Uint8Array | undefined>,
    mode: number = 0o644,
  ): Promise<boolean> {
    const held = await this.#held(path);
    if (held !== undefined && path.endsWith(hashHex(contentHash(this.#parts.sha256, held)))) {
      this.#kept += 1;
      return true;
    }
    const bytes = await read();
    if (bytes === undefined) return false;
    await this.#write(path, bytes, mode);
    if (held !== undefined) this.#mended += 1;
    return true;
  }

  /**
   * What an earlier run wrote under a path, without bytes if they cannot be read; undefined if there is no
   * file.
   */
  async #held(path: string): Promise<Uint8Array | undefined> {
    try {
      return await readBounded(join(this.#parts.output, path), MAX_PRIVATE_BYTES);
    } catch {
      // A bad sector: the file is written again, or that fails with an error.
      return new Uint8Array(0);
    }
  }

  /** Complete under its name from the first moment. The name is durable once the run settles. */
  async #write(path: string, bytes: Uint8Array, mode: number): Promise<void> {
    const full = join(this.#parts.output, path);
    const folder = dirname(full);
    if (!this.#folders.has(folder)) await ensureFolder(folder, { mode: 0o700 });
    this.#folders.add(folder);
    const staged = `${full}.${randomBytes(6).toString('hex')}.tmp`;
    const file = await open(staged, 'wx', mode);
    try {
      await file.writeFile(bytes);
      await file.sync();
    } finally {
      await file.close();
    }
    await rename(staged, full);
    this.#written += 1;
  }

  async #settle(): Promise<void> {
    for (const folder of this.#folders) await syncFolder(folder);
  }

  /** Removes what no longer belongs to the newest backup: earlier partial tiles, private files, stages. */
  async #prune(size: number, files: readonly PrivateEntry[]): Promise<void> {
    const { output } = this.#parts;
    const partial = new Set(
      [...tilesOf(size)].filter(({ width }) => width < TILE_WIDTH).map(formatTilePath),
    );
    for (const path of await below(output, 'tile')) {
      const isOld = path.includes('.p/') && !partial.has(path);
      if (isOld || path.endsWith('.tmp')) await rm(join(output, path), { force: true });
    }
    const named = new Set(files.map(({ sha256 }) => `private/${sha256}`));
    for (const path of await below(output, 'private')) {
      if (!named.has(path)) await rm(join(output, path), { force: true });
    }
    for (const path of await below(output, 'blob')) {
      if (path.endsWith('.tmp')) await rm(join(output, path), { force: true });
    }
  }
}

async function below(root: string, folder: string): Promise<readonly string[]> {
  try {
    const found = await readdir(join(root, folder), { recursive: true, withFileTypes: true });
    return found
      .filter((each) => each.isFile())
      .map((each) => join(each.parentPath, each.name).slice(root.length + 1));
  } catch (error) {
    if (errorCode(error) === 'ENOENT') return [];
    throw error;
  }
}

function corrupt(expected: string, found: string): Fault {
  return new Fault('ledger_corrupt', 'ledger', { expected, found });
}
