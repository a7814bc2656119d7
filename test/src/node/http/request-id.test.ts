import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { test } from 'node:test';
import { requireHeaders } from '@assay/node/http/header';
import { requestIds } from '@assay/node/http/request-id';

test('request ids: none comes twice, in one process or in two, and each can be a header', () => {
  const seen = new Set<string>();
  for (const { idPrefix, requestId } of [requestIds(randomBytes), requestIds(randomBytes)]) {
    for (let i = 0; i < 10_000; i += 1) seen.add(idPrefix + requestId());
  }
  assert.equal(seen.size, 20_000);
  for (const id of seen) assert.match(id, /^[A-Za-z0-9_-]{12}\.[0-9a-z]+$/);
  requireHeaders([['x-request-id', [...seen][0] ?? '']]);
});
