import assert from 'node:assert/strict';
import { test } from 'node:test';
import { formatUtf8, parseUtf8 } from '@assay/core/bytes/utf8';
import { canonicalize } from '@assay/core/wire/canonical';
import { MAX_WIRE_DEPTH, writeWire } from '@assay/core/wire/wire-writer';

const REFUSED = { code: 'not_representable' };

function written(value: unknown, depth = 0): Uint8Array {
  return writeWire(
    (writer) => writer.value(value, depth),
    (writer) => writer.bytes(),
  );
}

test('wire writer: strings of every kind and length are those of the canonical form', () => {
  // Short strings, long ones, and those that are encoded by themselves, on both sides of each limit.
  const lengths = [0, 1, 39, 40, 41, 55, 56, 57, 58, 59, 60, 1000, 65_535, 65_536, 65_537];
  for (const length of lengths) {
    for (const last of ['', '"', '\\', '\n', '\u0000', '\u001f', '\u007f', 'é', '\u2028', '😀']) {
      const value = `${'a'.repeat(length)}${last}`;
      assert.deepEqual(written(value), formatUtf8(canonicalize(value)), `${length} ${last}`);
      const turned = `${last}${'a'.repeat(length)}`;
      assert.deepEqual(written(turned), formatUtf8(canonicalize(turned)), `${last} ${length}`);
    }
    assert.throws(() => written(`${'a'.repeat(length)}\ud800`), REFUSED, `${length}`);
    assert.throws(() => written(`\udc00${'a'.repeat(length)}`), REFUSED, `${length}`);
  }
});

test('wire writer: a value that is larger than its room is written whole', () => {
  const value = Array.from({ length: 40_000 }, (_, i) => ({ text: `${i} ${'x'.repeat(i % 90)}` }));
  assert.equal(parseUtf8(written(value)), canonicalize(value));
  assert.equal(parseUtf8(written({ a: 1 })), '{"a":1}');
  const long = ['é'.repeat(300_000), 'x'.repeat(300_000)];
  assert.equal(parseUtf8(written(long)), canonicalize(long));
});

test('wire writer: a value that is refused leaves nothing for the next one', () => {
  assert.throws(() => written({ a: 'something', b: undefined }), REFUSED);
  assert.equal(parseUtf8(written([1])), '[1]');
});

test('wire writer: a member that is written while its object is has room of its own', () => {
  const inner = (): string => parseUtf8(written({ within: 'x'.repeat(100) }));
  const value = {
    a: 1,
    get b() {
      return inner();
    },
    c: 2,
  };
  assert.equal(parseUtf8(written(value)), canonicalize({ a: 1, b: inner(), c: 2 }));
});

test('wire writer: what is not plain is refused, and so is depth with what lies around it', () => {
  const cases: Readonly<Record<string, unknown>> = {
    undefined,
    'a bigint': 1n,
    'a symbol': Symbol('a'),
    'a function': () => 1,
    'a date': new Date(0),
    'a map': new Map(),
    infinity: -Infinity,
    'a fraction': 0.5,
  };
  for (const [name, value] of Object.entries(cases)) {
    assert.throws(() => written(value), REFUSED, name);
    assert.throws(() => written([value]), REFUSED, name);
  }
  // The second place is a hole.
  assert.throws(() => written(Object.assign([], { 2: 1, length: 3 })), REFUSED);
  assert.equal(parseUtf8(written(-0)), '0');
  assert.equal(parseUtf8(written([[]], MAX_WIRE_DEPTH - 2)), '[[]]');
  assert.throws(() => written([[]], MAX_WIRE_DEPTH - 1), REFUSED);
});

test('wire writer: text of ASCII is written as it is', () => {
  const bytes = writeWire(
    (writer) => {
      writer.ascii('{"a":');
      writer.value('b', 1);
      writer.ascii('}');
    },
    (writer) => writer.written.slice(),
  );
  assert.equal(parseUtf8(bytes), '{"a":"b"}');
});
