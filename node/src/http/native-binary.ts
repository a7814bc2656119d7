import { constants } from 'node:fs';
import { mkdtemp, open, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Fault } from '@assay/core/fault';
import { formatHex } from '@assay/core/bytes/hex';
import { nodeSha256 } from '../platform/node-sha256.ts';

/** More than any known binary has. A larger file is not read. */
const MAX_BYTES = 64 * 1024 * 1024;

/**
 * Returns what the addon at `path` exports, or undefined if its bytes are missing or do not load into this
 * Node. They are hashed first, because code that is loaded runs in this process, with the keys. Throws
 * `binary_differs` for bytes whose SHA-256 is not among `known`.
 *
 * The bytes that are loaded are those that were hashed. They are copied into a folder that only this user can
 * enter, so that nobody who may write at `path` can exchange or change them afterwards. If there is no space
 * for a copy, or none may be run from there, the file itself is loaded through its open descriptor. It cannot
 * be exchanged then, but whoever may write into it could still change it in place.
 */
export async function loadBinary(path: string, known: ReadonlySet<string>): Promise<unknown> {
  const file = await open(path, constants.O_RDONLY).catch(() => undefined);
  if (file === undefined) return undefined;
  try {
    const { size } = await file.stat();
    const bytes = size > MAX_BYTES ? undefined : new Uint8Array(await file.readFile());
    const found = bytes === undefined ? `${size} bytes` : formatHex(nodeSha256(bytes));
    if (bytes === undefined || !known.has(found)) {
      throw new Fault('binary_differs', 'native binary', {
        at: path,
        expected: `SHA-256 ${[...known].join(' or ')}`,
        found,
      });
    }
    return (await loadCopy(bytes)) ?? loadNow(`/proc/self/fd/${file.fd}`);
  } finally {
    await file.close();
  }
}

/** Undefined if the copy cannot be made or does not load. */
async function loadCopy(bytes: Uint8Array): Promise<unknown> {
  let folder: string | undefined;
  try {
    folder = await mkdtemp(join(tmpdir(), 'assay-binary-'));
    const copy = join(folder, 'binary.node');
    await writeFile(copy, bytes, { mode: 0o500, flag: 'wx' });
    return loadNow(copy);
  } catch {
    return undefined;
  } finally {
    // What is loaded stays loaded.
    if (folder !== undefined) await rm(folder, { recursive: true, force: true }).catch(() => {});
  }
}

function loadNow(path: string): unknown {
  const loaded: { exports: unknown } = { exports: {} };
  try {
    process.dlopen(loaded, path);
  } catch {
    return undefined;
  }
  return loaded.exports;
}
