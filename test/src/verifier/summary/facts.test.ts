import assert from 'node:assert/strict';
import { test } from 'node:test';
import { factsOf } from '@assay/verifier/summary/facts';
import type { Verdict } from '@assay/verifier/verdict/verdict';
import { FINAL_NUMBER, FOUND, INCOMPLETE, VERIFIED } from '../fixture/verdicts.ts';

const rows = (verdict: Verdict): readonly string[] =>
  factsOf(verdict).flatMap((group) =>
    group.map(({ name, text, isDetail }) => `${name}: ${text}${isDetail ? ' (detail)' : ''}`),
  );

test('facts: the number in a group of its own, and no number of what is not verified', () => {
  assert.equal(factsOf({ ...VERIFIED, number: FINAL_NUMBER }).length, 2);
  assert.equal(factsOf(VERIFIED).length, 1);
  assert.equal(factsOf(FOUND).length, 1);
  assert.equal(factsOf(INCOMPLETE).length, 1);
});

test('facts: on what the trust in the key rests', () => {
  const trust = (change: object): string =>
    rows({ ...VERIFIED, ...change }).find((row) => row.startsWith('trust: ')) ?? '';
  assert.match(trust({}), /the key or the log id that you named$/);
  assert.match(trust({ trust: 'pinned' }), /the key and the history that were pinned/);
  assert.match(trust({ trust: 'pinned', subject: 'bundle' }), /not the history pinned with it$/);
  assert.match(trust({ trust: 'first_use' }), /nobody has vouched for this key$/);
});

test('facts: witnesses, and too few of them as doubtful', () => {
  const seen = { operator: 'W', name: 'w.example', time: '2026-08-01T00:00:00Z' as never };
  for (const [required, witnesses, isDoubtful] of [
    [1, [seen], false],
    [1, [], true],
    [0, [seen], false],
  ] as const) {
    const all = factsOf({ ...VERIFIED, witnesses: { required, witnesses } }).flat();
    const row = all.find(({ name }) => name === 'witnesses');
    assert.equal(row?.isDoubtful, isDoubtful);
    assert.equal(row?.text.includes('W (w.example)'), witnesses.length > 0);
  }
  assert.ok(!rows(VERIFIED).some((row) => row.startsWith('witnesses')));
});

test('facts: a long row is short, and whole as a detail', () => {
  const checked = { ...VERIFIED.checked, tiles: 1, rules: 2, blobs: 3, prints: 4 };
  const all = rows({ ...VERIFIED, checked });
  assert.ok(all.some((row) => row.endsWith('and more')));
  assert.ok(all.some((row) => row.endsWith('3\u00a0blobs (detail)')));
});
