import assert from 'node:assert/strict';
import { test } from 'node:test';
import { kindOf } from '@assay/verifier/verdict/remedy';

test('remedy: what no check lifts is a limit, and all others are shown', () => {
  assert.equal(kindOf('none'), 'limit');
  assert.equal(kindOf('extract'), 'option');
  assert.equal(kindOf('ask_publisher'), 'warning');
});
