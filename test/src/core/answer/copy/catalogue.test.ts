import assert from 'node:assert/strict';
import { test } from 'node:test';
import {
  formatCatalogue,
  formatListing,
  parseCatalogue,
  parseListing,
  placeOf,
} from '@assay/core/answer/copy/catalogue';
import { formatUtf8 } from '@assay/core/bytes/utf8';
import { toHashHex } from '@assay/core/hash/hash';

const A = toHashHex('aa'.repeat(32));
const B = toHashHex('bb'.repeat(32));

test('catalogue: bytes as drawn, and back', () => {
  const folders = new Map([
    ['indices/LAYOFFS', B],
    ['.', A],
    ['.well-known', A],
  ]);
  const bytes = formatCatalogue({ size: 12, reports: 3, folders });
  assert.equal(
    Buffer.from(bytes).toString(),
    `assay-answers/1\nsize 12\nreports 3\n${A}  .\n${A}  .well-known\n${B}  indices/LAYOFFS\n`,
  );
  const parsed = parseCatalogue(bytes);
  assert.deepEqual(formatCatalogue(parsed), bytes);
  assert.deepEqual([parsed.size, parsed.reports, parsed.folders.get('.')], [12, 3, A]);
  const listing = formatListing(
    new Map([
      ['b.json', B],
      ['a.csv', A],
    ]),
  );
  assert.equal(
    Buffer.from(listing).toString(),
    `assay-answers-folder/1\n${A}  a.csv\n${B}  b.json\n`,
  );
  assert.deepEqual(
    [...parseListing(listing)],
    [
      ['a.csv', A],
      ['b.json', B],
    ],
  );
});

test('catalogue: nothing else is one', () => {
  const row = (name: string): string => `${A}  ${name}\n`;
  const head = 'assay-answers/1\nsize 1\nreports 1\n';
  for (const text of [
    '',
    'assay-answers/1\nsize 01\nreports 1\n',
    'assay-answers/1\nsize 1\nreports 0\n',
    `${head}${row('b')}${row('a')}`,
    `${head}${row('a')}${row('a')}`,
    `${head}${row('../a')}`,
    `${head}${row('/a')}`,
    `${head}${row('a//b')}`,
    `${head}${row('a').trimEnd()}`,
    `${head}${row('a').toUpperCase()}`,
    `${head}${A} a\n`,
    `${head}\n`,
  ]) {
    assert.throws(() => parseCatalogue(formatUtf8(text)), { code: 'malformed' }, text);
  }
  for (const name of ['a/b', '..', '.a', '']) {
    const text = `assay-answers-folder/1\n${row(name)}`;
    assert.throws(() => parseListing(formatUtf8(text)), { code: 'malformed' }, name);
  }
});

test('catalogue: the place of a file', () => {
  assert.deepEqual(placeOf('indices.json'), { folder: '.', name: 'indices.json' });
  assert.deepEqual(placeOf('indices/X/report/2026-07-25.json'), {
    folder: 'indices/X/report',
    name: '2026-07-25.json',
  });
});
