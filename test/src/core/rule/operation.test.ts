import assert from 'node:assert/strict';
import { test } from 'node:test';
import { take } from '@assay/core/rule/operation';

test('operation: an input of another type stops with both named', () => {
  const input = { type: 'text', text: 'x' } as const;
  assert.equal(take('squash', input, 'text'), input);
  assert.throws(() => take('pick', input, 'series'), {
    reason: 'malformed',
    message: 'pick takes series, not text',
  });
});
