import assert from 'node:assert/strict';
import { test } from 'node:test';
import { answerTo, foldedPaths, jsonBody } from '@assay/core/answer/answer';
import { receiptsPayload } from '@assay/core/answer/terminal/receipts';
import { GENESIS, SampleLog, sha256 } from '../../fixture/fixture.ts';
import { terminalLog } from '../../terminal/terminal-log.ts';

test('receipts: a verifier asks for them once there is an event, and gets the same bytes', () => {
  const empty = new SampleLog();
  empty.append('genesis/1', GENESIS);
  const asked = (log: SampleLog): readonly string[] =>
    foldedPaths(log.views, sha256, 30).filter((path) => path.startsWith('/receipts'));
  assert.deepEqual(asked(empty), []);
  const { views } = terminalLog(2).log;
  assert.deepEqual(asked(terminalLog(2).log), ['/receipts', '/receipts?limit=100']);
  for (const [path, limit] of [
    ['/receipts', 30],
    ['/receipts?limit=100', 100],
    ['/receipts?limit=1', 1],
  ] as const) {
    const answer = answerTo(views, sha256, path);
    assert.deepEqual(answer?.body, jsonBody(receiptsPayload(views, sha256, limit)), path);
  }
  for (const path of ['/receipts?limit=101', '/receipts?limit=0', '/receipts/', '/receiptsx']) {
    assert.equal(answerTo(views, sha256, path), undefined, path);
  }
});
