import assert from 'node:assert/strict';
import { test } from 'node:test';
import { summarize } from '@assay/verifier/summary/summary';
import type { Verdict } from '@assay/verifier/verdict/verdict';
import { VERIFIED } from '../fixture/verdicts.ts';

test('summary: every reservation is a warning, an option or a limit, and in one of them', () => {
  const remedies = ['none', 'extract', 'ask_publisher', 'again', 'later', 'limits'] as const;
  const not_checked = remedies.map((remedy, i) => ({
    class: 'scope' as const,
    what: `thing ${i}`,
    why: `why ${i}`,
    remedy,
  }));
  const verdict: Verdict = { ...VERIFIED, not_checked };
  const { headline, warnings, options, limits } = summarize(verdict);
  const shown = [
    ...warnings.map(({ text }) => text.toLowerCase()),
    ...options.flatMap(({ lifts }) => lifts.map(({ what }) => what)),
    ...limits.map(({ what }) => what),
  ];
  for (const { what } of not_checked) {
    assert.equal(shown.filter((text) => text.includes(what)).length, 1, what);
  }
  assert.match(headline, /; 3 warnings below\.$/);
});
