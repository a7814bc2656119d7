import assert from 'node:assert/strict';
import { readdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';
import { initData, NO_POLICIES } from '@assay/node/data/init';
import { dataFolder } from '@assay/node/platform/data-folder';
import { nodeSha256 } from '@assay/node/platform/node-sha256';
import { PostgresGuard } from '@assay/node/postgres/postgres-guard';
import { guardOptions } from '@assay/node/postgres/guard-config';
import { readConfig } from '@assay/node/production/config';
import { makeLogger } from '@assay/node/production/logger';
import { startFromConfig } from '@assay/node/production/production';
import { assay, type Ran, scratch } from '../src/cli/fixture/run.ts';
import { noPostgres, PostgresServer } from './postgres-cluster.ts';

const ORIGIN = 'development/ceremony';

test(
  'a checkpoint key is promised and replaced under a head guard in PostgreSQL',
  { skip: noPostgres() ?? false },
  async (t) => {
    const server = await PostgresServer.start();
    t.after(() => server.close());
    const folder = await scratch(t);
    const data = dataFolder(join(folder, 'data'));
    const { checkpointVkey } = await initData(data, nodeSha256, () => 1_785_414_600, {
      origin: ORIGIN,
      passphrase: undefined,
      policies: NO_POLICIES,
    });
    const path = join(folder, 'config.json');
    await writeFile(
      path,
      JSON.stringify({
        contact: 'test@example.org',
        transport: 'node',
        data: 'data',
        port: 0,
        metrics_port: 0,
        log_level: 'silent',
        head_guard: {
          kind: 'postgres',
          addresses: [`127.0.0.1:${server.port}`],
          database: server.database,
          user: server.user,
          tls: 'off',
          standby: 'none',
          timeout_s: 5,
        },
      }),
    );
    const variables = { ASSAY_GUARD_PASSWORD: server.password };
    const config = await readConfig(path, variables);
    assert.ok(config.head_guard.kind === 'postgres');
    const guard = new PostgresGuard(await guardOptions(config.head_guard, variables, ORIGIN));
    t.after(() => guard.close());
    const sizeOf = async (): Promise<number | undefined> => (await guard.look())?.head?.size;
    const keys = (command: string, ...more: readonly string[]): Promise<Ran> =>
      assay(folder, ['keys', command, 'data', '--config', path, ...more, '--yes'], variables);

    const promised = await keys('promise-checkpoint');
    assert.equal(promised.code, 0, promised.err);
    assert.equal(await sizeOf(), 2, 'the guard has the promise before it is said');
    const rotated = await keys('rotate-checkpoint');
    assert.equal(rotated.code, 0, rotated.err);
    assert.match(rotated.out, /^Checkpoint key 1 is in force: /);
    assert.equal(await sizeOf(), 3);

    // The node goes on with the new key, and who knows the first one gets there from the closing head.
    const node = await startFromConfig(config, variables, makeLogger('silent'));
    const url = `http://127.0.0.1:${node.port}`;
    const verdict = await assay(folder, ['verify', url, '--key', checkpointVkey, '--no-pin']);
    await node.close();
    assert.equal(verdict.code, 0, verdict.out);
    assert.match(verdict.out, /^VERIFIED/);

    // Whoever is not the writer, by the database, changes no key: neither in it nor in the folder.
    const files = await contents(data.root);
    const size = await sizeOf();
    const without = await assay(folder, ['keys', 'rotate-checkpoint', 'data', '--yes'], variables);
    assert.match(without.err, /\[guard_missing\]/);
    const other = { ASSAY_GUARD_PASSWORD: 'another' };
    const args = ['keys', 'rotate-checkpoint', 'data', '--config', path, '--yes'];
    const wrong = await assay(folder, args, other);
    assert.match(wrong.err, /password authentication failed.* \[unreachable\]/);
    await guard.take('another machine', 'anybody');
    const refused = await keys('rotate-checkpoint');
    assert.match(refused.err, /which the writer another machine holds.* \[epoch_over\]/);
    assert.deepEqual([without.code, wrong.code, refused.code], [3, 3, 3]);
    assert.equal(await sizeOf(), size);
    assert.deepEqual(await contents(data.root), files);
  },
);

/** The key files and closing heads of a data folder. */
async function contents(root: string): Promise<readonly (readonly [string, string])[]> {
  const found: (readonly [string, string])[] = [];
  for (const folder of ['keys', 'closing-head']) {
    for (const name of (await readdir(join(root, folder))).toSorted()) {
      found.push([`${folder}/${name}`, await readFile(join(root, folder, name), 'utf8')]);
    }
  }
  return found;
}
