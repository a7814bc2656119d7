import { crc32 } from 'node:zlib';
import { equalBytes } from '@assay/core/bytes/bytes';
import { formatUtf8, parseUtf8 } from '@assay/core/bytes/utf8';
import { toHash } from '@assay/core/hash/hash';
import { nodeSha256 } from '../../platform/node-sha256.ts';
import type { BareHead, GuardRow, PendingBatch } from './head-guard.ts';

/** A page of memory, and a physical sector of most disks. Records begin at multiples of it. */
export const BLOCK_BYTES = 4096;
export const SALT_BYTES = 32;

const MAGIC = formatUtf8('assayHR1');
const HASH_BYTES = 32;
const WRITER_AT = 128;
/** Bytes of the longest name of a writer in UTF-8. */
export const MAX_WRITER_BYTES = 127;
const HASH_AT = 256;
const HEADER_BYTES = HASH_AT + HASH_BYTES;
const LENGTH_BYTES = 4;

/** One record of a journal: what the row says from here on, and the batch that led to it. */
export interface JournalRecord extends GuardRow {
  /** One more in each record. */
  readonly seq: number;
  /** Records of entries below this are not needed. */
  readonly floor: number;
  /** The head before: the same as `head` in a record without entries. */
  readonly from: BareHead | undefined;
  readonly entries: readonly Uint8Array[];
}

export function batchOf({ from, head, entries }: JournalRecord): PendingBatch | undefined {
  return head === undefined || entries.length === 0 ? undefined : { from, to: head, entries };
}

/** The bytes that a record takes in the file. */
export function recordBytes(entries: readonly Uint8Array[]): number {
  let bytes = HEADER_BYTES;
  for (const { length } of entries) bytes += LENGTH_BYTES + length;
  return Math.ceil(bytes / BLOCK_BYTES) * BLOCK_BYTES;
}

/**
 * Writes a record to the beginning of `out`, which has `recordBytes` bytes:
 *
 *       0   8  "assayHR1"
 *       8   8  seq u64 LE
 *      16   8  epoch u64 LE
 *      24   8  floor u64 LE
 *      32   8  size of the head before, u64 LE; 0 for none
 *      40  32  its root
 *      72   8  size of the head, u64 LE; 0 for none
 *      80  32  its root
 *     112   4  number of entries u32 LE
 *     116   4  bytes of all of them with their lengths, u32 LE
 *     120   4  CRC-32 of those bytes, u32 LE
 *     128   1  bytes of the writer's name, then the name in UTF-8
 *     256  32  sha256 of the journal's salt and of the 256 bytes before
 *     288      each entry: its length u32 LE, and its bytes
 *              zeros
 *
 * The salt is known to this journal alone, so that bytes of an entry are never taken for a record. The entries
 * are covered by a CRC, which shows a write that was cut off; what they say is checked against the root.
 */
export function formatRecord(salt: Uint8Array, record: JournalRecord, out: Uint8Array): void {
  const view = new DataView(out.buffer, out.byteOffset, out.length);
  out.fill(0, 0, HEADER_BYTES);
  out.set(MAGIC, 0);
  writeU64(view, 8, record.seq);
  writeU64(view, 16, record.epoch);
  writeU64(view, 24, record.floor);
  writeHead(out, view, 32, record.from);
  writeHead(out, view, 72, record.head);
  let at = HEADER_BYTES;
  for (const entry of record.entries) {
    view.setUint32(at, entry.length, true);
    out.set(entry, at + LENGTH_BYTES);
    at += LENGTH_BYTES + entry.length;
  }
  out.fill(0, at);
  view.setUint32(112, record.entries.length, true);
  view.setUint32(116, at - HEADER_BYTES, true);
  view.setUint32(120, crc32(out.subarray(HEADER_BYTES, at)), true);
  const writer = formatUtf8(record.writer);
  if (writer.length > MAX_WRITER_BYTES) throw new TypeError('formatRecord: the writer is too long');
  out[WRITER_AT] = writer.length;
  out.set(writer, WRITER_AT + 1);
  out.set(headerHash(salt, out), HASH_AT);
}

/** The record that begins at the beginning of `bytes`; undefined if there is no whole one. */
export function parseRecord(
  salt: Uint8Array,
  bytes: Uint8Array,
): { readonly record: JournalRecord; readonly length: number } | undefined {
  if (bytes.length < HEADER_BYTES || !equalBytes(bytes.subarray(0, 8), MAGIC)) return undefined;
  if (!equalBytes(headerHash(salt, bytes), bytes.subarray(HASH_AT, HEADER_BYTES))) return undefined;
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.length);
  const payload = view.getUint32(116, true);
  const end = HEADER_BYTES + payload;
  if (end > bytes.length) return undefined;
  if (crc32(bytes.subarray(HEADER_BYTES, end)) !== view.getUint32(120, true)) return undefined;
  const entries: Uint8Array[] = [];
  for (let at = HEADER_BYTES; at < end;) {
    const length = view.getUint32(at, true);
    entries.push(bytes.slice(at + LENGTH_BYTES, at + LENGTH_BYTES + length));
    at += LENGTH_BYTES + length;
  }
  const record = {
    seq: readU64(view, 8),
    epoch: readU64(view, 16),
    floor: readU64(view, 24),
    from: readHead(bytes, view, 32),
    head: readHead(bytes, view, 72),
    writer: parseUtf8(bytes.subarray(WRITER_AT + 1, WRITER_AT + 1 + (bytes[WRITER_AT] as number))),
    entries,
  };
  return { record, length: Math.ceil(end / BLOCK_BYTES) * BLOCK_BYTES };
}

function headerHash(salt: Uint8Array, bytes: Uint8Array): Uint8Array {
  const salted = new Uint8Array(SALT_BYTES + HASH_AT);
  salted.set(salt, 0);
  salted.set(bytes.subarray(0, HASH_AT), SALT_BYTES);
  return nodeSha256(salted);
}

function writeU64(view: DataView, at: number, value: number): void {
  view.setBigUint64(at, BigInt(value), true);
}

function readU64(view: DataView, at: number): number {
  return Number(view.getBigUint64(at, true));
}

function writeHead(out: Uint8Array, view: DataView, at: number, head: BareHead | undefined): void {
  if (head === undefined) return;
  writeU64(view, at, head.size);
  out.set(head.root, at + 8);
}

function readHead(bytes: Uint8Array, view: DataView, at: number): BareHead | undefined {
  const size = readU64(view, at);
  return size === 0 ? undefined : { size, root: toHash(bytes.slice(at + 8, at + 8 + HASH_BYTES)) };
}
