import assert from 'node:assert/strict';
import { test } from 'node:test';
import { networkOf } from '@assay/core/network';

test('network: the origin says which, and only its first part', () => {
  assert.equal(networkOf('development/log'), 'development');
  for (const origin of ['log.example/development/', 'development.example/log', 'development', '']) {
    assert.equal(networkOf(origin), 'production', origin);
  }
});
