import assert from 'node:assert/strict';
import { test } from 'node:test';
import { textResponse } from '@assay/node/dev/bitcoin/development-request';

test('development request: a text is UTF-8', () => {
  const { status, contentType, body } = textResponse(404, 'nö');
  assert.deepEqual([status, contentType, [...body]], [404, 'text/plain', [0x6e, 0xc3, 0xb6]]);
});
