import { Fault } from '../fault.ts';
import type { HashHex } from '../hash/hash.ts';
import { DIGIT_VALUES, isHex } from '../bytes/hex.ts';
import { MAX_ENTRY_BYTES } from '../limits.ts';
import { isObject } from '../wire/schema.ts';
import { formatTime, type TimeText, toTime } from '../time/time.ts';
import { formatUtf8, parseUtf8 } from '../bytes/utf8.ts';
import { WireScanner, type WireObject, type WireValue } from '../wire/wire.ts';
import { writeWire } from '../wire/wire-writer.ts';

/**
 * One record of the log: canonical JSON of at most 65,535 bytes, with its members in this order.
 *
 *     {"at":"<time>","body":{...},"kind":"<noun>/<version>","prev":"<64 hex>","seq":<n>,"v":1}
 *
 * `prev` is the leaf hash of the entry before it, so that the hash chain and the tree share one hash. `at` never
 * decreases and is only a claim; time is proven by the blocks before and after the entry.
 */
export interface Entry {
  readonly v: 1;
  readonly seq: number;
  readonly prev: HashHex;
  readonly at: TimeText;
  readonly kind: string;
  readonly body: WireObject;
}

/** Where the parts of an entry's bytes are. Hex and time are compared as bytes, and no string is built. */
export interface EntryLayout {
  readonly seq: number;
  readonly kind: string;
  readonly at: TimeText;
  /** Offset of the 64 hex digits of `prev`. */
  readonly prevStart: number;
  readonly bodyStart: number;
  readonly bodyEnd: number;
  /** String values in the body, at any depth. */
  readonly bodyStrings: number;
}

const HEAD = formatUtf8('{"at":"');
const TO_BODY = formatUtf8('","body":');
const TO_KIND = formatUtf8(',"kind":"');
const TO_PREV = formatUtf8('","prev":"');
const TO_SEQ = formatUtf8('","seq":');
const TAIL = formatUtf8(',"v":1}');
const TIME_LENGTH = 20;
const PREV_LENGTH = 64;

/** The entry's bytes. Throws `too_large`, or `not_representable` for parts that the wire cannot carry. */
export function formatEntry({ at, body, kind, prev, seq }: Entry): Uint8Array {
  // Parts with quotes in them could result in an entry with other parts.
  if (!isTime(at)) throw unfit('a time YYYY-MM-DDTHH:MM:SSZ', at);
  if (!isKind(kind)) throw unfit('a kind', kind);
  if (!isHex(prev, PREV_LENGTH / 2)) throw unfit('64 lower-case hex digits', prev);
  if (!Number.isSafeInteger(seq) || seq < 0) throw unfit('a seq of at least 0', seq);
  if (!isObject(body)) throw unfit('an object', body);
  const bytes = writeWire(
    (writer) => {
      writer.ascii('{"at":"');
      writer.ascii(at);
      writer.ascii('","body":');
      writer.value(body, 1);
      writer.ascii(',"kind":"');
      writer.ascii(kind);
      writer.ascii('","prev":"');
      writer.ascii(prev);
      writer.ascii('","seq":');
      writer.ascii(String(seq));
      writer.ascii(',"v":1}');
    },
    ({ written }) => inBlock(written),
  );
  if (bytes.length > MAX_ENTRY_BYTES) {
    throw new Fault('too_large', 'entry', {
      expected: `at most ${MAX_ENTRY_BYTES} bytes`,
      found: `${bytes.length} bytes`,
    });
  }
  return bytes;
}

/**
 * Bytes of a block that entries share one after the other, because an array for each entry would cost more than its
 * hash.
 */
const BLOCK_BYTES = 256 * 1024;
let block: Uint8Array = new Uint8Array(0);
let used = 0;

function inBlock(bytes: Uint8Array): Uint8Array {
  const { length } = bytes;
  if (length > BLOCK_BYTES) return bytes.slice();
  if (used + length > block.length) {
    block = new Uint8Array(BLOCK_BYTES);
    used = 0;
  }
  const start = used;
  used += length;
  block.set(bytes, start);
  return block.subarray(start, used);
}

function unfit(expected: string, found: unknown): Fault {
  return new Fault('not_representable', 'entry', { expected, found: String(found) });
}

/** Neighbouring entries usually have the same second, so each time is parsed once. */
let lastTime = formatTime(0);
const lastTimeBytes = formatUtf8(lastTime);

