import assert from 'node:assert/strict';
import { test } from 'node:test';
import { isReplay, networkOf } from '@assay/core/network';

test('network: the origin says which, and only its first part', () => {
  assert.equal(networkOf('development/log'), 'development');
  for (const origin of ['log.example/development/', 'development.example/log', 'development', '']) {
    assert.equal(networkOf(origin), 'production', origin);
  }
});

test('network: what replays recorded data says so in its origin', () => {
  assert.equal(isReplay('development/replay'), true);
  assert.equal(isReplay('development/replay-2'), true);
  assert.equal(isReplay('development/demo'), false);
  assert.equal(isReplay('replay.example/log'), false);
});
