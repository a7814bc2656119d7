import assert from 'node:assert/strict';
import { test } from 'node:test';
import { canonicalize } from '@assay/core/wire/canonical';
import { Fault, faultCode } from '@assay/core/fault';
import { formatUtf8 } from '@assay/core/bytes/utf8';
import { formatWire, parseWire, scanWire, wire, type WireValue } from '@assay/core/wire/wire';
import { MAX_WIRE_DEPTH } from '@assay/core/wire/wire-writer';
import fc from 'fast-check';
import { vectorBytes, vectors } from '../fixture/fixture.ts';

const key = fc
  .string({ unit: 'binary-ascii', maxLength: 8 })
  .filter((text) => /^[\u0020\u0021\u0023-\u005b\u005d-\u007e]*$/.test(text));

const { value: wireValue } = fc.letrec<{ value: WireValue }>((tie) => ({
  value: fc.oneof(
    { depthSize: 'small', maxDepth: 6 },
    fc.constant(null),
    fc.boolean(),
    fc.maxSafeInteger(),
    fc.constantFrom(0, 9007199254740991, -9007199254740991),
    fc.string({ unit: 'binary' }),
    fc.string({ unit: 'binary-ascii' }),
    fc.constantFrom('\u0000\b\t\n\u000b\f\r\u001f"\\/\u007f\u2028', '\ufeff', '😀'),
    fc.array(tie('value'), { maxLength: 4 }),
    fc.dictionary(fc.oneof(key, fc.constantFrom('__proto__', 'a', 'ab', '')), tie('value'), {
      maxKeys: 4,
      noNullPrototype: true,
    }),
  ),
}));

/** What the wire may hold, said a second time: plain recursion over what `JSON.parse` gives. */
function isAllowed(value: unknown, depth = 0): boolean {
  if (value === null || typeof value === 'boolean' || typeof value === 'string') return true;
  if (typeof value === 'number') return Number.isSafeInteger(value);
  if (depth >= 16) return false;
  if (Array.isArray(value)) return value.every((each) => isAllowed(each, depth + 1));
  return Object.entries(value as object).every(
    ([name, each]) => /^[ !#-[\]-~]*$/.test(name) && isAllowed(each, depth + 1),
  );
}

/** Accepts by the definition: decode, parse, canonicalize, compare. */
function isWire(bytes: Uint8Array): boolean {
  try {
    const text = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes);
    const value: unknown = JSON.parse(text);
    return isAllowed(value) && Buffer.from(canonicalize(value)).equals(bytes);
  } catch {
    return false;
  }
}

/** The code of the fault that `run` throws, and it throws nothing else. */
function refusal(run: () => void): string | undefined {
  try {
    run();
    return undefined;
  } catch (error) {
    assert.ok(error instanceof Fault, String(error));
    assert.match(error.code, /^(not_canonical|bad_utf8)$/);
    return error.code;
  }
}

/** Whether bytes are taken: the scan and the parser say the same. */
function parses(bytes: Uint8Array): boolean {
  const code = refusal(() => parseWire(bytes));
  assert.equal(
    refusal(() => scanWire(bytes)),
    code,
  );
  return code === undefined;
}

test('wire: what is formatted is parsed', () => {
  fc.assert(
    fc.property(wireValue, (value) => {
      const bytes = formatWire(value);
      assert.ok(isWire(bytes));
      assert.equal(canonicalize(parseWire(bytes)), canonicalize(value));
    }),
  );
});

test('wire: bytes are taken if and only if they are the canonical form of what they say', () => {
  const change = fc.record({
    at: fc.nat(),
    how: fc.constantFrom('set', 'insert', 'delete', 'double', 'swap'),
    byte: fc.oneof(
      fc.integer({ min: 0, max: 255 }),
      fc.constantFrom(...Buffer.from(' \n"\\,:[]{}0123456789-+.eEutfn/')),
    ),
  });
  let taken = 0;
  fc.assert(
    fc.property(wireValue, fc.array(change, { minLength: 1, maxLength: 3 }), (value, changes) => {
      const bytes = [...formatWire(value)];
      for (const { at, how, byte } of changes) {
        const i = at % (bytes.length + 1);
        if (how === 'set') bytes[Math.min(i, bytes.length - 1)] = byte;
        else if (how === 'insert') bytes.splice(i, 0, byte);
        else if (how === 'delete') bytes.splice(i, 1);
        else if (how === 'double') bytes.splice(i, 0, ...bytes.slice(i, i + 4));
        else bytes.splice(i, 2, ...bytes.slice(i, i + 2).reverse());
      }
      const input = Uint8Array.from(bytes);
      assert.equal(
        parses(input),
        isWire(input),
        JSON.stringify(Buffer.from(input).toString('latin1')),
      );
      if (isWire(input)) taken += 1;
    }),
    { numRuns: 3000 },
  );
  assert.ok(taken > 100, `${taken} changed inputs were canonical again`);
});

