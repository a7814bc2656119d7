import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { readPages } from '@assay/core/read/reading';
import { formatDate, parseDate } from '@assay/core/time/time';
import { claimsCsv, claimsJson } from './fixture/claims-pages.ts';
import { CLAIMS_RULE, MIRROR, RECORD, weeksOf } from './fixture/round-fixture.ts';

test('claims pages: the two ways to write a week', () => {
  const weeks = weeksOf({ '2026-07-18': 188_000, '2026-07-25': 1_197_000 });
  assert.equal(
    Buffer.from(claimsCsv(weeks)).toString(),
    'week_ending,claims\n2026-07-18,188000\n2026-07-25,1197000\n',
  );
  assert.equal(
    Buffer.from(claimsJson(weeks)).toString(),
    '{"weeks":[{"week_ending":"07/18/2026","initial_claims_sa":"188,000"},' +
      '{"week_ending":"07/25/2026","initial_claims_sa":"1,197,000"}]}',
  );
});

test('claims pages: the rule reads the same number from both', () => {
  const first = parseDate('2015-01-03');
  fc.assert(
    fc.property(
      fc.array(fc.integer({ min: 1, max: 99_999_999 }), { minLength: 1, maxLength: 30 }),
      (figures) => {
        const weeks = figures.map((claims, i) => ({ period: first + 7 * i, claims }));
        const newest = first + 7 * (figures.length - 1);
        const expected = { outcome: 'ok', value: BigInt(figures.at(-1) as number) };
        for (const [provider, bytes] of [
          [RECORD, claimsCsv(weeks)],
          [MIRROR, claimsJson(weeks)],
        ] as const) {
          const pages = [{ status: 200, bytes }];
          assert.deepEqual(readPages(CLAIMS_RULE, provider, pages, newest), expected);
          const later = readPages(CLAIMS_RULE, provider, pages, newest + 7);
          assert.equal(later.outcome, 'not_published', formatDate(newest + 7));
        }
      },
    ),
    { numRuns: 50 },
  );
});
