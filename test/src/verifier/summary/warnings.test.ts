import assert from 'node:assert/strict';
import { test } from 'node:test';
import { warningsOf } from '@assay/verifier/summary/warnings';
import type { Remedy } from '@assay/verifier/verdict/remedy';
import type { NotChecked, Verdict } from '@assay/verifier/verdict/verdict';
import { FOUND, INCOMPLETE, VERIFIED } from '../fixture/verdicts.ts';

const codes = (change: object, of: Verdict = VERIFIED): readonly string[] =>
  warningsOf({ ...of, ...change }).map(({ code }) => code);

const item = (remedy: Remedy, what: string, why: string): NotChecked => ({
  class: 'completeness',
  what,
  why,
  remedy,
});

test('warnings: none of a production log whose key was named, and none without a log', () => {
  assert.deepEqual(codes({}), []);
  assert.deepEqual(codes({ not_checked: [item('again', 'a', 'b')] }, INCOMPLETE), []);
  assert.deepEqual(codes({}, FOUND), []);
});

test('warnings: development and the key, at the first visit and at each later one', () => {
  const log = { ...VERIFIED.log, network: 'development' };
  assert.deepEqual(codes({ log }), ['development']);
  for (const trust of ['first_use', 'pinned', 'policy']) {
    assert.deepEqual(codes({ trust, key_vouched: false }), ['key_not_vouched']);
    assert.deepEqual(codes({ log, trust, key_vouched: false }), ['development', 'key_not_vouched']);
  }
  const [replay] = warningsOf({
    ...VERIFIED,
    key_vouched: false,
    log: { ...VERIFIED.log, origin: 'development/replay' },
  });
  assert.match(replay?.text ?? '', /^Every replay has this name/);
});

test('warnings: of reservations those that are, with one reason as one, and each thing in it', () => {
  const items = [
    item('none', 'a limit', 'x'),
    item('extract', 'an option', 'x'),
    item('ask_publisher', 'LAYOFFS of 2026-07-18', 'late'),
    item('ask_publisher', 'CPI of 2026-07', 'late'),
    item('ask_publisher', 'the Close of 2026-07-18', 'missing'),
    item('ask_cosigners', 'JOBS of 2026-07', 'late'),
  ];
  assert.deepEqual(
    warningsOf({ ...VERIFIED, not_checked: items }).map(({ code, text }) => `${code} ${text}`),
    [
      'ask_publisher LAYOFFS of 2026-07-18; CPI of 2026-07: late.',
      'ask_publisher The Close of 2026-07-18: missing.',
      'ask_cosigners JOBS of 2026-07: late.',
    ],
  );
  const many = Array.from({ length: 12 }, (_, i) => item('limits', `thing ${i}`, 'too many'));
  const [warning] = warningsOf({ ...VERIFIED, not_checked: many });
  assert.match(warning?.text ?? '', /thing 9; and 2 more: too many\.$/);
});

test('warnings: what is doubtful about stamps, headers, the chain and ticks', () => {
  const bitcoin = {
    network: 'bitcoin',
    trust: 'none',
    source: null,
    anchored: null,
    newest_beacon: null,
    pending: [],
    pending_count: 0,
    uncovered: { from: 7, to: 9, late: true },
    windows: [],
  };
  assert.deepEqual(codes({ bitcoin }), ['stamp_late']);
  assert.deepEqual(codes({ bitcoin: { ...bitcoin, uncovered: null } }), []);
  const source = { description: 'x', height: 1, time: 'y', work: { worth: 1, of: 10 } };
  assert.deepEqual(codes({ bitcoin: { ...bitcoin, uncovered: null, source } }), ['cheap_headers']);
  const onchain = { source: 'x', behind: { count: 1, oldest: null }, newer: 1, unseen: 2 };
  assert.deepEqual(codes({ onchain }), ['chain_behind', 'chain_newer', 'chain_unseen']);
  const ticks = { class: 'crypto', sources: 1, late: 2 };
  assert.deepEqual(codes({ terminal: [ticks] }), ['one_source', 'ticks_late']);
  assert.deepEqual(codes({ terminal: [{ ...ticks, sources: 2, late: 0 }] }), []);
});

test('warnings: each says what to do, in sentences', () => {
  const log = { ...VERIFIED.log, network: 'development' as const };
  for (const { text, todo } of warningsOf({ ...VERIFIED, log, key_vouched: false })) {
    assert.match(text, /^[A-Z].*\.$/);
    assert.match(todo, /^[A-Z].*\.$/);
  }
});
