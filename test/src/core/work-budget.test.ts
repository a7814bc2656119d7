import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Fault } from '@assay/core/fault';
import { NO_LIMIT, WorkBudget } from '@assay/core/work-budget';

test('work budget: steps are counted, and one too many ends it for good', () => {
  const work = new WorkBudget({ steps: 100 });
  work.charge(60);
  work.charge(40);
  assert.equal(work.spent, 100);
  assert.equal(work.exceeded, undefined);
  work.requireLeft();
  const ended = { code: 'work_exceeded', expected: 'an end within 100 steps' };
  assert.throws(() => work.charge(1), ended);
  // Whoever caught that is stopped at the next step, however small, and at the end.
  assert.throws(() => work.charge(0), ended);
  assert.throws(() => work.check(), ended);
  assert.throws(() => work.requireLeft(), ended);
  assert.equal((work.exceeded as Fault | undefined)?.code, 'work_exceeded');
});

test('work budget: it asks for the time again and again in the middle of the work', () => {
  let asked = 0;
  const work = new WorkBudget({
    isOver: () => {
      asked += 1;
      return asked === 3;
    },
  });
  let done = 0;
  assert.throws(
    () => {
      for (;;) {
        work.charge(1000);
        done += 1000;
      }
    },
    { code: 'work_exceeded', expected: 'an end before the deadline' },
  );
  assert.equal(asked, 3);
  // Every few million steps, or five seconds would be ten; not at each, or the asking would be the work.
  assert.ok(done > 100_000 && done < 10_000_000, `${done}`);
});

test('work budget: a large charge is checked at once, and a check may come at any time', () => {
  let over = false;
  const work = new WorkBudget({ isOver: () => over });
  work.charge(5);
  over = true;
  work.charge(5);
  assert.throws(() => work.check(), { code: 'work_exceeded' });
  const other = new WorkBudget({ isOver: () => over });
  assert.throws(() => other.charge(100_000_000), { code: 'work_exceeded' });
});

test('work budget: ended from outside it charges nothing more, and the first reason stays', () => {
  const work = new WorkBudget();
  work.charge(10);
  work.end('an end within 5 s');
  work.end('another');
  assert.throws(() => work.charge(1), { expected: 'an end within 5 s' });
});

test('work budget: without a limit it ends nothing', () => {
  NO_LIMIT.charge(Number.MAX_SAFE_INTEGER);
  NO_LIMIT.check();
  assert.equal(NO_LIMIT.exceeded, undefined);
});
