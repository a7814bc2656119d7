import assert from 'node:assert/strict';
import { test } from 'node:test';
import { slotTimes } from '@assay/chain/development/slot-times';
import fc from 'fast-check';

const CLOCK = { startedAt: 1000, slotSeconds: 10 };

test('slot times: a block of a transaction is when that ran, the rest are by the clock', () => {
  const times = slotTimes(CLOCK);
  assert.deepEqual(
    [0, 1, 2, 3].map((height) => times.of(height)),
    [1000, 1000, 1010, 1020],
  );
  times.ran(4, 1025);
  times.ran(5, 1025);
  times.ran(6, 1029.5);
  times.ran(9, 1041);
  const all = [1000, 1000, 1010, 1020, 1025, 1025, 1029.5, 1030, 1040, 1041, 1050];
  assert.deepEqual(
    all.map((_, height) => times.of(height)),
    all,
  );
  assert.equal(times.least, 0);
});

test('slot times: what is older than the transactions that are remembered has none', () => {
  const times = slotTimes(CLOCK, 2);
  times.ran(2, 1001);
  times.ran(3, 1002);
  assert.equal(times.of(1), 1000);
  times.ran(5, 1013);
  assert.deepEqual(
    [1, 2, 3, 4, 5, 6].map((height) => times.of(height)),
    [undefined, undefined, 1002, 1010, 1013, 1020],
  );
  assert.equal(times.least, 3);
});

test('slot times: whatever the length of a slot, they never go back', () => {
  const step = fc.record({ seconds: fc.double({ min: 0, max: 5, noNaN: true }), runs: fc.nat(2) });
  const slotSeconds = fc.double({ min: 0.001, max: 3, noNaN: true });
  fc.assert(
    fc.property(fc.array(step, { maxLength: 20 }), slotSeconds, (steps, length) => {
      const times = slotTimes({ startedAt: 1_790_000_000.3, slotSeconds: length });
      let now = 1_790_000_000.3;
      let count = 0;
      const byClock = (): number => 1 + Math.floor((now - 1_790_000_000.3) / length);
      for (const { seconds, runs } of steps) {
        now += seconds;
        for (let i = 0; i < runs; i += 1) {
          count += 1;
          times.ran(byClock() + count, now);
          assert.equal(times.of(byClock() + count), now);
        }
      }
      let before = 0;
      for (let height = 0; height <= byClock() + count; height += 1) {
        const time = times.of(height) as number;
        assert.ok(time >= before, `${height}`);
        assert.ok(time <= now + 1e-5, `${height}`);
        before = time;
      }
    }),
    { numRuns: 50 },
  );
});
