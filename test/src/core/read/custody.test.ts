import assert from 'node:assert/strict';
import { test } from 'node:test';
import { copyDiffers } from '@assay/core/read/custody';
import { hashHex, contentHash, type HashHex } from '@assay/core/hash/hash';
import type { Snapshot } from '@assay/core/read/snapshot';
import { formatUtf8 } from '@assay/core/bytes/utf8';
import { sha256 } from '../fixture/fixture.ts';

const hash = (text: string): HashHex => hashHex(contentHash(sha256, formatUtf8(text)));

function snapshot(pages: readonly string[], text: string | null = null, status = 200): Snapshot {
  return {
    type: 'assay-snapshot/1',
    provider: 'p',
    request: {
      method: 'GET',
      url: 'https://a.example/',
      headers: [],
      body: null,
      follow: [],
      paging: { kind: 'none' },
    },
    pages: pages.map((page) => ({
      status,
      sha256: hash(page),
      length: page.length,
      content_type: page,
    })),
    extractor: text === null ? null : { name: 'x', version: text, text_sha256: hash(text) },
    retain: 'bytes',
  };
}

test('custody: the same pages in the same order, whatever lies around them', () => {
  const record = snapshot(['a', 'b']);
  assert.equal(copyDiffers(record, { ...record, provider: 'q', retain: 'hash' }), false);
  assert.equal(copyDiffers(record, snapshot(['b', 'a'])), true);
  assert.equal(copyDiffers(record, snapshot(['a'])), true);
  assert.equal(copyDiffers(record, snapshot(['a', 'b', 'c'])), true);
});

test('custody: the same text, in other wrapping', () => {
  assert.equal(copyDiffers(snapshot(['pdf 1'], 'text'), snapshot(['pdf 2'], 'text')), false);
  assert.equal(copyDiffers(snapshot(['pdf'], 'text'), snapshot(['pdf'], 'other')), true);
  assert.equal(copyDiffers(snapshot(['pdf 1'], 'text'), snapshot(['pdf 2'])), true);
});

test('custody: what did not come differs from nothing', () => {
  assert.equal(copyDiffers(undefined, snapshot(['a'])), false);
  assert.equal(copyDiffers(snapshot(['blocked'], null, 403), snapshot(['a'])), false);
  assert.equal(copyDiffers(snapshot(['a']), snapshot(['not here'], null, 404)), false);
});
