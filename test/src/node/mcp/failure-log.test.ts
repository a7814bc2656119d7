import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Fault } from '@assay/core/fault';
import { FailureLog, type McpFailure } from '@assay/node/mcp/failure-log';

test('failure log: a message by its code alone, and so many failures a minute', () => {
  const written: McpFailure[] = [];
  let now = 100;
  const log = new FailureLog(
    (failure) => void written.push(failure),
    () => now,
  );
  log.message(new SyntaxError('hunter2 is not valid JSON'));
  log.message(Object.assign(new Error('hunter2'), { code: -32_602 }));
  log.message('hunter2');
  log.answer(new Fault('timeout', 'server'));
  log.answer(new Error(`a disk\u001b[2J is full ${'x'.repeat(500)}`));
  assert.deepEqual(written.slice(0, 3), [
    { of: 'message', code: 'SyntaxError' },
    { of: 'message', code: '-32602' },
    { of: 'message', code: 'thrown' },
  ]);
  assert.equal(written[3]?.code, 'timeout');
  assert.match(written[4]?.reason ?? '', /^a disk.+ is full x+$/);
  assert.ok(!written[4]?.reason?.includes('\u001b'));
  assert.ok((written[4]?.reason?.length ?? 0) <= 320);
  for (let i = 0; i < 100; i += 1) log.message(new Error('hunter2'));
  assert.equal(written.length, 20);
  now += 60;
  log.message(new Error('hunter2'));
  assert.deepEqual(written[20], { of: 'message', code: 'Error', left_out: 85 });
  log.message(new Error('hunter2'));
  assert.deepEqual(written[21], { of: 'message', code: 'Error' });
  assert.ok(!JSON.stringify(written).includes('hunter2'));
});
