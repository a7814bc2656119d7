import assert from 'node:assert/strict';
import { test } from 'node:test';
import { logRow } from '@assay/core/view/log';
import { MemoryViews } from '@assay/core/view/state';
import { GENESIS, SampleLog } from '../fixture/fixture.ts';

test('log view: what entry 0 says, with the log’s id', () => {
  const log = new SampleLog();
  assert.equal(logRow(log.views), undefined);
  log.append('genesis/1', GENESIS);
  assert.deepEqual(logRow(log.views), { ...GENESIS, log: log.log });
  assert.equal(logRow(new MemoryViews()), undefined);
});

test('log view: a later genesis changes nothing', () => {
  const log = new SampleLog();
  log.append('genesis/1', GENESIS);
  const before = logRow(log.views);
  log.append('genesis/1', { ...GENESIS, report_key: '00'.repeat(32) });
  assert.deepEqual(logRow(log.views), before);
});
