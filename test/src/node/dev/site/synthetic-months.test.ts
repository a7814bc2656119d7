import assert from 'node:assert/strict';
import { test } from 'node:test';
import { shiftPeriod } from '@assay/core/rule/period';
import { parseDate } from '@assay/core/time/time';
import { syntheticMonths } from '@assay/node/dev/site/synthetic-months';

const LAST = {
  CES0000000001: { period: parseDate('2025-11-01'), level: '159552' },
  LNS14000000: { period: parseDate('2026-06-01'), level: '4.2' },
  CUSR0000SA0: { period: parseDate('2026-06-01'), level: '332.568' },
  CUSR0000SA0L1E: { period: parseDate('2026-06-01'), level: '336.065' },
} as const;

test('synthetic months: the same for the same months, always', () => {
  // Written down once: a demo that is started again must not change its past.
  const levels = Object.entries(LAST).map(([series, last]) =>
    syntheticMonths(series, last, shiftPeriod('month', last.period, 3)).map(({ level }) => level),
  );
  assert.deepEqual(levels, [
    ['159695', '159743', '159785'],
    ['4.1', '4.1', '4.1'],
    ['333.566', '334.800', '336.273'],
    ['337.040', '338.051', '338.998'],
  ]);
});

test('synthetic months: only payrolls are revised, and every figure is of its course', () => {
  for (const [series, last] of Object.entries(LAST)) {
    const far = shiftPeriod('month', last.period, 120);
    const months = syntheticMonths(series, last, far);
    assert.equal(months.length, 120);
    const sooner = syntheticMonths(series, last, shiftPeriod('month', far, -1));
    const same = JSON.stringify(months.slice(0, 118)) === JSON.stringify(sooner.slice(0, 118));
    assert.ok(same, 'all but the newest are as they were');
    assert.equal(months[118]?.level !== sooner[118]?.level, series === 'CES0000000001');
    let before = Number(last.level);
    for (const { level } of months) {
      const now = Number(level);
      const change = now - before;
      if (series === 'CES0000000001') assert.ok(change >= -25 && change <= 215, level ?? '');
      else if (series === 'LNS14000000')
        assert.ok(now >= 3.5 && now <= 5 && Math.abs(change) < 0.11);
      else assert.ok(change >= 0 && change / before < 0.0051);
      before = now;
    }
  }
  assert.deepEqual(syntheticMonths('CUSR0000SA0', LAST.CUSR0000SA0, LAST.CUSR0000SA0.period), []);
});

test('synthetic months: a series that is not known has no course', () => {
  assert.throws(() => syntheticMonths('ABC', LAST.CUSR0000SA0, 30_000), TypeError);
  const none = { period: LAST.CUSR0000SA0.period, level: null };
  assert.throws(() => syntheticMonths('CUSR0000SA0', none, 30_000), TypeError);
});
