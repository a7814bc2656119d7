import assert from 'node:assert/strict';
import { test } from 'node:test';
import { parseNoteEntry } from '@assay/core/kind/note';

test('note entry: words, not too many', () => {
  const most = { text: 'x'.repeat(32_768) };
  assert.deepEqual(parseNoteEntry(most, 'body'), most);
  assert.throws(() => parseNoteEntry({ text: `${most.text}x` }, 'body'), {
    code: 'malformed',
    at: 'body.text',
  });
});
