import assert from 'node:assert/strict';
import { test } from 'node:test';
import { numberWarnings } from '@assay/verifier/summary/number-warnings';
import type { IndexFacts, NumberFacts } from '@assay/verifier/verdict/verdict';
import { FINAL_NUMBER } from '../fixture/verdicts.ts';

const codes = (
  change: Partial<NumberFacts>,
  subject: 'log' | 'bundle' = 'log',
): readonly string[] =>
  numberWarnings({ ...FINAL_NUMBER, ...change }, subject).map(({ code }) => code);

const QUORUM = { required: 2, have: 2, cosigners: [], dissents: 0 };
const INDEX: IndexFacts = {
  day: '2026-07-30',
  seq: 231,
  at: '2026-07-31T00:00:12Z',
  prints: 118,
  rules: 1,
  provisional: 1,
  settled: 'final',
  corrected: 0,
  followed: false,
};

test('number warnings: who recounted it', () => {
  assert.deepEqual(codes({}), ['not_recounted']);
  assert.deepEqual(codes({ settleable: false, settled: false }), []);
  assert.deepEqual(codes({ rests_on: 'policy' }), []);
  assert.deepEqual(codes({ quorum: QUORUM, rests_on: 'policy' }), []);
  assert.deepEqual(codes({ quorum: QUORUM, rests_on: 'log' }), ['publishers_cosigners']);
  const few = { ...QUORUM, have: 1 };
  assert.deepEqual(codes({ quorum: few, settled: false }), ['too_few_cosigners']);
  assert.deepEqual(codes({ quorum: { ...few, dissents: 1 }, settled: false }), [
    'too_few_cosigners',
    'dissent',
  ]);
  assert.deepEqual(codes({ account: { dissent: true } as never }), ['not_recounted', 'dissent']);
  assert.deepEqual(codes({ account: { dissent: false } as never }), ['not_recounted']);
});

test('number warnings: that a later one is known', () => {
  const of = (change: Partial<NumberFacts>): readonly string[] =>
    codes({ settleable: false, ...change });
  assert.deepEqual(of({ corrections: 1 }), ['superseded']);
  assert.deepEqual(of({ corrections: 0 }), []);
  assert.deepEqual(of({ index: INDEX }), []);
  assert.deepEqual(of({ index: { ...INDEX, corrected: 1, followed: true } }), ['superseded']);
  const early = { status: 'provisional', index: { ...INDEX, followed: true } };
  assert.deepEqual(of(early), ['superseded']);
  assert.deepEqual(of({ ...early, index: { ...early.index, settled: null } }), []);
});

test('number warnings: what a file alone does not show, in one, and nothing of a whole log', () => {
  const text = (change: Partial<NumberFacts>): string =>
    numberWarnings({ ...FINAL_NUMBER, ...change }, 'bundle').find(
      ({ code }) => code === 'file_alone',
    )?.text ?? '';
  assert.match(text({ index: null }), /that it is the only final of its period\.$/);
  assert.match(text({ index: INDEX }), /that the list of its day is whole\.$/);
  assert.match(text({ first_print: 'not_shown' }), /first number printed and that it is the only/);
  assert.match(text({ governs: 'index' }), /that its rule was recorded in time/);
  assert.match(text({ governs: 'not_shown' }), /which version of its rule governs/);
  assert.match(
    text({ rests_on: 'bundle' }),
    /that its set of co-signers was still the one in force/,
  );
  assert.match(text({ clocks: 'not_shown', settleable: false }), /show from when the clocks/);
  assert.equal(text({ settleable: false, governs: 'not_shown', first_print: 'not_shown' }), '');
  assert.deepEqual(codes({ rests_on: 'policy', index: null, governs: 'not_shown' }), []);
});
