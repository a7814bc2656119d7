import { open, readFile } from 'node:fs/promises';
import { concatBytes, equalBytes } from '@assay/core/bytes/bytes';
import { contentHash } from '@assay/core/hash/hash';
import { errorCode, writeDurable } from '../platform/durable-file.ts';
import { nodeSha256 } from '../platform/node-sha256.ts';
import { type PackedBlob, readAt } from './blob-pack.ts';

/**
 * The list of the blobs of a pack, beside it, from which a start reads where they are. It follows from the pack, and is
 * made again where it is missing or damaged.
 *
 *     "aBLl" count u32le covered u32le starts[256] u32le      how many hashes begin with a lower byte
 *     count times: hash[32] at u32le length u32le             by hash
 *     sha256 of everything before                             32 bytes
 */
const MAGIC: Uint8Array = Uint8Array.of(0x61, 0x42, 0x4c, 0x6c);
const HEADER_BYTES = 12 + 256 * 4;
const ROW_BYTES = 40;

export interface PackList {
  readonly blobs: readonly PackedBlob[];
  /** The bytes of the pack that it is about. */
  readonly covered: number;
}

export async function writePackList(path: string, { blobs, covered }: PackList): Promise<void> {
  const sorted = blobs.toSorted((a, b) => Buffer.compare(a.hash, b.hash) || a.at - b.at);
  const bytes = new Uint8Array(HEADER_BYTES + ROW_BYTES * sorted.length);
  const view = new DataView(bytes.buffer);
  bytes.set(MAGIC);
  view.setUint32(4, sorted.length, true);
  view.setUint32(8, covered, true);
  let row = 0;
  for (let first = 0; first < 256; first += 1) {
    while (row < sorted.length && (sorted[row]?.hash[0] as number) < first) row += 1;
    view.setUint32(12 + 4 * first, row, true);
  }
  for (const [i, { hash, at, length }] of sorted.entries()) {
    const start = HEADER_BYTES + ROW_BYTES * i;
    bytes.set(hash, start);
    view.setUint32(start + 32, at, true);
    view.setUint32(start + 36, length, true);
  }
  await writeDurable(path, concatBytes(bytes, contentHash(nodeSha256, bytes)));
}

/** Undefined if there is none, or none that is whole. */
export async function readPackList(path: string): Promise<PackList | undefined> {
  let bytes: Uint8Array;
  try {
    const read = await readFile(path);
    // A `Buffer` takes several times as long to make each part of itself.
    bytes = new Uint8Array(read.buffer, read.byteOffset, read.length);
  } catch (error) {
    if (errorCode(error) === 'ENOENT') return undefined;
    throw error;
  }
  const end = bytes.length - 32;
  if (end < HEADER_BYTES || !equalBytes(bytes.subarray(0, 4), MAGIC)) return undefined;
  if (!equalBytes(contentHash(nodeSha256, bytes.subarray(0, end)), bytes.subarray(end))) {
    return undefined;
  }
  const view = new DataView(bytes.buffer, bytes.byteOffset);
  const blobs: PackedBlob[] = [];
  for (let start = HEADER_BYTES; start < end; start += ROW_BYTES) {
    blobs.push({
      hash: bytes.subarray(start, start + 32),
      at: view.getUint32(start + 32, true),
      length: view.getUint32(start + 36, true),
    });
  }
  return { blobs, covered: view.getUint32(8, true) };
}

/** The hashes of a list that begin with a byte, in order. Reads only that part of it. */
export async function listedHashes(path: string, first: number): Promise<readonly Uint8Array[]> {
  const file = await open(path, 'r');
  try {
    const header = await readAt(file, 0, HEADER_BYTES);
    const view = new DataView(header.buffer, header.byteOffset);
    const start = view.getUint32(12 + 4 * first, true);
    const end = first === 255 ? view.getUint32(4, true) : view.getUint32(16 + 4 * first, true);
    const rows = await readAt(file, HEADER_BYTES + ROW_BYTES * start, ROW_BYTES * (end - start));
    return Array.from({ length: end - start }, (_, i) =>
      rows.subarray(ROW_BYTES * i, ROW_BYTES * i + 32),
    );
  } finally {
    await file.close();
  }
}
