import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Findings } from '@assay/verifier/finding';
import { OPEN_POLICY, type Policy } from '@assay/verifier/policy';
import { checkPolicyQuorum, nameBelowPolicy, operatorsOf } from '@assay/verifier/policy-quorum';
import { NotCheckedList } from '@assay/verifier/verdict';
import { keyOf } from './chained-log.ts';
import { ABOUT } from './own-log.ts';

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

test('the finals of a log that too few of the policy agree with are named, with their count', () => {
  const named = (policy: Policy): readonly string[] => {
    const list = new NotCheckedList();
    nameBelowPolicy(ABOUT.published.views, policy, list);
    return list.list.map(({ what }) => what);
  };
  assert.deepEqual(named(OPEN_POLICY), []);
  const [line, ...rest] = named(policyOf(2, { ada: 'A', ben: 'B' }));
  assert.deepEqual(rest, []);
  // Cleo and Ben agreed with that one.
  assert.match(String(line), /LAYOFFS of 2026-07-11, 1 in all, final without the agreement of 2/);
  const [every] = named(policyOf(1, { dora: 'D' }));
  assert.match(String(every), /4 in all/);
});
