import { type FileHandle, open } from 'node:fs/promises';
import { concatBytes, equalBytes } from '@assay/core/bytes/bytes';
import { contentHash } from '@assay/core/hash/hash';
import { errorCode } from '../platform/durable-file.ts';
import { nodeSha256 } from '../platform/node-sha256.ts';

/**
 * A pack is a file of records, one behind the other:
 *
 *     "aBLb" length u32le hash[32] check[4] bytes[length]
 *
 * `hash` is the SHA-256 of the bytes, and `check` the first four bytes of the SHA-256 of what is before it, so that the
 * next record is found again where a header was damaged.
 */
const MAGIC: Uint8Array = Uint8Array.of(0x61, 0x42, 0x4c, 0x62);
const CHECKED_BYTES = 40;
export const RECORD_HEADER_BYTES: number = CHECKED_BYTES + 4;

/** The largest blob that goes into a pack: larger ones have a file of their own. */
export const MOST_PACKED_BYTES: number = 64 * 1024 - 1;

/** How much of a pack is read at once when it is gone over. */
const READ_BYTES = 1024 * 1024;

export interface PackedBlob {
  readonly hash: Uint8Array;
  /** Where its record begins. */
  readonly at: number;
  readonly length: number;
}

export function formatRecord(hash: Uint8Array, bytes: Uint8Array): Uint8Array {
  const length = new Uint8Array(4);
  new DataView(length.buffer).setUint32(0, bytes.length, true);
  const checked = concatBytes(MAGIC, length, hash);
  return concatBytes(checked, checkOf(checked), bytes);
}

/** The header of a record; undefined if there is none. */
export function parseHeader(
  bytes: Uint8Array,
): { readonly hash: Uint8Array; readonly length: number } | undefined {
  if (bytes.length < RECORD_HEADER_BYTES || !equalBytes(bytes.subarray(0, 4), MAGIC))
    return undefined;
  const check = checkOf(bytes.subarray(0, CHECKED_BYTES));
  if (!equalBytes(check, bytes.subarray(CHECKED_BYTES, RECORD_HEADER_BYTES))) return undefined;
  const length = new DataView(bytes.buffer, bytes.byteOffset).getUint32(4, true);
  return length > MOST_PACKED_BYTES ? undefined : { hash: bytes.slice(8, CHECKED_BYTES), length };
}

/**
 * The records of a pack from the byte `from` on, and where the last one of them ends. What is no record is passed over,
 * and a record that is cut short at the end of the file is left out: it is being written, or its writer has ended.
 */
export async function scanPack(
  path: string,
  from = 0,
): Promise<{ readonly blobs: readonly PackedBlob[]; readonly end: number }> {
  const file = await open(path, 'r');
  try {
    const blobs: PackedBlob[] = [];
    const { size } = await file.stat();
    let [at, end] = [from, from];
    let bytes: Uint8Array = new Uint8Array(0);
    let start = from;
    while (at + RECORD_HEADER_BYTES <= size) {
      if (at < start || at + RECORD_HEADER_BYTES > start + bytes.length) {
        bytes = await readAt(file, at, Math.min(READ_BYTES, size - at));
        start = at;
      }
      const found = parseHeader(bytes.subarray(at - start, at - start + RECORD_HEADER_BYTES));
      const after = found === undefined ? 0 : at + RECORD_HEADER_BYTES + found.length;
      if (found === undefined || after > size) {
        at += 1;
        continue;
      }
      blobs.push({ hash: found.hash, at, length: found.length });
      [at, end] = [after, after];
    }
    return { blobs, end };
  } finally {
    await file.close();
  }
}

/** The record at a place, with bytes of which nothing was checked; undefined if there is no header or no such file. */
export function readRecord(
  path: string,
  at: number,
): Promise<{ readonly hash: Uint8Array; readonly bytes: Uint8Array } | undefined> {
  return inFile(path, async (file) => {
    const header = parseHeader(await readAt(file, at, RECORD_HEADER_BYTES));
    if (header === undefined) return undefined;
    const bytes = await readAt(file, at + RECORD_HEADER_BYTES, header.length);
    return { hash: header.hash, bytes };
  });
}

/** The same without its bytes. */
export function readRecordHeader(
  path: string,
  at: number,
): Promise<{ readonly hash: Uint8Array; readonly length: number } | undefined> {
  return inFile(path, async (file) => parseHeader(await readAt(file, at, RECORD_HEADER_BYTES)));
}

/** Undefined if there is no such file. It is open only while it is read. */
async function inFile<T>(
  path: string,
  read: (file: FileHandle) => Promise<T | undefined>,
): Promise<T | undefined> {
  let file: FileHandle;
  try {
    file = await open(path, 'r');
  } catch (error) {
    if (errorCode(error) === 'ENOENT') return undefined;
    throw error;
  }
  try {
    return await read(file);
  } finally {
    await file.close();
  }
}

/** Fewer bytes if the file ends before. */
export async function readAt(file: FileHandle, at: number, length: number): Promise<Uint8Array> {
  const bytes = new Uint8Array(length);
  let filled = 0;
  while (filled < length) {
    const { bytesRead } = await file.read(bytes, filled, length - filled, at + filled);
    if (bytesRead === 0) break;
    filled += bytesRead;
  }
  return bytes.subarray(0, filled);
}

function checkOf(bytes: Uint8Array): Uint8Array {
  return contentHash(nodeSha256, bytes).subarray(0, 4);
}
