import assert from 'node:assert/strict';
import { cp, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { parseConfig } from '@assay/node/config';
import { dataFolder } from '@assay/node/data-folder';
import { developmentRule } from '@assay/node/demo/development-rule';
import { FileBlobStore } from '@assay/node/file-blob-store';
import { initData, NO_POLICIES } from '@assay/node/init';
import { makeLogger } from '@assay/node/log';
import { nodeSha256 } from '@assay/node/node-sha256';
import { startFromConfig } from '@assay/node/production';
import { readTemplate } from '@assay/node/rule-template';

async function withLog(
  origin: string,
  use: (
    folder: string,
    config: (fields: object) => ReturnType<typeof parseConfig>,
  ) => Promise<void>,
): Promise<void> {
  const folder = await mkdtemp(join(tmpdir(), 'assay-production-'));
  try {
    const data = join(folder, 'data');
    await initData(dataFolder(data), nodeSha256, () => 1_767_225_600, {
      origin,
      passphrase: undefined,
      policies: NO_POLICIES,
    });
    // A production log would ask the public calendars and explorers.
    const offline = { calendars: [], bitcoin_explorers: [] };
    const reach = { contact: 'a@example.org', port: 0, transport: 'node', poll_s: 3600 };
    const least = { data, ...reach, ...offline };
    await use(folder, (fields) => parseConfig({ ...least, ...fields }, {}, folder));
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

const log = makeLogger('silent');

test('production: a log without rules is served', async () => {
  await withLog('log.example/assay', async (_folder, config) => {
    const node = await startFromConfig(config({}), {}, log);
    try {
      const response = await fetch(`http://127.0.0.1:${node.port}/status`);
      const status = (await response.json()) as Record<string, unknown>;
      assert.equal(status['network'], 'production');
      assert.equal(status['notice'], null);
      assert.equal(status['log_size'], 1);
    } finally {
      await node.close();
    }
  });
});

test('production: a sample rule is refused, and nothing is appended', async () => {
  await withLog('log.example/assay', async (folder, config) => {
    const rule = new URL('../../../../samples/rules/LAYOFFS.1.json', import.meta.url);
    const rules = [rule.pathname];
    await assert.rejects(startFromConfig(config({ rules }), {}, log), { code: 'bad_config' });
    const template = new URL('../../../../samples/templates/cpi.json', import.meta.url).pathname;
    const given = await readTemplate(nodeSha256, template);
    const how = { figures: 'sample', version: 1, applies_from: given.applies_from } as const;
    const made = developmentRule(nodeSha256, given, how);
    await writeFile(join(folder, 'development.json'), JSON.stringify(made));
    for (const path of [template, 'development.json']) {
      const refused = config({ rules: [path] });
      await assert.rejects(startFromConfig(refused, {}, log), { code: 'bad_config' }, path);
    }
    await writeFile(join(folder, 'broken.json'), '{');
    const broken = config({ rules: ['broken.json'] });
    await assert.rejects(startFromConfig(broken, {}, log), { code: 'bad_config' });
    const node = await startFromConfig(config({}), {}, log);
    assert.ok('ledger' in node);
    assert.equal(node.ledger.published?.size, 1);
    await node.close();
  });
});

test('production: read-only while no required mirror answers, and it says so', async () => {
  await withLog('log.example/assay', async (_folder, config) => {
    const server = createServer((_request, response) => response.writeHead(503).end());
    await new Promise<void>((resolve) => {
      server.listen(0, '127.0.0.1', resolve);
    });
    try {
      const mirrors = [`http://127.0.0.1:${(server.address() as AddressInfo).port}`];
      const node = await startFromConfig(config({ mirrors, mirrors_required: true }), {}, log);
      try {
        assert.ok('ledger' in node);
        assert.equal(node.ledger.blocked?.code, 'read_only');
        const response = await fetch(`http://127.0.0.1:${node.port}/status`);
        const status = (await response.json()) as { state: string; reasons: readonly string[] };
        assert.equal(status.state, 'degraded');
        assert.match(status.reasons.join(), /Nothing is written/);
        const checkpoint = await fetch(`http://127.0.0.1:${node.port}/checkpoint`);
        assert.equal(checkpoint.status, 200);
      } finally {
        await node.close();
      }
      const optional = await startFromConfig(config({ mirrors }), {}, log);
      assert.ok('ledger' in optional);
      assert.equal(optional.ledger.blocked, undefined);
      await optional.close();
    } finally {
      server.close();
    }
  });
});

test('production: a record that cannot be read is served as halted, and says why', async () => {
  await withLog('log.example/assay', async (folder, config) => {
    const { ledger } = dataFolder(join(folder, 'data'));
    const old = join(folder, 'old');
    await cp(ledger, old, { recursive: true });
    const first = await startFromConfig(config({}), {}, log);
    assert.ok('ledger' in first);
    await first.ledger.append([{ kind: 'note/1', body: { text: 'published' } }], 1);
    await first.close();
    const blobs = await FileBlobStore.open(dataFolder(join(folder, 'data')).blobs);
    const hash = await blobs.put(Buffer.from('a page of a source'));
    // A back-up of the database, behind what the head guard knows was published.
    await rm(ledger, { recursive: true });
    await cp(old, ledger, { recursive: true });
    const node = await startFromConfig(config({}), {}, log);
    try {
      assert.equal('ledger' in node, false);
      const response = await fetch(`http://127.0.0.1:${node.port}/status`);
      const status = (await response.json()) as { error: string; reasons: readonly string[] };
      assert.deepEqual([response.status, status.error], [503, 'halted']);
      assert.match(
        status.reasons.join(),
        /The record cannot be read: the database has fewer entries/,
      );
      const at = (path: string) => fetch(`http://127.0.0.1:${node.port}${path}`);
      const blob = await at(`/blob/${hash}`);
      assert.deepEqual([blob.status, await blob.text()], [200, 'a page of a source']);
      assert.equal((await at('/tile/0/000.p/1')).status, 503);
      assert.equal((await at('/metrics')).status, 200);
    } finally {
      await node.close();
    }
  });
});
