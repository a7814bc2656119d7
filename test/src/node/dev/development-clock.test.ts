import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { DevelopmentClock } from '@assay/node/dev/development-clock';

test('development clock: it stands where it is put, and is only put forward', () => {
  const clock = new DevelopmentClock(1000, 60, () => assert.fail('no look at the real time'));
  assert.equal(clock.now(), 1000);
  clock.advanceTo(2000);
  assert.equal(clock.now(), 2000);
  clock.advanceTo(1500);
  assert.equal(clock.now(), 2000);
});

test('development clock: once started it runs as many times as fast, in whole seconds', () => {
  let ms = 5_000_000;
  const clock = new DevelopmentClock(1000, 30_240, () => ms);
  clock.run();
  assert.equal(clock.now(), 1000);
  ms += 1;
  assert.equal(clock.now(), 1030);
  ms += 999;
  assert.equal(clock.now(), 1000 + 30_240);
  ms += 19_000;
  assert.equal(clock.now(), 1000 + 7 * 86_400, 'a week in 20 s');
  clock.run();
  assert.equal(clock.now(), 1000 + 7 * 86_400, 'started once');
  assert.throws(() => clock.advanceTo(9e9), TypeError);
});

test('development clock: it never goes back', () => {
  fc.assert(
    fc.property(
      fc.integer({ min: 0, max: 2_000_000_000 }),
      fc.integer({ min: 1, max: 604_800 }),
      fc.array(fc.nat(100_000)),
      (start, speed, steps) => {
        let ms = 0;
        const clock = new DevelopmentClock(start, speed, () => ms);
        clock.run();
        let last = clock.now();
        assert.ok(Number.isSafeInteger(last));
        for (const step of steps) {
          ms += step / 10;
          const now = clock.now();
          assert.ok(now >= last && Number.isSafeInteger(now));
          last = now;
        }
      },
    ),
  );
});

test('development clock: held, it stands still, and goes on from there when the last lets go', () => {
  let ms = 0;
  const clock = new DevelopmentClock(1000, 100, () => ms);
  clock.hold()();
  assert.equal(clock.now(), 1000, 'held before it runs');
  clock.run();
  ms = 1000;
  assert.equal(clock.now(), 1100);
  const [first, second] = [clock.hold(), clock.hold()];
  ms = 5000;
  assert.equal(clock.now(), 1100);
  first();
  first();
  ms = 6000;
  assert.equal(clock.now(), 1100, 'twice is once');
  second();
  assert.equal(clock.now(), 1100);
  ms = 7000;
  assert.equal(clock.now(), 1200);
});

test('development clock: it goes on for as long as it is allowed to, and time at the bound does not count', () => {
  let ms = 0;
  const clock = new DevelopmentClock(1000, 100, () => ms);
  clock.allowUntil(1150);
  clock.run();
  ms = 1000;
  assert.equal(clock.now(), 1100);
  ms = 60_000;
  assert.equal(clock.now(), 1150);
  const release = clock.hold();
  clock.allowUntil(1300);
  ms = 70_000;
  assert.equal(clock.now(), 1150, 'held');
  release();
  ms = 71_000;
  assert.equal(clock.now(), 1250);
  clock.allowUntil(2000);
  ms = 72_000;
  assert.equal(clock.now(), 1350);
  clock.allowUntil(1200);
  ms = 73_000;
  assert.equal(clock.now(), 1350, 'it never goes back');
});

test('development clock: of several who limit it, the earliest counts', () => {
  let ms = 0;
  const clock = new DevelopmentClock(1000, 100, () => ms);
  clock.allowUntil(1500);
  clock.allowUntil(1100, 'ticks');
  clock.run();
  ms = 60_000;
  assert.equal(clock.now(), 1100);
  clock.allowUntil(9000);
  ms = 61_000;
  assert.equal(clock.now(), 1100, 'the other one has not moved');
  clock.allowUntil(1300, 'ticks');
  ms = 120_000;
  assert.equal(clock.now(), 1300);
  clock.allowUntil(1400);
  clock.allowUntil(5000, 'ticks');
  ms = 180_000;
  assert.equal(clock.now(), 1400, 'now it is the first');
});
