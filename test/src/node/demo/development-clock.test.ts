import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { DevelopmentClock } from '@assay/node/demo/development-clock';

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
