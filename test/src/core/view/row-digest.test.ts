import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { test } from 'node:test';
import { formatHex } from '@assay/core/bytes/hex';
import { rowDigest } from '@assay/core/view/row-digest';
import { nodeSha256 } from '@assay/node/platform/node-sha256';

const digest = (table: string, key: string, value: string): string =>
  formatHex(rowDigest(nodeSha256, table, key, Buffer.from(value)));

test('row digest: the bytes, as drawn', () => {
  const bytes = Buffer.from('assay/row/v1\0periods/A\x002026-07-25\0{"a":1}');
  const expected = createHash('sha256').update(bytes).digest('hex');
  assert.equal(digest('periods/A', '2026-07-25', '{"a":1}'), expected);
});

test('row digest: it binds value, key and table, and where one ends', () => {
  const all = [
    digest('ab', 'c', '1'),
    digest('a', 'bc', '1'),
    digest('ab', '', 'c1'),
    digest('ab', 'c', '2'),
    digest('ab', 'd', '1'),
    digest('abc', '', '1'),
  ];
  assert.equal(new Set(all).size, all.length);
});
