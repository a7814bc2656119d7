import assert from 'node:assert/strict';
import { test } from 'node:test';
import { READ_FAILURES, ReadStopped } from '@assay/core/rule/value';

test('value: each reason is listed once, and a stopped read carries one', () => {
  assert.equal(new Set(READ_FAILURES).size, 12);
  const stopped = new ReadStopped('no_source', 'a dash');
  assert.deepEqual(
    [stopped.name, stopped.reason, stopped.message],
    ['ReadStopped', 'no_source', 'a dash'],
  );
});
