import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { test } from 'node:test';
import { makeLogger } from '@assay/node/production/logger';

test('log: an unknown level is refused', () => {
  assert.throws(() => makeLogger('loud'), { code: 'bad_config' });
});

test('log: JSON lines on standard error, without secrets', () => {
  const script = `
    import { makeLogger } from '@assay/node/production/logger';
    const log = makeLogger('info');
    log.debug('unseen');
    log.info({ passphrase: 'sesame', key: { private_key: 'sesame' }, port: 1 }, 'seen');
  `;
  const run = spawnSync(process.execPath, ['--input-type=module', '-e', script], {
    cwd: import.meta.dirname,
    encoding: 'utf8',
  });
  assert.equal(run.status, 0, run.stderr);
  assert.equal(run.stdout, '');
  const lines = run.stderr.trim().split('\n');
  assert.equal(lines.length, 1);
  const line = JSON.parse(lines[0] ?? '') as Record<string, unknown>;
  assert.equal(line['msg'], 'seen');
  assert.equal(line['port'], 1);
  assert.ok(!run.stderr.includes('sesame'));
});
