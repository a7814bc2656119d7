import assert from 'node:assert/strict';
import { test } from 'node:test';
import { abstentionWords } from '@assay/node/cosign/abstention-words';

test('abstention words: with the reason; one that is not known stands for itself', () => {
  assert.equal(abstentionWords('late'), 'what it read came too late to count (late)');
  for (const reason of ['holiday', 'constructor']) assert.equal(abstentionWords(reason), reason);
});
