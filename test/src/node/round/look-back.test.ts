import assert from 'node:assert/strict';
import { test } from 'node:test';
import { DAY_SECONDS, formatDate, parseTime } from '@assay/core/time/time';
import { duePeriods } from '@assay/node/round/due';
import { OpenPeriods } from '@assay/node/round/open-periods';
import { LEAST_BACK, lookBack, MOST_BACK } from '@assay/node/round/look-back';
import { calendarDue } from '@assay/node/recounter/poll/calendar-reads';
import { CosignedWorld, RELEASE, WEEK } from '../cosign/cosigner-fixture.ts';
import { CLAIMS_RULE } from '../fixture/round-fixture.ts';

const { ticker } = CLAIMS_RULE;

async function shown(days: number) {
  const seconds = days * DAY_SECONDS;
  const release = { ...CLAIMS_RULE.release, deadline_s: seconds, first_print_within_s: seconds };
  const rule = { ...CLAIMS_RULE, release };
  const { ledger } = await CosignedWorld.open(undefined, undefined, rule);
  return ledger.shown;
}

test('look back: as far as the rule has time, eight periods at least', async () => {
  const now = parseTime(RELEASE);
  assert.equal(lookBack(await shown(14), ticker, now), LEAST_BACK);
  const long = lookBack(await shown(70), ticker, now);
  assert.ok(long > 11 && long < 15, `${long}`);
  assert.equal(lookBack(await shown(14), 'OTHER' as never, now), 0);
  assert.ok(lookBack(await shown(400), ticker, now) < MOST_BACK);
});

test('look back: as far as a late number may come', async () => {
  const late = { kind: 'from_publication', within_s: 70 * DAY_SECONDS } as const;
  const release = { ...CLAIMS_RULE.release, late };
  const rule = { ...CLAIMS_RULE, spec: 'assay-rule/2', release } as const;
  const { ledger } = await CosignedWorld.open(undefined, undefined, rule);
  for (const [days, isDue, isRead] of [
    [20, true, true],
    [68, true, true],
    // The last day is left for statements: nothing that is read then counts, and the void is still to come.
    [69.5, true, false],
    [70.5, true, false],
  ] as const) {
    const now = parseTime(RELEASE) + days * DAY_SECONDS;
    const isOf = (period: number): boolean => formatDate(period) === WEEK;
    assert.equal(
      duePeriods(ticker, ledger.tip, now, new OpenPeriods()).some(isOf),
      isDue,
      `day ${days}`,
    );
    const read = calendarDue(ledger.shown, now).some(({ period }) => isOf(period));
    assert.equal(read, isRead, `day ${days}`);
  }
});

test('look back: a period is due up to the end of a long time for first prints', async () => {
  const state = await shown(70);
  for (const [days, isDue] of [
    [0, true],
    [40, true],
    [69, true],
    [71, false],
  ] as const) {
    const now = parseTime(RELEASE) + days * DAY_SECONDS + 10;
    const due = calendarDue(state, now).some(({ period }) => formatDate(period) === WEEK);
    assert.equal(due, isDue, `day ${days}`);
    if (!isDue) continue;
    assert.ok(
      duePeriods(ticker, state, now, new OpenPeriods())
        .map((each) => formatDate(each))
        .includes(WEEK as never),
    );
  }
});
