import assert from 'node:assert/strict';
import { test } from 'node:test';
import {
  type EdgeLevel,
  FAMILY_LEVELS,
  STUDENT_QUANTILES,
  studentQuantile,
} from '@assay/core/terminal/edge/student-quantiles';

/** The logarithm of the gamma function at 0.5, 1, 1.5, … by its recurrence. */
function logGamma(halves: number): number {
  let at = halves % 2 === 0 ? 1 : 0.5;
  let value = halves % 2 === 0 ? 0 : Math.log(Math.PI) / 2;
  while (2 * at < halves) {
    value += Math.log(at);
    at += 1;
  }
  return value;
}

/**
 * The probability of a value at least `t` away from 0, by integrating the density over u = t / x, which goes from 1 to
 * 0, with Simpson's rule.
 */
function tail(t: number, degrees: number): number {
  const scale = Math.exp(logGamma(degrees + 1) - logGamma(degrees)) / Math.sqrt(degrees * Math.PI);
  const density = (u: number): number =>
    u === 0 ? 0 : scale * (1 + (t / u) ** 2 / degrees) ** (-(degrees + 1) / 2) * (t / (u * u));
  const steps = 4000;
  let sum = density(0) + density(1);
  for (let i = 1; i < steps; i += 1) sum += (i % 2 === 0 ? 2 : 4) * density(i / steps);
  return (2 * sum) / (3 * steps);
}

const PROBABILITY: Readonly<Record<string, number>> = {
  interval: 0.05,
  part: 0.1,
  ...Object.fromEntries(
    Array.from({ length: FAMILY_LEVELS }, (_, i) => [
      `family/${i + 1}`,
      0.05 / (18 * 2 ** i * (i + 1) * (i + 2)),
    ]),
  ),
};

test('Student: each quantile is the least thousandth at or beyond its level', () => {
  assert.deepEqual(Object.keys(STUDENT_QUANTILES).toSorted(), Object.keys(PROBABILITY).toSorted());
  for (const degrees of [4, 5, 7, 10, 19, 33, 40, 45, 60, 100, 300, 1000]) {
    for (const [level, probability] of Object.entries(PROBABILITY)) {
      const quantile = studentQuantile(level as EdgeLevel, degrees) / 1000;
      const at = `${level}, ${degrees} degrees`;
      assert.ok(tail(quantile, degrees) <= probability * (1 + 1e-9), at);
      assert.ok(tail(quantile - 0.001, degrees) > probability * (1 - 1e-9), at);
    }
  }
});

test('Student: some that every table has', () => {
  assert.equal(studentQuantile('interval', 4), 2777);
  assert.equal(studentQuantile('interval', 10), 2229);
  assert.equal(studentQuantile('part', 30), 1698);
});

test('Student: degrees between two that are listed take the lower ones', () => {
  assert.equal(studentQuantile('interval', 49), studentQuantile('interval', 45));
  assert.equal(studentQuantile('interval', 5000), studentQuantile('interval', 1000));
  assert.notEqual(studentQuantile('interval', 50), studentQuantile('interval', 45));
  assert.throws(() => studentQuantile('interval', 3), RangeError);
  assert.throws(() => studentQuantile('family/11', 9), RangeError);
});
