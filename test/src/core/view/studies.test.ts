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
});
