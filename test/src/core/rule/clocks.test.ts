import assert from 'node:assert/strict';
import { test } from 'node:test';
import { clocksOf } from '@assay/core/rule/clocks';
import { parseDate, parseTime } from '@assay/core/time/time';
import { layoffsRule } from '../fixture/fixture.ts';

const PERIOD = parseDate('2026-08-01');
const RELEASE = parseTime('2026-08-06T12:30:00Z');

test('clocks: each is counted from the release', () => {
  assert.deepEqual(clocksOf(layoffsRule(), PERIOD), {
    release: RELEASE,
    frozen: RELEASE + 7200,
    firstPrint: RELEASE + 604_800,
    deadline: RELEASE + 1_209_600,
    seen: null,
  });
});

test('clocks: a first print ends before the deadline, where that comes first', () => {
  const { release } = layoffsRule();
  const short = layoffsRule({
    release: { ...release, deadline_s: 86_400, first_print_within_s: 604_800 },
  });
  const { firstPrint, deadline } = clocksOf(short, PERIOD);
  assert.deepEqual([firstPrint, deadline], [RELEASE + 86_399, RELEASE + 86_400]);
});
