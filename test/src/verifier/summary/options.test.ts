import assert from 'node:assert/strict';
import { test } from 'node:test';
import { optionsOf } from '@assay/verifier/summary/options';
import type { Verdict } from '@assay/verifier/verdict/verdict';
import { FINAL_NUMBER, FOUND, INCOMPLETE, VERIFIED } from '../fixture/verdicts.ts';

const codes = (verdict: Verdict): readonly string[] => optionsOf(verdict).map(({ code }) => code);

test('options: what was not asked for, each once, and none of what was', () => {
  assert.deepEqual(codes(VERIFIED), ['number', 'cosigners', 'witnesses', 'complete']);
  const demands = {
    ...VERIFIED.demands,
    index: 'JOBS',
    cosigners: 1,
    witnesses: 1,
    complete: true,
  };
  assert.deepEqual(codes({ ...VERIFIED, demands }), []);
  assert.deepEqual(codes(FOUND), []);
  assert.deepEqual(codes(INCOMPLETE), []);
});

test('options: what a reservation names, with what it lifts', () => {
  const text = { class: 'sources', what: 'a text', why: 'a PDF', remedy: 'extract' } as const;
  const limit = { class: 'scope', what: 'b', why: 'c', remedy: 'none' } as const;
  const late = { class: 'scope', what: 'd', why: 'e', remedy: 'ask_publisher' } as const;
  const shown = optionsOf({ ...VERIFIED, not_checked: [text, limit, late] });
  const extract = shown.find(({ code }) => code === 'extract');
  assert.deepEqual([extract?.how, extract?.lifts], ['--extract', [text]]);
  assert.equal(shown.flatMap(({ lifts }) => lifts).length, 1);
});

test('options: of a file the whole log comes first', () => {
  const rest = { class: 'quorum', what: 'a', why: 'b', remedy: 'whole_log' } as const;
  const [first] = optionsOf({
    ...VERIFIED,
    subject: 'bundle',
    number: FINAL_NUMBER,
    not_checked: [rest],
  });
  assert.deepEqual([first?.code, first?.how], ['whole_log', 'assay verify URL']);
});
