import assert from 'node:assert/strict';
import { test } from 'node:test';
import { formatEntryList, parseEntryList } from '@assay/node/postgres/entry-list';

test('entry list: entries of any length come back as they were', () => {
  for (const lengths of [[], [0], [1, 0, 70_000], [3, 3]]) {
    const entries = lengths.map((length, i) => new Uint8Array(length).fill(i + 1));
    assert.deepEqual(parseEntryList(formatEntryList(entries), entries.length), entries);
  }
});

test('entry list: what is cut, longer or of another count is refused', () => {
  const bytes = formatEntryList([new Uint8Array(3), new Uint8Array(5)]);
  const bad = { code: 'bad_length' };
  for (let end = 0; end < bytes.length; end += 1) {
    assert.throws(() => parseEntryList(bytes.subarray(0, end), 2), bad, `${end}`);
  }
  assert.throws(() => parseEntryList(Uint8Array.of(...bytes, 0), 2), bad);
  assert.throws(() => parseEntryList(bytes, 1), bad);
  assert.throws(() => parseEntryList(bytes, 3), bad);
});
