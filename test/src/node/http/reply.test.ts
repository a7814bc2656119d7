import assert from 'node:assert/strict';
import { test } from 'node:test';
import { headerBlock } from '@assay/node/http/header';
import { IMMUTABLE, isShared, NO_STORE, stream, TEXT_TYPE, whole } from '@assay/node/http/reply';

void test('reply: what is made for one request is not kept, unless it says so', () => {
  assert.deepEqual(whole(TEXT_TYPE, 'a'), {
    kind: 'whole',
    status: 200,
    blocks: [],
    headers: [
      ['content-type', 'text/plain; charset=utf-8'],
      ['cache-control', 'no-store'],
    ],
    shared: false,
    body: 'a',
  });
  const block = headerBlock([['vary', 'accept']]);
  assert.deepEqual(
    stream('text/csv', ['a'], {
      status: 206,
      cacheControl: IMMUTABLE,
      blocks: [block],
      headers: [['x-a', 'b']],
    }),
    {
      kind: 'stream',
      status: 206,
      blocks: [block],
      headers: [
        ['content-type', 'text/csv'],
        ['cache-control', 'public, max-age=31536000, immutable'],
        ['x-a', 'b'],
      ],
      shared: true,
      chunks: ['a'],
    },
  );
});

void test('reply: what a shared cache may give out without asking', () => {
  for (const shared of [IMMUTABLE, 'public, max-age=5', 'max-age=5, public']) {
    assert.equal(isShared(shared), true, shared);
  }
  for (const asked of [NO_STORE, 'public, no-cache', 'private, max-age=5', 'max-age=5', '']) {
    assert.equal(isShared(asked), false, asked);
  }
});
