import assert from 'node:assert/strict';
import { test } from 'node:test';
import { newestStudy } from '@assay/core/view/studies';
import { GENESIS, SampleLog, SOME_HASH } from '../fixture/fixture.ts';

test('studies view: the newest study of a class', () => {
  const log = new SampleLog();
  log.append('genesis/1', GENESIS);
  assert.equal(newestStudy(log.views, 'crypto'), undefined);
  const study = { class: 'crypto', from: 0, to: 1, rule: SOME_HASH, blob: SOME_HASH };
  log.append('study/1', study);
  log.append('study/1', { ...study, to: 2 });
  log.append('study/1', { ...study, class: 'stock' });
  assert.equal(newestStudy(log.views, 'crypto')?.seq, 2);
  assert.equal(newestStudy(log.views, 'stock')?.seq, 3);
  assert.equal(newestStudy(log.views, 'crypto')?.version, 1);
  log.append('study/2', { ...study, to: 3 });
  assert.deepEqual(newestStudy(log.views, 'crypto'), {
    ...study,
    to: 3,
    version: 2,
    seq: 4,
    at: '2026-07-30T12:00:00Z',
  });
});
