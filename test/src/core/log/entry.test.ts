import assert from 'node:assert/strict';
import { test } from 'node:test';
import {
  type Entry,
  entryBody,
  entryPrev,
  formatEntry,
  parseEntry,
  scanEntry,
} from '@assay/core/log/entry';
import { Fault, faultCode } from '@assay/core/fault';
import { hashHex, leafHash, toHashHex } from '@assay/core/hash/hash';
import { MAX_ENTRY_BYTES } from '@assay/core/limits';
import { formatTime, toTime } from '@assay/core/time/time';
import { formatUtf8 } from '@assay/core/bytes/utf8';
import type { WireObject } from '@assay/core/wire/wire';
import fc from 'fast-check';
import { sha256, vectorBytes, vectors } from '../fixture/fixture.ts';

interface EntryVector {
  readonly entry: Entry;
  readonly bytes: string;
  readonly leaf: string;
}
const SAMPLES = vectors<readonly EntryVector[]>('entry/entries');
const SMALL = SAMPLES.find(({ entry }) => entry.kind === 'note/1') as EntryVector;

const entries = fc.record(
  {
    v: fc.constant(1 as const),
    seq: fc.nat(Number.MAX_SAFE_INTEGER),
    prev: fc
      .uint8Array({ minLength: 32, maxLength: 32 })
      .map((bytes) => toHashHex(Buffer.from(bytes).toString('hex'))),
    at: fc.integer({ min: 0, max: 4_000_000_000 }).map(formatTime),
    kind: fc.constantFrom('genesis/1', 'note/1', 'event-close/2', 'unheard-of/9999'),
    body: fc.dictionary(
      fc.constantFrom('a', 'b', 'kind', 'prev', 'seq'),
      fc.oneof(fc.string({ unit: 'binary' }), fc.maxSafeInteger(), fc.constant(null)),
      { noNullPrototype: true },
    ) as fc.Arbitrary<WireObject>,
  },
  { noNullPrototype: true },
);

test('entry: exact bytes and leaf hashes, each chained to the one before', () => {
  let prev = '0'.repeat(64);
  for (const { entry, bytes, leaf } of SAMPLES) {
    assert.equal(Buffer.from(formatEntry(entry)).toString(), bytes);
    assert.deepEqual(parseEntry(formatUtf8(bytes)), entry);
    assert.equal(hashHex(leafHash(sha256, formatUtf8(bytes))), leaf);
    assert.equal(entry.prev, prev);
    prev = leaf;
  }
});

test('entry: format, parse and scan agree', () => {
  fc.assert(
    fc.property(entries, (entry) => {
      const bytes = formatEntry(entry);
      assert.deepEqual(parseEntry(bytes), entry);
      assert.deepEqual(formatEntry(parseEntry(bytes)), bytes);
      const layout = scanEntry(bytes);
      assert.deepEqual([layout.seq, layout.kind, layout.at], [entry.seq, entry.kind, entry.at]);
      assert.equal(entryPrev(bytes, layout), entry.prev);
      assert.deepEqual(entryBody(bytes, layout), entry.body);
    }),
  );
});

test('entry: a changed byte fails or changes what is parsed', () => {
  const bytes = formatUtf8(SMALL.bytes);
  const original = JSON.stringify(parseEntry(bytes));
  let parsed = 0;
  for (let i = 0; i < bytes.length; i += 1) {
    for (let value = 0; value < 256; value += 1) {
      if (value === bytes[i]) continue;
      const changed = bytes.slice();
      changed[i] = value;
      let entry: Entry;
      try {
        entry = parseEntry(changed);
      } catch (error) {
        assert.ok(error instanceof Fault && /^(not_canonical|bad_utf8)$/.test(error.code));
        assert.throws(() => scanEntry(changed), { code: error.code });
        continue;
      }
      parsed += 1;
      assert.match(entry.prev, /^[0-9a-f]{64}$/);
      assert.match(entry.kind, /^[a-z][a-z-]*\/[1-9][0-9]*$/);
      assert.equal(toTime(entry.at), entry.at);
      assert.notEqual(JSON.stringify(entry), original, `byte ${i} to ${value}`);
      assert.deepEqual(formatEntry(entry), changed);
    }
    for (const cut of [
      bytes.slice(0, i),
      Buffer.concat([bytes.subarray(0, i), bytes.subarray(i + 1)]),
    ]) {
      const text = tryParse(cut);
      assert.notEqual(text, original, `without byte ${i}`);
    }
  }
  assert.ok(parsed > 1000);
});

function tryParse(bytes: Uint8Array): string | undefined {
  try {
    return JSON.stringify(parseEntry(bytes));
  } catch (error) {
    assert.ok(error instanceof Fault);
    return undefined;
  }
}

test('entry: named refusals', () => {
  interface Refused {
    name: string;
    text: string;
    fault: string;
  }
  for (const { name, fault, ...input } of vectors<Refused[]>('entry/refused')) {
    assert.equal(tryParse(formatUtf8(SMALL.bytes)) !== undefined, true);
    assert.throws(() => scanEntry(vectorBytes(input)), { code: fault }, name);
  }
});

