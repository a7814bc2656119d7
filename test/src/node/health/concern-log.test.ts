import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Fault } from '@assay/core/fault';
import type { Concern } from '@assay/node/health/concern';
import { ConcernLog } from '@assay/node/health/concern-log';

function degraded(reason: string): Concern {
  return { level: 'degraded', reason };
}

test('concern log: each change is reported once, and nothing while all stays as it is', () => {
  let now: readonly Concern[] = [];
  const told: string[] = [];
  const log = new ConcernLog([() => now, () => [degraded('always')]], (change, { reason }) => {
    told.push(`${change} ${reason}`);
  });
  log.check();
  now = [degraded('a'), degraded('b')];
  log.check();
  log.check();
  now = [degraded('b')];
  log.check();
  now = [];
  log.check();
  assert.deepEqual(told, ['begun always', 'begun a', 'begun b', 'over a', 'over b']);
});

test('concern log: the state of the service is told when it changes, and not at the start', () => {
  let now: readonly Concern[] = [degraded('a')];
  const told: string[] = [];
  const log = new ConcernLog(
    [() => now],
    () => {},
    (state, reasons) => told.push(`${state}: ${reasons.join(', ')}`),
  );
  log.check();
  now = [degraded('b')];
  log.check();
  now = [degraded('b'), { level: 'halted', reason: 'c' }];
  log.check();
  now = [];
  log.check();
  log.check();
  assert.deepEqual(told, ['halted: b, c', 'ok: ']);
});

test('concern log: while the log cannot be read nothing changes, and any other error is thrown', () => {
  let fault: Error | undefined;
  const told: string[] = [];
  const log = new ConcernLog(
    [
      () => {
        if (fault !== undefined) throw fault;
        return [degraded('a')];
      },
    ],
    (change, { reason }) => told.push(`${change} ${reason}`),
  );
  log.check();
  for (const code of ['stopped', 'ledger_corrupt', 'storage_failed'] as const) {
    fault = new Fault(code, 'ledger database');
    log.check();
  }
  fault = undefined;
  log.check();
  assert.deepEqual(told, ['begun a']);
  fault = new TypeError('a mistake');
  assert.throws(() => log.check(), TypeError);
});

test('concern log: what comes to be known after a start is no change of state', () => {
  let now: readonly Concern[] = [];
  let isSettled = false;
  const told: string[] = [];
  const log = new ConcernLog(
    [() => now],
    () => {},
    (state) => told.push(state),
    () => isSettled,
  );
  log.check();
  now = [degraded('found late')];
  log.check();
  isSettled = true;
  log.check();
  assert.deepEqual(told, []);
  now = [];
  log.check();
  now = [degraded('new')];
  isSettled = false;
  log.check();
  assert.deepEqual(told, ['ok', 'degraded'], 'it was settled once');
});