function isTime(text: string): boolean {
  if (text === lastTime) return true;
  try {
    const time = toTime(text);
    lastTimeBytes.set(formatUtf8(time));
    lastTime = time;
    return true;
  } catch {
    return false;
  }
}

function readTime(scanner: WireScanner): TimeText {
  const { bytes, at } = scanner;
  if (!matches(bytes, at, lastTimeBytes) && !isTime(ascii(bytes, at, at + TIME_LENGTH))) {
    throw scanner.fail('a time YYYY-MM-DDTHH:MM:SSZ');
  }
  scanner.at += TIME_LENGTH;
  return lastTime;
}

function matches(bytes: Uint8Array, at: number, expected: Uint8Array): boolean {
  for (let i = 0; i < expected.length; i += 1) if (bytes[at + i] !== expected[i]) return false;
  return true;
}

/** Checks that `bytes` are one canonical entry and finds its parts. Throws `not_canonical`, `too_large`. */
export function scanEntry(bytes: Uint8Array): EntryLayout {
  if (bytes.length > MAX_ENTRY_BYTES) {
    throw new Fault('too_large', 'entry', { expected: `at most ${MAX_ENTRY_BYTES} bytes` });
  }
  const scanner = new WireScanner(bytes, 0);
  scanner.literal(HEAD);
  const at = readTime(scanner);
  scanner.literal(TO_BODY);
  const bodyStart = scanner.at;
  if (bytes[bodyStart] !== 0x7b) throw scanner.fail('an object');
  scanner.value(1);
  const bodyEnd = scanner.at;
  const bodyStrings = scanner.strings;
  scanner.literal(TO_KIND);
  const kind = readKind(scanner);
  scanner.literal(TO_PREV);
  const prevStart = scanner.at;
  for (let i = 0; i < PREV_LENGTH; i += 1) {
    if ((DIGIT_VALUES[bytes[prevStart + i] ?? 0] as number) < 0) {
      scanner.at += i;
      throw scanner.fail('a lower-case hex digit');
    }
  }
  scanner.at += PREV_LENGTH;
  scanner.literal(TO_SEQ);
  const seq = scanner.integer();
  if (seq < 0) throw scanner.fail('a seq of at least 0');
  scanner.literal(TAIL);
  if (scanner.at !== bytes.length) throw scanner.fail('the end');
  scanner.close();
  return { seq, kind, at, prevStart, bodyStart, bodyEnd, bodyStrings };
}

/** The entry in `bytes`. Throws `not_canonical`, `bad_utf8`, `too_large`. */
export function parseEntry(bytes: Uint8Array): Entry {
  const layout = scanEntry(bytes);
  return {
    v: 1,
    seq: layout.seq,
    prev: entryPrev(bytes, layout),
    at: layout.at,
    kind: layout.kind,
    body: entryBody(bytes, layout),
  };
}

/** The body of a scanned entry. */
export function entryBody(bytes: Uint8Array, layout: EntryLayout): WireObject {
  const text = parseUtf8(bytes.subarray(layout.bodyStart, layout.bodyEnd));
  return JSON.parse(text) as WireValue as WireObject;
}

/** The `prev` of a scanned entry. */
export function entryPrev(bytes: Uint8Array, layout: EntryLayout): HashHex {
  return ascii(bytes, layout.prevStart, layout.prevStart + PREV_LENGTH) as HashHex;
}

function ascii(bytes: Uint8Array, start: number, end: number): string {
  return String.fromCharCode(...bytes.subarray(start, end));
}

/** The kind of the entry before, with the quote after it. The next entry usually has the same. */
let lastKind = 'note/1';
let lastKindBytes: Uint8Array = formatUtf8('note/1"');

function readKind(scanner: WireScanner): string {
  const { bytes, at: start } = scanner;
  if (!matches(bytes, start, lastKindBytes)) {
    let end = start;
    while (end - start < 40 && bytes[end] !== 0x22 && bytes[end] !== undefined) end += 1;
    const text = ascii(bytes, start, end);
    if (!isKind(text)) throw scanner.fail('a kind');
    lastKind = text;
    lastKindBytes = formatUtf8(`${text}"`);
  }
  scanner.at = start + lastKind.length;
  return lastKind;
}

/** `noun/version`: small letters and hyphens, a slash, a number. */
function isKind(text: string): boolean {
  return text === lastKind || /^[a-z][a-z-]{0,30}\/[1-9][0-9]{0,3}$/.test(text);
}
