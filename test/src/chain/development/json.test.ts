import assert from 'node:assert/strict';
import { test } from 'node:test';
import { formatJson, type Json } from '@assay/chain/development/json';
import fc from 'fast-check';

test('json: what JSON.stringify writes, and integers of any size', () => {
  fc.assert(
    fc.property(fc.jsonValue(), (value) => {
      assert.deepEqual(JSON.parse(formatJson(value as Json)), JSON.parse(JSON.stringify(value)));
    }),
  );
  assert.equal(
    formatJson({ rentEpoch: 18_446_744_073_709_551_615n, left: undefined, list: [1n, null] }),
    '{"rentEpoch":18446744073709551615,"list":[1,null]}',
  );
});
