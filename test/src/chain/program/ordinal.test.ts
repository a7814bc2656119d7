import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ordinalOf, pagePlace, periodOfOrdinal } from '@assay/core/feed/ordinal';
import fc from 'fast-check';
import { DAY, needsSvm, NOW, worldOf } from '../fixture/world.ts';

/** The last ordinals of the year 9999. */
const LAST = { utc_day: 2_932_896, week_ending_saturday: 418_984, month: 96_359 } as const;

for (const cadence of ['utc_day', 'week_ending_saturday', 'month'] as const) {
  test(
    `ordinal: the program finds the page and slot of any period, ${cadence}`,
    needsSvm,
    async () => {
      const first = periodOfOrdinal(cadence, 0);
      const world = await worldOf({ parameters: { cadence, first } });
      let issue = 0;
      const ordinals = fc.oneof(
        fc.nat(LAST[cadence]),
        fc.constantFrom(0, 1, 31, 32, LAST[cadence]),
      );
      await fc.assert(
        fc.asyncProperty(ordinals, fc.constantFrom(0, 0, -1, 1), async (ordinal, aside) => {
          const period = periodOfOrdinal(cadence, ordinal) + aside;
          const now = BigInt(period + 1) * DAY;
          world.now = now > NOW ? now : NOW;
          const asked = { status: 'provisional', period, publishedAt: world.now, issue } as const;
          let expected: string | null = null;
          try {
            const { index } = pagePlace(ordinalOf(cadence, period));
            const { error } = await world.openPage(index);
            assert.ok(error === null || error === 'exists', error ?? '');
          } catch {
            expected = 'bad_period';
          }
          const { error } = await world.publish(world.print(asked));
          assert.equal(error, expected, String(period));
          if (expected !== null) return;
          assert.equal((await world.slot(period))?.provisional?.issue, issue);
          assert.equal((await world.slot(period))?.period, period);
          issue += 1;
        }),
        { numRuns: 120 },
      );
    },
  );
}
