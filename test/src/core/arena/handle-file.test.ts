import assert from 'node:assert/strict';
import { test } from 'node:test';
import { parseHandleFile } from '@assay/core/arena/handle-file';
import type { WireObject } from '@assay/core/wire/wire';

const FILE: WireObject = {
  type: 'assay-handle/1',
  name: 'ada',
  salt: '1b'.repeat(32),
  secret: 'ef'.repeat(32),
};

test('handle file: one that was kept, and one whose secret is still to come', () => {
  assert.deepEqual(parseHandleFile(FILE, 'handle'), FILE);
  assert.equal(parseHandleFile({ ...FILE, secret: null }, 'handle').secret, null);
});

test('handle file: what is no handle is refused', () => {
  const { secret: _, ...without } = FILE;
  for (const other of [
    without,
    { ...FILE, type: 'assay-forecast/1' },
    { ...FILE, name: 'Ada' },
    { ...FILE, salt: '1b' },
    { ...FILE, secret: 'EF'.repeat(32) },
    { ...FILE, more: 1 },
    'x',
    null,
  ]) {
    assert.throws(() => parseHandleFile(other as never, 'handle'), /malformed|handle/);
  }
});
