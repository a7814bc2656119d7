import assert from 'node:assert/strict';
import { writeFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { setTimeout as wait } from 'node:timers/promises';
import { makeLogger } from '@assay/node/production/logger';
import { readConfig } from '@assay/node/production/config';
import { startFromConfig } from '@assay/node/production/production';
import { s3Server, S3_KEYS, type S3Server } from '../../node/fixture/s3-server.ts';
import { ownData } from '../fixture/data-folder.ts';
import { assay, listen } from '../fixture/run.ts';

/** Writes a configuration with a bucket, beside a data folder. */
async function configured(t: TestContext, server: S3Server, change: object = {}): Promise<string> {
  const folder = await ownData(t);
  const credentials = { access_key_id: S3_KEYS.keyId, secret_access_key: S3_KEYS.secret };
  await writeFile(join(folder, 'bucket.json'), JSON.stringify(credentials), { mode: 0o600 });
  const { endpoint, bucket } = server.place;
  const objects = { endpoint, bucket, credentials: 'bucket.json', timeout_s: 20, ...change };
  const rest = { contact: 'a@b.example', log_level: 'silent', port: 0, transport: 'node' };
  const offline = { calendars: [], bitcoin_explorers: [], metrics: false, poll_s: 3600 };
  const config = { data: 'data', objects, ...rest, ...offline };
  await writeFile(join(folder, 'c.json'), JSON.stringify(config));
  return folder;
}

/** A static host of what is in a bucket. */
function hostOf(t: TestContext, { objects }: S3Server): Promise<string> {
  const host = createServer((request, response) => {
    const found = objects.get((request.url ?? '').slice(1));
    if (found === undefined) response.writeHead(404).end('<html>');
    else response.end(found.bytes);
  });
  return listen(t, host);
}

const CONFIG = ['--config', 'c.json'];

test('objects: a store is probed, a stopped log is copied, and the copy is verified at its address', async (t) => {
  const server = await s3Server(t);
  const folder = await configured(t, server);
  const probed = await assay(folder, ['objects', 'probe', ...CONFIG]);
  assert.deepEqual(
    [probed.code, probed.out, probed.err],
    [0, 'The store of the bucket assay keeps the conditions of writes.\n', ''],
  );
  const before = await assay(folder, ['objects', 'status', ...CONFIG]);
  assert.deepEqual([before.code, before.out], [3, 'The bucket assay has no checkpoint yet.\n']);
  const synced = await assay(folder, ['objects', 'sync', ...CONFIG]);
  assert.equal(synced.code, 0, synced.err);
  const [, size] =
    /^The bucket assay has (\d+) entries; \d+ objects were written\.\n$/.exec(synced.out) ?? [];
  assert.ok(Number(size) > 256, synced.out);
  const after = await assay(folder, ['objects', 'status', ...CONFIG]);
  assert.match(after.out, new RegExp(`^development/folder: ${size} entries, root [0-9a-f]{64}, `));
  const verdict = await assay(folder, ['verify', await hostOf(t, server), '--details']);
  assert.equal(verdict.code, 0, verdict.out);
  assert.match(verdict.out, new RegExp(`development/folder, ${size} entries`));
});

test('objects: a store that ignores conditions is refused, with what it did', async (t) => {
  const server = await s3Server(t);
  server.ignoresConditions = true;
  const folder = await configured(t, server);
  for (const command of ['probe', 'sync']) {
    const { code, err } = await assay(folder, ['objects', command, ...CONFIG]);
    assert.equal(code, 3);
    assert.match(err, /it took the second create of one object \[objects_unsafe\]/);
  }
  assert.equal(server.objects.size, 0);
  const config = await readConfig(join(folder, 'c.json'), {});
  await assert.rejects(startFromConfig(config, {}, makeLogger('silent')), {
    code: 'objects_unsafe',
  });
  await writeFile(join(folder, 'none.json'), '{"data":"data","contact":"a@b.example"}');
  const none = await assay(folder, ['objects', 'probe', '--config', 'none.json']);
  assert.equal(none.code, 2);
});

test('objects: a node brings its bucket up to date by itself, with blobs in front of their entries', async (t) => {
  const server = await s3Server(t);
  const folder = await configured(t, server, { blobs_first: true, every_s: 0 });
  const config = await readConfig(join(folder, 'c.json'), {});
  const node = await startFromConfig(config, {}, makeLogger('silent'));
  try {
    for (let i = 0; i < 1500 && !server.objects.has('indices.json'); i += 1) await wait(20);
    assert.ok(server.objects.has('checkpoint') && server.objects.has('indices.json'));
  } finally {
    await node.close();
  }
  const verdict = await assay(folder, ['verify', await hostOf(t, server)]);
  assert.equal(verdict.code, 0, verdict.out);
});

test('objects: a node starts beside a store that refuses it, and says so', async (t) => {
  const server = await s3Server(t);
  server.mishap = () => ({ kind: 'status', status: 403, code: 'AccessDenied' });
  const folder = await configured(t, server, { every_s: 0, behind_after_s: 1 });
  const config = await readConfig(join(folder, 'c.json'), {});
  const node = await startFromConfig(config, {}, makeLogger('silent'));
  try {
    let reasons = '';
    for (let i = 0; i < 500 && !reasons.includes('object store'); i += 1) {
      await wait(50);
      reasons = await (await fetch(`http://127.0.0.1:${node.port}/status`)).text();
    }
    assert.match(
      reasons,
      /The object store could not be read for \d+ seconds, and the last try ended with refused\./,
    );
  } finally {
    await node.close();
  }
});
