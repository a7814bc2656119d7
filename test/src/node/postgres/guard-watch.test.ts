import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Fault, type FaultCode } from '@assay/core/fault';
import { GuardWatch } from '@assay/node/postgres/guard-watch';

interface World {
  stopped: Fault | undefined;
  /** What resuming throws; undefined if it succeeds. */
  answer: Fault | undefined;
  resumes: number;
  failures: number;
}

/** As a ledger tells it: stopped, and the reason behind. */
const stoppedBy = (code: FaultCode): Fault =>
  new Fault('stopped', 'ledger', { cause: new Fault(code, 'head guard') });

function watchOf(change: Partial<World>): readonly [GuardWatch, World] {
  const world: World = {
    stopped: undefined,
    answer: undefined,
    resumes: 0,
    failures: 0,
    ...change,
  };
  const watch = new GuardWatch({
    ledger: {
      get stopped() {
        return world.stopped;
      },
      resume: () => {
        world.resumes += 1;
        if (world.answer !== undefined) return Promise.reject(world.answer);
        world.stopped = undefined;
        return Promise.resolve();
      },
    },
    followers: { followers: [], concerns: () => [] },
    everyMs: 1000,
    onResumed: () => undefined,
    onResumeFailed: () => (world.failures += 1),
  });
  return [watch, world];
}

test('guard watch: an epoch whose end is not known is followed by another', async () => {
  for (const code of ['guard_unknown', 'guard_unsafe', 'unreachable'] as const) {
    const [watch, world] = watchOf({ stopped: stoppedBy(code) });
    await watch.check();
    await watch.check();
    assert.equal(world.resumes, 1, code);
    assert.deepEqual(watch.concerns(), []);
  }
});

test('guard watch: it goes on as long as the database cannot be reached', async () => {
  const [watch, world] = watchOf({
    stopped: stoppedBy('guard_unknown'),
    answer: new Fault('unreachable', 'head guard'),
  });
  for (let i = 0; i < 3; i += 1) await watch.check();
  assert.deepEqual([world.resumes, world.failures], [3, 3]);
});

test('guard watch: where another writer holds the row, nothing is taken, and readers are told', async () => {
  const [early, first] = watchOf({ stopped: stoppedBy('epoch_over') });
  await early.check();
  assert.equal(first.resumes, 0);
  const [late, second] = watchOf({
    stopped: stoppedBy('guard_unknown'),
    answer: new Fault('epoch_over', 'head guard'),
  });
  for (let i = 0; i < 3; i += 1) await late.check();
  assert.equal(second.resumes, 1);
  for (const watch of [early, late])
    assert.deepEqual(
      watch.concerns().map(({ level }) => level),
      ['halted'],
    );
});

test('guard watch: a ledger that stopped for another reason is left alone', async () => {
  const [watch, world] = watchOf({ stopped: stoppedBy('storage_failed') });
  await watch.check();
  assert.equal(world.resumes, 0);
});
