import assert from 'node:assert/strict';
import { test } from 'node:test';
import { EXPLAINED, findingText, isTampering } from '@assay/verifier/summary/finding-text';
import { FINDING_CODES } from '@assay/verifier/verdict/finding';

test('finding text: every code means something, and one thing', () => {
  assert.deepEqual([...EXPLAINED].toSorted(), [...FINDING_CODES].toSorted());
  assert.equal(new Set(EXPLAINED).size, EXPLAINED.length);
});

test('finding text: a tampered entry is named as that, with its number', () => {
  assert.equal(
    findingText({ code: 'proof_invalid', place: 'bundle entry 2639' }),
    'entry 2639 was changed, or its proof was: the signed head of the log does not hold it as it is here',
  );
  assert.equal(
    findingText({ code: 'chain_broken', place: 'entry 17' }),
    'entry 16 was changed: it is not the one after which entry 17 was written',
  );
  assert.equal(isTampering({ code: 'chain_broken', place: 'entry 0' }), false);
  assert.equal(isTampering({ code: 'blob_missing', place: 'entry 17' }), false);
});

test('finding text: with its place', () => {
  const text = findingText({ code: 'blob_missing', place: 'entry 3' });
  assert.equal(text, 'a part of the log is missing (entry 3)');
  assert.equal(findingText({ code: 'blob_missing', place: '' }), 'a part of the log is missing');
});
