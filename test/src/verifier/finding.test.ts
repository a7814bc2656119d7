import assert from 'node:assert/strict';
import { test } from 'node:test';
import { FINDING_CODES, Findings, MAX_FINDINGS } from '@assay/verifier/finding';

test('every code stands once', () => {
  assert.equal(new Set(FINDING_CODES).size, FINDING_CODES.length);
});

test('a flood is cut, and its count is kept', () => {
  const findings = new Findings(3);
  for (let i = 0; i < 3; i += 1) findings.add('root_differs', `size ${i}`, 'a', 'b');
  assert.equal(findings.flooded, false);
  for (let i = 3; i < 10; i += 1) findings.add('root_differs', `size ${i}`, 'a', 'b');
  assert.equal(findings.flooded, true);
  assert.equal(findings.count, 10);
  assert.deepEqual(
    findings.list.map(({ place }) => place),
    ['size 0', 'size 1', 'size 2'],
  );
  assert.equal(MAX_FINDINGS, 1000);
});

test('a list once given does not change', () => {
  const findings = new Findings();
  const { list } = findings;
  findings.add('root_differs', 'size 1', 'a', 'b');
  assert.deepEqual(list, []);
  assert.equal(findings.list.length, 1);
});

test('long and loud words are cut and spelt out', () => {
  const findings = new Findings();
  findings.add('api_differs', '/x\u001b[31m', 'e'.repeat(1000), '\n'.repeat(1000));
  const [finding] = findings.list;
  assert.equal(finding?.place, '/x\\u{1b}[31m');
  assert.equal(finding.expected.length, 300);
  assert.equal(finding.found.startsWith('\\u{a}\\u{a}'), true);
  assert.equal(finding.found.length, 300);
});
