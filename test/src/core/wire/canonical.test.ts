import assert from 'node:assert/strict';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { canonicalize } from '@assay/core/wire/canonical';
import fc from 'fast-check';
import { sharedPath, vectors } from '../fixture/fixture.ts';

const REFUSED = { code: 'not_representable' };

test('canonical: the number table of RFC 8785, appendix B', () => {
  for (const { bits, text } of vectors<{ bits: string; text: string | null }[]>(
    'canonical/numbers',
  )) {
    const view = new DataView(new ArrayBuffer(8));
    view.setBigUint64(0, BigInt(`0x${bits}`));
    const number = view.getFloat64(0);
    if (text === null) assert.throws(() => canonicalize(number), REFUSED, bits);
    else assert.equal(canonicalize(number), text, bits);
  }
});

test('canonical: our own values', () => {
  for (const each of vectors<{ name: string; json: string; canonical: string }[]>(
    'canonical/values',
  )) {
    assert.equal(canonicalize(JSON.parse(each.json)), each.canonical, each.name);
  }
});

test('canonical: the published files of RFC 8785', (t) => {
  const folder = sharedPath('data/vectors/jcs');
  if (folder === undefined) return t.skip('../shared is not here');
  const names = readdirSync(join(folder, 'input'));
  assert.ok(names.length >= 6);
  for (const name of names) {
    const input: unknown = JSON.parse(readFileSync(join(folder, 'input', name), 'utf8'));
    const output = readFileSync(join(folder, 'output', name), 'utf8').trimEnd();
    assert.equal(canonicalize(input), output, name);
  }
});

test('canonical: the form of a form is itself, and says the same', () => {
  fc.assert(
    fc.property(fc.jsonValue({ stringUnit: 'binary' }), (value) => {
      const text = canonicalize(value);
      assert.equal(canonicalize(JSON.parse(text)), text);
      assert.deepEqual(JSON.parse(text), JSON.parse(JSON.stringify(value)));
    }),
  );
});

test('canonical: the order of the members that came in does not matter', () => {
  fc.assert(
    fc.property(
      fc.dictionary(fc.string({ unit: 'binary' }), fc.integer()),
      fc.nat(),
      (value, seed) => {
        const members = Object.entries(value);
        const turned = members.map(
          (_, i) => members[(i + seed) % members.length] as [string, number],
        );
        assert.equal(canonicalize(Object.fromEntries(turned)), canonicalize(value));
      },
    ),
  );
});

test('canonical: what JSON has no form for is refused', () => {
  const sparse: unknown[] = [];
  sparse[1] = 1;
  const cases: Readonly<Record<string, unknown>> = {
    'a lone high surrogate': '\ud800',
    'a lone low surrogate': 'a\udc00b',
    'a pair the wrong way round': '\udc00\ud800',
    'a lone surrogate in a key': { '\ud800': 1 },
    NaN: Number.NaN,
    infinity: -Infinity,
    undefined,
    'an undefined member': { a: undefined },
    'a hole': sparse,
    'a bigint': 1n,
    'a symbol': Symbol('a'),
    'a function': () => 1,
    'a member that is a function': { toJSON: () => 1 },
    'a date': new Date(0),
    'a map': new Map(),
    'a boxed number': Object(1) as unknown,
    bytes: new Uint8Array(1),
  };
  for (const [name, value] of Object.entries(cases)) {
    assert.throws(() => canonicalize(value), REFUSED, name);
    assert.throws(() => canonicalize([value]), REFUSED, name);
  }
});

test('canonical: an object without a prototype is plain, and __proto__ is a member', () => {
  const bare: unknown = Object.assign(Object.create(null) as object, { b: 1, a: 2 });
  assert.equal(canonicalize(bare), '{"a":2,"b":1}');
  assert.equal(canonicalize(JSON.parse('{"__proto__":{"x":1}}')), '{"__proto__":{"x":1}}');
});

test('canonical: deep and endless input is refused, not overflowed', () => {
  let deep: unknown = 1;
  for (let i = 0; i < 512; i += 1) deep = [deep];
  assert.equal(canonicalize(deep), `${'['.repeat(512)}1${']'.repeat(512)}`);
  assert.throws(() => canonicalize([deep]), REFUSED);
  let record: unknown = 1;
  for (let i = 0; i < 512; i += 1) record = { a: record };
  assert.equal(canonicalize(record), `${'{"a":'.repeat(512)}1${'}'.repeat(512)}`);
  assert.throws(() => canonicalize({ a: record }), REFUSED);
  for (let i = 0; i < 20_000; i += 1) deep = i % 2 === 0 ? { a: deep } : [deep];
  assert.throws(() => canonicalize(deep), REFUSED);
  const endless: { self?: unknown } = {};
  endless.self = endless;
  assert.throws(() => canonicalize(endless), REFUSED);
});
