import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { CosignerSet } from '@assay/core/cosigner-set';
import type { TimeText } from '@assay/core/time';
import { MemoryViews } from '@assay/core/view/state';
import { checkCosignerSet } from '@assay/verifier/cosigner-set-check';
import { Findings } from '@assay/verifier/finding';
import { setOf } from './chained-log.ts';

const AT = '2026-07-01T00:00:00Z' as TimeText;

function found(set: CosignerSet, required = 0): readonly string[] {
  const findings = new Findings();
  const policies = { cosigners_required: required, witnesses_required: 0, witness_max_age_s: 0 };
  checkCosignerSet(set, AT, 'entry 1', { policies }, new MemoryViews(), findings);
  return findings.list.map(({ code, expected }) => `${code}: ${expected}`);
}

test('the first set of a log, with as many as the policy asks', () => {
  assert.deepEqual(found(setOf(0, 2, 'ada', 'ben'), 2), []);
  assert.deepEqual(found(setOf(0, 1, 'ada')), []);
});

test('below the policy, out of its order, and both', () => {
  assert.deepEqual(found(setOf(0, 2, 'ada', 'ben', 'cleo'), 3), [
    "cosigners_not_allowed: a threshold of 3 at least, the policy's",
  ]);
  assert.deepEqual(found(setOf(1, 1, 'ada'), 2), [
    'cosigners_not_allowed: set 0',
    "cosigners_not_allowed: a threshold of 2 at least, the policy's",
  ]);
});

test('each key that is none is named with its operator', () => {
  const cosigners = ['00', 'ff'].map((byte, i) => ({ name: `op ${i}`, key: byte.repeat(32) }));
  assert.deepEqual(found({ number: 0, threshold: 2, cosigners }), [
    'cosigners_not_allowed: an Ed25519 key of the prime-order group for op 0',
    'cosigners_not_allowed: an Ed25519 key of the prime-order group for op 1',
  ]);
});
