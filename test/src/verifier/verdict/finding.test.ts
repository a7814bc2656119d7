import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { FINDING_CODES, Findings, MAX_FINDINGS } from '@assay/verifier/verdict/finding';
import { WATCH_CODES } from '@assay/verifier/watch/watch-finding';
import { ROOT } from '../../core/fixture/fixture.ts';

test('every code is there once', () => {
  const codes = [...FINDING_CODES, ...WATCH_CODES];
  assert.equal(new Set(codes).size, codes.length);
});

test('every code is explained by a page', () => {
  const page = readFileSync(join(ROOT, 'docs', 'reference', 'findings.md'), 'utf8');
  const codes: readonly string[] = [...FINDING_CODES, ...WATCH_CODES];
  const explained = [...page.matchAll(/^\| `([a-z_]+)` \| /gm)].map(([, code]) => code as string);
  for (const code of codes) assert.equal(explained.includes(code), true, code);
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

test('bytes that are not there take no place of a finding in what is there', () => {
  const findings = new Findings(2);
  for (let i = 0; i < 10; i += 1) findings.add('blob_missing', `blob ${i}`, 'bytes', 'none');
  for (let i = 0; i < 3; i += 1) findings.add('root_differs', `size ${i}`, 'a', 'b');
  findings.add('blob_missing', 'blob 10', 'bytes', 'none');
  assert.equal(findings.count, 14);
  assert.deepEqual(
    findings.list.map(({ place }) => place),
    ['blob 0', 'blob 1', 'size 0', 'size 1'],
  );
});

test('findings of demands come first, and no other finding takes their place', () => {
  const findings = new Findings(2);
  for (let i = 0; i < 10; i += 1) findings.add('root_differs', `size ${i}`, 'a', 'b');
  for (let i = 0; i < 3; i += 1) findings.add('quorum_below_policy', `index ${i}`, 'a', 'b');
  assert.equal(findings.count, 13);
  assert.deepEqual(
    findings.list.map(({ place }) => place),
    ['index 0', 'index 1', 'size 0', 'size 1'],
  );
});

test('a list once given does not change', () => {
  const findings = new Findings();
  const { list } = findings;
  findings.add('root_differs', 'size 1', 'a', 'b');
  assert.deepEqual(list, []);
  assert.equal(findings.list.length, 1);
});

test('long and loud texts are cut and escaped', () => {
  const findings = new Findings();
  findings.add('api_differs', '/x\u001b[31m', 'e'.repeat(1000), '\n'.repeat(1000));
  const [finding] = findings.list;
  assert.equal(finding?.place, '/x\\u{1b}[31m');
  assert.equal(finding.expected.length, 300);
  assert.equal(finding.found.startsWith('\\u{a}\\u{a}'), true);
  assert.equal(finding.found.length, 300);
});
