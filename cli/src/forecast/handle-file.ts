import { randomBytes } from 'node:crypto';
import { type HandleFile, parseHandleFile } from '@assay/core/arena/handle-file';
import { formatHex, parseHex } from '@assay/core/bytes/hex';
import { Fault } from '@assay/core/fault';
import { formatWire, parseWire } from '@assay/core/wire/wire';
import { writeDurable } from '@assay/node/platform/durable-file';
import { readPlainFile } from '../reader/plain-file.ts';

const MAX_BYTES = 4096;

/**
 * The handle in a file; where there is no file, a new one with a random salt. Throws `malformed`, also for the file of
 * another name.
 */
export async function openHandle(path: string, name: string): Promise<HandleFile> {
  const bytes = await readPlainFile(path, MAX_BYTES);
  if (bytes === undefined) {
    return { type: 'assay-handle/1', name, salt: formatHex(randomBytes(32)), secret: null };
  }
  const file = parseHandleFile(parseWire(bytes), 'handle');
  if (file.name === name) return file;
  throw new Fault('malformed', 'handle file', { at: path, expected: name, found: file.name });
}

/** The salt of a handle, as bytes. */
export function saltOf({ salt }: HandleFile): Uint8Array {
  return parseHex(salt, 32);
}

/** Writes a handle durably, for its owner alone. */
export function writeHandle(path: string, file: HandleFile): Promise<void> {
  return writeDurable(path, formatWire(file), { mode: 0o600 });
}
