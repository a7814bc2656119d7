import { lstat, mkdtemp, readdir, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { concatBytes } from '@assay/core/bytes/bytes';
import { Fault } from '@assay/core/fault';
import { MAX_PAGE_BYTES } from '@assay/core/limits';
import { MAX_NOTE_BYTES } from '@assay/core/log/note';
import type { BlobReader } from '@assay/node/blob/blob-store';
import type { FolderReader } from '@assay/verifier/reader/folder-reader';
import { UsageError } from '../command/exit.ts';
import { readPlainFile } from './plain-file.ts';

/** The two slots of a head guard take far less. */
const MAX_GUARD_BYTES = 1_048_576;

/** The milliseconds in which the folder of a stopped node must not change. */
const SETTLE_MS = 250;

/** A node's data folder, opened only for reading. */
export interface OpenFolder {
  readonly folder: FolderReader;
  readonly close: () => Promise<void>;
}

/**
 * Throws `UsageError` if a path leads to no data folder of a node: to nothing, or to a folder with neither a
 * ledger nor the guard of its head. Nothing is created at the path.
 */
export async function requireDataFolder(root: string): Promise<void> {
  const { dataFolder } = await import('@assay/node/platform/data-folder');
  const { ledger, head } = dataFolder(root);
  const there = await Promise.all(
    [ledger, head].map((path) =>
      stat(path).then(
        () => true,
        () => false,
      ),
    ),
  );
  if (!there.includes(true)) throw new UsageError(`${root} holds no data of a node`);
}

/**
 * Opens a node's data folder without changing it. LevelDB writes when it is opened, so a copy of the database
 * is opened instead, with links to its tables if temporary files are on the same disk. Throws `refused` if the
 * folder changed while it was copied, because then a node is running. Throws `not_found` if there is none,
 * `storage_failed` if it cannot be copied, `too_large` for files that no database of a node has, and `timeout`
 * once `stop` is aborted.
 */
export async function openDataFolder(
  root: string,
  stop?: { readonly aborted: boolean },
): Promise<OpenFolder> {
  const [
    { openLevelStore },
    { dataFolder, blobPath },
    { PackedBlobStore },
    { FileNoteSlot },
    { storageFault },
    { snapshotLedger },
  ] = await Promise.all([
    import('@assay/node/ledger/store/level-store'),
    import('@assay/node/platform/data-folder'),
    import('@assay/node/blob/packed-blob-store'),
    import('@assay/node/ledger/guard/file-note-slot'),
    import('@assay/node/platform/storage-fault'),
    import('@assay/node/restore/ledger-snapshot'),
  ]);
  const place = dataFolder(root);
  const blobs = PackedBlobStore.reader(place.blobs);
  const copy = await mkdtemp(join(tmpdir(), 'assay-verify-')).catch((error: unknown) => {
    throw storageFault(error, 'temporary folder');
  });
  try {
    const before = await listing(place.ledger, place.head);
    await snapshotLedger(place.ledger, join(copy, 'ledger'), stop);
    const guardBytes = await readPlainFile(place.head, MAX_GUARD_BYTES);
    // A commit under way would end within this time and be noticed.
    await new Promise((resolve) => setTimeout(resolve, SETTLE_MS));
    if ((await listing(place.ledger, place.head)) !== before) {
      throw new Fault('refused', 'data folder', {
        at: root,
        expected: 'a folder that no node is writing to',
        found: 'one that changed: verify the URL of the node, or stop the node first',
      });
    }
    const store = await openLevelStore(join(copy, 'ledger'));
    if (guardBytes !== undefined) await writeFile(join(copy, 'head'), guardBytes);
    const held = await FileNoteSlot.peek(join(copy, 'head'));
    return {
      folder: {
        rows: () => store.rows(),
        guard: () => Promise.resolve(held?.note),
        blob: async (hash) => {
          const file = await readPlainFile(blobPath(place, hash), MAX_PAGE_BYTES);
          return file ?? bytesOf(await blobs.read(hash));
        },
        closingHead: (number) =>
          readPlainFile(join(root, 'closing-head', `${number}`), MAX_NOTE_BYTES),
      },
      async close() {
        await store.close();
        await rm(copy, { recursive: true, force: true });
      },
    };
  } catch (error) {
    await rm(copy, { recursive: true, force: true });
    throw storageFault(error, 'copy of the data folder');
  }
}

/** What a pack has of a blob, which is small. */
async function bytesOf(found: BlobReader | undefined): Promise<Uint8Array | undefined> {
  if (found === undefined) return undefined;
  const chunks: Uint8Array[] = [];
  for await (const chunk of found.chunks()) chunks.push(chunk);
  return concatBytes(...chunks);
}

/**
 * The names, sizes and times of the files. Throws `not_found`, and `refused` for anything else, because a link
 * may lead anywhere.
 */
async function listing(folder: string, guard: string): Promise<string> {
  const found = await readdir(folder).catch((cause: NodeJS.ErrnoException) => {
    if (cause.code !== 'ENOENT' && cause.code !== 'ENOTDIR') throw cause;
    throw new Fault('not_found', 'data folder', { at: folder, expected: 'a database', cause });
  });
  const names = found.sort().map((name) => join(folder, name));
  const lines = await Promise.all(
    [...names, guard].map(async (path) => {
      const info = await lstat(path).catch(() => undefined);
      if (info !== undefined && !info.isFile()) {
        throw new Fault('refused', 'data folder', { at: path, expected: 'a plain file' });
      }
      return `${path} ${info?.size} ${info?.mtimeMs}`;
    }),
  );
  return lines.join('\n');
}
