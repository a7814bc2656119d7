import assert from 'node:assert/strict';
import { test } from 'node:test';
import { RELEASE } from '@assay/core/kind/announced';
import { bodyParser } from '@assay/core/kind/kinds';
import { formatEntry, scanEntry } from '@assay/core/log/entry';
import type { WireObject } from '@assay/core/wire/wire';
import { readBody } from '@assay/verifier/log/entry-body';
import { type Finding, Findings } from '@assay/verifier/verdict/finding';
import { sha256 } from '../../core/fixture/fixture.ts';

/** What is found in one entry. */
function findingsOf(kind: string, body: WireObject): readonly Finding[] {
  const findings = new Findings();
  const at = '2026-01-01T00:00:00Z' as never;
  const bytes = formatEntry({ v: 1, seq: 7, prev: 'ab'.repeat(32) as never, at, kind, body });
  const known = readBody(bodyParser(sha256), bytes, scanEntry(bytes), 'entry 7', findings);
  assert.equal(known === undefined, findings.count > 0);
  return findings.list;
}

test('entry body: one that is read has no finding', () => {
  assert.deepEqual(findingsOf('note/1', { text: 'x' }), []);
});

test('entry body: of a version that nobody announced no release is known', () => {
  const [finding] = findingsOf('note/2', { text: 'x' });
  assert.equal(finding?.code, 'not_understood');
  assert.match(finding?.expected ?? '', /knows of no release that reads this one$/);
});

test('entry body: a kind outside the closed list is of no release', () => {
  const [finding] = findingsOf('rumour/1', {});
  assert.deepEqual(
    [finding?.code, finding?.expected],
    ['not_understood', "a kind of this format's closed list"],
  );
});

test('entry body: a later format inside a body is not understood, and no malformed entry', () => {
  assert.deepEqual(findingsOf('rule/1', { rule: { spec: 'assay-rule/3' } }), [
    {
      code: 'not_understood',
      place: 'entry 7',
      expected: `formats that release ${RELEASE} reads; it knows of no release that reads this one`,
      found: 'assay-rule/3',
    },
  ]);
  for (const [kind, body] of [
    ['rule/1', { rule: { spec: 'assay-rule/2' } }],
    // A member that says it is of a later release excuses no body that is malformed.
    ['key/1', { number: 1, garbage: true, x: { type: 'assay-report/2' } }],
    ['note/1', { text: 5, x: { type: 'assay-rule/3' } }],
  ] as const) {
    const [finding] = findingsOf(kind, body);
    assert.equal(finding?.code, 'entry_malformed', kind);
  }
});
