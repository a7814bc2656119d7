import { concatBytes } from '@assay/core/bytes/bytes';
import { parseHex } from '@assay/core/bytes/hex';

/** A number below `below`, the same ones again for the same seed. */
export type Draw = (below: number) => number;

/** xorshift32 (Marsaglia, 2003). */
export function drawer(seed: number): Draw {
  let state = seed >>> 0 || 1;
  return (below) => {
    state ^= state << 13;
    state ^= state >>> 17;
    state ^= state << 5;
    return (state >>> 0) % below;
  };
}

/** Bytes before the tag of the file's hash. */
const HEAD = 32;

/** Bytes that mean something, and their neighbours. */
const TAGS = [0x00, 0x01, 0x02, 0x03, 0x08, 0x67, 0x7f, 0x80, 0xf0, 0xf1, 0xf2, 0xf3, 0xfe, 0xff];

const ATTESTATION_TAGS = [
  '0588960d73d71901',
  '06869a0d73d71b45',
  '30fe8087b5c7ead7',
  '83dfe30d2ef90c8e',
  '83dfe30d2ef90c8f',
].map((hex) => parseHex(hex));

/** One of `seeds` with one to three changes, by byte or by part. */
export function mutant(seeds: readonly Uint8Array[], draw: Draw): Uint8Array {
  let bytes = seeds[draw(seeds.length)] as Uint8Array;
  for (let left = 1 + draw(3); left > 0; left -= 1) {
    bytes = draw(2) === 0 ? changedByte(bytes, draw) : changedPart(bytes, seeds, draw);
    if (bytes.length === 0) return bytes;
  }
  return bytes;
}

function changedByte(bytes: Uint8Array, draw: Draw): Uint8Array {
  const at =
    draw(8) === 0
      ? draw(bytes.length)
      : Math.min(HEAD, bytes.length - 1) + draw(Math.max(1, bytes.length - HEAD));
  const place = Math.min(at, bytes.length - 1);
  const tag = TAGS[draw(TAGS.length)] as number;
  switch (draw(6)) {
    case 0:
      return replaced(bytes, place, 1, Uint8Array.of((bytes[place] as number) ^ (1 << draw(8))));
    case 1:
      return replaced(bytes, place, 1, Uint8Array.of(tag));
    case 2:
      return bytes.subarray(0, place);
    case 3:
      return replaced(bytes, place, 0, Uint8Array.of(tag));
    case 4:
      return replaced(bytes, place, 1, new Uint8Array(0));
    default:
      return concatBytes(bytes, Uint8Array.of(tag));
  }
}

/** Changes where an item, a length or a number begins, so that more of them are proofs still. */
function changedPart(bytes: Uint8Array, seeds: readonly Uint8Array[], draw: Draw): Uint8Array {
  const { items, numbers } = places(bytes);
  const item = items[draw(items.length)] ?? bytes.length;
  const number = numbers[draw(numbers.length)] ?? bytes.length - 1;
  switch (draw(9)) {
    case 0: // operations without an argument, up to more than may be nested
      return replaced(
        bytes,
        item,
        0,
        new Uint8Array(1 + draw(draw(4) === 0 ? 300 : 12)).fill(0xf2),
      );
    case 1: // each doubles the message
      return replaced(bytes, item, 0, new Uint8Array(1 + draw(9)).fill(0xf3));
    case 2: // a hash of some kind
      return replaced(bytes, item, 0, Uint8Array.of([0x02, 0x03, 0x08, 0x67][draw(4)] as number));
    case 3: {
      // An argument, up to more than may be.
      const length = draw(3) === 0 ? 4000 + draw(200) : 1 + draw(40);
      const argument = new Uint8Array(length).fill(draw(256));
      return replaced(
        bytes,
        item,
        0,
        concatBytes(Uint8Array.of(0xf0 + draw(2)), varuint(length), argument),
      );
    }
    case 4: {
      // Another attestation beside what is there, mostly a whole one.
      const tag = ATTESTATION_TAGS[draw(ATTESTATION_TAGS.length)] as Uint8Array;
      const payload = [
        varuint(draw(1_000_000)),
        parseHex('0568747470'.padEnd(12, '3')),
        varuint(2 ** 53 - 2 + draw(4)),
      ][draw(3)] as Uint8Array;
      return replaced(
        bytes,
        item,
        0,
        concatBytes(Uint8Array.of(0xff, 0x00), tag, varuint(payload.length), payload),
      );
    }
    case 5: // the same again, as another branch
      return concatBytes(
        bytes.subarray(0, item),
        Uint8Array.of(0xff),
        bytes.subarray(item),
        bytes.subarray(item),
      );
    case 6: {
      // What follows an item of another proof.
      const other = seeds[draw(seeds.length)] as Uint8Array;
      const from = places(other).items;
      return concatBytes(bytes.subarray(0, item), other.subarray(from[draw(from.length)] ?? 0));
    }
    case 7: {
      // A number in more bytes than it takes.
      const last = endOfNumber(bytes, number);
      const more = new Uint8Array(draw(3)).fill(0x80);
      return replaced(
        bytes,
        last,
        1,
        concatBytes(Uint8Array.of((bytes[last] as number) | 0x80), more, Uint8Array.of(0)),
      );
    }
    default: // a larger number
      return replaced(bytes, number, 0, new Uint8Array(1 + draw(10)).fill(0xff));
  }
}

/** Where items begin, and where lengths and heights do, as far as the bytes are a proof. */
function places(bytes: Uint8Array): {
  readonly items: readonly number[];
  readonly numbers: readonly number[];
} {
  const items: number[] = [];
  const numbers: number[] = [];
  let at = HEAD + 1 + (bytes[HEAD] === 0x02 || bytes[HEAD] === 0x03 ? 20 : 32);
  while (at < bytes.length) {
    items.push(at);
    while (bytes[at] === 0xff) at += 1;
    const tag = bytes[at++];
    if (tag !== 0x00 && tag !== 0xf0 && tag !== 0xf1) continue;
    if (tag === 0x00) at += 8;
    if (at >= bytes.length) break;
    numbers.push(at);
    const last = endOfNumber(bytes, at);
    let length = 0;
    for (let i = last; i >= at; i -= 1) length = length * 0x80 + ((bytes[i] as number) & 0x7f);
    if (tag === 0x00 && length > 0 && last + 1 < bytes.length) numbers.push(last + 1);
    at = last + 1 + length;
  }
  return { items, numbers };
}

function endOfNumber(bytes: Uint8Array, start: number): number {
  let at = start;
  while (at + 1 < bytes.length && (bytes[at] as number) >= 0x80) at += 1;
  return at;
}

function replaced(bytes: Uint8Array, at: number, length: number, by: Uint8Array): Uint8Array {
  return concatBytes(bytes.subarray(0, at), by, bytes.subarray(at + length));
}

/** Unsigned LEB128 of a safe integer and a little above. */
export function varuint(value: number): Uint8Array {
  const out: number[] = [];
  let left = BigInt(value);
  while (left >= 0x80n) {
    out.push(Number(left % 0x80n) + 0x80);
    left /= 0x80n;
  }
  return Uint8Array.of(...out, Number(left));
}
