import assert from 'node:assert/strict';
import { test } from 'node:test';
import {
  errorOneIn,
  familyLevel,
  firstStudyMonth,
  MAX_STUDY_NUMBER,
  monthOf,
  monthStart,
  studyNumber,
} from '@assay/core/terminal/edge/study-spending';
import { formatTime, parseTime } from '@assay/core/time/time';

const month = (text: string): number => monthOf(parseTime(text));

test('spending: the first month begins 60 days after the first tick or later', () => {
  const cases: readonly (readonly [string, string])[] = [
    ['2026-01-01T00:00:00Z', '2026-04-01T00:00:00Z'],
    ['2025-12-31T00:00:00Z', '2026-03-01T00:00:00Z'],
    // 60 days before the first second of March: that month itself.
    ['2025-12-31T00:00:01Z', '2026-04-01T00:00:00Z'],
    ['2024-10-23T04:00:00Z', '2025-01-01T00:00:00Z'],
  ];
  for (const [first, start] of cases) {
    assert.equal(formatTime(monthStart(firstStudyMonth(parseTime(first)))), start, first);
  }
});

test('spending: numbers count months, whether there was a study or not', () => {
  const first = parseTime('2024-10-23T04:00:00Z');
  assert.equal(studyNumber(first, month('2025-01-31T23:59:59Z')), 1);
  assert.equal(studyNumber(first, month('2025-02-01T00:00:00Z')), 2);
  assert.equal(studyNumber(first, month('2025-11-01T00:00:00Z')), 11);
  assert.equal(studyNumber(first, month('2024-11-01T00:00:00Z')), 1);
  assert.equal(studyNumber(first, month('2130-01-01T00:00:00Z')), MAX_STUDY_NUMBER);
});

test('spending: levels by the binary digits of the number', () => {
  const levels = [1, 2, 3, 4, 7, 8, 15, 16, 512, 1023].map(familyLevel);
  assert.deepEqual(
    levels,
    [1, 2, 2, 3, 3, 4, 4, 5, 10, 10].map((j) => `family/${j}`),
  );
});

test('spending: all studies together spend less than 5 %', () => {
  // In units of 1 / lcm: 18 groups at 5 % / (18 x 2^(j-1) x j x (j+1)) make 5 % / (2^(j-1) x j x (j+1)) a study.
  let spent = 0;
  for (let number = 1; number <= MAX_STUDY_NUMBER; number += 1) {
    const j = Number(familyLevel(number).slice('family/'.length));
    spent += 0.05 / (2 ** (j - 1) * j * (j + 1));
  }
  assert.ok(spent < 0.05 && spent > 0.045, String(spent));
});

test('spending: the error of a study and of a group, as one in so many', () => {
  assert.deepEqual(errorOneIn(1), { group: 720, study: 40 });
  assert.deepEqual(errorOneIn(3), { group: 4320, study: 240 });
  assert.deepEqual(errorOneIn(1023), { group: 18 * 1_126_400, study: 1_126_400 });
});

test('spending: months and their first seconds', () => {
  for (const start of ['1999-12-01T00:00:00Z', '2000-01-01T00:00:00Z', '2026-11-01T00:00:00Z']) {
    const ts = parseTime(start);
    assert.equal(monthStart(monthOf(ts)), ts);
    assert.equal(monthOf(ts - 1), monthOf(ts) - 1);
  }
});