test('wire: other spellings of the same JSON are refused', () => {
  fc.assert(
    fc.property(wireValue, (value) => {
      const text = canonicalize(value);
      for (const other of [JSON.stringify(value, null, 1), ` ${text}`, `${text}\n`, `[${text},]`]) {
        if (other !== text) assert.equal(parses(formatUtf8(other)), false, other);
      }
      assert.equal(parses(formatUtf8(JSON.stringify(value))), JSON.stringify(value) === text);
    }),
  );
});

test('wire: random bytes give a fault and nothing else', () => {
  fc.assert(
    fc.property(fc.uint8Array({ maxLength: 64 }), (bytes) =>
      assert.equal(parses(bytes), isWire(bytes)),
    ),
    {
      numRuns: 2000,
    },
  );
});

test('wire: accepted by example', () => {
  for (const { name, text } of vectors<{ name: string; text: string }[]>('wire/accepted')) {
    const bytes = formatUtf8(text);
    assert.equal(parses(bytes), true, name);
    assert.equal(isWire(bytes), true, name);
    assert.deepEqual(formatWire(parseWire(bytes)), bytes, name);
  }
});

test('wire: named refusals', () => {
  interface Refused {
    name: string;
    text?: string;
    hex?: string;
    fault: string;
    at: string | null;
  }
  for (const { name, fault, at, ...input } of vectors<Refused[]>('wire/refused')) {
    const bytes = vectorBytes(input);
    assert.throws(
      () => parseWire(bytes),
      (error: Fault) => error.code === fault && (at === null || error.at === at),
      name,
    );
    assert.equal(parses(bytes), false, name);
    assert.equal(isWire(bytes), false, name);
  }
});

/** `depth` containers, records and arrays by turns. */
function nested(depth: number): Uint8Array {
  const pairs = depth >> 1;
  return formatUtf8(`${'{"a":['.repeat(pairs)}${depth % 2 === 1 ? '[]' : ''}${']}'.repeat(pairs)}`);
}

test('wire: every code unit that a string may hold, in its one form', () => {
  for (let code = 0; code < 0xd800; code += code < 0x100 ? 1 : 251) {
    const text = `a${String.fromCharCode(code)}b`;
    assert.equal(parseWire(formatWire(text)), text);
    assert.deepEqual(Buffer.from(formatWire(text)), Buffer.from(JSON.stringify(text)));
  }
});

test('wire: whatever stands in a string is found at any offset, in bytes that begin anywhere', () => {
  const specials = [
    ...[0x00, 0x09, 0x1f, 0x20, 0x21, 0x22, 0x23, 0x5b, 0x5c, 0x5d, 0x7f].map((byte) => [byte]),
    [0x80],
    [0xff],
    [0xa2, 0x22],
    [0xdc, 0x5c],
    [0x9f, 0x1f],
    ...['\\n', '\\u001f', '\\u0009', 'é', '€', '😀', '😀é', '€\\"'].map((text) => [
      ...Buffer.from(text),
    ]),
  ];
  const room = new Uint8Array(128);
  for (const special of specials) {
    for (const before of [0, 1, 2, 3, 4, 5, 6, 7, 8, 14, 15, 16, 17, 18, 31, 32, 33]) {
      for (const after of [0, 1, 2, 3, 4, 5, 6, 7, 8, 15, 16, 17]) {
        const text = [0x22, ...plain(before), ...special, ...plain(after), 0x22];
        for (let start = 0; start < 4; start += 1) {
          room.set(text, start);
          const bytes = room.subarray(start, start + text.length);
          const hex = Buffer.from(bytes).toString('hex');
          assert.equal(thrown(() => scanWire(bytes)) === undefined, isWire(bytes), hex);
        }
      }
    }
  }
});

/** Bytes next to those that end a string or must be escaped. */
function plain(count: number): number[] {
  return Array.from({ length: count }, (_, i) => [0x21, 0x23, 0x5b, 0x5d, 0x7f][i % 5] as number);
}

test('wire: what cannot be formatted is what the scanner would refuse', () => {
  const anything = fc.letrec<{ value: unknown }>((tie) => ({
    value: fc.oneof(
      { depthSize: 'small', maxDepth: 5 },
      wireValue,
      fc.double(),
      fc.constantFrom(-0, 2 ** 53, -(2 ** 53), '\ud800', undefined),
      fc.array(tie('value'), { maxLength: 3 }),
      fc.dictionary(fc.string({ unit: 'binary', maxLength: 3 }), tie('value'), {
        maxKeys: 3,
        noNullPrototype: true,
      }),
    ),
  })).value;
  fc.assert(
    fc.property(anything, fc.integer({ min: 0, max: 15 }), (inner, depth) => {
      let value = inner;
      for (let i = 0; i < depth; i += 1) value = i % 2 === 0 ? [value] : { a: value };
      let expected: Uint8Array | undefined;
      try {
        const bytes = formatUtf8(canonicalize(value));
        if (parses(bytes)) expected = bytes;
      } catch (error) {
        assert.equal(faultCode(error), 'not_representable');
      }
      if (expected !== undefined) {
        assert.deepEqual(formatWire(value as WireValue), expected);
      } else {
        assert.throws(() => formatWire(value as WireValue), { code: 'not_representable' });
      }
    }),
    { numRuns: 1000 },
  );
});

