import { Fault, messageOf } from '@assay/core/fault';
import { formatUtf8, parseUtf8 } from '@assay/core/bytes/utf8';

/**
 * What a publisher sends to a reader that follows it, as long as the connection lasts:
 *
 *      0   4  the bytes that follow, big endian; 0 for a frame that only keeps the connection alive
 *      4   1  the kind: 1 a head with entries, 2 the state of the publisher, 3 live scores
 *      5   4  the bytes of a JSON object
 *      9   n  that object
 *      9+n ..  the entries of a head, one after the other, as long as `lengths` says
 */
export type FollowFrame =
  | {
      readonly kind: 'head';
      /** The signed note. */
      readonly note: Uint8Array;
      /** The number of the first of the entries. */
      readonly start: number;
      readonly entries: readonly Uint8Array[];
    }
  /** The publisher has more new entries than it sends in one frame: whoever follows fetches them. */
  | { readonly kind: 'far'; readonly size: number }
  | { readonly kind: 'state'; readonly state: unknown }
  /** The newest scores of a class, which are no entry. */
  | { readonly kind: 'tick'; readonly of: string; readonly data: object };

/** The most bytes of a frame: what a publication may hold is far below. */
export const MAX_FRAME: number = 32 * 1024 * 1024;

/** A frame that means nothing, as the text that a transport sends to push out what waits in its buffer. */
export const FILLER = '\0\0\0\0';

const CODES = { head: 1, state: 2, tick: 3, far: 4 } as const;
const HEAD_BYTES = 9;

/** The bytes of a frame. */
export function formatFrame(frame: FollowFrame): Uint8Array {
  const { kind } = frame;
  if (kind !== 'head') {
    const { kind: _, ...rest } = frame;
    return joined(CODES[kind], rest, []);
  }
  const { note, start, entries } = frame;
  const lengths = entries.map(({ length }) => length);
  return joined(CODES.head, { note: parseUtf8(note), start, lengths }, entries);
}

function joined(code: number, value: object, rest: readonly Uint8Array[]): Uint8Array {
  const json = formatUtf8(JSON.stringify(value));
  const size = rest.reduce((sum, { length }) => sum + length, HEAD_BYTES - 4 + json.length);
  const bytes = new Uint8Array(4 + size);
  const view = new DataView(bytes.buffer);
  view.setUint32(0, size);
  view.setUint8(4, code);
  view.setUint32(5, json.length);
  bytes.set(json, HEAD_BYTES);
  let at = HEAD_BYTES + json.length;
  for (const each of rest) {
    bytes.set(each, at);
    at += each.length;
  }
  return bytes;
}

/** Cuts what arrives into frames. */
export class FrameReader {
  #parts: Uint8Array[] = [];
  #length = 0;

  /** The frames that are complete with `chunk`. Throws `malformed` for what is none, and `too_large`. */
  push(chunk: Uint8Array): readonly FollowFrame[] {
    this.#parts.push(chunk);
    this.#length += chunk.length;
    const frames: FollowFrame[] = [];
    for (;;) {
      const size = this.#size();
      if (size === undefined || this.#length < 4 + size) return frames;
      const all = this.#joined();
      this.#parts = [all.subarray(4 + size)];
      this.#length -= 4 + size;
      if (size > 0) frames.push(parseFrame(all.subarray(4, 4 + size)));
    }
  }

  #size(): number | undefined {
    if (this.#length < 4) return undefined;
    if ((this.#parts[0]?.length ?? 0) < 4) this.#joined();
    const [first] = this.#parts as [Uint8Array];
    const size = new DataView(first.buffer, first.byteOffset).getUint32(0);
    if (size <= MAX_FRAME) return size;
    throw new Fault('too_large', 'frame', { expected: `${MAX_FRAME} bytes`, found: `${size}` });
  }

  #joined(): Uint8Array {
    if (this.#parts.length > 1) this.#parts = [new Uint8Array(Buffer.concat(this.#parts))];
    return this.#parts[0] ?? new Uint8Array();
  }
}

/** The frame in the bytes after its length. Throws `malformed`. */
function parseFrame(bytes: Uint8Array): FollowFrame {
  try {
    const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.length);
    const length = view.getUint32(1);
    const end = 5 + length;
    const value = JSON.parse(parseUtf8(bytes.subarray(5, end))) as Record<string, unknown>;
    switch (view.getUint8(0)) {
      case CODES.head:
        return headFrame(value, bytes.subarray(end));
      case CODES.state:
        return { kind: 'state', state: value['state'] };
      case CODES.tick:
        return { kind: 'tick', of: String(value['of']), data: value['data'] as object };
      case CODES.far:
        return { kind: 'far', size: Number(value['size']) };
      default:
        throw new RangeError('an unknown kind of frame');
    }
  } catch (cause) {
    throw new Fault('malformed', 'frame', { found: messageOf(cause), cause });
  }
}

function headFrame(
  { note, start, lengths }: Readonly<Record<string, unknown>>,
  bytes: Uint8Array,
): FollowFrame {
  if (typeof note !== 'string' || !isCount(start) || !Array.isArray(lengths)) {
    throw new TypeError('a head without its members');
  }
  const entries: Uint8Array[] = [];
  let at = 0;
  for (const length of lengths) {
    if (!isCount(length)) throw new TypeError('a length that is none');
    entries.push(bytes.slice(at, at + length));
    at += length;
  }
  if (at !== bytes.length) throw new RangeError('entries of other lengths');
  return { kind: 'head', note: formatUtf8(note), start, entries };
}

function isCount(value: unknown): value is number {
  return Number.isSafeInteger(value) && (value as number) >= 0;
}