test('entry: random bytes give a fault and nothing else', () => {
  const start = fc.constantFrom('', '{"at":"', SMALL.bytes.slice(0, 60), SMALL.bytes.slice(0, -8));
  fc.assert(
    fc.property(start, fc.uint8Array({ maxLength: 40 }), (text, rest) => {
      tryParse(Buffer.concat([formatUtf8(text), rest]));
    }),
    { numRuns: 1000 },
  );
});

test('entry: 65,535 bytes pass and 65,536 fail', () => {
  assert.equal(MAX_ENTRY_BYTES, 65_535);
  const sized = (length: number): Entry => {
    const empty = formatEntry({ ...SMALL.entry, body: { text: '' } }).length;
    return { ...SMALL.entry, body: { text: 'x'.repeat(length - empty) } };
  };
  const most = formatEntry(sized(65_535));
  assert.equal(most.length, 65_535);
  assert.equal(parseEntry(most).seq, SMALL.entry.seq);
  assert.throws(() => formatEntry(sized(65_536)), { code: 'too_large' });
  const over = Buffer.concat([
    most.subarray(0, -7),
    Buffer.from(' ,"v":1}').subarray(1),
    Buffer.from(' '),
  ]);
  assert.throws(() => scanEntry(over), { code: 'too_large' });
});

test('entry: nothing in its parts makes an entry of other parts', () => {
  const inner = `2026-07-30T12:00:00Z","body":{"a":"`;
  const outer = `k/1","prev":"${'0'.repeat(64)}","seq":7,"v":1},"kind":"k/1`;
  const at = [inner, '2026-07-30', '2026-02-30T12:00:00Z', ''];
  const kind = [outer, 'note', 'note/0', 'Note/1', '', 'note/1"', 'é/1'];
  const cases: Entry[] = [
    ...at.map((each) => ({ ...SMALL.entry, at: each as Entry['at'] })),
    ...kind.map((each) => ({ ...SMALL.entry, kind: each })),
    { ...SMALL.entry, at: inner as Entry['at'], kind: outer },
    ...[-1, 0.5, 2 ** 53, Number.NaN].map((seq) => ({ ...SMALL.entry, seq })),
    { ...SMALL.entry, prev: 'A'.repeat(64) as Entry['prev'] },
    { ...SMALL.entry, body: { a: 0.5 } },
    { ...SMALL.entry, body: { é: 1 } },
    { ...SMALL.entry, body: [] as unknown as WireObject },
  ];
  for (const entry of cases) {
    assert.equal(
      faultCode(thrown(() => formatEntry(entry))),
      'not_representable',
      JSON.stringify(entry),
    );
  }
});

function withKind(kind: string): Entry {
  return { ...SMALL.entry, kind };
}

test('entry: a noun has at most 31 letters, a version at most four digits', () => {
  for (const text of [`a${'b'.repeat(30)}/1`, 'a/9999', 'a-/1']) {
    assert.equal(parseEntry(formatEntry(withKind(text))).kind, text);
  }
  for (const text of [
    `a${'b'.repeat(31)}/1`,
    `a${'b'.repeat(40)}/1`,
    'a/10000',
    'a/01',
    '-a/1',
    'a1/1',
  ]) {
    assert.throws(() => formatEntry(withKind(text)), { code: 'not_representable' }, text);
    const bytes = formatUtf8(SMALL.bytes.replace('"note/1"', `"${text}"`));
    assert.throws(() => scanEntry(bytes), { code: 'not_canonical' }, text);
  }
});

test('entry: what was formatted stays as it is, however many entries follow', () => {
  const entry = (seq: number): Entry => ({
    ...SMALL.entry,
    seq,
    body: { text: String.fromCharCode(0x30 + (seq % 10), 0x20ac).repeat((seq * 97) % 3000) },
  });
  const made = Array.from({ length: 1000 }, (_, seq) => formatEntry(entry(seq)));
  for (const [seq, bytes] of made.entries()) assert.deepEqual(parseEntry(bytes), entry(seq));
});

test('entry: the body counts as the second level of 16', () => {
  const nested = (depth: number): WireObject => (depth === 1 ? {} : { a: nested(depth - 1) });
  assert.ok(formatEntry({ ...SMALL.entry, body: nested(15) }));
  assert.throws(() => formatEntry({ ...SMALL.entry, body: nested(16) }), {
    code: 'not_representable',
  });
});

test('entry: neighbours in one second, and the second after, each have their own time', () => {
  for (const at of [
    '2026-07-30T12:00:00Z',
    '2026-07-30T12:00:00Z',
    '2026-07-30T12:00:01Z',
    '2026-07-30T12:00:00Z',
  ]) {
    assert.equal(scanEntry(formatEntry({ ...SMALL.entry, at: toTime(at) })).at, at);
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
