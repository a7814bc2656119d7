import { concatBytes, equalBytes } from '../bytes/bytes.ts';
import { Fault } from '../fault.ts';
import { hashHex, type HashHex, toHash } from '../hash/hash.ts';
import { parseHex } from '../bytes/hex.ts';
import { formatTilePath, parseTilePath } from './tile.ts';

/** The longest blob that a pack may hold. What is longer is worth a request of its own. */
export const MAX_PACKED_BYTES = 1_048_576;
/** Bytes of one part, its header included. */
export const MAX_PART_BYTES = 4_194_304;
/** Parts of one pack. Blobs beyond them are asked for one by one. */
export const MAX_PARTS = 16;

/** `ASSAYPK1`. */
const MAGIC = Uint8Array.of(0x41, 0x53, 0x53, 0x41, 0x59, 0x50, 0x4b, 0x31);
const HEADER_BYTES = 16;
/** A record without its blob: the hash and the length. */
const RECORD_BYTES = 36;

/** One part of the pack of an entry bundle. `index` and `width` are those of the bundle. */
export interface PackPart {
  readonly part: number;
  readonly index: number;
  readonly width: number;
}

/** A blob in a pack, under the hash that the pack states. Whoever uses the bytes must hash them. */
export interface PackedBlob {
  readonly hash: HashHex;
  readonly bytes: Uint8Array;
}

/** What the bytes of one part say. */
export interface PackContents {
  /** Which of the parts it is, from 0 on. */
  readonly part: number;
  /** How many parts the pack has. */
  readonly parts: number;
  readonly blobs: readonly PackedBlob[];
}

/** `pack/<part>/<N>[.p/<W>]`, with the index and the width as in the path of the entry bundle. */
export function formatPackPath({ part, index, width }: PackPart): string {
  return `pack/${part}/${formatTilePath({ level: 'entries', index, width }).slice(BUNDLE.length)}`;
}

const BUNDLE = 'tile/entries/';

/** The part that a path names. Throws `bad_path` for every other spelling. */
export function parsePackPath(path: string): PackPart {
  const [, digits = '', bundle = ''] = /^pack\/(0|[1-9][0-9]?)\/(.*)$/s.exec(path) ?? [];
  if (digits === '' || Number(digits) >= MAX_PARTS) {
    throw new Fault('bad_path', 'pack path', {
      expected: 'pack/<part>/<index>[.p/<width>]',
      found: JSON.stringify(path.slice(0, 80)),
    });
  }
  const { index, width } = parseTilePath(BUNDLE + bundle);
  return { part: Number(digits), index, width };
}

/**
 * Which blobs go into which part, given the lengths of all blobs of a bundle in order. Each part is filled until the
 * next blob has no room in it. Blobs over `MAX_PACKED_BYTES`, and those beyond the last part, are left out. There is
 * always a first part, which may be empty.
 */
export function splitPack(lengths: readonly number[]): readonly (readonly number[])[] {
  const parts: number[][] = [[]];
  let room = MAX_PART_BYTES - HEADER_BYTES;
  for (const [i, length] of lengths.entries()) {
    if (length > MAX_PACKED_BYTES) continue;
    if (RECORD_BYTES + length > room) {
      if (parts.length === MAX_PARTS) break;
      parts.push([]);
      room = MAX_PART_BYTES - HEADER_BYTES;
    }
    room -= RECORD_BYTES + length;
    parts.at(-1)?.push(i);
  }
  return parts;
}

/** Bytes of a part with blobs of these lengths. */
export function partLength(lengths: readonly number[]): number {
  return lengths.reduce((sum, length) => sum + RECORD_BYTES + length, HEADER_BYTES);
}

/**
 * The first bytes of a part:
 *
 *     "ASSAYPK1" | u16 part | u16 parts | u32 blobs        (big endian)
 */
export function formatPackHeader(part: number, parts: number, blobs: number): Uint8Array {
  const out = new Uint8Array(HEADER_BYTES);
  out.set(MAGIC);
  const view = new DataView(out.buffer);
  view.setUint16(8, part);
  view.setUint16(10, parts);
  view.setUint32(12, blobs);
  return out;
}

/** The bytes before each blob: `sha256 (32 bytes) | u32 length`. */
export function formatRecordHeader(hash: HashHex, length: number): Uint8Array {
  const out = new Uint8Array(RECORD_BYTES);
  out.set(parseHex(hash, 32));
  new DataView(out.buffer).setUint32(32, length);
  return out;
}

/** The bytes of a part: its header, and each blob after its hash and its length. */
export function formatPack({ part, parts, blobs }: PackContents): Uint8Array {
  return concatBytes(
    formatPackHeader(part, parts, blobs.length),
    ...blobs.flatMap(({ hash, bytes }) => [formatRecordHeader(hash, bytes.length), bytes]),
  );
}

/**
 * What the bytes of a part say, with the blobs as views into `bytes`. The hashes are those that the part states: they
 * are not checked here. Throws `bad_length` for bytes that are too many or too few, and `malformed` for everything else
 * that `formatPack` does not write.
 */
export function parsePack(bytes: Uint8Array): PackContents {
  if (bytes.length < HEADER_BYTES || bytes.length > MAX_PART_BYTES) {
    const expected = `${HEADER_BYTES} to ${MAX_PART_BYTES} bytes`;
    throw new Fault('bad_length', 'pack', { expected, found: `${bytes.length} bytes` });
  }
  if (!equalBytes(bytes.subarray(0, MAGIC.length), MAGIC)) {
    throw malformed('ASSAYPK1 at its start', 'something else');
  }
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.length);
  const part = view.getUint16(8);
  const parts = view.getUint16(10);
  const count = view.getUint32(12);
  if (parts < 1 || parts > MAX_PARTS || part >= parts) {
    throw malformed(`one of at most ${MAX_PARTS} parts`, `part ${part} of ${parts}`);
  }
  if (count === 0 && parts > 1) throw malformed('a blob in each of several parts', 'none');
  const blobs: PackedBlob[] = [];
  const seen = new Set<HashHex>();
  let at = HEADER_BYTES;
  while (at < bytes.length) {
    if (at + RECORD_BYTES > bytes.length) throw cut(at, bytes.length);
    const hash = hashHex(toHash(bytes.subarray(at, at + 32)));
    const length = view.getUint32(at + 32);
    if (length > MAX_PACKED_BYTES) {
      throw malformed(`blobs of at most ${MAX_PACKED_BYTES} bytes`, `${length}`);
    }
    if (seen.has(hash)) throw malformed('each blob once', `${hash} twice`);
    seen.add(hash);
    const end = at + RECORD_BYTES + length;
    if (end > bytes.length) throw cut(at, bytes.length);
    blobs.push({ hash, bytes: bytes.subarray(at + RECORD_BYTES, end) });
    at = end;
  }
  if (blobs.length !== count) throw malformed(`${count} blobs`, `${blobs.length}`);
  return { part, parts, blobs };
}

function malformed(expected: string, found: string): Fault {
  return new Fault('malformed', 'pack', { expected, found });
}

function cut(at: number, end: number): Fault {
  return new Fault('bad_length', 'pack', {
    at: `byte ${at}`,
    expected: 'a whole blob',
    found: `${end - at} bytes`,
  });
}
