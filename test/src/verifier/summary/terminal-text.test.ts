import assert from 'node:assert/strict';
import { test } from 'node:test';
import { terminalText } from '@assay/verifier/summary/terminal-text';
import type { TerminalFacts } from '@assay/verifier/verdict/verdict';

const FACTS: TerminalFacts = {
  class: 'crypto',
  rule: { version: 1, hash: 'ab'.repeat(32), versions: 1 },
  sources: 2,
  ticks: 35_040,
  from: '2025-01-01T00:00:00Z',
  to: '2025-12-31T23:45:00Z',
  missed: 0,
  late: 0,
  delisted: 0,
  openings: { within_hour: 0, later: 0, unproven: 0 },
  scores: 'committed',
};

test('terminal text: what the ticks are, and what is to be doubted', () => {
  assert.deepEqual(terminalText(FACTS), {
    words:
      '35,040 ticks of crypto from 2025-01-01T00:00:00Z to 2025-12-31T23:45:00Z, score rule 1, sources 2, scores committed, not recomputed',
    plain: true,
  });
  const replay = terminalText({ ...FACTS, sources: 1, missed: 1, late: 3, delisted: 6 });
  assert.match(
    replay.words,
    /, 1 time between them without one, 3 written over .* late, 6 receipts void by delisting, /,
  );
  assert.match(replay.words, /, sources 1 of a replay, /);
  assert.equal(replay.plain, false);
  assert.equal(terminalText({ ...FACTS, late: 1 }).plain, false);
  const handed = terminalText({ ...FACTS, rule: { ...FACTS.rule, version: 3, versions: 2 } });
  assert.match(handed.words, /, score rule 3, the last of 2, /);
});

test('terminal text: what Bitcoin shows of openings', () => {
  const words = (within_hour: number, later: number, unproven: number): string =>
    terminalText({ ...FACTS, openings: { within_hour, later, unproven } }).words;
  assert.match(
    words(5, 2, 1),
    /, of 8 events a block .*: 5 within the hour, 2 later, 1 not at all, /,
  );
  assert.match(words(0, 0, 8), /, no block of Bitcoin shows when 8 events opened, /);
  assert.doesNotMatch(words(0, 0, 0), /Bitcoin|block/);
});
