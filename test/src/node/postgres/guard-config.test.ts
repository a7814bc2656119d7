import assert from 'node:assert/strict';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import {
  guardField,
  guardOptions,
  type PostgresGuardConfig,
  withGuardPaths,
} from '@assay/node/postgres/guard-config';

const POSTGRES = { kind: 'postgres', addresses: ['db1:5432', '/run/postgresql'] };

test('guard config: what is left out has a default', () => {
  assert.deepEqual(guardField.parse({ kind: 'file' }), { kind: 'file' });
  assert.deepEqual(guardField.parse(POSTGRES), {
    ...POSTGRES,
    database: 'assay',
    user: 'assay',
    password_file: null,
    tls: 'verify',
    ca_file: null,
    standby: 'required',
    timeout_s: 10,
    keep_entries: 100_000,
  });
});

test('guard config: what does not fit is refused', () => {
  for (const change of [
    { addresses: [] },
    { addresses: ['postgres://user:secret@db1'] },
    { addresses: ['db1:0'] },
    // Nobody would confirm the commits of an old server that comes back.
    { standby: 'none' },
    { tls: 'prefer' },
    { timeout_s: 0 },
    { password: 'secret' },
  ]) {
    assert.throws(() => guardField.parse({ ...POSTGRES, ...change }), JSON.stringify(change));
  }
  assert.ok(guardField.parse({ ...POSTGRES, addresses: ['db1'], standby: 'none' }));
});

test('guard config: files are found beside the configuration, and one that is not there is told', async (t) => {
  const folder = await mkdtemp(join(tmpdir(), 'assay-guard-'));
  t.after(() => rm(folder, { recursive: true }));
  const parsed = guardField.parse({ ...POSTGRES, ca_file: 'ca.pem' });
  const config = withGuardPaths(parsed, (path) => join(folder, path)) as PostgresGuardConfig;
  await assert.rejects(guardOptions(config, {}, 'log'), {
    code: 'bad_config',
    at: join(folder, 'ca.pem'),
  });
  await writeFile(join(folder, 'ca.pem'), 'certificates');
  const options = await guardOptions(config, {}, 'log');
  assert.deepEqual(options.addresses, [
    { host: 'db1', port: 5432 },
    { host: '/run/postgresql', port: 5432 },
  ]);
  assert.deepEqual([options.needsStandby, options.timeoutMs], [true, 10_000]);
  assert.notEqual(options.makeName(), options.makeName());
});
