const PERCENT = 0x25;
const AMPERSAND = 0x26;
const BACKSLASH = 0x5c;
const HASH = 0x23;
const SEMICOLON = 0x3b;
const OPEN = 0x7b;
const CLOSE = 0x7d;
const LOWER_U = 0x75;
const LOWER_X = 0x78;

const NAMED: ReadonlyMap<string, string> = new Map(
  Object.entries({
    ast: '*',
    midast: '*',
    amp: '&',
    apos: "'",
    colon: ':',
    comma: ',',
    commat: '@',
    dollar: '$',
    equals: '=',
    excl: '!',
    grave: '`',
    diacriticalgrave: '`',
    gt: '>',
    hat: '^',
    lbrace: '{',
    lcub: '{',
    lbrack: '[',
    lsqb: '[',
    lowbar: '_',
    underbar: '_',
    lpar: '(',
    lt: '<',
    num: '#',
    percnt: '%',
    period: '.',
    plus: '+',
    quest: '?',
    rbrace: '}',
    rcub: '}',
    rbrack: ']',
    rsqb: ']',
    rpar: ')',
    semi: ';',
    sol: '/',
    verbar: '|',
    vert: '|',
    verticalline: '|',
  }),
);

/** The most letters in the name of an entity. */
const MAX_NAME = 16;
const MAX_DIGITS = 12;

/**
 * Undoes one round of escapes: of JSON and JavaScript, of HTML, and of URLs, all at once. An escape that does
 * not encode a visible ASCII character stays as it is. Returns the same buffer if there was none. It is written
 * by hand, because a regular expression takes a minute for a page that consists of escapes.
 */
export function undoEscapes(bytes: Buffer): Buffer {
  const out = Buffer.allocUnsafe(bytes.length);
  let length = 0;
  for (let i = 0; i < bytes.length;) {
    const byte = bytes[i] as number;
    const found =
      byte === PERCENT
        ? percentAt(bytes, i + 1)
        : byte === AMPERSAND
          ? entityAt(bytes, i + 1)
          : byte === BACKSLASH
            ? backslashAt(bytes, i + 1)
            : 0;
    const code = found & 0xff;
    const isEscape = code > 0x20 && code < 0x7f;
    out[length] = isEscape ? code : byte;
    length += 1;
    i += isEscape ? 1 + (found >> 8) : 1;
  }
  return length === bytes.length ? bytes : out.subarray(0, length);
}

/** The result of an escape after its first byte: how many bytes, and the character. 0 means none. */
function read(size: number, code: number): number {
  return code > 0 && code < 0x100 ? size * 0x100 + code : 0;
}

/** A letter's byte in lower case. Other bytes become others that are no letters either. */
function lower(byte: number | undefined): number {
  return (byte ?? 0) | 0x20;
}

/** The value of a hexadecimal digit, or -1. */
function digit(byte: number | undefined): number {
  if (byte === undefined) return -1;
  if (byte >= 0x30 && byte <= 0x39) return byte - 0x30;
  const letter = lower(byte);
  return letter >= 0x61 && letter <= 0x66 ? letter - 0x57 : -1;
}

function twoAt(bytes: Buffer, i: number): number {
  const high = digit(bytes[i]);
  const low = digit(bytes[i + 1]);
  return high < 0 || low < 0 ? 0 : 16 * high + low;
}

/** `00` and two digits. */
function fourAt(bytes: Buffer, i: number): number {
  return bytes[i] === 0x30 && bytes[i + 1] === 0x30 ? twoAt(bytes, i + 2) : 0;
}

function percentAt(bytes: Buffer, i: number): number {
  return lower(bytes[i]) === LOWER_U ? read(5, fourAt(bytes, i + 1)) : read(2, twoAt(bytes, i));
}

function backslashAt(bytes: Buffer, i: number): number {
  const next = bytes[i] ?? 0;
  if (lower(next) === LOWER_X) return read(3, twoAt(bytes, i + 1));
  if (lower(next) === LOWER_U) {
    if (bytes[i + 1] !== OPEN) return read(5, fourAt(bytes, i + 1));
    const [code, end] = numberAt(bytes, i + 2, 16);
    return bytes[end] === CLOSE ? read(end + 1 - i, code) : 0;
  }
  return isMark(next) ? read(1, next) : 0;
}

/**
 * Whether a backslash before it has no meaning: it is no letter, no digit, and no beginning of another escape.
 */
function isMark(byte: number): boolean {
  if (byte <= 0x20 || byte >= 0x7f || byte === PERCENT || byte === AMPERSAND) return false;
  const letter = lower(byte);
  return !(byte >= 0x30 && byte <= 0x39) && !(byte >= 0x41 && letter >= 0x61 && letter <= 0x7a);
}

/** A number, and where it ends. */
function numberAt(bytes: Buffer, from: number, base: 10 | 16): readonly [number, number] {
  let code = 0;
  let i = from;
  for (; i < from + MAX_DIGITS; i += 1) {
    const value = digit(bytes[i]);
    if (value < 0 || value >= base) break;
    code = code * base + value;
  }
  return [code, i];
}

function entityAt(bytes: Buffer, i: number): number {
  if (bytes[i] === HASH) {
    const isHex = lower(bytes[i + 1]) === LOWER_X;
    const [code, end] = numberAt(bytes, isHex ? i + 2 : i + 1, isHex ? 16 : 10);
    return read(end + (bytes[end] === SEMICOLON ? 1 : 0) - i, code);
  }
  let end = i;
  while (end < i + MAX_NAME && lower(bytes[end]) >= 0x61 && lower(bytes[end]) <= 0x7a) end += 1;
  if (end - i < 2) return 0;
  const name = bytes.toString('latin1', i, end).toLowerCase();
  const full = NAMED.get(name);
  if (full !== undefined) {
    return read(end + (bytes[end] === SEMICOLON ? 1 : 0) - i, full.charCodeAt(0));
  }
  // HTML reads the oldest names without their semicolon too, and then what follows is text.
  const [old] = /^(?:amp|lt|gt)/.exec(name) ?? [];
  return old === undefined ? 0 : read(old.length, (NAMED.get(old) ?? '').charCodeAt(0));
}
