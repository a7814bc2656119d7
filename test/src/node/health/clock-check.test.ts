import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ClockCheck } from '@assay/node/health/clock-check';

const BLOCK = 1_790_000_000;
const HOUR = 3600;
const DAY = 86_400;

function checked(start: number) {
  const at = { now: start, system: start, elapsed: 77, block: BLOCK as number | undefined };
  const check = new ClockCheck({
    now: () => at.now,
    system: () => at.system,
    elapsed: () => at.elapsed,
    newestBlock: () => at.block,
  });
  const set = (seconds: number): void => {
    at.now += seconds;
    at.system += seconds;
  };
  return {
    at,
    set,
    pass: (seconds: number): void => {
      set(seconds);
      at.elapsed += seconds;
    },
    code: () => check.doubt?.code,
    found: () => check.doubt?.found,
    reasons: () => check.concerns().map(({ reason }) => reason),
  };
}

test('clock check: within a day ahead and two hours behind the newest block it is believed', () => {
  for (const off of [0, DAY, -2 * HOUR, 600]) {
    const { code, reasons } = checked(BLOCK + off);
    assert.deepEqual([code(), reasons()], [undefined, []], `${off}`);
  }
  for (const off of [DAY + 1, -2 * HOUR - 1]) {
    assert.equal(checked(BLOCK + off).code(), 'bad_clock', `${off}`);
  }
});

test('clock check: a year ahead it dates nothing, and says by how much', () => {
  const { at, code, found, reasons, set } = checked(BLOCK + 365 * DAY);
  assert.equal(code(), 'bad_clock');
  assert.equal(found(), `${365 * DAY} seconds ahead of it`);
  assert.deepEqual(reasons(), [
    'The clock is 365 days ahead of the newest Bitcoin block: one of the two is wrong, and nothing is signed until they agree.',
  ]);
  at.block = BLOCK + 600;
  assert.match(reasons().join(), /364 days ahead/);
  set(-364 * DAY);
  assert.deepEqual([code(), reasons()], [undefined, []]);
});

test('clock check: a clock that goes behind says so, too', () => {
  const { code, reasons } = checked(BLOCK - 5 * HOUR);
  assert.equal(code(), 'bad_clock');
  assert.match(reasons().join(), /^The clock is 5 hours behind the newest Bitcoin block: /);
});

test('clock check: without a block there is nothing to doubt', () => {
  const { at, code } = checked(BLOCK + 365 * DAY);
  at.block = undefined;
  assert.equal(code(), undefined);
});

test('clock check: once it has agreed, sources that stand still keep nobody from writing', () => {
  const { at, code, pass, set } = checked(BLOCK + 60);
  assert.equal(code(), undefined);
  pass(10 * DAY);
  assert.equal(code(), undefined, 'no block for ten days');
  set(301);
  assert.equal(code(), 'bad_clock', 'it was set, and is compared anew');
  at.block = BLOCK + 10 * DAY;
  assert.equal(code(), undefined);
  pass(DAY);
  set(300);
  assert.equal(code(), undefined);
});

test('clock check: set back, a clock whose steps back are not followed counts after a restart', () => {
  const { at, reasons } = checked(BLOCK + 2 * DAY);
  at.system = BLOCK;
  assert.deepEqual(reasons(), [
    'The clock was 2 days ahead of the newest Bitcoin block; it has been set back, which counts after a restart.',
  ]);
});
