import { concatBytes } from '@assay/core/bytes/bytes';
import type { SealedRow, StoredRow } from './store.ts';

/**
 * Keys of the ledger's database; each part's rows lie together and in order.
 *
 *     'e' seq u64be            entry
 *     'h'                      head
 *     't' level u8 index u64be full hash tile
 *     'v' table 0x00 key       view row: its value, then 32 bytes of digest
 */
const ENTRY = 0x65;
const HEAD = 0x68;
const TILE = 0x74;
const VIEW = 0x76;

const DIGEST_BYTES = 32;

const encoder = new TextEncoder();
const decoder = new TextDecoder('utf-8', { fatal: true });

export const HEAD_KEY: Uint8Array = Uint8Array.of(HEAD);

/** Byte by byte, because a view of a key takes longer than the rest of it. */
function writeU64(out: Uint8Array, at: number, value: number): void {
  writeU32(out, at, Math.floor(value / 2 ** 32));
  writeU32(out, at + 4, value % 2 ** 32);
}

function writeU32(out: Uint8Array, at: number, value: number): void {
  out[at] = value >>> 24;
  out[at + 1] = value >>> 16;
  out[at + 2] = value >>> 8;
  out[at + 3] = value;
}

function readU64(bytes: Uint8Array, at: number): number {
  const view = new DataView(bytes.buffer, bytes.byteOffset);
  return view.getUint32(at) * 2 ** 32 + view.getUint32(at + 4);
}

export function entryKey(seq: number): Uint8Array {
  const key = new Uint8Array(9);
  key[0] = ENTRY;
  writeU64(key, 1, seq);
  return key;
}

export function tileKey(level: number, index: number): Uint8Array {
  const key = new Uint8Array(10);
  key[0] = TILE;
  key[1] = level;
  writeU64(key, 2, index);
  return key;
}

/** The bytes under a view row's key. */
export function viewBytes({ value, digest }: Pick<SealedRow, 'value' | 'digest'>): Uint8Array {
  return concatBytes(value, digest);
}

export function viewKey(table: string, key: string): Uint8Array {
  return encoder.encode(`v${table}\0${key}`);
}

/**
 * Tables with a row for each of something that a hash names. No view lists them, so their keys, which share nothing
 * with their neighbours, are not held.
 */
export const KEYED_TABLES: ReadonlySet<string> = new Set([
  'cosigners-said',
  'onchain',
  'stamped',
  'statements-agreed',
  'statements-by-report',
]);

/** The first key of a table's rows, and the first after them. */
export function tableRange(table: string): { readonly gte: Uint8Array; readonly lt: Uint8Array } {
  return { gte: viewKey(table, ''), lt: encoder.encode(`v${table}\u0001`) };
}

/** The first key of a part, and the first after it. */
export const VIEW_RANGE: { readonly gte: Uint8Array; readonly lt: Uint8Array } = {
  gte: Uint8Array.of(VIEW),
  lt: Uint8Array.of(VIEW + 1),
};

/** Every key except those that begin as an entry's or a view row's, and the head's. */
export const OTHER_RANGES: readonly { readonly gte?: Uint8Array; readonly lt?: Uint8Array }[] = [
  { lt: Uint8Array.of(ENTRY) },
  { gte: Uint8Array.of(ENTRY + 1), lt: Uint8Array.of(HEAD) },
  { gte: Uint8Array.of(HEAD, 0), lt: Uint8Array.of(VIEW) },
  { gte: Uint8Array.of(VIEW + 1) },
];

export const ENTRIES_END: Uint8Array = Uint8Array.of(ENTRY + 1);

/** The row that a key and its value are. */
export function readRow(key: Uint8Array, value: Uint8Array): StoredRow {
  if (key[0] === ENTRY && key.length === 9) {
    return { part: 'entry', seq: readU64(key, 1), bytes: value };
  }
  if (key[0] === TILE && key.length === 10) {
    return { part: 'tile', level: key[1] as number, index: readU64(key, 2), bytes: value };
  }
  if (key[0] === HEAD && key.length === 1) return { part: 'head', bytes: value };
  if (key[0] === VIEW) {
    try {
      const [table, row, ...rest] = decoder.decode(key.subarray(1)).split('\0');
      if (table !== undefined && row !== undefined && rest.length === 0) {
        const end = Math.max(0, value.length - DIGEST_BYTES);
        const [text, digest] = [value.subarray(0, end), value.subarray(end)];
        return { part: 'view', table, key: row, value: text, digest };
      }
    } catch {
      // Not text: a key that no view writes.
    }
  }
  return { part: 'unknown', key };
}
