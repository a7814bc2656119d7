import { mkdir, readdir, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { parseCheckpoint } from '@assay/core/log/checkpoint';
import { concatBytes } from '@assay/core/bytes/bytes';
import { Fault } from '@assay/core/fault';
import { contentHash, hashHex, type HashHex } from '@assay/core/hash/hash';
import { MAX_PAGE_BYTES } from '@assay/core/limits';
import { parseNote } from '@assay/core/log/note';
import { checkpointTerms } from '@assay/core/view/key/checkpoint-keys';
import { formatTilePath, type Tile } from '@assay/core/log/tile';
import { EXPORT_MARK, EXPORT_MARK_TEXT } from '@assay/core/answer/copy/export-file';
import {
  exportedAnswers,
  exportedProofs,
  exportedSettlements,
  settlementName,
} from '@assay/core/answer/copy/exported';
import type { ViewState } from '@assay/core/view/view';
import { formatUtf8 } from '@assay/core/bytes/utf8';
import { command, type Command } from '../command/command.ts';
import { option } from '../command/option.ts';
import { EXIT, type ExitCode } from '../command/exit.ts';
import { openDataFolder, requireDataFolder } from '../reader/data-reader.ts';
import { slowProgress, type Terminal } from '../command/tty.ts';
import { readPlainFile } from '../reader/plain-file.ts';
import { withRows } from '../reader/folded-rows.ts';
import { readStoredLog } from '../reader/stored-log.ts';
import type { BlobStore } from '@assay/node/blob/blob-store';
import type { FolderReader } from '@assay/verifier/reader/folder-reader';

/** An export has what there is about every period, however old. */
const ALL = Number.POSITIVE_INFINITY;

export const exportCommand: Command = command({
  name: 'export',
  summary: 'Write a log as plain files, for any static host.',
  about: `Writes the log of a node as plain files: the checkpoint, tiles, entries, kept bytes alone and in packs, every answer of the API that follows from the log, the .ots files, and the settlement files of the newest Close.

    The node must be stopped. assay verify checks the folder, or the address of a host that serves it.`,
  operands: { data: { value: 'DATA', about: 'The data folder of the node.' } },
  options: {
    output: option('FOLDER', { short: 'o', required: true })`
      Where to write: an empty or a new folder.`,
  },
  examples: {
    'assay export data -o public': 'Write the log of a node into the folder public.',
  },
  run: exportLog,
});

async function exportLog(
  { data, output }: { readonly data: string; readonly output: string },
  terminal: Terminal,
): Promise<ExitCode> {
  await requireDataFolder(data);
  const there = await readdir(output).catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return [];
    throw error;
  });
  if (there.length > 0) {
    throw new Fault('not_empty', 'export folder', { at: output, expected: 'an empty folder' });
  }
  const { folder, close } = await openDataFolder(data);
  const progress = slowProgress(terminal, () => performance.now());
  let files = 0;
  const write: WriteFile = async (path, bytes) => {
    const file = join(output, path);
    await mkdir(dirname(file), { recursive: true });
    await writeFile(file, bytes);
    files += 1;
    progress.tell(files, files, 'files');
  };
  try {
    const note = await folder.guard();
    if (note === undefined) {
      throw new Fault('not_found', 'head guard', { at: data, expected: 'a published head' });
    }
    const { size } = parseCheckpoint(parseNote(note).text);
    const { nodeSha256 } = await import('@assay/node/platform/node-sha256');
    const { Packs } = await import('@assay/node/blob/packs');
    await withRows(nodeSha256, async (rows) => {
      await readStoredLog(folder, nodeSha256, size, rows, {
        onTile: (tile, bytes) => write(formatTilePath(tile), bytes),
        onBlob: (hash, bytes) => write(`blob/${hash}`, bytes),
      });
      const packs = new Packs(nodeSha256, { tile: bundleIn(output), blobs: checkedIn(folder) });
      for await (const { name, chunks } of packs.all(size)) {
        await write(name, await bytesOf(chunks()));
      }
      await writeFolded(data, folder, rows, write);
    });
    await write(EXPORT_MARK.slice(1), formatUtf8(EXPORT_MARK_TEXT));
    // Last, so that an unfinished export has no checkpoint.
    await write('checkpoint', note);
    progress.end();
    terminal.out(
      `${output}: ${files} files, ${size} entries; check it with assay verify ${output}`,
    );
    return EXIT.ok;
  } finally {
    progress.end();
    await close();
  }
}

/** Writes a file of an export. */
type WriteFile = (path: string, bytes: Uint8Array) => Promise<void>;

/** Writes what follows from the rows: answers, proofs, settlement files and closing heads. */
async function writeFolded(
  data: string,
  folder: FolderReader,
  views: ViewState,
  write: WriteFile,
): Promise<void> {
  const [
    { dataFolder },
    { SettlementFolder },
    { CLOSING_HEADS, ClosingHeads },
    { lackingClosingHead },
    { nodeSha256 },
  ] = await Promise.all([
    import('@assay/node/platform/data-folder'),
    import('@assay/node/day/settlement-mirror'),
    import('@assay/node/ledger/closing-heads'),
    import('@assay/node/key/settle-keys'),
    import('@assay/node/platform/node-sha256'),
  ]);
  for (const { name, body } of exportedAnswers(views, nodeSha256, ALL)) await write(name, body);
  for (const { name, tip, body } of exportedProofs(views, nodeSha256, ALL)) {
    const bytes = await folder.blob(tip);
    const file = bytes && body(bytes);
    if (file !== undefined) await write(name, file);
  }
  const mirror = new SettlementFolder(dataFolder(data).mirror);
  for (const { path } of exportedSettlements(views)) {
    const bytes = await mirror.read(path);
    if (bytes !== undefined) await write(settlementName(path), bytes);
  }
  const closing = new ClosingHeads(data);
  for (const { number, last_size: last } of checkpointTerms(views)) {
    if (last === null) continue;
    const head = await closing.read(number);
    if (head === undefined) throw lackingClosingHead(closing.path(number), number);
    await write(`${CLOSING_HEADS}/${number}`, head);
  }
}

/** The entry bundles that have been written. */
function bundleIn(output: string): (tile: Tile) => Promise<Uint8Array | undefined> {
  return (tile) => readPlainFile(join(output, formatTilePath(tile)), MAX_PAGE_BYTES);
}

/** The blobs of a data folder, those that have their hash. */
function checkedIn(folder: FolderReader): Pick<BlobStore, 'checked'> {
  return {
    async checked(hash: HashHex) {
      const bytes = await folder.blob(hash);
      if (bytes === undefined) return undefined;
      const { nodeSha256 } = await import('@assay/node/platform/node-sha256');
      const found = hashHex(contentHash(nodeSha256, bytes));
      if (found !== hash) throw new Fault('blob_differs', 'blob', { expected: hash, found });
      return {
        size: bytes.length,
        async *chunks() {
          yield bytes;
        },
      };
    },
  };
}

async function bytesOf(chunks: AsyncIterable<Uint8Array>): Promise<Uint8Array> {
  const pieces: Uint8Array[] = [];
  for await (const piece of chunks) pieces.push(piece);
  return concatBytes(...pieces);
}
