import assert from 'node:assert/strict';
import { test } from 'node:test';
import { abstentionText } from '@assay/node/cosign/abstention-text';

test('abstention text: with the reason; one that is not known stands for itself', () => {
  assert.equal(abstentionText('late'), 'what it read came too late to count (late)');
  for (const reason of ['holiday', 'constructor']) assert.equal(abstentionText(reason), reason);
});
