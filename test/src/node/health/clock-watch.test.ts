import assert from 'node:assert/strict';
import { test } from 'node:test';
import { formatTime } from '@assay/core/time/time';
import { ClockWatch } from '@assay/node/health/clock-watch';

const START = 1_790_000_000;

function watched() {
  let now = START;
  let elapsed = 50;
  let next = START;
  const watch = new ClockWatch(
    () => now,
    () => elapsed,
    () => formatTime(Math.max(next, now)),
  );
  return {
    reasons: () => watch.concerns().map(({ reason }) => reason),
    pass: (seconds: number): void => {
      now += seconds;
      elapsed += seconds;
    },
    step: (seconds: number): void => {
      now += seconds;
    },
    /** An entry is written at what the clock says. */
    write: (): void => {
      next = Math.max(next, now);
    },
  };
}

test('clock watch: a clock that runs, or is set by less than five minutes, is no concern', () => {
  const { reasons, pass, step } = watched();
  for (let i = 0; i < 100; i += 1) {
    pass(3600);
    step(i % 2 === 0 ? 300 : -300);
    assert.deepEqual(reasons(), []);
  }
});

test('clock watch: a step is reported for a day, whichever way it goes', () => {
  const { reasons, pass, step } = watched();
  step(301);
  assert.deepEqual(reasons(), ['The clock was set ahead by 301 seconds, or the machine slept.']);
  step(-301);
  assert.deepEqual(reasons(), ['The clock was set back by 301 seconds.']);
  pass(86_399);
  assert.equal(reasons().length, 1);
  pass(1);
  assert.deepEqual(reasons(), []);
});

test('clock watch: a clock behind the newest entry is reported until it has come so far', () => {
  const { reasons, pass, step, write } = watched();
  step(7 * 86_400);
  write();
  step(-7 * 86_400);
  const until = formatTime(START + 7 * 86_400);
  const words = `The clock is behind the log: until ${until} entries are written with that time.`;
  assert.equal(reasons()[0], words);
  pass(6 * 86_400);
  assert.deepEqual(reasons(), [words]);
  pass(86_400);
  assert.deepEqual(reasons(), []);
});
