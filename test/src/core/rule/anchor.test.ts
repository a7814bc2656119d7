import assert from 'node:assert/strict';
import { test } from 'node:test';
import { anchorIn } from '@assay/core/rule/anchor';

test('anchor: found where it is, once', () => {
  assert.equal(anchorIn('xab', 'ab'), 1);
  assert.throws(() => anchorIn('xa', 'ab'), { reason: 'not_published' });
  assert.throws(() => anchorIn('abxab', 'ab'), { reason: 'malformed' });
  assert.throws(() => anchorIn('aaa', 'aa'), { reason: 'malformed' }, 'overlapping');
});
