import assert from 'node:assert/strict';
import { test } from 'node:test';
import { toHashHex } from '@assay/core/hash/hash';
import { evidenceTie, knownAccused } from '@assay/verifier/evidence/evidence-tie';
import type { Accused, AccusedRole } from '@assay/verifier/evidence/evidence-verdict';

const LOG = toHashHex('11'.repeat(32));
const OTHER = toHashHex('22'.repeat(32));

const accused = (role: AccusedRole, key: string): Accused => ({ role, key, name: null });

test('evidence tie: a key that is known, and one that is not', () => {
  const verdict = { accused: [accused('log', 'a'), accused('witness', 'w')], log: LOG };
  assert.equal(evidenceTie(verdict, { keys: [], log: null }), 'unnamed');
  assert.equal(evidenceTie(verdict, { keys: ['b'], log: null }), 'other');
  assert.equal(evidenceTie(verdict, { keys: ['b', 'w'], log: null }), 'named');
  assert.deepEqual(knownAccused(verdict, { keys: ['b', 'w'], log: null }), [
    accused('witness', 'w'),
  ]);
});

test('evidence tie: a log id ties the keys that are its own, and those of nobody else', () => {
  const known = { keys: [], log: LOG };
  for (const [role, tie] of [
    ['log', 'named'],
    ['publisher', 'named'],
    ['witness', 'unnamed'],
    ['cosigner', 'unnamed'],
    ['signer', 'unnamed'],
  ] as const) {
    assert.equal(evidenceTie({ accused: [accused(role, 'a')], log: LOG }, known), tie, role);
    assert.equal(evidenceTie({ accused: [accused(role, 'a')], log: OTHER }, known), 'other');
    assert.equal(evidenceTie({ accused: [accused(role, 'a')], log: null }, known), 'unnamed');
  }
});

test('evidence tie: a known key is enough where a log is named too', () => {
  const verdict = { accused: [accused('log', 'a')], log: null };
  assert.equal(evidenceTie(verdict, { keys: ['a'], log: LOG }), 'named');
  assert.equal(evidenceTie(verdict, { keys: ['b'], log: LOG }), 'unnamed');
  assert.equal(evidenceTie({ ...verdict, log: OTHER }, { keys: ['b'], log: LOG }), 'other');
});
