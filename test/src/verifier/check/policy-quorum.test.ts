import assert from 'node:assert/strict';
import { test } from 'node:test';
import { parseTime } from '@assay/core/time/time';
import { type Finding, Findings } from '@assay/verifier/verdict/finding';
import { OPEN_POLICY, type Policy } from '@assay/verifier/verdict/policy';
import {
  checkPolicyQuorum,
  findBelowPolicy,
  operatorsOf,
} from '@assay/verifier/check/policy-quorum';
import { keyOf } from '../fixture/chained-log.ts';
import { ABOUT } from '../fixture/cosigner-log.ts';

function policyOf(required: number, operators: Readonly<Record<string, string>>): Policy {
  const cosigners = Object.entries(operators).map(([name, operator]) => ({
    operator,
    key: keyOf(name),
  }));
  return { ...OPEN_POLICY, cosigners, cosigners_required: required };
}

test('operators are counted, not keys', () => {
  const policy = policyOf(2, { ada: 'A', ben: 'A', cleo: 'C' });
  assert.deepEqual(operatorsOf(policy, [keyOf('ada'), keyOf('ben')]), ['A']);
  assert.deepEqual(operatorsOf(policy, [keyOf('cleo'), keyOf('ada'), 'a stranger']), ['A', 'C']);
  const quorum = (...names: readonly string[]) => ({
    required: 0,
    have: names.length,
    cosigners: names.map((name) => ({ name, key: keyOf(name) })),
    dissents: 0,
  });
  const codes = (...names: readonly string[]): readonly string[] => {
    const findings = new Findings();
    checkPolicyQuorum(quorum(...names), 'report', policy, findings);
    return findings.list.map(({ code }) => code);
  };
  assert.deepEqual(codes('ada', 'cleo'), []);
  assert.deepEqual(codes('ada', 'ben'), ['quorum_below_policy']);
  assert.deepEqual(codes(), ['quorum_below_policy']);
});

test('finals of a log with which too few of the policy agree: one finding an index, with all dates counted', () => {
  const found = (policy: Policy, at = '2026-12-01T00:00:00Z'): readonly Finding[] => {
    const findings = new Findings();
    findBelowPolicy(ABOUT.published.views, policy, parseTime(at as never), findings);
    return findings.list;
  };
  assert.deepEqual(found(OPEN_POLICY), []);
  const [below, ...rest] = found(policyOf(2, { ada: 'A', ben: 'B' }));
  assert.deepEqual(rest, []);
  assert.deepEqual([below?.code, below?.place], ['quorum_below_policy', 'LAYOFFS']);
  // Cleo and Ben agreed with that one.
  assert.equal(below?.found, '1 without: 2026-07-11');
  const [every] = found(policyOf(1, { dora: 'D' }));
  assert.match(String(every?.found), /^4 without: [-\d, ]+$/);
  // Nobody has had the time for the newest: it is below the policy all the same.
  const [early] = found(policyOf(1, { dora: 'D' }), '2026-08-01T00:00:00Z');
  assert.match(String(early?.found), /^4 without: .*; the rounds of 2 are still open: ask again$/);
});
