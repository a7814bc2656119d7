import { stat } from 'node:fs/promises';
import { join } from 'node:path';
import { type Checkpoint, parseCheckpoint } from '@assay/core/log/checkpoint';
import { equalBytes } from '@assay/core/bytes/bytes';
import { Fault } from '@assay/core/fault';
import { hashHex, type HashHex, leafHash, type Sha256 } from '@assay/core/hash/hash';
import { parseNote } from '@assay/core/log/note';
import { formatTilePath, parseEntryBundle, TILE_WIDTH } from '@assay/core/log/tile';
import { TileTree } from '@assay/core/log/tile-tree';
import type { FolderReader } from '@assay/verifier/reader/folder-reader';
import type { LogReader } from '@assay/verifier/reader/log-reader';
import { openDataFolder, requireDataFolder } from './data-reader.ts';
import { exportHostReader, exportReader, isExportHost } from './export-reader.ts';
import { httpReader } from './http-reader.ts';
import { bodyOf } from '@assay/verifier/client/log-answer';

/** Entries and blobs of a log, from its server, an export or a data folder. Signatures are not checked. */
export interface LogSource {
  readonly checkpoint: Checkpoint;
  /**
   * The entries of the checkpoint, in order. Throws `ledger_differs` after the last if they do not have its
   * root.
   */
  readonly entries: () => AsyncIterable<Uint8Array>;
  /** Not trusted. */
  readonly blob: (hash: HashHex) => Promise<Uint8Array | undefined>;
  readonly close: () => Promise<void>;
}

/**
 * Opens the log at an address. Throws what the reader throws, and `not_found` for a log without a checkpoint.
 */
export async function openLogUrl(url: string, sha256: Sha256): Promise<LogSource> {
  const server = httpReader(url);
  const reader = (await isExportHost(server)) ? exportHostReader(server) : server;
  return readerSource(reader, sha256);
}

/** Opens the data folder of a stopped node, or an export. Throws `UsageError` if the path leads to neither. */
export async function openLogFolder(root: string, sha256: Sha256): Promise<LogSource> {
  const isExport = await stat(join(root, 'checkpoint')).then(
    (found) => found.isFile(),
    () => false,
  );
  if (isExport) return readerSource(exportReader(root), sha256);
  await requireDataFolder(root);
  const { folder, close } = await openDataFolder(root);
  try {
    const guard = await folder.guard();
    if (guard === undefined) {
      throw new Fault('not_found', 'data folder', { at: root, expected: 'a signed head' });
    }
    const checkpoint = parseCheckpoint(parseNote(guard).text);
    const entries = (): AsyncIterable<Uint8Array> =>
      rooted(folderEntries(folder, checkpoint.size), checkpoint, sha256);
    return { checkpoint, entries, blob: folder.blob, close };
  } catch (error) {
    await close();
    throw error;
  }
}

async function readerSource(reader: LogReader, sha256: Sha256): Promise<LogSource> {
  const checkpoint = parseCheckpoint(parseNote(await bodyOf(reader, '/checkpoint')).text);
  return {
    checkpoint,
    entries: () => rooted(readerEntries(reader, checkpoint.size), checkpoint, sha256),
    async blob(hash) {
      const { status, body } = await reader.get(`/blob/${hash}`);
      return status === 200 ? body : undefined;
    },
    close: () => Promise.resolve(),
  };
}

async function* folderEntries(folder: FolderReader, size: number): AsyncGenerator<Uint8Array> {
  for await (const row of folder.rows()) {
    if (row.part !== 'entry' || row.seq >= size) return;
    yield row.bytes;
  }
}

async function* readerEntries(reader: LogReader, size: number): AsyncGenerator<Uint8Array> {
  for (let index = 0; index * TILE_WIDTH < size; index += 1) {
    const width = Math.min(TILE_WIDTH, size - index * TILE_WIDTH);
    const path = formatTilePath({ level: 'entries', index, width });
    yield* parseEntryBundle(await bodyOf(reader, `/${path}`), width);
  }
}

/** The same entries. After the last, their root must be the checkpoint's. */
async function* rooted(
  entries: AsyncIterable<Uint8Array>,
  { root, size }: Checkpoint,
  sha256: Sha256,
): AsyncGenerator<Uint8Array> {
  const tree = new TileTree(sha256);
  for await (const bytes of entries) {
    tree.append(leafHash(sha256, bytes));
    yield bytes;
  }
  if (tree.size === size && (size === 0 || equalBytes(tree.root(), root))) return;
  throw new Fault('ledger_differs', 'log', {
    expected: `${size} entries with root ${hashHex(root)}, as its checkpoint says`,
    found: tree.size === 0 ? 'none' : `${tree.size} with root ${hashHex(tree.root())}`,
  });
}