test('wire: a byte that ends or breaks a string does so at every offset', () => {
  for (let length = 1; length <= 35; length += length < 13 ? 1 : 3) {
    for (let at = 0; at < length; at += 1) {
      for (const byte of [0x00, 0x1f, 0x20, 0x21, 0x22, 0x23, 0x5b, 0x5c, 0x5d, 0x7f, 0x80, 0xff]) {
        for (const before of [0, 1, 2, 3]) {
          // Other bytes before it, so that the string begins at every offset of a word too.
          const text = new Uint8Array(length).fill(0x61);
          text[at] = byte;
          const bytes = Buffer.concat([
            Buffer.from(`[${'1,'.repeat(before)}"`),
            text,
            Buffer.from('"]'),
          ]);
          assert.equal(parses(bytes), isWire(bytes), `${length} ${at} ${byte} ${before}`);
        }
      }
    }
  }
});

test('wire: depth 16 passes, 17 fails, any depth fails without overflow', () => {
  assert.equal(MAX_WIRE_DEPTH, 16);
  for (const [open, close] of [
    ['[', ']'],
    ['{"a":', '}'],
  ] as const) {
    const only = (depth: number): Uint8Array =>
      formatUtf8(`${open.repeat(depth)}1${close.repeat(depth)}`);
    assert.deepEqual([parses(only(16)), parses(only(17))], [true, false], open);
  }
  assert.equal(parses(nested(16)), true);
  assert.equal(parses(nested(17)), false);
  assert.equal(parses(nested(1_000_000)), false);
  let value: WireValue = 1;
  for (let i = 0; i < 17; i += 1) value = [value];
  assert.throws(() => formatWire(value), { code: 'not_representable' });
});

test('wire: integers end at 2^53-1', () => {
  for (const [text, fits] of [
    ['9007199254740991', true],
    ['-9007199254740991', true],
    ['9007199254740992', false],
    ['-9007199254740992', false],
    ['9007199254740993', false],
    ['9'.repeat(400), false],
  ] as const) {
    assert.equal(parses(formatUtf8(text)), fits, text);
  }
  for (const value of [2 ** 53, 0.5, 1e21]) {
    assert.throws(() => formatWire(value), { code: 'not_representable' }, `${value}`);
  }
});

test('wire: __proto__ is a member like another and changes no prototype', () => {
  const value = parseWire(formatUtf8('{"__proto__":{"admin":true},"a":1}')) as Record<
    string,
    unknown
  >;
  assert.equal(Object.getPrototypeOf(value), Object.prototype);
  assert.deepEqual(Object.keys(value), ['__proto__', 'a']);
  assert.equal('admin' in value, false);
  assert.equal(
    Buffer.from(formatWire(value as WireValue)).toString(),
    '{"__proto__":{"admin":true},"a":1}',
  );
});

test('wire: keys beyond printable ASCII cannot be formatted', () => {
  for (const name of ['é', '"', '\\', '\n', '\u007f', '😀']) {
    assert.equal(faultCode(thrown(() => formatWire({ [name]: 1 }))), 'not_representable', name);
  }
});

function thrown(run: () => unknown): unknown {
  try {
    run();
  } catch (error) {
    return error;
  }
  return undefined;
}

test('wire: an array of more arrays than any object of this format has is not built', () => {
  const arrays = (count: number): Uint8Array => formatUtf8(`[${'[],'.repeat(count - 2)}[]]`);
  assert.equal((parseWire(arrays(4_000_000)) as readonly unknown[]).length, 3_999_999);
  assert.throws(() => parseWire(arrays(4_000_001)), { code: 'too_large' });
});

test('wire: an interface is formatted as it is, and what the wire cannot carry is no Wire', () => {
  interface Inner {
    readonly list: readonly (string | null)[];
    readonly some?: number;
  }
  interface Outer {
    readonly inner: Inner;
    readonly flag: boolean;
  }
  const outer: Outer = { inner: { list: ['a', null] }, flag: true };
  assert.equal(
    Buffer.from(formatWire(outer)).toString(),
    '{"flag":true,"inner":{"list":["a",null]}}',
  );
  assert.equal(wire(outer), outer);
  const code = 'not_representable';
  // @ts-expect-error: a bigint
  assert.throws(() => formatWire({ a: 1n }), { code });
  // @ts-expect-error: bytes
  assert.throws(() => formatWire({ inner: { bytes: new Uint8Array(1) } }), { code });
  // @ts-expect-error: a member that may be undefined
  assert.throws(() => formatWire({ inner: { a: undefined } as { a: string | undefined } }), {
    code,
  });
  // @ts-expect-error: a function
  assert.throws(() => formatWire([{ f: () => 1 }]), { code });
  // @ts-expect-error: a symbol
  assert.throws(() => formatWire({ s: Symbol.iterator }), { code });
});
