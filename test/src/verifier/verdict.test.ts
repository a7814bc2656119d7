import assert from 'node:assert/strict';
import { test } from 'node:test';
import { emptyTally, isVerified, NotCheckedList, type Verdict } from '@assay/verifier/verdict';

test('what was not checked is listed once with its count', () => {
  const list = new NotCheckedList();
  for (let i = 0; i < 3; i += 1) list.add('reads of x', 'no bytes');
  list.add('the API', 'a folder\u001b serves none');
  assert.deepEqual(list.list, [
    { what: 'reads of x (3 times)', why: 'no bytes' },
    { what: 'the API', why: 'a folder\\u{1b} serves none' },
  ]);
});

test('a log cannot make the list grow without end', () => {
  const list = new NotCheckedList();
  for (let i = 0; i < 5000; i += 1) list.add(`kind ${i}`, 'why');
  assert.equal(list.list.length, 1001);
  assert.deepEqual(list.list.at(-1), { what: '4000 other things', why: 'too many kinds to list' });
});

test('there is one way to read a yes', () => {
  const common = { subject: 'log', checked: emptyTally(), not_checked: [] } as const;
  const verdicts: readonly Verdict[] = [
    {
      ...common,
      outcome: 'findings',
      trust: null,
      log: null,
      bitcoin: null,
      onchain: null,
      witnesses: null,
      words: null,
      terminal: [],
      findings: [],
      findings_count: 0,
    },
    { ...common, outcome: 'incomplete', reason: 'x', findings: [] },
  ];
  for (const verdict of verdicts) {
    assert.equal(isVerified(verdict), false);
    // The facts of a yes are not there to be read by mistake.
    assert.equal('number' in verdict, false);
    assert.equal('pin' in verdict, false);
  }
});
