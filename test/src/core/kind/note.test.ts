import assert from 'node:assert/strict';
import { test } from 'node:test';
import { formatEntry, scanEntry } from '@assay/core/log/entry';
import { ZERO_HASH_HEX } from '@assay/core/hash/hash';
import { isPlainNote, parseNoteEntry } from '@assay/core/kind/note';
import { toTime } from '@assay/core/time/time';
import { isWellFormed } from '@assay/core/bytes/utf8';
import type { WireObject } from '@assay/core/wire/wire';
import fc from 'fast-check';

test('note entry: text, not too long', () => {
  const most = { text: 'x'.repeat(32_768) };
  assert.deepEqual(parseNoteEntry(most, 'body'), most);
  assert.throws(() => parseNoteEntry({ text: `${most.text}x` }, 'body'), {
    code: 'malformed',
    at: 'body.text',
  });
});

function isPlain(body: WireObject, kind = 'note/1'): boolean {
  const at = toTime('2026-01-01T00:00:00Z');
  const bytes = formatEntry({ v: 1, seq: 1, prev: ZERO_HASH_HEX, at, kind, body });
  // Wherever it lies in a bundle.
  const room = new Uint8Array(bytes.length + 5);
  room.set(bytes, 3);
  const entry = room.subarray(3, 3 + bytes.length);
  return isPlainNote(entry, scanEntry(entry));
}

test('note entry: what is seen at once to be one, is one', () => {
  for (const text of ['x', 'outage', '"', '\\', '\n', '\u00e9', '\u{1f600}', 'x'.repeat(32_768)]) {
    assert.ok(isPlain({ text }), JSON.stringify(text));
  }
  assert.ok(!isPlain({ text: 'x' }, 'note/2'));
  const others: readonly WireObject[] = [
    {},
    { text: '' },
    { text: 'x'.repeat(32_769) },
    { text: 'a', unit: 'b' },
    { a: 1, text: 'b' },
    { text: 'a', z: 1 },
    { text: 'a', z: [] },
    { text: 'a', z: { text: 'b' } },
    { text: ['a'] },
    { text: { text: 'a' } },
    { text: 1, z: 'a' },
    { texts: 'a' },
  ];
  for (const body of others) assert.ok(!isPlain(body), JSON.stringify(body).slice(0, 60));
});

test('note entry: no body that its schema refuses is taken for one', () => {
  const text = fc.string({ unit: 'binary', maxLength: 6 }).filter(isWellFormed);
  const value = fc.letrec<{ value: unknown }>((tie) => ({
    value: fc.oneof(
      { maxDepth: 3 },
      text,
      fc.nat(9),
      fc.array(tie('value'), { maxLength: 2 }),
      fc.dictionary(fc.constantFrom('text', 'a', 'z'), tie('value'), { maxKeys: 3 }),
    ),
  })).value;
  let plain = 0;
  fc.assert(
    fc.property(
      fc.oneof(
        fc.dictionary(fc.constantFrom('text', 'a', 'z', 'texts'), value, { maxKeys: 2 }),
        fc.record({ text: value }),
        fc.record({ text }),
      ),
      (body) => {
        if (!isPlain(body as WireObject)) return;
        plain += 1;
        parseNoteEntry(body as WireObject, 'body');
      },
    ),
    { numRuns: 1000 },
  );
  assert.ok(plain > 50, `${plain}`);
});
