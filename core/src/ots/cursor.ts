import { Fault } from '../fault.ts';

/** A place in bytes that are being read. Nothing at or after `end` is read. */
export interface Cursor {
  readonly bytes: Uint8Array;
  at: number;
  end: number;
}

/** A cursor at the beginning of `bytes`. Views of a Buffer would be Buffers; these are plain arrays. */
export function cursorOf({ buffer, byteOffset, length }: Uint8Array): Cursor {
  return { bytes: new Uint8Array(buffer, byteOffset, length), at: 0, end: length };
}

/** A `bad_proof` fault at a byte, counted from 0. */
export function badProof(at: number, expected: string, found?: string): Fault {
  const detail = { at: `byte ${at}`, expected };
  return new Fault(
    'bad_proof',
    'OpenTimestamps proof',
    found === undefined ? detail : { ...detail, found },
  );
}

/** The next byte. Throws `bad_proof` if there is none. */
export function readByte(cursor: Cursor): number {
  if (cursor.at >= cursor.end) throw ended(cursor, 1);
  return cursor.bytes[cursor.at++] as number;
}

/** The next `length` bytes, as a view. Throws `bad_proof` if there are fewer. */
export function readBytes(cursor: Cursor, length: number): Uint8Array {
  const { at, end } = cursor;
  if (length > end - at) throw ended(cursor, length);
  cursor.at = at + length;
  return cursor.bytes.subarray(at, at + length);
}

/**
 * An unsigned LEB128 number of at most 2^53 - 1: seven bits in each byte, the lowest first, with 0x80 set where another
 * byte follows. Throws `bad_proof` for a larger number, and for one that fewer bytes could encode.
 */
export function readVaruint(cursor: Cursor): number {
  const start = cursor.at;
  let value = readByte(cursor);
  if (value < 0x80) return value;
  value -= 0x80;
  for (let scale = 0x80; ; scale *= 0x80) {
    const byte = readByte(cursor);
    value += (byte & 0x7f) * scale;
    if (value > Number.MAX_SAFE_INTEGER || scale > 2 ** 49) {
      throw badProof(start, 'a number of at most 2^53 - 1');
    }
    if (byte === 0) throw badProof(start, 'a number in as few bytes as it takes');
    if (byte < 0x80) return value;
  }
}

/** Bytes after their length, which is `least` to `most`, as a view. Throws `bad_proof`. */
export function readVarbytes(cursor: Cursor, least: number, most: number): Uint8Array {
  const start = cursor.at;
  const length = readVaruint(cursor);
  if (length < least || length > most) {
    throw badProof(start, `a length of ${least} to ${most}`, `${length}`);
  }
  return readBytes(cursor, length);
}

function ended({ at, end }: Cursor, length: number): Fault {
  return badProof(at, length === 1 ? 'one more byte' : `${length} more bytes`, `${end - at}`);
}
