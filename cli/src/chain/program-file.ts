import { createHash } from 'node:crypto';
import { fileURLToPath } from 'node:url';
import { Fault } from '@assay/core/fault';
import { formatUtf8, parseUtf8 } from '@assay/core/bytes/utf8';
import { UsageError } from '../command/exit.ts';
import { readPlainFile } from '../reader/plain-file.ts';

/** Far more than a program may have on Solana. */
const MAX_BYTES = 16_777_216;
const MAX_SUM_BYTES = 1024;

/** A program's executable, and its SHA-256 in hex. */
export interface ProgramFile {
  readonly elf: Uint8Array;
  readonly sha256: string;
}

/** The executable in this package. Throws `malformed` if it does not match its checksum. */
export async function ownProgram(): Promise<ProgramFile> {
  const beside = import.meta.resolve('@assay/chain/deploy/deployment');
  const path = fileURLToPath(new URL('../../program/assay_feed.so', beside));
  const file = await programAt(path);
  const sums = await readPlainFile(path.replace(/\.so$/, '.sha256'), MAX_SUM_BYTES);
  const [expected] = parseUtf8(sums ?? formatUtf8('none')).split(' ');
  if (file.sha256 === expected) return file;
  throw new Fault('malformed', 'program', {
    at: path,
    expected: `${expected}`,
    found: file.sha256,
  });
}

/** The executable in a file. Throws `UsageError` if there is none. */
export async function programAt(path: string): Promise<ProgramFile> {
  const elf = await readPlainFile(path, MAX_BYTES);
  if (elf === undefined) throw new UsageError(`${path} is no plain file`);
  return { elf, sha256: sha256Hex(elf) };
}

export function sha256Hex(bytes: Uint8Array): string {
  return createHash('sha256').update(bytes).digest('hex');
}
