import { randomBytes } from 'node:crypto';
import { copyFile, mkdir, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { Fault, faultCode } from '@assay/core/fault';
import type { OlderHead } from '@assay/core/view/head';
import { contentHash, hashHex, type HashHex, leafHash, type Sha256 } from '@assay/core/hash/hash';
import { MAX_PAGE_BYTES } from '@assay/core/limits';
import {
  formatEntryBundle,
  formatHashTile,
  parseTilePath,
  type Tile,
  TILE_WIDTH,
} from '@assay/core/log/tile';
import { formatUtf8 } from '@assay/core/bytes/utf8';
import { dataFolder } from '../platform/data-folder.ts';
import { errorCode } from '../platform/durable-file.ts';
import { EntryTree } from './entry-tree.ts';
import { CLOSING_HEADS } from '../ledger/closing-heads.ts';
import { FileNoteSlot } from '../ledger/guard/file-note-slot.ts';
import { openLevelStore } from '../ledger/store/level-store.ts';
import { readHead } from '../ledger/start.ts';
import type { LedgerStore } from '../ledger/store/store.ts';
import { storedTiles, type TileHashes } from '../ledger/tree-reader.ts';
import { httpLogReader } from '../mirror/http-log-reader.ts';
import { MIRROR_TABLE, readRows } from '../mirror/mirror-rows.ts';
import { saidCheckpoint } from '../mirror/mirrored-note.ts';
import { PackedBytes } from '../mirror/packed-bytes.ts';
import { nodeSha256 } from '../platform/node-sha256.ts';
import { recounterFolder } from '../recounter/recounter-folder.ts';
import { BACKUP_FILE, parseBackup } from './backup-manifest.ts';
import type { BlobStore } from '../blob/blob-store.ts';
import { readNamedBlob } from '../blob/named-blob.ts';
import { PackedBlobStore } from '../blob/packed-blob-store.ts';
import { readBounded } from './bounded-file.ts';
import { addGuardEntries, type LeftGuard, readLeftGuard } from './left-guard.ts';
import { snapshotLedger } from './ledger-snapshot.ts';
import { MAX_PRIVATE_BYTES, type PrivateFile, privatePaths } from './private-files.ts';

/**
 * The kind of a source. `url`: a server, of the log or of a copy of it. `recounter`: a recounter's folder, with
 * its copy of the publisher's log. `export`, `backup`: what was written of the log at one time. `folder`: a
 * node's data folder, such as what is left of the one that is restored.
 */
export type SourceKind = 'url' | 'recounter' | 'export' | 'backup' | 'folder';

/** A head as a source shows it, which is not trusted. */
export interface ShownHead {
  readonly holder: string;
  readonly note: Uint8Array;
}

/** Where a log, or a part of it, is restored from. Nothing of it is trusted. */
export interface Source {
  readonly name: string;
  readonly kind: SourceKind;
  /** Whether it is what another machine knows now, so that it may know newer heads than an old copy. */
  readonly isLive: boolean;
  /** The note of the head whose entries it has; undefined if it shows none. */
  readonly note: Uint8Array | undefined;
  /** The head of its entries as it claims, if nothing signed covers them: a ledger whose guard is gone. */
  readonly unsigned: OlderHead | undefined;
  /** What is left of the head guard of a data folder; undefined for any other source. */
  readonly guard: LeftGuard | undefined;
  /** Heads that it knows of, including those of entries that it does not have. */
  readonly heads: readonly ShownHead[];
  /**
   * The bytes at the path of a tile or bundle. Throws `not_found`, `too_large`, `unreachable`,
   * `storage_failed`.
   */
  readonly tile: (path: string, maxBytes: number) => Promise<Uint8Array>;
  /** The note that it has as the closing head of a checkpoint key; undefined if it has none. Throws what `tile` throws. */
  readonly closingHead: (number: number) => Promise<Uint8Array | undefined>;
  /**
   * Bytes that may have this hash, which entry `seq` names; undefined if it has none. A server is asked for them in packs,
   * as long as the entries come in their order. Throws what `tile` throws.
   */
  readonly blob: (hash: HashHex, seq: number) => Promise<Uint8Array | undefined>;
  /** What it has that nothing serves. */
  readonly privates: () => Promise<readonly PrivateFile[]>;
  readonly close: () => Promise<void>;
}

export interface SourceParts {
  readonly sha256: Sha256;
  /** A folder for copies of databases. */
  readonly scratch: string;
}

const MAX_NOTE_BYTES = 65_536;
const MAX_MANIFEST_BYTES = 67_108_864;
const TRIES = 3;
const BACK_OFF_MS = 1000;

/** Whether a source is asked over the network. Anything else is a folder. */
export function isAddress(text: string): boolean {
  return /^https?:\/\//i.test(text);
}

/**
 * Opens what `text` names: an address or a folder. Throws `not_found`, `refused`, `unreachable`, `malformed`.
 */
export async function openSource(text: string, parts: SourceParts): Promise<Source> {
  if (isAddress(text)) return urlSource(text);
  const isFile = async (name: string): Promise<boolean> =>
    stat(join(text, name)).then(
      (found) => found.isFile(),
      () => false,
    );
  if (await isFile(BACKUP_FILE)) return backupSource(text);
  if (await isFile('checkpoint')) return exportSource(text);
  const recounter = await recounterLog(text);
  if (recounter !== undefined) return recounterSource(text, recounter, parts);
  if (await isFolder(dataFolder(text).ledger)) return folderSource(text, parts);
  throw new Fault('not_found', 'source', {
    at: text,
    expected:
      "an address, an export, a backup, a recounter's folder or its publisher/log, or a data folder",
    found: 'none of them',
  });
}

/** The addresses at which a log may be, given one address: a recounter has its copies below `/mirror`. */
async function urlSource(text: string): Promise<Source> {
  const root = text.replace(/\/+$/, '');
  const get = retrying(root);
  const base = (await mirroredBelow(root, get)) ?? root;
  const log = base === root ? get : retrying(base);
  const { status, body } = await log('/checkpoint', MAX_NOTE_BYTES);
  const note = status === 200 ? body : undefined;
  // A recounter serves what it read itself at its root.
  const others = [...new Set([base, root, root.replace(/\/mirror\/[0-9a-f]{64}$/, '')])];
  const size = note === undefined ? 0 : saidSize(note);
  /** The last path that the log's own address did not have. */
  let missing: string | undefined;
  const packed = new PackedBytes(
    {
      async get(path, maxBytes) {
        const answer = await log(path, maxBytes);
        if (answer.status !== 200) missing = path;
        return answer;
      },
    },
    nodeSha256,
  );
  return {
    name: text,
    kind: 'url',
    isLive: true,
    note,
    unsigned: undefined,
    guard: undefined,
    heads: note === undefined ? [] : [{ holder: text, note }],
    async tile(path, maxBytes) {
      const answer = await log(`/${path}`, maxBytes);
      if (answer.status === 200) return answer.body;
      throw new Fault('not_found', 'tile', { at: path, found: `status ${answer.status}` });
    },
    async closingHead(number) {
      const answer = await log(`/${CLOSING_HEADS}/${number}`, MAX_NOTE_BYTES);
      return answer.status === 200 ? answer.body : undefined;
    },
    async blob(hash, seq) {
      const bytes = await packed.read(hash, seq, size);
      if (bytes !== undefined) return bytes;
      for (const each of others) {
        if (each === base && missing === `/blob/${hash}`) continue;
        const answer = await retrying(each)(`/blob/${hash}`, MAX_PAGE_BYTES);
        if (answer.status === 200) return answer.body;
      }
      return undefined;
    },
    privates: none,
    close: () => Promise.resolve(),
  };
}

/** The size of the head that a note may be of; 0 for what is no head. */
function saidSize(note: Uint8Array): number {
  try {
    return saidCheckpoint(note).size;
  } catch (error) {
    if (faultCode(error) === undefined) throw error;
    return 0;
  }
}

type Get = (
  path: string,
  maxBytes: number,
) => Promise<{ readonly status: number; readonly body: Uint8Array }>;

/**
 * The address of a recounter's copy of its publisher's log, if `root` is a recounter, which its status shows.
 */
async function mirroredBelow(root: string, get: Get): Promise<string | undefined> {
  if (/\/mirror\/[0-9a-f]{64}$/.test(root)) return undefined;
  try {
    const { body } = await get('/status', MAX_NOTE_BYTES);
    const status = JSON.parse(Buffer.from(body).toString('utf8')) as {
      readonly publisher?: { readonly origin?: unknown };
    };
    const origin = status.publisher?.origin;
    if (typeof origin !== 'string') return undefined;
    return `${root}/mirror/${hashHex(contentHash(nodeSha256, formatUtf8(origin)))}`;
  } catch {
    // A static host or a publisher: the address itself is the log's.
    return undefined;
  }
}

/** The answers of a server, which is asked again if it was busy. Throws what `httpLogReader` throws. */
function retrying(base: string): Get {
  const reader = httpLogReader(base);
  return async (path, maxBytes) => {
    for (let attempt = 1; ; attempt += 1) {
      try {
        return await reader.get(path, maxBytes);
      } catch (error) {
        const code = faultCode(error);
        if (attempt === TRIES || (code !== 'unreachable' && code !== 'timeout')) throw error;
        await new Promise((resolve) => setTimeout(resolve, BACK_OFF_MS * attempt));
      }
    }
  };
}

async function exportSource(root: string): Promise<Source> {
  const note = await readBounded(join(root, 'checkpoint'), MAX_NOTE_BYTES);
  return filesSource(root, 'export', note, none);
}

async function backupSource(root: string): Promise<Source> {
  const bytes = await readBounded(join(root, BACKUP_FILE), MAX_MANIFEST_BYTES);
  if (bytes === undefined) throw new Fault('not_found', 'backup', { at: root });
  const { note, files } = parseBackup(bytes);
  const privates = files.map(({ path, sha256 }): PrivateFile => ({
    path,
    async read() {
      const found = await readBounded(join(root, 'private', sha256), MAX_PRIVATE_BYTES);
      if (found !== undefined && hashHex(contentHash(nodeSha256, found)) === sha256) return found;
      const what = found === undefined ? 'none' : 'other bytes';
      throw new Fault('blob_differs', 'file of a backup', { at: path, found: what });
    },
  }));
  return filesSource(root, 'backup', formatUtf8(note), () => Promise.resolve(privates));
}

/** The closing heads in a folder, each in a file of its number. */
function closingHeadIn(root: string): Source['closingHead'] {
  return (number) => readBounded(join(root, CLOSING_HEADS, `${number}`), MAX_NOTE_BYTES);
}

function filesSource(
  root: string,
  kind: SourceKind,
  note: Uint8Array | undefined,
  privates: Source['privates'],
): Source {
  return {
    name: root,
    kind,
    isLive: false,
    note,
    unsigned: undefined,
    guard: undefined,
    heads: note === undefined ? [] : [{ holder: root, note }],
    async tile(path, maxBytes) {
      const bytes = await readBounded(join(root, path), maxBytes);
      if (bytes === undefined) throw new Fault('not_found', 'tile', { at: join(root, path) });
      return bytes;
    },
    closingHead: closingHeadIn(root),
    blob: (hash) => readBounded(join(root, 'blob', hash), MAX_PAGE_BYTES),
    privates,
    close: () => Promise.resolve(),
  };
}

/**
 * Where a recounter's copy of a log, the newest head that it accepted, and the bytes that the log names are.
 */
interface RecounterLog {
  readonly ledger: string;
  readonly accepted: string;
  readonly blobs: readonly string[];
}

/** Of a recounter's folder, of its `publisher` folder, or of the `log` in that. */
async function recounterLog(text: string): Promise<RecounterLog | undefined> {
  const { mirror, accepted, kept, blobs } = recounterFolder(text);
  if (await isFolder(mirror)) return { ledger: mirror, accepted, blobs: [kept, blobs] };
  for (const publisher of [text, join(text, '..')]) {
    const [ledger, head] = [join(publisher, 'log'), join(publisher, 'head')];
    const isIt = publisher === text ? await isDatabase(ledger) : await isDatabase(text);
    if (!isIt || (publisher !== text && !/(?:^|[/\\])log[/\\]*$/.test(text))) continue;
    const beside = [join(publisher, 'blobs'), join(publisher, '..', 'blobs')];
    return { ledger: publisher === text ? ledger : text, accepted: head, blobs: beside };
  }
  return undefined;
}

async function recounterSource(
  name: string,
  { ledger, accepted, blobs }: RecounterLog,
  parts: SourceParts,
): Promise<Source> {
  const opened = await openStored(ledger, accepted, parts);
  const stores = blobs.map((folder) => PackedBlobStore.reader(folder));
  try {
    const held = await heldNote(opened.store);
    const heads = [held, opened.guard].flatMap((note) =>
      note === undefined ? [] : [{ holder: `${name}, a recounter`, note }],
    );
    return {
      ...(await storeSource(opened, parts.sha256)),
      name,
      kind: 'recounter',
      isLive: true,
      note: held,
      unsigned: undefined,
      guard: undefined,
      heads,
      closingHead: closingHeadIn(join(ledger, '..')),
      blob: (hash) => firstBlob(stores, hash),
      privates: none,
    };
  } catch (error) {
    await opened.store.close();
    throw error;
  }
}

async function folderSource(root: string, parts: SourceParts): Promise<Source> {
  const source = await openLeft(root, parts);
  if (source.fault === undefined) return source;
  await source.close();
  throw source.fault;
}

/**
 * What is left of a data folder: the heads in its guard and in the note next to it, even if its ledger is
 * missing or does not open, which `fault` then reports.
 */
export async function openLeft(
  root: string,
  parts: SourceParts,
): Promise<Source & { readonly fault: unknown }> {
  const folder = dataFolder(root);
  const copy = await copyFolder(parts, root);
  const signed = await guardNote(folder.head, join(copy, 'head'));
  const guard = await readLeftGuard(folder, join(copy, 'guard'));
  const shown = await readBounded(folder.shown, MAX_NOTE_BYTES).catch(() => undefined);
  const blobs = PackedBlobStore.reader(folder.blobs);
  const left = {
    name: root,
    kind: 'folder' as const,
    isLive: false,
    guard,
    heads: [
      ...(signed === undefined ? [] : [{ holder: `the head guard in ${root}`, note: signed }]),
      ...(shown === undefined
        ? []
        : [{ holder: `what readers were shown, in ${root}`, note: shown }]),
    ],
    closingHead: closingHeadIn(root),
    blob: (hash: HashHex) => firstBlob([blobs], hash),
    privates: async () => {
      const paths = await privatePaths(root, { withKeys: true });
      return paths.map((path) => privateIn(root, path));
    },
  };
  let store: LedgerStore | undefined;
  try {
    await snapshotLedger(folder.ledger, join(copy, 'ledger'));
    store = await openLevelStore(join(copy, 'ledger'));
    const before = await headOf(store);
    if (before !== undefined && guard.state === 'whole') {
      await addGuardEntries(store, before, guard);
    }
    const unsigned = await headOf(store);
    const stored = await storeSource({ store }, parts.sha256);
    return { ...left, ...stored, note: signed, unsigned, fault: undefined };
  } catch (fault) {
    const gone = (): Promise<never> => Promise.reject(fault);
    const opened = store;
    const close = async (): Promise<void> => opened?.close();
    return { ...left, tile: gone, close, note: undefined, unsigned: undefined, fault };
  }
}

async function copyFolder({ scratch }: SourceParts, of: string): Promise<string> {
  // One folder may be named twice, and be opened twice.
  const name = hashHex(contentHash(nodeSha256, formatUtf8(of))).slice(0, 16);
  const copy = join(scratch, `${name}-${randomBytes(4).toString('hex')}`);
  await mkdir(copy, { recursive: true, mode: 0o700 });
  return copy;
}

/** The note of the newest head whose entries a copy has. Its signature shows whether it is one. */
async function heldNote(store: LedgerStore): Promise<Uint8Array | undefined> {
  for await (const row of store.views()) {
    if (row.table !== MIRROR_TABLE) continue;
    try {
      const { held } = readRows([row]);
      if (held !== undefined) return held;
    } catch (error) {
      // A damaged row: what the log's key did not sign is not used, whatever it contains.
      if (faultCode(error) === undefined) throw error;
    }
  }
  return undefined;
}

async function headOf(store: LedgerStore): Promise<OlderHead | undefined> {
  const bytes = await store.head();
  if (bytes === undefined) return undefined;
  try {
    return readHead(nodeSha256, bytes);
  } catch {
    return undefined;
  }
}

interface OpenStored {
  readonly store: LedgerStore;
  /** The note in the file next to it; undefined if there is none, or none that can be read. */
  readonly guard: Uint8Array | undefined;
}

/** A copy of a database, because opening one writes to it, and of the memory of heads next to it. */
async function openStored(ledger: string, guard: string, parts: SourceParts): Promise<OpenStored> {
  const copy = await copyFolder(parts, ledger);
  // First, so that what is committed while the database is copied comes after the head that is known then.
  const note = await guardNote(guard, join(copy, 'head'));
  await snapshotLedger(ledger, join(copy, 'ledger'));
  return { store: await openLevelStore(join(copy, 'ledger')), guard: note };
}

/** The note in a head guard, from a copy, because opening a guard writes to it. */
async function guardNote(path: string, copy: string): Promise<Uint8Array | undefined> {
  try {
    await copyFile(path, copy);
  } catch (error) {
    if (errorCode(error) === 'ENOENT') return undefined;
    throw error;
  }
  try {
    return (await FileNoteSlot.peek(copy))?.note;
  } catch (error) {
    // A damaged guard is treated like a missing one: others show how far the log has been.
    if (faultCode(error) === 'guard_corrupt') return undefined;
    throw error;
  }
}

async function storeSource(
  { store }: Pick<OpenStored, 'store'>,
  sha256: Sha256,
): Promise<Pick<Source, 'tile' | 'close'>> {
  const hashes = await soundTiles(sha256, store);
  return {
    async tile(path) {
      const tile = parseTilePath(path);
      if (tile.level === 'entries') return bundleOf(store, tile);
      const found = await hashes(tile.level, tile.index);
      return formatHashTile(found.slice(0, tile.width));
    },
    close: () => store.close(),
  };
}

async function bundleOf(store: LedgerStore, { index, width }: Tile): Promise<Uint8Array> {
  const start = index * TILE_WIDTH;
  const entries: Uint8Array[] = [];
  for await (const entry of store.entries(start, start + width)) entries.push(entry);
  if (entries.length === width) return formatEntryBundle(entries);
  throw new Fault('not_found', 'entry bundle', {
    at: `entry ${start + entries.length}`,
    expected: `${width} entries from ${start} on`,
    found: `${entries.length}`,
  });
}

/**
 * The tiles of a store: those that its entries make if they lead to the root in its head, because then a
 * damaged tile does not matter; otherwise the stored ones, which show which of the entries differs.
 */
async function soundTiles(sha256: Sha256, store: LedgerStore): Promise<TileHashes> {
  const head = await headOf(store);
  if (head === undefined) {
    return () =>
      Promise.reject(new Fault('not_found', 'tile', { found: 'a store without a head' }));
  }
  const tree = new EntryTree(sha256, store);
  try {
    for await (const entry of store.entries(0, head.size)) tree.append(leafHash(sha256, entry));
  } catch {
    return storedTiles(sha256, store, head.size);
  }
  const isSound = tree.size === head.size && hashHex(tree.root()) === head.root;
  return isSound ? tree.hashes : storedTiles(sha256, store, head.size);
}

async function firstBlob(
  stores: readonly Pick<BlobStore, 'read'>[],
  hash: HashHex,
): Promise<Uint8Array | undefined> {
  for (const store of stores) {
    const found = await store.read(hash);
    if (found === undefined || found.size > MAX_PAGE_BYTES) continue;
    const bytes = await readNamedBlob(store, nodeSha256, hash);
    if (bytes !== undefined) return bytes;
  }
  return undefined;
}

async function isFolder(path: string): Promise<boolean> {
  return stat(path).then(
    (found) => found.isDirectory(),
    () => false,
  );
}

async function isDatabase(path: string): Promise<boolean> {
  return stat(join(path, 'CURRENT')).then(
    (found) => found.isFile(),
    () => false,
  );
}

const none = (): Promise<readonly PrivateFile[]> => Promise.resolve([]);

function privateIn(root: string, path: string): PrivateFile {
  return {
    path,
    async read() {
      const found = await readBounded(join(root, path), MAX_PRIVATE_BYTES);
      if (found !== undefined) return found;
      throw new Fault('not_found', 'file', { at: join(root, path) });
    },
  };
}
