import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Fault, FAULT_CODES } from '@assay/core/fault';
import { wayForward, withWayForward } from '@assay/node/ledger/way-forward';

test('way forward: a record that cannot be gone on with names its command', () => {
  const named = FAULT_CODES.filter((code) => wayForward(code, 'data') !== undefined);
  assert.deepEqual(named, [
    'guard_conflict',
    'guard_missing',
    'guard_corrupt',
    'ledger_behind',
    'ledger_differs',
    'ledger_corrupt',
  ]);
  const found = withWayForward(new Fault('ledger_behind', 'ledger', { found: '3' }), '/srv/data');
  assert.equal(found instanceof Fault && found.code, 'ledger_behind');
  assert.match(
    String(found),
    /ledger, found 3\. The way forward: assay restore \/srv\/data --from/,
  );
  const other = new Fault('timeout', 'x');
  assert.equal(withWayForward(other, 'data'), other);
});
